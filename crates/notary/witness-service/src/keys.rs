//! The file of a witness's private keys: `PRIVATE+KEY+<name>+<key ID>+<base64>`, one a line, readable by its owner alone.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tlog::{CosignerKey, KeyError, KeyKind};
use zeroize::Zeroizing;

/// No file of keys is near this long.
const MAX_BYTES: u64 = 16 << 10;

/// An error in reading or making the keys. No message contains a key.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The file cannot be read or written.
    #[error("the key file {}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Users other than the owner may read the file.
    #[error("the key file {0} may be read by others than its owner: run `chmod 600 {0}`")]
    ReadableByOthers(String),
    /// A line is no private key of a witness.
    #[error("the key file {}, line {line}: {error}", path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// The error in it.
        error: KeyError,
    },
    /// The file is longer than any file of keys.
    #[error("the key file {} is too long", .0.display())]
    TooLong(PathBuf),
    /// The file has no key.
    #[error("the key file {} has no key", .0.display())]
    Empty(PathBuf),
    /// The name is no name of a key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The operating system gave no random numbers.
    #[error("no randomness: {0}")]
    Randomness(getrandom::Error),
}

/// Reads the keys; `None` where there is no file.
///
/// # Errors
/// [`KeysError`]
pub fn load(path: &Path) -> Result<Option<Vec<CosignerKey>>, KeysError> {
    let io = |source| KeysError::Io { path: path.to_owned(), source };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(io)?,
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if file.metadata().map_err(io)?.permissions().mode() & 0o077 != 0 {
            return Err(KeysError::ReadableByOthers(path.display().to_string()));
        }
    }
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(io)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(KeysError::TooLong(path.to_owned()));
    }
    let mut keys = Vec::new();
    for (line, key) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let key = CosignerKey::from_private_text(key.trim());
        keys.push(key.map_err(|error| KeysError::Line { path: path.to_owned(), line, error })?);
    }
    if keys.is_empty() { Err(KeysError::Empty(path.to_owned())) } else { Ok(Some(keys)) }
}

/// Makes new keys of these types under a name.
///
/// # Errors
/// [`KeysError`]: the name is no name of a key, or there are no random numbers.
pub fn generate(name: &str, kinds: &[KeyKind]) -> Result<Vec<CosignerKey>, KeysError> {
    let mut keys = Vec::new();
    for kind in kinds {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut seed[..]).map_err(KeysError::Randomness)?;
        keys.push(CosignerKey::from_seed(name, *kind, &seed)?);
    }
    Ok(keys)
}

/// Writes keys into a new file, which is on the disk when this returns.
///
/// # Errors
/// [`KeysError`]; a file that is there is never overwritten.
pub fn save(path: &Path, keys: &[CosignerKey]) -> Result<(), KeysError> {
    let io = |source| KeysError::Io { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(io)?;
    for key in keys {
        file.write_all(key.to_private_text().as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(io)?;
    }
    file.sync_all().map_err(io)?;
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(io)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [KeyKind; 2] = [KeyKind::CosignatureV1, KeyKind::MlDsa44];

    #[test]
    fn keys_are_read_as_they_were_made_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(load(&path).unwrap().is_none());
        let made = generate("w.example", &BOTH).unwrap();
        save(&path, &made).unwrap();
        let read = load(&path).unwrap().unwrap();
        let vkeys =
            |keys: &[CosignerKey]| keys.iter().map(|key| key.verifier().to_string()).collect::<Vec<_>>();
        assert_eq!((vkeys(&made), made.len()), (vkeys(&read), 2));
        assert!(matches!(save(&path, &made), Err(KeysError::Io { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_or_without_a_key_is_refused_and_no_key_is_shown() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        save(&path, &generate("w.example", &BOTH[..1]).unwrap()).unwrap();
        let secret = std::fs::read_to_string(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, &secret.trim_end()[..secret.len() - 9]).unwrap();
        let said = load(&path).unwrap_err().to_string();
        assert!(said.contains("line 1") && !said.contains(&secret[40..60]), "{said}");
        std::fs::write(&path, "\n\n").unwrap();
        assert!(matches!(load(&path), Err(KeysError::Empty(_))));
        std::fs::write(&path, vec![b'a'; 20_000]).unwrap();
        assert!(matches!(load(&path), Err(KeysError::TooLong(_))));
    }
}
