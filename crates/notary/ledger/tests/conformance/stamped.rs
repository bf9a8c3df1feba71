//! Checkpoints with tokens of a time-stamping authority.

use ledger::{
    Ledger, LedgerError, MAX_STAMP_ANSWER, MAX_STAMPED_NOTE, STAMPED_ALL_KEPT_MS, StampedCheckpoint,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::leaf_hash;

use super::Harness;

const HOUR_MS: i64 = 3_600_000;
/// The beginning of a UTC day.
const DAY_BEGAN_MS: i64 = 20_000 * 86_400_000;

fn stamped(size: u64, millis: i64) -> StampedCheckpoint {
    StampedCheckpoint {
        size,
        root: leaf_hash(&size.to_be_bytes()),
        note: format!("note {size}").into(),
        answer: vec![0x30, 0, 0xff],
        at: Timestamp::from_millis(DAY_BEGAN_MS + millis).unwrap(),
    }
}

fn receipt(leaf: u64) -> ReceiptHash {
    ReceiptHash::of_payload(&leaf.to_be_bytes())
}

async fn sizes_of_first(ledger: &dyn Ledger, leaves: &[u64]) -> Vec<Option<u64>> {
    let mut sizes = Vec::new();
    for leaf in leaves {
        sizes.push(ledger.first_stamped_with(*leaf).await.unwrap().map(|found| found.size));
    }
    sizes
}

pub async fn the_first_token_over_a_tree_stays_and_one_size_has_one_root<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    assert_eq!(ledger.newest_stamped().await.unwrap(), None);
    assert_eq!(ledger.first_stamped_with(0).await.unwrap(), None);
    let first = stamped(5, 0);
    assert!(ledger.record_stamped(first.clone()).await.unwrap());
    let again = StampedCheckpoint { answer: vec![1], ..stamped(5, HOUR_MS) };
    assert!(!ledger.record_stamped(again).await.unwrap());
    assert!(!ledger.record_stamped(stamped(4, HOUR_MS)).await.unwrap());
    let forked = StampedCheckpoint { root: leaf_hash(b"another"), ..stamped(5, HOUR_MS) };
    assert!(matches!(ledger.record_stamped(forked).await, Err(LedgerError::Unfit(_))));
    for long in [
        StampedCheckpoint { answer: vec![0; MAX_STAMP_ANSWER + 1], ..stamped(6, 0) },
        StampedCheckpoint { note: "a".repeat(MAX_STAMPED_NOTE + 1).into(), ..stamped(6, 0) },
    ] {
        assert!(matches!(ledger.record_stamped(long).await, Err(LedgerError::Unfit(_))));
    }
    assert_eq!(ledger.newest_stamped().await.unwrap(), Some(first.clone()));
    assert_eq!(ledger.first_stamped_with(4).await.unwrap(), Some(first));
    assert_eq!(ledger.first_stamped_with(5).await.unwrap(), None);
}

pub async fn all_tokens_of_90_days_are_kept_and_of_older_ones_the_first_of_each_day<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for (size, hour) in [(10, 1), (20, 2), (30, 23), (40, 24), (50, 25)] {
        assert!(ledger.record_stamped(stamped(size, hour * HOUR_MS)).await.unwrap());
    }
    let leaves = [0, 10, 20, 30, 40, 50];
    let all = [Some(10), Some(20), Some(30), Some(40), Some(50), None];
    assert_eq!(sizes_of_first(&*ledger, &leaves).await, all);
    // Those of the first day are older than 90 days now, and those of the second are not.
    assert!(ledger.record_stamped(stamped(60, STAMPED_ALL_KEPT_MS + 24 * HOUR_MS)).await.unwrap());
    let kept = [Some(10), Some(40), Some(40), Some(40), Some(50), Some(60)];
    assert_eq!(sizes_of_first(&*ledger, &leaves).await, kept);
    let ledger = harness.reopen(ledger).await;
    assert_eq!(sizes_of_first(&*ledger, &leaves).await, kept);
    assert_eq!(ledger.newest_stamped().await.unwrap().map(|newest| newest.size), Some(60));
}

pub async fn the_last_logged_token_before_a_leaf_is_found_while_it_is_kept<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let (day, days_later) = (24 * HOUR_MS, STAMPED_ALL_KEPT_MS + 24 * HOUR_MS);
    for (size, at) in [(10, 0), (20, HOUR_MS), (30, day)] {
        assert!(ledger.record_stamped(stamped(size, at)).await.unwrap());
    }
    assert_eq!(ledger.last_logged_stamp(u64::MAX).await.unwrap(), None);
    for (size, leaf) in [(10, 11), (20, 20), (30, 35)] {
        ledger.note_logged_stamp(size, leaf, receipt(leaf)).await.unwrap();
    }
    // The first leaf of a token stays, a leaf has one token, and one that is not stored is not noted.
    ledger.note_logged_stamp(30, 36, receipt(36)).await.unwrap();
    ledger.note_logged_stamp(40, 41, receipt(41)).await.unwrap();
    let found = async |ledger: &dyn Ledger| {
        let mut found = Vec::new();
        for before in [11, 12, 20, 21, 35, 36, u64::MAX] {
            let logged = ledger.last_logged_stamp(before).await.unwrap();
            found.push(logged.map(|logged| (logged.leaf, logged.checkpoint.size)));
        }
        found
    };
    let (one, two, three) = (Some((11, 10)), Some((20, 20)), Some((35, 30)));
    assert_eq!(found(&*ledger).await, [None, one, one, two, two, three, three]);
    // The second of its day is deleted when it is old, and the one before bounds what it bounded.
    assert!(ledger.record_stamped(stamped(60, days_later)).await.unwrap());
    let ledger = harness.reopen(ledger).await;
    assert_eq!(found(&*ledger).await, [None, one, one, one, one, three, three]);
    let logged = ledger.last_logged_stamp(12).await.unwrap().unwrap();
    assert_eq!((logged.receipt, logged.checkpoint), (receipt(11), stamped(10, 0)));
}
