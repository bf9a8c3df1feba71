//! The log: the next head and its proofs, and the shape that a stored log must have.

use std::collections::BTreeMap;
use std::sync::Arc;

use receipt::time::Timestamp;
use tlog::tile::FULL_WIDTH;
use tlog::{Checkpoint, CheckpointError, Hash, LogSigners, NoteError, RightEdge, Stage, VerifierKey};

use crate::published::Head;
use crate::{AppendedRecord, Inclusion, LedgerError, LedgerRecord};

/// The log after a batch of records. It is published once the batch is durable.
pub struct LogDraft {
    /// The tree with the leaves of the records.
    pub stage: Stage,
    /// The new head; the earlier one where the batch has no record.
    pub head: Arc<Head>,
    /// The answers for the records of the batch, in their order.
    pub proofs: Vec<AppendedRecord>,
}

impl LogDraft {
    /// Extends the log with this head and right edge by records, each given by its leaf hash and its `signed_at`, and
    /// signs the new head. Its `latest` never decreases. It blocks for as long as the log's signers do.
    ///
    /// # Errors
    /// [`LedgerError::NotSigned`]: a signer gave no signature in time.
    /// [`LedgerError::Corrupt`]: the edge cannot prove its own leaves.
    pub fn new(
        edge: &RightEdge,
        head: &Arc<Head>,
        signers: &LogSigners,
        records: impl Iterator<Item = (Hash, Timestamp)>,
    ) -> Result<Self, LedgerError> {
        let mut stage = edge.stage();
        let mut newest = None;
        for (leaf, signed_at) in records {
            stage.append(leaf);
            newest = newest.max(Some(signed_at));
        }
        let head = match newest {
            Some(newest) => {
                let latest = newest.max(head.latest);
                Arc::new(signed_head(signers, stage.size(), stage.root(), latest)?)
            }
            None => Arc::clone(head),
        };
        let proofs = proofs(&stage, &head)?;
        Ok(Self { stage, head, proofs })
    }
}

/// Signs a head. It blocks for as long as the log's signers do.
///
/// # Errors
/// - [`LedgerError::NotSigned`]: a signer gave no signature in time.
/// - [`LedgerError::Corrupt`]: the values do not make a valid checkpoint.
pub fn signed_head(
    signers: &LogSigners,
    size: u64,
    root: Hash,
    latest: Timestamp,
) -> Result<Head, LedgerError> {
    let checkpoint = Checkpoint::new(signers.name(), size, root).and_then(|head| head.sign_with(signers));
    let checkpoint = checkpoint.map_err(|error| match error {
        CheckpointError::NotSigned(error) => LedgerError::NotSigned(error),
        other => LedgerError::Corrupt(other.to_string()),
    })?;
    Ok(Head { size, root, latest, checkpoint: checkpoint.into() })
}

fn proofs(stage: &Stage, head: &Head) -> Result<Vec<AppendedRecord>, LedgerError> {
    (stage.base_size()..stage.size())
        .map(|leaf| {
            let path = stage.inclusion_path(leaf).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
            let checkpoint = Arc::clone(&head.checkpoint);
            Ok(AppendedRecord { leaf, inclusion: Inclusion { leaf, path, checkpoint } })
        })
        .collect()
}

/// Checks the checkpoint's signature of a stored head, by one of the log keys that the process knows, and that its size and
/// root are those of the checkpoint. `latest` is in milliseconds since 1970.
///
/// # Errors
/// [`LedgerError::LogKeyNotHere`]: it is signed by none of the keys, as where the log key has changed without this process.
/// [`LedgerError::Corrupt`] where another check fails.
pub fn checked_head(
    log_keys: &[VerifierKey],
    (size, root): (u64, Hash),
    latest: i64,
    checkpoint: String,
) -> Result<Head, LedgerError> {
    let signed = Checkpoint::open(&checkpoint, log_keys).map_err(|error| match error {
        CheckpointError::Note(NoteError::NoKnownKey) => {
            LedgerError::LogKeyNotHere("that of the last checkpoint".to_owned())
        }
        error => LedgerError::Corrupt(format!("the last checkpoint: {error}")),
    })?;
    if (signed.size(), signed.root()) != (size, root) {
        return Err(LedgerError::Corrupt(format!(
            "the stored head is at size {size} with root {root}, its checkpoint at size {} with root {}",
            signed.size(),
            signed.root()
        )));
    }
    let latest = Timestamp::from_millis(latest)
        .map_err(|_| LedgerError::Corrupt(format!("the greatest time in the log is {latest} ms")))?;
    Ok(Head { size, root, latest, checkpoint: checkpoint.into() })
}

