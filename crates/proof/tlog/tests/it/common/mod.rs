//! The tree as RFC 6962 defines it, by plain recursion, to hold the crate's own code against.

pub(crate) mod texts;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tlog::{Hash, Tile, TileReader, leaf_hash, node_hash};

/// The hash of the test leaf with this number.
pub(crate) fn leaf(number: usize) -> Hash {
    leaf_hash(&(number as u64).to_be_bytes())
}

/// A tree over the first test leaves: RFC 6962, section 2.1, to the letter, with the ranges' hashes remembered.
pub(crate) struct Reference {
    pub(crate) leaves: Vec<Hash>,
    known: RefCell<HashMap<(usize, usize), Hash>>,
}

impl Reference {
    pub(crate) fn new(size: usize) -> Self {
        Self { leaves: (0..size).map(leaf).collect(), known: RefCell::default() }
    }

    /// MTH of the leaves from `start` to `end`.
    pub(crate) fn mth(&self, start: usize, end: usize) -> Hash {
        match end - start {
            0 => tlog::EMPTY_ROOT,
            1 => self.leaves[start],
            count => {
                if let Some(hash) = self.known.borrow().get(&(start, end)) {
                    return *hash;
                }
                let middle = start + split(count);
                let hash = node_hash(&self.mth(start, middle), &self.mth(middle, end));
                self.known.borrow_mut().insert((start, end), hash);
                hash
            }
        }
    }

    pub(crate) fn root(&self, size: usize) -> Hash {
        self.mth(0, size)
    }

    /// PATH(m, D[start:end]) of section 2.1.1.
    pub(crate) fn path(&self, index: usize, size: usize) -> Vec<Hash> {
        self.path_in(index, 0, size)
    }

    fn path_in(&self, index: usize, start: usize, end: usize) -> Vec<Hash> {
        if end - start == 1 {
            return Vec::new();
        }
        let middle = start + split(end - start);
        let (mut path, sibling) = if index < middle {
            (self.path_in(index, start, middle), self.mth(middle, end))
        } else {
            (self.path_in(index, middle, end), self.mth(start, middle))
        };
        path.push(sibling);
        path
    }

    /// PROOF(m, D[n]) of section 2.1.2.
    pub(crate) fn consistency(&self, old: usize, new: usize) -> Vec<Hash> {
        self.subproof(old, 0, new, true)
    }

    fn subproof(&self, old: usize, start: usize, end: usize, whole: bool) -> Vec<Hash> {
        if old == end {
            return if whole { Vec::new() } else { vec![self.mth(start, end)] };
        }
        let middle = start + split(end - start);
        let (mut proof, other) = if old <= middle {
            (self.subproof(old, start, middle, whole), self.mth(middle, end))
        } else {
            (self.subproof(old, middle, end, false), self.mth(start, middle))
        };
        proof.push(other);
        proof
    }

    /// The hashes of a tile by the formula of C2SP tlog-tiles: MTH(D[(n * 256 + i) * 256**l : ...]).
    pub(crate) fn tile(&self, size: usize, level: u8, index: u64) -> Vec<Hash> {
        let span = 256_usize.pow(u32::from(level));
        let first = index as usize * 256;
        (first..first + 256)
            .take_while(|i| (i + 1) * span <= size)
            .map(|i| self.mth(i * span, (i + 1) * span))
            .collect()
    }
}

/// The largest power of two smaller than `count`.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// A store of tiles in memory. Counts how often each tile is read.
#[derive(Default)]
pub(crate) struct Store {
    tiles: BTreeMap<(u8, u64), Arc<[Hash]>>,
    pub(crate) reads: RefCell<BTreeMap<(u8, u64), usize>>,
}

impl Store {
    pub(crate) fn put(&mut self, tile: Tile) {
        self.tiles.insert((tile.level, tile.index), tile.hashes.into());
    }

    pub(crate) fn len(&self) -> usize {
        self.tiles.len()
    }

    /// All tiles of the reference tree of this size.
    pub(crate) fn of(tree: &Reference, size: usize) -> Self {
        let mut store = Self::default();
        for level in 0.. {
            let mut index = 0;
            loop {
                let hashes = tree.tile(size, level, index);
                if hashes.is_empty() {
                    break;
                }
                store.put(Tile { level, index, hashes });
                index += 1;
            }
            if index == 0 {
                return store;
            }
        }
        store
    }
}

impl TileReader for Store {
    type Error = String;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, String> {
        *self.reads.borrow_mut().entry((level, index)).or_default() += 1;
        let tile = self.tiles.get(&(level, index)).ok_or_else(|| format!("no tile {level}/{index}"))?;
        if tile.len() < usize::from(width) {
            return Err(format!("tile {level}/{index} has {} hashes, not {width}", tile.len()));
        }
        Ok(Arc::clone(tile))
    }
}
