//! The shipped model of `prompt-injection`: learning it, and checking that the shipped bytes are those that are learnt.

use std::path::Path;

use prompt_injection::{Example, LearningOptions, WEIGHTS, learn};
use sha2::{Digest as _, Sha256};

use crate::rows::LabelledText;

/// Learns the model from all rows that may be learnt from, and writes it with its hash into a folder.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(rows: &[LabelledText], folder: &Path) -> Result<(), String> {
    let weights = weights(rows);
    let hash = hex::encode(Sha256::digest(&weights));
    for (name, bytes) in [("weights.bin", &weights[..]), ("weights.sha256", hash.as_bytes())] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    println!("weights: {hash}");
    println!("rows: {}", hash_of(rows));
    Ok(())
}

/// Learns the model again, and compares it with the shipped one.
///
/// # Errors
/// The bytes differ.
pub(crate) fn check(rows: &[LabelledText]) -> Result<(), String> {
    let weights = weights(rows);
    println!("rows: {}", hash_of(rows));
    if weights == WEIGHTS {
        println!("the shipped weights are those that are learnt");
        Ok(())
    } else {
        Err(format!(
            "the shipped weights have the SHA-256 {}, and those learnt have {}",
            hex::encode(Sha256::digest(WEIGHTS)),
            hex::encode(Sha256::digest(&weights))
        ))
    }
}

fn weights(rows: &[LabelledText]) -> Vec<u8> {
    let examples: Vec<Example> = rows.iter().filter(|row| row.is_learnt).map(LabelledText::example).collect();
    learn(&examples, LearningOptions::default()).to_bytes()
}

/// SHA-256 of the rows that are learnt from: for each a byte that is 1 for an attack, and its normal text with a line feed.
fn hash_of(rows: &[LabelledText]) -> String {
    let mut hash = Sha256::new();
    for row in rows.iter().filter(|row| row.is_learnt) {
        let text: String = row.text.characters().iter().collect();
        hash.update([u8::from(row.is_attack)]);
        hash.update(text);
        hash.update("\n");
    }
    hex::encode(hash.finalize())
}
