//! Proofs: checked against the recursive definition of RFC 6962, and built from stored tiles.

use crate::common::{Reference, Store, leaf};
use proptest::prelude::*;
use tlog::{
    EMPTY_ROOT, Hash, ProofError, ReadError, consistency_nodes, consistency_proof, inclusion_path,
    last_leaf_path, root_at, root_from_inclusion, roots_from_consistency, verify_consistency,
    verify_inclusion,
};

#[test]
fn every_inclusion_path_of_the_standard_verifies_up_to_600() {
    let tree = Reference::new(600);
    for size in 1..=600 {
        let root = tree.root(size);
        for index in (0..size).step_by(1 + size / 60) {
            let path = tree.path(index, size);
            verify_inclusion(index as u64, size as u64, &leaf(index), &path, &root).unwrap();
        }
    }
}

#[test]
fn the_path_in_the_tree_that_a_leaf_ends_is_made_from_that_in_any_later_tree() {
    let tree = Reference::new(600);
    for size in 1..=600 {
        for index in (0..size).step_by(1 + size / 60) {
            let path = last_leaf_path(index as u64, size as u64, &tree.path(index, size)).unwrap();
            assert_eq!(path, tree.path(index, index + 1), "leaf {index} of {size}");
        }
    }
    let path = tree.path(3, 600);
    assert_eq!(last_leaf_path(3, 3, &path), Err(ProofError::IndexOutOfRange { index: 3, size: 3 }));
    assert!(matches!(last_leaf_path(3, 600, &path[1..]), Err(ProofError::Length { expected: 10, got: 9 })));
}

#[test]
fn every_consistency_proof_of_the_standard_verifies_up_to_600() {
    let tree = Reference::new(600);
    for new in 1..=600 {
        for old in (1..=new).step_by(1 + new / 60) {
            let proof = tree.consistency(old, new);
            let (old_root, new_root) = (tree.root(old), tree.root(new));
            verify_consistency(old as u64, new as u64, &old_root, &new_root, &proof).unwrap();
        }
    }
}

#[test]
fn proofs_built_from_tiles_are_those_of_the_standard_at_every_size_up_to_600() {
    let tree = Reference::new(600);
    let store = Store::of(&tree, 600);
    for size in 1..=600 {
        assert_eq!(root_at(size as u64, &store).unwrap(), tree.root(size));
        for other in (0..size).step_by(1 + size / 40) {
            let path = inclusion_path(size as u64, other as u64, &store).unwrap();
            assert_eq!(path, tree.path(other, size), "leaf {other} of {size}");
            let proof = consistency_proof(other as u64 + 1, size as u64, &store).unwrap();
            assert_eq!(proof, tree.consistency(other + 1, size), "{} to {size}", other + 1);
        }
    }
    assert_eq!(root_at(0, &store).unwrap(), EMPTY_ROOT);
}

#[test]
fn the_nodes_of_a_consistency_proof_lead_to_both_roots_whichever_sizes_they_have() {
    let tree = Reference::new(600);
    let store = Store::of(&tree, 600);
    for new in 2..=600 {
        for old in (1..new).step_by(1 + new / 60) {
            let (start, path) = consistency_nodes(old as u64, new as u64, &store).unwrap();
            let roots = roots_from_consistency(old as u64, new as u64, &start, &path).unwrap();
            assert_eq!(roots, (tree.root(old), tree.root(new)), "{old} to {new}");
        }
    }
    assert!(consistency_nodes(0, 5, &store).is_err() && consistency_nodes(5, 5, &store).is_err());
    assert!(roots_from_consistency(0, 5, &leaf(0), &[]).is_err());
    assert!(roots_from_consistency(3, 5, &leaf(0), &[]).is_err());
}

#[test]
fn no_tile_is_read_twice_in_one_call_and_none_that_is_not_needed() {
    let tree = Reference::new(70_000);
    let store = Store::of(&tree, 70_000);
    let reads = || {
        let reads = store.reads.take();
        assert!(reads.values().all(|count| *count == 1), "{reads:?}");
        reads.into_keys().collect::<Vec<_>>()
    };
    for index in [0, 255, 256, 65_535, 65_536, 69_999] {
        let path = inclusion_path(70_000, index, &store).unwrap();
        assert_eq!(path, tree.path(index as usize, 70_000));
        assert!(reads().len() <= 5, "leaf {index}");
    }
    for old in [1, 255, 256, 300, 65_536, 65_537, 69_888] {
        let proof = consistency_proof(old, 70_000, &store).unwrap();
        assert_eq!(proof, tree.consistency(old as usize, 70_000));
        assert!(reads().len() <= 5, "from {old}");
    }
    root_at(65_536, &store).unwrap();
    assert_eq!(reads(), [(2, 0)]);
    root_at(70_000, &store).unwrap();
    assert_eq!(reads(), [(0, 273), (1, 1), (2, 0)]);
    consistency_proof(70_000, 70_000, &store).unwrap();
    assert!(reads().is_empty());
}

