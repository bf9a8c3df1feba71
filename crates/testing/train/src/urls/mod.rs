//! The model of `url-signals`.

mod evaluation;
mod rows;

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use url_signals::{LearningOptions, learn};

pub(crate) use evaluation::evaluate;

/// Learns the model from all rows that may be learnt from, writes it into the crate, and prints its SHA-256.
///
/// # Errors
/// The rows cannot be read, or the file cannot be written.
pub(crate) fn write_model(folder: &Path) -> Result<(), String> {
    let rows = rows::read(folder)?;
    let examples = rows::examples(&rows, |_| true);
    let bytes = learn(&examples, LearningOptions::default()).to_bytes();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../subjects/url-signals/data/urls.model");
    std::fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{} examples, {} bytes, SHA-256 {hash}", examples.len(), bytes.len());
    Ok(())
}
