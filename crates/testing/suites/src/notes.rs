//! Signed notes, `vectors/note/signed_note.json`, and a whole log, `vectors/tlog/serverless-log`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use tlog::{
    Checkpoint, Hash, Note, NoteError, RightEdge, Stage, TileReader, VerifierKey, consistency_proof,
    inclusion_path, leaf_hash, root_at, verify_consistency, verify_inclusion,
};

use crate::outcome::Outcome;

/// The public key that the serverless-log project publishes for its test log, from testdata/build_log.sh in
/// transparency-dev/serverless-log. The vectors hold no key of their own, so the checkpoints of a log with another
/// key are judged by their form and their roots alone.
const SERVERLESS_LOG_KEY: &str = "astra+cad5a3d2+AZJqeuyE/GnknsCNh1eCtDtwdAwKBddOlS8M2eI1Jt4b";

#[derive(Deserialize)]
struct NoteCase {
    vkey: String,
    note: String,
    valid: bool,
}

/// Runs both suites on a folder laid out as the data folder is.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let notes = run_notes(&dir.join("vectors/note/signed_note.json"));
    let log = run_log(&dir.join("vectors/tlog/serverless-log"));
    notes.into_iter().chain(log).collect()
}

/// A case passes where key and note hold exactly when they are said to be valid.
fn run_notes(file: &Path) -> Option<Outcome> {
    let text = fs::read(file).ok()?;
    let mut outcome = Outcome { name: "vectors/note".to_owned(), ..Outcome::default() };
    let cases: Vec<serde_json::Value> = match serde_json::from_slice(&text) {
        Ok(cases) => cases,
        Err(error) => {
            count(&mut outcome, &file.display().to_string(), Err(error.to_string()));
            return Some(outcome);
        }
    };
    for (number, case) in cases.into_iter().enumerate() {
        let judged = serde_json::from_value(case).map_err(|error| error.to_string()).and_then(
            |case: NoteCase| match (verify_note(&case), case.valid) {
                (Ok(()), true) | (Err(_), false) => Ok(()),
                (Ok(()), false) => Err("accepted, but not valid".to_owned()),
                (Err(why), true) => Err(format!("refused, but valid: {why}")),
            },
        );
        count(&mut outcome, &format!("case {number}"), judged);
    }
    Some(outcome)
}

fn verify_note(case: &NoteCase) -> Result<(), String> {
    let key: VerifierKey = case.vkey.parse().map_err(|error: tlog::KeyError| error.to_string())?;
    let note: Note = case.note.parse().map_err(|error: NoteError| error.to_string())?;
    note.verify(&[key]).map(drop).map_err(|error| error.to_string())
}

/// One case for each checkpoint, and one for each step from a checkpoint to the next larger one.
fn run_log(folder: &Path) -> Option<Outcome> {
    let files = checkpoint_files(folder);
    if files.is_empty() {
        return None;
    }
    let mut outcome = Outcome { name: "vectors/tlog-serverless-log".to_owned(), ..Outcome::default() };
    let tree = Tree::read(folder);
    let mut checkpoints = Vec::new();
    for file in files {
        let judged = fs::read(folder.join(&file))
            .map_err(|error| error.to_string())
            .and_then(|note| open(&note))
            .and_then(|checkpoint| tree.check(&checkpoint).map(|()| checkpoint));
        let judged = judged.map(|checkpoint| checkpoints.push(checkpoint));
        count(&mut outcome, &file, judged);
    }
    checkpoints.sort_by_key(Checkpoint::size);
    for pair in checkpoints.windows(2) {
        let step = format!("from size {} to {}", pair[0].size(), pair[1].size());
        count(&mut outcome, &step, tree.check_step(&pair[0], &pair[1]));
    }
    Some(outcome)
}

fn count(outcome: &mut Outcome, case: &str, judged: Result<(), String>) {
    outcome.total += 1;
    match judged {
        Ok(()) => outcome.passed += 1,
        Err(why) => outcome.failures.push(format!("{case}: {why}")),
    }
}

/// The files `checkpoint` and `checkpoint.N`.
fn checkpoint_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name == "checkpoint" || name.starts_with("checkpoint."))
        .collect();
    files.sort();
    files
}

/// Reads a checkpoint. The checkpoint's key is named otherwise than its origin, so the note is verified by itself.
fn open(bytes: &[u8]) -> Result<Checkpoint, String> {
    let note = Note::from_bytes(bytes).map_err(|error| error.to_string())?;
    if note.to_string().as_bytes() != bytes {
        return Err("the note does not come back as it was".to_owned());
    }
    let key: VerifierKey = SERVERLESS_LOG_KEY.parse().map_err(|error: tlog::KeyError| error.to_string())?;
    match note.verify(&[key]) {
        Ok(_) | Err(NoteError::NoKnownKey) => {}
        Err(error) => return Err(error.to_string()),
    }
    note.text().parse().map_err(|error: tlog::CheckpointError| error.to_string())
}

/// The log's tree, recomputed from its entries.
struct Tree {
    leaves: Vec<Hash>,
    tiles: BTreeMap<(u8, u64), Arc<[Hash]>>,
}

impl Tree {
    /// Reads the entries `seq/AA/BB/CC/DD/EE`, whose path is the index in hexadecimal, up to the first gap.
    fn read(folder: &Path) -> Self {
        let mut stage: Stage = RightEdge::new().stage();
        let mut leaves = Vec::new();
        while let Ok(entry) = fs::read(folder.join(sequence_path(stage.size()))) {
            leaves.push(leaf_hash(&entry));
            stage.append(leaf_hash(&entry));
        }
        let tiles = stage.full_tiles().into_iter().chain(stage.partial_tiles());
        Self { leaves, tiles: tiles.map(|tile| ((tile.level, tile.index), tile.hashes.into())).collect() }
    }

    fn check(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let (size, root) = (checkpoint.size(), checkpoint.root());
        let Some(leaves) = usize::try_from(size).ok().and_then(|size| self.leaves.get(..size)) else {
            return Err(format!("only {} of {size} entries are there", self.leaves.len()));
        };
        if root_at(size, self).map_err(|error| error.to_string())? != root {
            return Err("the root is not that of the entries".to_owned());
        }
        for (index, leaf) in (0..).zip(leaves) {
            let path = inclusion_path(size, index, self).map_err(|error| error.to_string())?;
            verify_inclusion(index, size, leaf, &path, &root).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn check_step(&self, old: &Checkpoint, new: &Checkpoint) -> Result<(), String> {
        let proof = consistency_proof(old.size(), new.size(), self).map_err(|error| error.to_string())?;
        verify_consistency(old.size(), new.size(), &old.root(), &new.root(), &proof)
            .map_err(|error| error.to_string())
    }
}

impl TileReader for Tree {
    type Error = String;

    fn tile(&self, level: u8, index: u64, _: u16) -> Result<Arc<[Hash]>, String> {
        self.tiles.get(&(level, index)).cloned().ok_or_else(|| format!("there is no tile {level}/{index}"))
    }
}

fn sequence_path(index: u64) -> String {
    let [_, _, _, a, b, c, d, e] = index.to_be_bytes();
    format!("seq/{a:02x}/{b:02x}/{c:02x}/{d:02x}/{e:02x}")
}
