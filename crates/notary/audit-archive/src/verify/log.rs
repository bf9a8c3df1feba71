//! The log in an archive: its tree, from its entries.

use std::collections::{BTreeMap, VecDeque};

use receipt::LogEntry;
use tlog::tile::{FULL_WIDTH, TileKind, decode_bundle, encode_hashes, tile_width};
use tlog::{Hash, RightEdge, TilePath, leaf_hash};

use super::ArchiveReport;
use crate::layout::{Filter, TIMESTAMPS};
use crate::leaf_set::LeafSet;

const WIDTH: u64 = FULL_WIDTH as u64;

/// The tree that the entries make.
#[derive(Debug, Default)]
pub(super) struct LogTree {
    size: u64,
    filter: Filter,
    edge: RightEdge,
    /// The hash tiles that the entries have filled, and that are due in the archive.
    due: BTreeMap<String, Vec<u8>>,
    /// The leaves whose receipts the filter may have, as the log says.
    expected: LeafSet,
    is_ended: bool,
    /// The roots that the tree is said to have had, by its size, the smallest first.
    roots: VecDeque<(u64, Hash)>,
}

impl LogTree {
    /// Sets the size that the tree is to have, and the filter.
    pub(super) fn want(&mut self, size: u64, filter: Filter) {
        (self.size, self.filter) = (size, filter);
    }

    /// Has a root compared once the tree is that large. Returns false where it never will be.
    pub(super) fn expect_root(&mut self, size: u64, root: Hash) -> bool {
        let before = self.roots.back().map_or(0, |(size, _)| *size);
        let is_next = size > before && size <= self.size && self.edge.size() == 0;
        if is_next {
            self.roots.push_back((size, root));
        }
        is_next
    }

    /// Takes the next bundle, or compares a hash tile.
    pub(super) fn tile(&mut self, path: TilePath, bytes: &[u8], report: &mut ArchiveReport) {
        let place = format!("log/{path}");
        match path.kind() {
            TileKind::Entries => self.bundle(path, bytes, report),
            TileKind::Hashes(_) => {
                if self.edge.size() == self.size {
                    self.add_partial_tiles();
                }
                match self.due.remove(&path.to_string()) {
                    Some(hashes) if hashes == bytes => {}
                    Some(_) => report.wrong(place, "its hashes are not those of the entries"),
                    None => report.wrong(place, "no such tile is due here"),
                }
            }
        }
    }

    fn bundle(&mut self, path: TilePath, bytes: &[u8], report: &mut ArchiveReport) {
        let place = format!("log/{path}");
        let index = self.edge.size() / WIDTH;
        let is_next = path.index() == index
            && self.edge.size().is_multiple_of(WIDTH)
            && path.width() == tile_width(self.size, 0, index);
        if !is_next {
            return report.wrong(place, "another bundle comes next");
        }
        let entries = match decode_bundle(bytes) {
            Ok(entries) if entries.len() == usize::from(path.width()) => entries,
            Ok(entries) => return report.wrong(place, format!("it has {} entries", entries.len())),
            Err(error) => return report.wrong(place, error.to_string()),
        };
        for entry in entries {
            let leaf = self.edge.size();
            match LogEntry::read(entry) {
                Ok(entry) if self.filter.may_have(&entry.class, entry.signed_at) => {
                    self.expected.insert(leaf)
                }
                Ok(_) => {}
                Err(error) => report.wrong(&*place, format!("leaf {leaf}: {error}")),
            }
            for tile in self.edge.append(leaf_hash(entry)) {
                self.due.insert(tile.path().to_string(), encode_hashes(&tile.hashes));
            }
            let is_stamped = |(size, _): &mut (u64, Hash)| *size == self.edge.size();
            if let Some((size, root)) = self.roots.pop_front_if(is_stamped)
                && root != self.edge.root()
            {
                report.wrong(TIMESTAMPS, format!("the token over {size} leaves: the log had another root"));
            }
        }
    }

    /// Returns true if the log says that the filter may have the receipt of a leaf.
    pub(super) fn may_have(&self, leaf: u64) -> bool {
        self.expected.contains(leaf)
    }

    fn add_partial_tiles(&mut self) {
        if !std::mem::replace(&mut self.is_ended, true) {
            for tile in self.edge.partial_tiles() {
                self.due.insert(tile.path().to_string(), encode_hashes(&tile.hashes));
            }
        }
    }

    /// Ends the log. Returns its root.
    pub(super) fn end(&mut self, report: &mut ArchiveReport) -> Hash {
        self.add_partial_tiles();
        if self.edge.size() != self.size {
            let (has, size) = (self.edge.size(), self.size);
            report.wrong("log", format!("it has {has} entries, and should have {size}"));
        } else if let Some(path) = self.due.keys().next() {
            report.wrong(format!("log/{path}"), "it is missing");
        }
        self.edge.root()
    }
}
