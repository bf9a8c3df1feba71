//! Helpers that the tests share.

use std::path::PathBuf;

use watchlist::{Import, ListError, ParsedList, Publication, PublicationBounds};

/// The folder of real publications; `None`, with a line on the terminal, where it is not at hand.
pub fn real_data() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data/ofac"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

/// Reads files from the disk.
pub fn read_paths(paths: &[PathBuf]) -> Result<Import, ListError> {
    Publication::open(paths, PublicationBounds::default())?.read(None)
}

/// Reads files from memory.
pub fn read(files: &[(&str, &str)]) -> Result<Import, ListError> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    Publication::from_bytes(files, PublicationBounds::default())?.read(None)
}

/// The only list of an import.
pub fn only(import: Result<Import, ListError>) -> ParsedList {
    let mut import = import.expect("the files are read");
    assert_eq!(import.lists.len(), 1);
    import.lists.remove(0)
}
