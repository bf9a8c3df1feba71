//! The time-stamp tokens in an archive: each over a tree that the archive's own log has been.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::Timestamp;
use receipt::hash::sha256;
use time_stamp::{Authority, Stamp, StampError};
use tlog::{Hash, VerifierKey};

use super::ArchiveReport;
use super::log::LogTree;
use crate::layout::{StampedLine, TIMESTAMPS};

/// What the tokens of an archive that hold say: each tree was there by its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampedTrees {
    /// The name of the authority of the last one.
    pub authority: String,
    /// The size of the first tree, and the time by which it was there.
    pub first: (u64, Timestamp),
    /// The size of the last tree, and the time by which it was there.
    pub last: (u64, Timestamp),
}

/// Checks the lines, and has the tree compare their roots once it is that large. Without an authority the tokens are counted.
pub(super) fn check(
    lines: &[u8],
    log_key: &VerifierKey,
    authority: Option<&Authority>,
    tree: &mut LogTree,
    report: &mut ArchiveReport,
) {
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let Err(why) = one(line, log_key, authority, tree, report) {
            report.wrong(TIMESTAMPS, why);
        }
    }
}

fn one(
    line: &[u8],
    log_key: &VerifierKey,
    authority: Option<&Authority>,
    tree: &mut LogTree,
    report: &mut ArchiveReport,
) -> Result<(), String> {
    let StampedLine { size, checkpoint, answer } =
        serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let wrong = |why: String| format!("the token over {size} leaves: {why}");
    let root =
        root_in(&checkpoint, log_key, size).ok_or_else(|| wrong("its checkpoint is another".to_owned()))?;
    if !tree.expect_root(size, root) {
        return Err(wrong(format!("it is out of order, or the log has only {} leaves", report.size)));
    }
    let answer = STANDARD.decode(answer).map_err(|_| wrong("it is no base64".to_owned()))?;
    report.tokens += 1;
    let Some(authority) = authority else { return Ok(()) };
    match authority.check(&answer, &sha256(checkpoint.as_bytes()), None) {
        Ok(stamp) => note(report, size, stamp),
        // The notary may have had another authority before.
        Err(StampError::Untrusted(_)) => report.tokens_of_others += 1,
        Err(error) => return Err(wrong(error.to_string())),
    }
    Ok(())
}

fn note(report: &mut ArchiveReport, size: u64, stamp: Stamp) {
    let tree = (size, stamp.latest());
    let first = report.stamped.as_ref().map_or(tree, |stamped| stamped.first);
    report.stamped = Some(StampedTrees { authority: stamp.authority, first, last: tree });
}

/// The root that a checkpoint of this log and size names. Who has signed it does not matter: what counts is that the archive's own
/// log had this root.
fn root_in(checkpoint: &str, log_key: &VerifierKey, size: u64) -> Option<Hash> {
    let mut lines = checkpoint.lines();
    let (origin, of_size, root) = (lines.next()?, lines.next()?, lines.next()?);
    if origin != log_key.name() || of_size != size.to_string() {
        return None;
    }
    Hash::from_base64(root).ok()
}
