//! A mirror has every file of its log, and gives proofs without it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use log_follower::{Mirror, MirrorError, MirrorFolder};
use tempfile::tempdir;
use tlog::TilePath;

use crate::support::{TestLog, entries, entry, follower, key_of, receipt, vkey};

/// All files of a folder by their paths below it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for file in fs::read_dir(inner).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn a_mirror_has_the_files_of_the_log_and_no_others_at_every_size() {
    let folder = tempdir().unwrap();
    let copy = folder.path().join("copy");
    let log = TestLog::of(Vec::new());
    let mut size = 0;
    for more in [0, 1, 254, 1, 1, 300, 255, 65_000] {
        log.grow(entries(size..size + more));
        size += more;
        let mirror = Mirror::new(MirrorFolder::new(&copy));
        follower(&log, folder.path(), mirror).advance().await.unwrap();
        let mut files = files(&copy);
        assert_eq!(files.remove("checkpoint").unwrap(), log.note().as_bytes());
        let mut widths = BTreeMap::new();
        for (name, bytes) in files {
            let path: TilePath = name.parse().unwrap();
            assert_eq!(bytes, log.bytes(&name), "{name} at {size}");
            *widths.entry(path.kind()).or_insert(0) += u64::from(path.width());
        }
        let hashes = |level: u8| widths.get(&tlog::TileKind::Hashes(level)).copied().unwrap_or_default();
        assert_eq!(
            widths.get(&tlog::TileKind::Entries).copied().unwrap_or_default(),
            size,
            "entries at {size}"
        );
        assert_eq!([0, 1, 2].map(hashes), [size, size / 256, size / 65_536], "hashes at {size}");
    }
}

#[tokio::test]
async fn proofs_are_had_when_the_log_is_gone_by_leaf_and_by_receipt() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..700));
    let mirror = MirrorFolder::new(folder.path());
    assert!(matches!(mirror.proof(0, &[]), Err(MirrorError::NoCheckpoint(_))));
    follower(&log, folder.path(), Mirror::new(mirror.clone())).advance().await.unwrap();
    drop(log);
    for index in [0, 1, 255, 256, 511, 512, 699] {
        let proof = mirror.proof(index, &[vkey()]).unwrap();
        assert_eq!(proof.verify(&entry(index), &vkey()).unwrap().size(), 700);
        assert_eq!(mirror.find(&receipt(index)).unwrap(), index);
    }
    assert!(matches!(mirror.proof(700, &[]), Err(MirrorError::NoLeaf { index: 700, size: 700 })));
    assert!(matches!(mirror.find(&receipt(700)), Err(MirrorError::NoReceipt(_))));
    let other = key_of("log.example/log", 2).verifier();
    assert!(matches!(mirror.proof(0, &[other]), Err(MirrorError::Checkpoint(_))));
    // A mirror that lost a part says which.
    fs::write(folder.path().join("tile/0/001"), [0; 32]).unwrap();
    assert!(matches!(mirror.proof(300, &[]), Err(MirrorError::Damaged(_))));
    fs::remove_file(folder.path().join("tile/0/001")).unwrap();
    assert!(
        matches!(mirror.proof(300, &[]), Err(MirrorError::Missing(path)) if path.to_string() == "tile/0/001")
    );
}
