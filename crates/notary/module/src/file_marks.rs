//! The versions that the files of a shared folder have in the store of the notary.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The name of the file in the shared folder.
const NAME: &str = "shared.json";
/// The name of the file while it is written.
const BESIDE: &str = ".new-shared.json";
/// The most bytes of the file.
const MAX_BYTES: u64 = 1 << 20;

/// The files of a shared folder that change, as this process has them in common with the others of its store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMarks(BTreeMap<String, FileMark>);

/// A file as all processes have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// The version in the store.
    pub version: u64,
    /// The SHA-256 of the content, in hex.
    pub sha256: String,
}

impl FileMarks {
    /// Reads the marks in a folder; none where there are none, or they are damaged.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        let path = folder.join(NAME);
        let bytes = match fs::metadata(&path) {
            Ok(metadata) if metadata.len() <= MAX_BYTES => fs::read(&path).unwrap_or_default(),
            _ => Vec::new(),
        };
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// The mark of a file, by its path in the folder.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&FileMark> {
        self.0.get(path)
    }

    /// The version of a file, if its content is the one that all processes have.
    #[must_use]
    pub fn version_of(&self, path: &str, sha256: &str) -> Option<u64> {
        self.get(path).filter(|mark| mark.sha256 == sha256).map(|mark| mark.version)
    }

    /// Sets the mark of a file, or removes it, and writes all marks into the folder where that is a change.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set(&mut self, folder: &Path, path: &str, mark: Option<FileMark>) -> io::Result<()> {
        let before = match mark.clone() {
            Some(mark) => self.0.insert(path.to_owned(), mark),
            None => self.0.remove(path),
        };
        if before == mark { Ok(()) } else { self.write(folder) }
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let beside = folder.join(BESIDE);
        let mut file = File::create(&beside)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        fs::rename(&beside, folder.join(NAME))?;
        File::open(folder)?.sync_all()
    }
}
