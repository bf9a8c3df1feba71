//! Atomic and durable writes of files.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::StoreError;

/// Bytes of a record or of the live file. Real ones have some hundred.
const JSON_BYTES: u64 = 4 << 20;

pub(crate) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<'_> {
    move |source| StoreError::Io { path: path.to_owned(), source }
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_error(folder))
}

/// Writes a new file and makes its bytes durable.
pub(crate) fn write_new(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let written = File::create_new(path).and_then(|mut file| write(&mut file).and_then(|()| file.sync_all()));
    written.map_err(io_error(path))
}

pub(crate) fn json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Prefix of a file's name while it is written, until it is renamed.
const BESIDE: &str = ".new-";

/// Temporary name of the file that will have this name.
pub(crate) fn beside(name: &str) -> String {
    format!("{BESIDE}{name}")
}

/// Deletes the temporary files that a killed process left. The caller holds the lock under which such files are
/// written, so no other process uses them. A file that cannot be deleted does no harm.
pub(crate) fn sweep(folder: &Path, name: &str) {
    let prefix = beside(name);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let swept = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let Err(error) = swept {
            tracing::warn!("failed to take away {}: {error}", path.display());
        }
    }
}

/// Puts a file in the place of another. Callers with the same path hold the same lock.
pub(crate) fn replace(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let replaced = json(value).and_then(|bytes| {
        let mut file = tempfile::Builder::new().prefix(&beside(name)).tempfile_in(folder)?;
        file.write_all(&bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)
    });
    replaced.map_err(io_error(path))?;
    sync_folder(folder)
}

/// Reads a JSON file; nothing where there is none.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let Some(bytes) = read_bounded(path)? else { return Ok(None) };
    let damaged =
        |error: serde_json::Error| StoreError::Damaged { path: path.to_owned(), why: error.to_string() };
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

/// Reads the bytes of a JSON file; nothing where there is none.
pub(crate) fn read_bounded(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::metadata(path).map(|metadata| metadata.len()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(bytes) if bytes > JSON_BYTES => {
            Err(StoreError::Damaged { path: path.to_owned(), why: format!("it has {bytes} bytes") })
        }
        _ => fs::read(path).map(Some).map_err(io_error(path)),
    }
}
