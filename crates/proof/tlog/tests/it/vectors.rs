//! Public vectors, where the data folder is beside the checkout; without it there is nothing to check here.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tlog::{Checkpoint, Hash, Note, RightEdge, SigningKey, VerifierKey, leaf_hash};

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/vectors")
}

/// The cases in the folders below this one.
fn cases(folder: &str) -> Vec<(PathBuf, Value)> {
    let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = list(&vectors().join(folder)).flat_map(|folder| list(&folder).collect::<Vec<_>>());
    let read = |file: PathBuf| {
        let text = fs::read(&file).expect("the file was just listed");
        (file, serde_json::from_slice(&text).expect("a case is JSON"))
    };
    files.map(read).collect()
}

fn hash(value: &Value) -> Option<Hash> {
    Hash::from_base64(value.as_str()?).ok()
}

fn hashes(value: &Value) -> Option<Vec<Hash>> {
    value.as_array().map_or(Some(Vec::new()), |values| values.iter().map(hash).collect())
}

#[test]
fn inclusion_proofs_are_judged_as_the_vectors_say() {
    for (file, case) in cases("merkle/inclusion") {
        let accepted = || {
            let (leaf, root, path) =
                (hash(&case["leafHash"])?, hash(&case["root"])?, hashes(&case["proof"])?);
            let (index, size) = (case["leafIdx"].as_u64()?, case["treeSize"].as_u64()?);
            tlog::verify_inclusion(index, size, &leaf, &path, &root).ok()
        };
        assert_eq!(accepted().is_none(), case["wantErr"].as_bool().unwrap(), "{}", file.display());
    }
}

#[test]
fn consistency_proofs_are_judged_as_the_vectors_say() {
    for (file, case) in cases("merkle/consistency") {
        let accepted = || {
            let (old, new, proof) = (hash(&case["root1"])?, hash(&case["root2"])?, hashes(&case["proof"])?);
            let (size1, size2) = (case["size1"].as_u64()?, case["size2"].as_u64()?);
            tlog::verify_consistency(size1, size2, &old, &new, &proof).ok()
        };
        assert_eq!(accepted().is_none(), case["wantErr"].as_bool().unwrap(), "{}", file.display());
    }
}

#[test]
fn notes_are_judged_as_the_vectors_say() {
    let text = fs::read(vectors().join("note/signed_note.json")).unwrap_or_else(|_| b"[]".to_vec());
    for case in serde_json::from_slice::<Vec<Value>>(&text).unwrap() {
        let accepted = || {
            let key: VerifierKey = case["vkey"].as_str()?.parse().ok()?;
            let note: Note = case["note"].as_str()?.parse().ok()?;
            note.verify(&[key]).ok().map(drop)
        };
        assert_eq!(accepted().is_some(), case["valid"].as_bool().unwrap(), "{}", case["source"]);
    }
}

#[test]
fn a_real_log_has_the_roots_that_its_checkpoints_say() {
    let folder = vectors().join("tlog/serverless-log");
    let mut stage = RightEdge::new().stage();
    for size in 0.. {
        let Ok(note) = fs::read(folder.join(format!("checkpoint.{size}"))) else { break };
        let checkpoint: Checkpoint = Note::from_bytes(&note).unwrap().text().parse().unwrap();
        assert_eq!((checkpoint.size(), checkpoint.root()), (size, stage.root()));
        if let Ok(entry) = fs::read(folder.join(format!("seq/00/00/00/00/{size:02x}"))) {
            stage.append(leaf_hash(&entry));
        }
    }
}

#[test]
fn edges_and_keys_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<RightEdge>();
    shared::<tlog::Stage>();
    shared::<SigningKey>();
    shared::<VerifierKey>();
}