#[test]
fn a_store_that_keeps_nodes_gives_the_same_proofs_whichever_of_them_it_has() {
    /// Has the nodes of some levels, and tiles for the rest. It asserts that only complete nodes are asked for.
    struct Keeping<'t> {
        tree: &'t Reference,
        size: std::cell::Cell<usize>,
        store: Store,
        levels: std::ops::Range<u32>,
    }
    impl tlog::TileReader for Keeping<'_> {
        type Error = String;
        fn tile(&self, level: u8, index: u64, width: u16) -> Result<std::sync::Arc<[Hash]>, String> {
            self.store.tile(level, index, width)
        }
        fn node(&self, level: u32, index: u64) -> Result<Option<Hash>, String> {
            let (start, end) = ((index as usize) << level, (index as usize + 1) << level);
            assert!(end <= self.size.get(), "node {index} of level {level} is not complete");
            Ok(self.levels.contains(&level).then(|| self.tree.mth(start, end)))
        }
    }
    let tree = Reference::new(1000);
    for levels in [0..64, 4..8, 0..1, 3..3] {
        let store = Store::of(&tree, 1000);
        let keeping = Keeping { tree: &tree, size: std::cell::Cell::new(0), store, levels };
        for size in [1, 2, 255, 256, 257, 511, 513, 777, 1000] {
            keeping.size.set(size);
            assert_eq!(root_at(size as u64, &keeping).unwrap(), tree.root(size));
            for index in (0..size).step_by(7) {
                let path = inclusion_path(size as u64, index as u64, &&keeping).unwrap();
                assert_eq!(path, tree.path(index, size), "leaf {index} of {size}");
                let proof = consistency_proof(index as u64, size as u64, &keeping).unwrap();
                assert_eq!(proof, if index == 0 { Vec::new() } else { tree.consistency(index, size) });
            }
        }
    }
}

#[test]
fn a_leaf_outside_the_tree_has_no_path() {
    let store = Store::of(&Reference::new(3), 3);
    let outside = ProofError::IndexOutOfRange { index: 3, size: 3 };
    assert_eq!(inclusion_path(3, 3, &store), Err(ReadError::Proof(outside.clone())));
    assert_eq!(root_from_inclusion(3, 3, &leaf(0), &[]), Err(outside));
    assert!(verify_inclusion(0, 0, &leaf(0), &[], &EMPTY_ROOT).is_err());
    let reversed = ProofError::SizesReversed { old: 4, new: 3 };
    assert_eq!(consistency_proof(4, 3, &store), Err(ReadError::Proof(reversed.clone())));
    assert_eq!(verify_consistency(4, 3, &leaf(0), &leaf(0), &[]), Err(reversed));
}

#[test]
fn a_store_that_fails_or_gives_short_tiles_is_an_error() {
    let store = Store::of(&Reference::new(3), 3);
    assert!(matches!(root_at(4, &store), Err(ReadError::Reader(_))));
    struct Short;
    impl tlog::TileReader for Short {
        type Error = std::convert::Infallible;
        fn tile(&self, _: u8, _: u64, width: u16) -> Result<std::sync::Arc<[Hash]>, Self::Error> {
            Ok(vec![EMPTY_ROOT; usize::from(width) - 1].into())
        }
    }
    let short = ReadError::Short { level: 0, index: 0, expected: 7, got: 6 };
    assert_eq!(root_at(7, &Short), Err(short));
}

#[test]
fn equal_sizes_need_equal_roots_and_no_proof() {
    assert_eq!(verify_consistency(5, 5, &leaf(0), &leaf(0), &[]), Ok(()));
    assert_eq!(verify_consistency(5, 5, &leaf(0), &leaf(1), &[]), Err(ProofError::RootMismatch));
    assert!(verify_consistency(5, 5, &leaf(0), &leaf(0), &[leaf(2)]).is_err());
}

#[test]
fn the_empty_tree_is_a_prefix_of_every_tree_by_its_true_root_and_an_empty_proof() {
    assert_eq!(verify_consistency(0, 5, &EMPTY_ROOT, &leaf(1), &[]), Ok(()));
    assert_eq!(verify_consistency(0, 0, &EMPTY_ROOT, &EMPTY_ROOT, &[]), Ok(()));
    assert!(verify_consistency(0, 5, &leaf(0), &leaf(1), &[]).is_err());
    assert!(verify_consistency(0, 0, &leaf(0), &leaf(0), &[]).is_err());
    assert!(verify_consistency(0, 0, &EMPTY_ROOT, &leaf(0), &[]).is_err());
    assert!(verify_consistency(0, 5, &EMPTY_ROOT, &leaf(1), &[leaf(2)]).is_err());
}

