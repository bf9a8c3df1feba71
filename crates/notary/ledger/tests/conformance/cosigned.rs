//! Cosigned checkpoints, and the proofs between the sizes of the log.

use ledger::{COSIGNED_KEPT_EVERY_MS, CosignedCheckpoint, Ledger, LedgerError, MAX_COSIGNED_NOTE};
use receipt::time::Timestamp;
use tlog::{Hash, leaf_hash, verify_consistency, verify_inclusion};

use super::Harness;
use super::support::*;

fn cosigned(size: u64, root: Hash, note: &str, millis: i64) -> CosignedCheckpoint {
    let at = Timestamp::from_millis(START_MS + millis).unwrap();
    CosignedCheckpoint { size, root, note: note.into(), at }
}

/// A root that stands for a size: these cases do not read it.
fn any_root(size: u64) -> Hash {
    leaf_hash(&size.to_be_bytes())
}

async fn sizes_of_first(ledger: &dyn Ledger, leaves: &[u64]) -> Vec<Option<u64>> {
    let mut sizes = Vec::new();
    for leaf in leaves {
        sizes.push(ledger.first_cosigned_with(*leaf).await.unwrap().map(|found| found.size));
    }
    sizes
}

pub async fn each_size_is_proven_a_prefix_of_each_later_one_and_to_hold_its_leaves<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..600).await;
    let root = async |size| ledger.root_at(size).await.unwrap().unwrap();
    let entries = Auditor::fetch(&*ledger).await.entries;
    let sizes = [0, 1, 2, 3, 255, 256, 257, 300, 511, 512, 599, 600];
    for (position, old) in sizes.iter().enumerate() {
        for new in &sizes[position..] {
            let proof = ledger.consistency(*old, *new).await.unwrap();
            verify_consistency(*old, *new, &root(*old).await, &root(*new).await, &proof).unwrap();
        }
        for leaf in [0, 1, old / 2, old.saturating_sub(1)].into_iter().filter(|leaf| leaf < old) {
            let path = ledger.inclusion_at(leaf, *old).await.unwrap();
            let entry = &entries[usize::try_from(leaf).unwrap()];
            verify_inclusion(leaf, *old, &leaf_hash(entry), &path, &root(*old).await).unwrap();
        }
    }
    for (old, new) in [(0, 601), (600, 601)] {
        assert!(matches!(ledger.consistency(old, new).await, Err(LedgerError::NoSuchLeaf(600))));
    }
    assert!(matches!(ledger.consistency(2, 1).await, Err(LedgerError::Unfit(_))));
    for (leaf, size) in [(5, 5), (6, 5), (0, 0), (600, 600), (0, 601)] {
        assert!(matches!(ledger.inclusion_at(leaf, size).await, Err(LedgerError::NoSuchLeaf(_))));
    }
}

pub async fn the_newest_cosigned_checkpoint_never_goes_back_and_has_one_root<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    assert_eq!(ledger.newest_cosigned().await.unwrap(), None);
    let first = cosigned(5, any_root(5), "two cosignatures", 0);
    assert!(ledger.record_cosigned(first.clone()).await.unwrap());
    assert_eq!(ledger.newest_cosigned().await.unwrap(), Some(first.clone()));
    let more = CosignedCheckpoint { note: "three cosignatures".into(), ..first };
    assert!(ledger.record_cosigned(more.clone()).await.unwrap());
    assert!(!ledger.record_cosigned(cosigned(4, any_root(4), "late", 1)).await.unwrap());
    let forked = cosigned(5, any_root(6), "forked", 1);
    let refused = ledger.record_cosigned(forked).await;
    assert!(matches!(refused, Err(LedgerError::Unfit(_))), "{refused:?}");
    let long = cosigned(6, any_root(6), &"a".repeat(MAX_COSIGNED_NOTE + 1), 1);
    assert!(matches!(ledger.record_cosigned(long).await, Err(LedgerError::Unfit(_))));
    assert_eq!(ledger.newest_cosigned().await.unwrap(), Some(more));
}

pub async fn the_newest_cosigned_checkpoint_is_kept_and_the_first_of_each_interval<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let every = COSIGNED_KEPT_EVERY_MS;
    // The interval of the first begins at an unknown place, so the times are counted from the next one on.
    let begin = every - START_MS.rem_euclid(every);
    for (size, millis) in [(10, 0), (20, 1), (30, 2), (40, every), (50, every + 1), (60, every + 2)] {
        ledger.record_cosigned(cosigned(size, any_root(size), "a note", begin + millis)).await.unwrap();
    }
    let leaves = [0, 9, 10, 39, 40, 59, 60];
    let kept = [Some(10), Some(10), Some(40), Some(40), Some(60), Some(60), None];
    assert_eq!(sizes_of_first(&*ledger, &leaves).await, kept);
    let ledger = harness.reopen(ledger).await;
    assert_eq!(sizes_of_first(&*ledger, &leaves).await, kept);
}
