//! RFC 6962 proofs, good and bad: `vectors/merkle/inclusion` and `vectors/merkle/consistency`.
//!
//! A case is a file. It passes where the proof is accepted exactly when `wantErr` is false; a hash that does not
//! decode to 32 bytes is one way not to be accepted.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tlog::{Hash, HashError, verify_consistency, verify_inclusion};

use crate::outcome::Outcome;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inclusion {
    leaf_idx: u64,
    tree_size: u64,
    root: String,
    leaf_hash: String,
    proof: Option<Vec<String>>,
    want_err: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Consistency {
    size1: u64,
    size2: u64,
    root1: String,
    root2: String,
    proof: Option<Vec<String>>,
    want_err: bool,
}

/// A case, and whether a right implementation refuses it.
trait Case: DeserializeOwned {
    fn refused(&self) -> bool;
    fn check(&self) -> Result<(), String>;
}

impl Case for Inclusion {
    fn refused(&self) -> bool {
        self.want_err
    }

    fn check(&self) -> Result<(), String> {
        let (leaf, root, path) = (hash(&self.leaf_hash)?, hash(&self.root)?, hashes(self.proof.as_deref())?);
        verify_inclusion(self.leaf_idx, self.tree_size, &leaf, &path, &root)
            .map_err(|error| error.to_string())
    }
}

impl Case for Consistency {
    fn refused(&self) -> bool {
        self.want_err
    }

    fn check(&self) -> Result<(), String> {
        let (old, new, proof) = (hash(&self.root1)?, hash(&self.root2)?, hashes(self.proof.as_deref())?);
        verify_consistency(self.size1, self.size2, &old, &new, &proof).map_err(|error| error.to_string())
    }
}

/// Runs both suites on a folder laid out as the data folder is.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let merkle = dir.join("vectors/merkle");
    let inclusion = run_folder::<Inclusion>("vectors/merkle-inclusion", &merkle.join("inclusion"));
    let consistency = run_folder::<Consistency>("vectors/merkle-consistency", &merkle.join("consistency"));
    inclusion.into_iter().chain(consistency).collect()
}

fn run_folder<C: Case>(name: &str, folder: &Path) -> Option<Outcome> {
    let files = json_files(folder);
    if files.is_empty() {
        return None;
    }
    let mut outcome = Outcome { name: name.to_owned(), total: files.len(), ..Outcome::default() };
    for file in files {
        match judge::<C>(&file) {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("{}: {why}", file.display())),
        }
    }
    Some(outcome)
}

fn judge<C: Case>(file: &Path) -> Result<(), String> {
    let text = fs::read(file).map_err(|error| error.to_string())?;
    let case: C = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    match (case.check(), case.refused()) {
        (Ok(()), false) | (Err(_), true) => Ok(()),
        (Ok(()), true) => Err("accepted, but to be refused".to_owned()),
        (Err(why), false) => Err(format!("refused, but to be accepted: {why}")),
    }
}

fn hash(text: &str) -> Result<Hash, String> {
    Hash::from_base64(text).map_err(|error: HashError| error.to_string())
}

fn hashes(texts: Option<&[String]>) -> Result<Vec<Hash>, String> {
    texts.unwrap_or_default().iter().map(|text| hash(text)).collect()
}

/// The JSON files in a folder and the folders below it, in the order of their names; none where it is not there.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