/// The number of full tiles of a level in a log of `size` leaves.
pub fn full_tiles(size: u64, level: u8) -> u64 {
    size.checked_shr(8 * (u32::from(level) + 1)).unwrap_or(0)
}

/// The runs in which the entries of records from leaf `first` on are stored, each with its first leaf. No run crosses
/// the end of an entry bundle.
pub fn runs<T>(first: u64, records: &[T]) -> Vec<(u64, &[T])> {
    let mut runs = Vec::new();
    let (mut leaf, mut rest) = (first, records);
    while !rest.is_empty() {
        let room = usize::from(FULL_WIDTH) - usize::from(leaf as u8);
        let (run, after) = rest.split_at(room.min(rest.len()));
        runs.push((leaf, run));
        leaf += run.len() as u64;
        rest = after;
    }
    runs
}

/// The receipts of each UTC day and class in a batch: those that nobody paid for, and those that were paid for.
pub fn class_counts<'a>(
    records: impl Iterator<Item = &'a LedgerRecord>,
) -> BTreeMap<(u32, &'static str), (u64, u64)> {
    let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    for record in records {
        let (free, paid) = counts.entry((record.signed_at.unix_days(), record.class)).or_default();
        *if record.claim.is_some() { paid } else { free } += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use tlog::SigningKey;

    use super::*;

    fn key() -> LogSigners {
        SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap().into()
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    #[test]
    fn a_draft_proves_each_record_and_its_time_never_goes_back() {
        let edge = RightEdge::new();
        let empty = Arc::new(signed_head(&key(), 0, tlog::EMPTY_ROOT, at(5)).unwrap());
        let nothing = LogDraft::new(&edge, &empty, &key(), std::iter::empty()).unwrap();
        assert!(Arc::ptr_eq(&nothing.head, &empty) && nothing.proofs.is_empty());
        let leaves = [b"a", b"b", b"c"].map(|entry| tlog::leaf_hash(entry));
        let records = leaves.into_iter().zip([at(3), at(9), at(1)]);
        let LogDraft { head, proofs, .. } = LogDraft::new(&edge, &empty, &key(), records).unwrap();
        assert_eq!((head.size, head.latest), (3, at(9)));
        for (AppendedRecord { leaf, inclusion }, hash) in proofs.iter().zip(&leaves) {
            tlog::verify_inclusion(*leaf, head.size, hash, &inclusion.path, &head.root).unwrap();
        }
        let earlier = LogDraft::new(&edge, &empty, &key(), [(leaves[0], at(1))].into_iter()).unwrap();
        assert_eq!(earlier.head.latest, at(5));
    }

    #[test]
    fn a_stored_head_is_its_signed_checkpoint() {
        let Head { size, root, checkpoint, .. } = signed_head(&key(), 0, tlog::EMPTY_ROOT, at(5)).unwrap();
        let check = |seed, size, latest| {
            let key = SigningKey::from_seed("notary.example/log", &[seed; 32]).unwrap();
            checked_head(&[key.verifier()], (size, root), latest, checkpoint.to_string())
        };
        assert_eq!(check(7, size, 5).unwrap().latest, at(5));
        assert!(matches!(check(8, size, 5), Err(LedgerError::LogKeyNotHere(_))));
        for (seed, size, latest) in [(7, size + 1, 5), (7, size, i64::MAX)] {
            assert!(matches!(check(seed, size, latest), Err(LedgerError::Corrupt(_))));
        }
    }

    #[test]
    fn no_run_goes_across_the_end_of_a_bundle() {
        let lengths = |first, count| {
            let records = vec![(); count];
            runs(first, &records).into_iter().map(|(leaf, run)| (leaf, run.len())).collect::<Vec<_>>()
        };
        assert_eq!(lengths(0, 0), []);
        assert_eq!(lengths(250, 10), [(250, 6), (256, 4)]);
        assert_eq!(lengths(256, 600), [(256, 256), (512, 256), (768, 88)]);
    }

    #[test]
    fn a_level_has_a_full_tile_for_each_256_below_it() {
        assert_eq!((full_tiles(255, 0), full_tiles(256, 0), full_tiles(65_536, 1)), (0, 1, 1));
        assert_eq!(full_tiles(u64::MAX, 7), 0);
    }
}
