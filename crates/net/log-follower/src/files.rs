//! Files that appear completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file beside its place and moves it there. It lasts once [`sync_folder`] has returned.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], is_synced: bool) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    if is_synced {
        file.sync_all()?;
    }
    fs::rename(&part, path)
}

/// Makes the names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Reads a file of at most `bound` bytes; `None` where there is none.
pub(crate) fn read_bounded(path: &Path, bound: u64) -> io::Result<Option<Vec<u8>>> {
    use io::Read as _;
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(bound + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bound { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(Some(bytes)) }
}
