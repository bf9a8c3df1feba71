//! The public log: one tree that only grows, served as C2SP tlog-tiles.

use std::collections::BTreeMap;

use receipt::time::Timestamp;
use tlog::tile::{decode_bundle, decode_hashes};
use tlog::{EMPTY_ROOT, RightEdge, TilePath, leaf_hash, verify_consistency};

use super::Harness;
use super::support::*;

pub async fn a_new_log_is_empty_and_signed<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let head = ledger.head();
    assert_eq!(signed(&head).origin(), "notary.example/log");
    assert_eq!((head.size, head.root), (0, EMPTY_ROOT));
    assert_eq!(ledger.root_at(0).await.unwrap(), Some(EMPTY_ROOT));
    assert_eq!(ledger.root_at(1).await.unwrap(), None);
    assert!(ledger.tile(TilePath::hashes(0, 0, 1).unwrap()).await.unwrap().is_none());
    assert!(ledger.is_writable());
}

pub async fn checkpoints_grow_and_each_is_consistent_with_the_next<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut roots = BTreeMap::from([(0, EMPTY_ROOT)]);
    let mut number = 0;
    for batch in [1, 1, 3, 40, 200, 7, 300, 1, 90] {
        let before = ledger.head().size;
        for (number, appended) in append_all(&ledger, number..number + batch).await {
            let checkpoint = verified(number, &appended.inclusion);
            let known = *roots.entry(checkpoint.size()).or_insert(checkpoint.root());
            assert_eq!(known, checkpoint.root(), "two roots for size {}", checkpoint.size());
        }
        number += batch;
        assert_eq!(ledger.head().size, before + batch);
    }
    let auditor = Auditor::fetch(&*ledger).await;
    auditor.audit(&ledger.head());
    assert!(roots.len() > 9);
    for ((old, old_root), (new, new_root)) in roots.iter().zip(roots.iter().skip(1)) {
        let proof = tlog::consistency_proof(*old, *new, &auditor).unwrap();
        verify_consistency(*old, *new, old_root, new_root, &proof).unwrap();
        assert_eq!(ledger.root_at(*old).await.unwrap(), Some(*old_root));
    }
}

pub async fn the_greatest_time_in_the_tree_never_goes_back<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let at = |millis| Timestamp::from_millis(START_MS + millis).unwrap();
    for (number, signed_at, latest) in [(0, 500, 500), (1, 900, 900), (2, 100, 900), (3, 901, 901)] {
        let mut given = record(number);
        given.signed_at = at(signed_at);
        ledger.append(given).await.unwrap();
        assert_eq!(ledger.head().latest, at(latest));
    }
    assert_eq!(harness.reopen(ledger).await.head().latest, at(901));
}

pub async fn tiles_bundles_and_roots_are_those_of_the_naive_tree_past_65536_leaves<H: Harness>() {
    const SIZE: u64 = 66_100;
    let harness = H::new();
    let ledger = harness.open().await;
    let mut number = 0;
    while number < SIZE {
        let batch = 2_000.min(SIZE - number);
        append_all(&ledger, number..number + batch).await;
        number += batch;
    }
    let head = ledger.head();
    assert_eq!(head.size, SIZE);
    let auditor = Auditor::fetch(&*ledger).await;
    auditor.audit(&head);

    let mut edge = RightEdge::new();
    for (size, entry) in (1..).zip(&auditor.entries) {
        edge.append(leaf_hash(entry));
        if size < 20 || size % 997 == 0 || [255, 256, 257, 65_535, 65_536, 65_537, SIZE].contains(&size) {
            assert_eq!(ledger.root_at(size).await.unwrap(), Some(edge.root()), "at {size}");
        }
    }
    assert_eq!(ledger.root_at(SIZE + 1).await.unwrap(), None);

    // A partial tile of an older size is the beginning of the tile that it has become.
    for (level, index, width) in [(0, 0, 1), (0, 17, 200), (0, 258, 51), (1, 0, 255), (1, 1, 2), (2, 0, 1)] {
        let bytes = ledger.tile(TilePath::hashes(level, index, width).unwrap()).await.unwrap().unwrap();
        assert_eq!(decode_hashes(&bytes).unwrap(), auditor.tiles[&(level, index)][..usize::from(width)]);
    }
    let bundle = ledger.tile(TilePath::entries(17, 200).unwrap()).await.unwrap().unwrap();
    assert_eq!(decode_bundle(&bundle).unwrap(), auditor.entries[17 * 256..17 * 256 + 200]);
    // 66,100 leaves: 258 full tiles and 52 hashes; 258 hashes on level 1, and 1 on level 2.
    for (level, index, width) in [(0, 258, 53), (0, 258, 256), (0, 259, 1), (1, 1, 3), (2, 0, 2), (3, 0, 1)] {
        assert!(ledger.tile(TilePath::hashes(level, index, width).unwrap()).await.unwrap().is_none());
    }
    for (index, width) in [(258, 53), (258, 256), (259, 1), (u64::MAX, 1)] {
        assert!(ledger.tile(TilePath::entries(index, width).unwrap()).await.unwrap().is_none());
    }
    assert_eq!(harness.reopen(ledger).await.head(), head);
}
