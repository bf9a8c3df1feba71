//! Key files: PKCS#8 PEM (RFC 7468 section 10), readable by their owner alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pem_rfc7468::LineEnding;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use thiserror::Error;
use zeroize::Zeroizing;

/// No key file is near this long.
const MAX_BYTES: u64 = 16 * 1024;

/// An error in reading, writing or generating a private key.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// The file cannot be opened, read or written.
    #[error("failed to {action} the key file {}: {source}", path.display())]
    Io {
        /// The attempted operation, as a verb phrase for the message: `open the key file`, for example.
        action: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file exists already. Keys are never overwritten.
    #[error("the key file {} exists already and is never overwritten", path.display())]
    Exists {
        /// The path of the file.
        path: PathBuf,
    },
    /// Users other than the owner may read the file.
    #[error(
        "the key file {} may be read by others than its owner (mode {mode:04o}): run `chmod 600 {}`",
        path.display(), path.display()
    )]
    ReadableByOthers {
        /// The path of the file.
        path: PathBuf,
        /// The permission bits of the file, 0o644 for example.
        mode: u32,
    },
    /// The file does not hold an Ed25519 private key in PKCS#8 PEM.
    #[error("the key file {} does not hold an unencrypted Ed25519 private key in PKCS#8 PEM", path.display())]
    NotAKey {
        /// The path of the file.
        path: PathBuf,
    },
    /// The operating system gave no random numbers.
    #[error("failed to get random numbers for a new key: {0}")]
    Randomness(getrandom::Error),
}

impl KeyFileError {
    /// Returns true if the error is that the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

const LABEL: &str = "PRIVATE KEY";
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

pub(super) fn to_pem(der: &[u8]) -> Zeroizing<String> {
    let pem = pem_rfc7468::encode_string(LABEL, LineEnding::LF, der);
    Zeroizing::new(pem.expect("the label is one, and a key is far shorter than memory"))
}

/// Takes what RFC 7468 calls lax: lines of any length, and white space anywhere between the boundaries, as keys have that
/// came through a form or a variable. `pem_rfc7468` reads the strict form alone.
pub(super) fn from_pem(pem: &str) -> Option<Zeroizing<Vec<u8>>> {
    let body = pem.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let base64: Zeroizing<String> = Zeroizing::new(body.split_ascii_whitespace().collect());
    STANDARD.decode(base64.as_bytes()).ok().map(Zeroizing::new)
}

pub(super) fn read(path: &Path) -> Result<Zeroizing<String>, KeyFileError> {
    let failed = |source| KeyFileError::Io { action: "read", path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // The open file is asked, not the path, which might be another file by now.
    refuse_if_readable_by_others(&file, path)?;
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(unix)]
fn refuse_if_readable_by_others(file: &File, path: &Path) -> Result<(), KeyFileError> {
    use std::os::unix::fs::PermissionsExt as _;
    let failed = |source| KeyFileError::Io { action: "read", path: path.to_owned(), source };
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o7777;
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        Err(KeyFileError::ReadableByOthers { path: path.to_owned(), mode })
    }
}

#[cfg(not(unix))]
fn refuse_if_readable_by_others(_file: &File, _path: &Path) -> Result<(), KeyFileError> {
    Ok(())
}

/// Creates the file with these bytes. The bytes are written to another new file beside it first, which is then linked
/// to the name: the name is either not there or holds all of the key, and what was there before stays.
pub(super) fn create(path: &Path, bytes: &[u8]) -> Result<(), KeyFileError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => KeyFileError::Exists { path: path.to_owned() },
        _ => KeyFileError::Io { action: "write", path: path.to_owned(), source },
    };
    let number = getrandom::u64().map_err(KeyFileError::Randomness)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{number:016x}.new"));
    let beside = path.with_file_name(name);
    let linked = write_new(&beside, bytes).and_then(|()| fs::hard_link(&beside, path));
    let removed = match fs::remove_file(&beside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    linked.and(removed).and_then(|()| sync_folder_of(path)).map_err(failed)
}

/// Creates a file that its owner alone may read, with these bytes. They are on the disk when this returns; the name lasts from
/// [`sync_folder_of`] on.
///
/// # Errors
/// There is a file of this name, or it cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes the folder of a file to the disk: a new name lasts only when its folder is there too.
///
/// # Errors
/// The folder cannot be written.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}