#[test]
fn sizes_up_to_the_greatest_are_judged_without_overflow() {
    let hash = leaf(0);
    for size in [u64::MAX, 1 << 63, (1 << 63) + 1] {
        for index in [0, 1, size / 2, size - 1] {
            for length in [0, 1, 62, 63, 64, 65] {
                let _judged = root_from_inclusion(index, size, &hash, &vec![hash; length]);
                let _judged = verify_consistency(index, size, &hash, &hash, &vec![hash; length]);
            }
        }
    }
    assert!(root_from_inclusion(u64::MAX - 1, u64::MAX, &hash, &[hash; 63]).is_ok());
}

/// All proofs that differ from this one in one bit, one hash more or one hash less.
fn mutations(proof: &[Hash]) -> Vec<Vec<Hash>> {
    let mut all = Vec::new();
    for at in 0..proof.len() {
        for bit in 0..256 {
            let mut changed = proof.to_vec();
            changed[at].0[bit / 8] ^= 1 << (bit % 8);
            all.push(changed);
        }
        let mut shorter = proof.to_vec();
        shorter.remove(at);
        all.push(shorter);
    }
    for at in 0..=proof.len() {
        let mut longer = proof.to_vec();
        longer.insert(at, proof.first().copied().unwrap_or(EMPTY_ROOT));
        all.push(longer);
    }
    all
}

fn flip(hash: &Hash, bit: usize) -> Hash {
    let mut changed = *hash;
    changed.0[bit / 8] ^= 1 << (bit % 8);
    changed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_inclusion_proof_survives_a_changed_bit(size in 1_usize..3000, pick in any::<prop::sample::Index>()) {
        let tree = Reference::new(size);
        let (index, size_64, root) = (pick.index(size), size as u64, tree.root(size));
        let (index_64, path) = (index as u64, tree.path(index, size));
        verify_inclusion(index_64, size_64, &leaf(index), &path, &root).unwrap();
        for changed in mutations(&path) {
            prop_assert!(verify_inclusion(index_64, size_64, &leaf(index), &changed, &root).is_err());
        }
        for bit in 0..256 {
            prop_assert!(verify_inclusion(index_64, size_64, &flip(&leaf(index), bit), &path, &root).is_err());
            prop_assert!(verify_inclusion(index_64, size_64, &leaf(index), &path, &flip(&root, bit)).is_err());
        }
        for bit in 0..64 {
            let other = index_64 ^ (1 << bit);
            prop_assert!(verify_inclusion(other, size_64, &leaf(index), &path, &root).is_err());
        }
    }

    #[test]
    fn no_consistency_proof_survives_a_changed_bit(new in 2_usize..3000, pick in any::<prop::sample::Index>()) {
        let tree = Reference::new(new);
        let old = 1 + pick.index(new - 1);
        let (old_root, new_root, proof) = (tree.root(old), tree.root(new), tree.consistency(old, new));
        let check = |old_root: &Hash, new_root: &Hash, proof: &[Hash]| {
            verify_consistency(old as u64, new as u64, old_root, new_root, proof)
        };
        check(&old_root, &new_root, &proof).unwrap();
        for changed in mutations(&proof) {
            prop_assert!(check(&old_root, &new_root, &changed).is_err());
        }
        for bit in 0..256 {
            prop_assert!(check(&flip(&old_root, bit), &new_root, &proof).is_err());
            prop_assert!(check(&old_root, &flip(&new_root, bit), &proof).is_err());
        }
        for other in (1..new).filter(|other| *other != old) {
            let judged = verify_consistency(other as u64, new as u64, &old_root, &new_root, &proof);
            prop_assert!(judged.is_err(), "{} taken for {}", other, old);
        }
    }

    #[test]
    fn proofs_built_from_tiles_verify_at_any_size(
        size in 2_usize..70_000,
        picks in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let tree = Reference::new(70_000);
        let store = Store::of(&tree, 70_000);
        let (size_64, root) = (size as u64, tree.root(size));
        let index = picks.0.index(size);
        let path = inclusion_path(size_64, index as u64, &store).unwrap();
        verify_inclusion(index as u64, size_64, &leaf(index), &path, &root).unwrap();
        let old = 1 + picks.1.index(size);
        let proof = consistency_proof(old as u64, size_64, &store).unwrap();
        verify_consistency(old as u64, size_64, &tree.root(old), &root, &proof).unwrap();
    }
}
