//! A file of receipts to be verified offline, as a busy notary gives them: many over one checkpoint, in a log
//! that is already long.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Context as _;
use receipt::envelope::LogHead;
use receipt::sign::Signer;
use tlog::{Checkpoint, Hash, RightEdge, TlogProof};
use verdict::{Clock as _, SystemClock};

use crate::identity::Identity;
use crate::questions::Random;
use crate::store::Case;

/// Receipts over one checkpoint: half of what 64 connections reach.
pub const A_CHECKPOINT: u32 = 32;

/// Leaves of others that lie before the first receipt, so that proofs are as long as in a log of a million.
const EARLIER_LEAVES: u32 = 1_000_000;

/// Writes `count` receipts to `file` as JSON Lines, under new keys in `data_folder`.
pub fn write(file: &Path, data_folder: &Path, count: u32) -> anyhow::Result<()> {
    let Identity { receipt, kid, log } = Identity::of(data_folder)?;
    let signer = Signer::new(receipt, kid);
    let at = SystemClock::start().now();
    let mut edge = earlier();
    let mut lines = BufWriter::new(File::create(file).with_context(|| format!("create {}", file.display()))?);
    let mut next = 0;
    while next < count {
        let log_head = LogHead { size: edge.size(), root: edge.root() };
        let numbers = next..count.min(next + A_CHECKPOINT);
        next = numbers.end;
        let cases = numbers.map(|number| Case::new(number, at, log_head, &signer));
        let cases = cases.collect::<anyhow::Result<Vec<_>>>()?;
        let mut stage = edge.stage();
        for case in &cases {
            stage.append(tlog::leaf_hash(&case.entry));
        }
        let checkpoint = Checkpoint::new(log.name(), stage.size(), stage.root())?.sign(&log)?;
        for (index, case) in (stage.base_size()..).zip(&cases) {
            let path = stage.inclusion_path(index)?;
            let proof = TlogProof { extra: None, index, path, checkpoint: checkpoint.clone() };
            lines.write_all(&case.signed.to_json(Some(&proof.to_string())))?;
            lines.write_all(b"\n")?;
        }
        edge = stage.commit();
    }
    lines.flush().with_context(|| format!("write {}", file.display()))
}

fn earlier() -> RightEdge {
    let mut random = Random::new(2);
    let mut edge = RightEdge::new();
    for _ in 0..EARLIER_LEAVES {
        edge.append(Hash(random.bytes()));
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_receipt_of_the_file_verifies() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("receipts.jsonl");
        write(&file, folder.path(), 40).unwrap();
        let verifier = Identity::of(folder.path()).unwrap().verifier().unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(text.lines().count(), 40);
        assert!(text.lines().all(|line| verifier.verify(line.as_bytes()).unwrap().valid()));
    }
}
