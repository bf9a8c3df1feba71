//! Finds out whether the service can write its files, without changing any.

use std::fs::{self, OpenOptions};
use std::path::Path;

use anyhow::{Context as _, bail};

/// Checks that files can be made in a folder; in the one that it would be made in, where it is not there yet.
///
/// # Errors
/// They cannot, or it is no folder.
pub fn folder(path: &Path) -> anyhow::Result<()> {
    let about = || format!("cannot write into {}", path.display());
    let mut present = path;
    while !present.try_exists().with_context(about)? {
        present = match present.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        };
    }
    if !present.is_dir() {
        bail!("cannot write into {}: {} is no folder", path.display(), present.display());
    }
    let probe = present.join(format!(".touchstone-check-{}", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&probe).with_context(about)?;
    fs::remove_file(&probe).with_context(about)
}

/// Checks that a store can be written, and the files that SQLite keeps beside it.
///
/// # Errors
/// They cannot.
pub fn store(path: &Path) -> anyhow::Result<()> {
    let about = || format!("cannot write the store {}", path.display());
    if path.try_exists().with_context(about)? {
        OpenOptions::new().read(true).write(true).open(path).with_context(about)?;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    folder(parent.unwrap_or(Path::new("."))).with_context(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_is_left_as_it_is_and_what_cannot_is_named() {
        let here = tempfile::tempdir().unwrap();
        let inner = here.path().join("a/b");
        folder(&inner).unwrap();
        store(&inner.join("store.sqlite")).unwrap();
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
        let file = here.path().join("file");
        fs::write(&file, "text").unwrap();
        store(&file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"text");
        let said = folder(&file.join("folder")).unwrap_err();
        assert!(said.to_string().contains("file/folder"), "{said:#}");
        let said = folder(&file).unwrap_err();
        assert!(said.to_string().contains("file is no folder"), "{said:#}");
    }
}
