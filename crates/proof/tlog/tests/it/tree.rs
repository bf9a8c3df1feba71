//! The right edge and its stages, held against the recursive definition of RFC 6962.

use crate::common::{Reference, Store, leaf};
use proptest::prelude::*;
use tlog::{EMPTY_ROOT, Hash, ReadError, RightEdge, Stage, TreeError, verify_inclusion};

fn grow(stage: &mut Stage, to: usize) {
    for number in stage.size() as usize..to {
        stage.append(leaf(number));
    }
}

fn edge_of(size: usize) -> RightEdge {
    let mut stage = RightEdge::new().stage();
    grow(&mut stage, size);
    stage.commit()
}

#[test]
fn the_empty_tree_has_the_hash_of_the_empty_string_as_its_root() {
    assert_eq!(RightEdge::new().root(), EMPTY_ROOT);
    assert_eq!(EMPTY_ROOT.to_string(), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    assert_eq!(RightEdge::new().size(), 0);
    assert!(RightEdge::new().partial_tiles().is_empty());
}

#[test]
fn the_root_after_every_append_is_the_recursive_root() {
    let tree = Reference::new(700);
    let mut edge = RightEdge::new();
    for size in 1..=700 {
        edge.append(leaf(size - 1));
        assert_eq!(edge.root(), tree.root(size), "size {size}");
    }
}

#[test]
fn a_stage_of_one_batch_gives_every_path_at_every_size_up_to_600() {
    let tree = Reference::new(600);
    let mut stage = RightEdge::new().stage();
    for size in 1..=600 {
        stage.append(leaf(size - 1));
        assert_eq!(stage.root(), tree.root(size), "size {size}");
        for index in 0..size {
            let path = stage.inclusion_path(index as u64).unwrap();
            assert_eq!(path, tree.path(index, size), "leaf {index} of {size}");
        }
    }
}

#[test]
fn a_stage_on_any_edge_gives_the_path_of_each_new_leaf() {
    let tree = Reference::new(600);
    for base in (0..560).step_by(7).chain([255, 256, 257, 511, 512, 513]) {
        let edge = edge_of(base);
        for batch in [1, 2, 3, 40] {
            let mut stage = edge.stage();
            grow(&mut stage, base + batch);
            for index in base..base + batch {
                let path = stage.inclusion_path(index as u64).unwrap();
                assert_eq!(path, tree.path(index, base + batch), "leaf {index} on {base}");
            }
        }
    }
}

#[test]
fn a_batch_that_crosses_65536_gives_right_paths_roots_and_tiles() {
    let size = 66_200;
    let tree = Reference::new(size);
    for base in [65_000, 65_279, 65_280, 65_535, 65_536] {
        let edge = edge_of(base);
        assert_eq!(edge.root(), tree.root(base));
        let mut stage = edge.stage();
        grow(&mut stage, size);
        assert_eq!(stage.root(), tree.root(size));
        for index in (base..size).step_by(5) {
            assert_eq!(stage.inclusion_path(index as u64).unwrap(), tree.path(index, size), "leaf {index}");
        }
        for tile in stage.full_tiles().into_iter().chain(stage.partial_tiles()) {
            assert_eq!(tile.hashes, tree.tile(size, tile.level, tile.index), "{}", tile.path());
        }
    }
}

#[test]
fn the_tiles_of_all_batches_are_all_the_tiles_of_the_tree() {
    let size = 66_000;
    let tree = Reference::new(size);
    let mut edge = RightEdge::new();
    let mut store = Store::default();
    let mut batches = [1, 4096, 255, 1, 3000].into_iter().cycle();
    while (edge.size() as usize) < size {
        let mut stage = edge.stage();
        let to = size.min(edge.size() as usize + batches.next().unwrap());
        grow(&mut stage, to);
        for tile in stage.full_tiles() {
            assert_eq!(tile.hashes.len(), 256);
            store.put(tile);
        }
        stage.partial_tiles().into_iter().for_each(|tile| store.put(tile));
        edge = stage.commit();
    }
    assert_eq!(store.len(), Store::of(&tree, size).len());
    assert_eq!(tlog::root_at(size as u64, &store).unwrap(), tree.root(size));
    for index in (0..size).step_by(997) {
        let path = tlog::inclusion_path(size as u64, index as u64, &store).unwrap();
        assert_eq!(path, tree.path(index, size));
    }
}

#[test]
fn appending_to_the_edge_yields_each_full_tile_when_its_last_hash_comes() {
    let tree = Reference::new(65_536);
    let mut edge = RightEdge::new();
    let mut tiles = Vec::new();
    for number in 0..65_536 {
        let full = edge.append(leaf(number));
        assert_eq!(full.is_empty(), (number + 1) % 256 != 0);
        tiles.extend(full);
    }
    assert_eq!(tiles.len(), 257);
    assert!(tiles.iter().all(|tile| tile.hashes == tree.tile(65_536, tile.level, tile.index)));
    assert_eq!(tiles.last().map(|tile| (tile.level, tile.index)), Some((1, 0)));
}

#[test]
fn a_dropped_stage_leaves_the_edge_as_it_was() {
    let tree = Reference::new(1100);
    for base in [0, 1, 255, 256, 300] {
        let edge = edge_of(base);
        let tiles = edge.partial_tiles();
        let mut stage = edge.stage();
        grow(&mut stage, base + 800);
        assert_eq!(stage.root(), tree.root(base + 800));
        drop(stage);
        assert_eq!((edge.size(), edge.root()), (base as u64, tree.root(base)));
        assert_eq!(edge.partial_tiles(), tiles);
        let mut stage = edge.stage();
        grow(&mut stage, base + 1);
        assert_eq!(stage.commit().root(), tree.root(base + 1));
    }
}

#[test]
fn two_stages_of_one_edge_do_not_disturb_each_other() {
    let edge = edge_of(300);
    let (mut one, mut other) = (edge.stage(), edge.stage());
    one.append(leaf(1));
    other.append(leaf(2));
    assert_ne!(one.root(), other.root());
    assert_eq!(edge.root(), Reference::new(300).root(300));
}

#[test]
fn an_empty_stage_commits_to_the_same_edge() {
    let edge = edge_of(257);
    let stage = edge.stage();
    assert_eq!((stage.base_size(), stage.size(), stage.root()), (257, 257, edge.root()));
    assert!(stage.full_tiles().is_empty());
    assert_eq!(stage.commit().root(), edge.root());
}

#[test]
fn a_path_outside_the_stage_is_an_error_and_never_a_wrong_path() {
    let tree = Reference::new(700);
    let mut stage = edge_of(600).stage();
    assert_eq!(stage.inclusion_path(600), Err(TreeError::IndexOutOfRange { index: 600, size: 600 }));
    grow(&mut stage, 700);
    assert_eq!(stage.inclusion_path(3), Err(TreeError::NotStaged { index: 3 }));
    for index in 0..600 {
        if let Ok(path) = stage.inclusion_path(index as u64) {
            assert_eq!(path, tree.path(index, 700));
        }
    }
}

#[test]
fn an_edge_restored_from_its_tiles_goes_on_as_the_old_one() {
    let tree = Reference::new(66_000);
    let store = Store::of(&tree, 66_000);
    for size in [0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 65_792, 65_999] {
        let mut edge = RightEdge::read(size as u64, &store).unwrap();
        assert_eq!((edge.size(), edge.root()), (size as u64, tree.root(size)), "size {size}");
        edge.append(leaf(size));
        assert_eq!(edge.root(), tree.root(size + 1), "size {size}");
    }
}

#[test]
fn an_edge_is_not_restored_from_tiles_of_another_size() {
    let one = [leaf(0)];
    assert!(RightEdge::from_tiles::<&[Hash]>(0, &[]).is_ok());
    assert!(RightEdge::from_tiles(1, &[&one[..]]).is_ok());
    assert!(RightEdge::from_tiles(256, &[&[][..], &one[..]]).is_ok());
    assert_eq!(
        RightEdge::from_tiles(256, &[&one[..]]).map(|edge| edge.root()),
        Err(TreeError::Levels { size: 256, expected: 2, got: 1 })
    );
    assert_eq!(
        RightEdge::from_tiles(2, &[&one[..]]).map(|edge| edge.root()),
        Err(TreeError::Width { level: 0, expected: 2, got: 1 })
    );
    assert_eq!(
        RightEdge::from_tiles(257, &[&one[..], &[]]).map(|edge| edge.root()),
        Err(TreeError::Width { level: 1, expected: 1, got: 0 })
    );
    let huge = RightEdge::read(u64::MAX, &Store::default()).map(|edge| edge.root());
    assert_eq!(huge, Err(ReadError::Tree(TreeError::TooLarge(u64::MAX))));
    assert!(matches!(RightEdge::read(3, &Store::default()), Err(ReadError::Reader(_))));
}

/// The partial tiles of a made-up tree, so that very large sizes can be tried.
fn made_up_tiles(size: u64) -> Vec<Vec<Hash>> {
    let levels = (0..8).take_while(|level| size >> (8 * level) > 0);
    let width = |level| (size >> (8 * level)) as usize % 256;
    levels.map(|level| (0..width(level)).map(|at| leaf(1_000 * level + at)).collect()).collect()
}

#[test]
fn an_edge_of_any_size_stages_leaves_whose_paths_verify() {
    for size in [1 << 24, (1 << 24) - 1, (1 << 32) - 3, 1 << 40, (1 << 62) - 2, 0x1234_5678_9abc_def0] {
        let edge = RightEdge::from_tiles(size, &made_up_tiles(size)).unwrap();
        let mut stage = edge.stage();
        for number in 0..300 {
            stage.append(leaf(number));
        }
        for number in 0..300 {
            let index = size + number as u64;
            let path = stage.inclusion_path(index).unwrap();
            verify_inclusion(index, stage.size(), &leaf(number), &path, &stage.root()).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_sequence_of_batches_gives_the_recursive_tree(
        batches in proptest::collection::vec((1_usize..700, any::<bool>()), 1..8),
    ) {
        let tree = Reference::new(6_000);
        let mut edge = RightEdge::new();
        for (batch, commit) in batches {
            let base = edge.size() as usize;
            let size = base + batch;
            let mut stage = edge.stage();
            grow(&mut stage, size);
            prop_assert_eq!(stage.root(), tree.root(size));
            for index in base..size {
                prop_assert_eq!(stage.inclusion_path(index as u64).unwrap(), tree.path(index, size));
            }
            if commit {
                edge = stage.commit();
            }
        }
    }
}
