//! The log in an archive: its tree, from its entries.

use std::collections::{BTreeMap, HashSet, VecDeque};

use receipt::{LogEntry, Timestamp};
use tlog::tile::{FULL_WIDTH, TileKind, decode_bundle, encode_hashes, tile_width};
use tlog::{Hash, RightEdge, TilePath, leaf_hash};

use super::ArchiveReport;
use crate::layout::{ERASURE_CLASS, Filter, KEY_CLASS, TIMESTAMPS};
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
    /// The leaves whose receipts the archive must have, unless they were erased.
    expected: LeafSet,
    /// The beginning of each entry's `h`. Who made two receipts that share one has paid more than for the erasure that it would hide.
    short_ids: Vec<u64>,
    /// The beginning of each `h` that an erasure is about.
    erased_ids: HashSet<u64>,
    /// The latest time of the entries so far.
    latest: Option<Timestamp>,
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
                Ok(entry) => {
                    let back = self.latest.map_or(0, |latest| latest.millis_since(entry.signed_at));
                    if back > LogEntry::MAX_BACK_MILLIS {
                        let why =
                            format!("leaf {leaf}: its time is {back} ms before that of an earlier leaf");
                        report.wrong(&*place, why);
                    }
                    self.entry(leaf, &entry);
                }
                Err(error) => {
                    self.short_ids.push(0);
                    report.wrong(&*place, format!("leaf {leaf}: {error}"));
                }
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

    fn entry(&mut self, leaf: u64, entry: &LogEntry) {
        // The log tells class and time of a receipt, and not its agent; but those of keys are in every archive.
        let is_known = self.filter.agent.is_none() || entry.class == KEY_CLASS;
        if is_known && self.filter.may_have(&entry.class, entry.signed_at) {
            self.expected.insert(leaf);
        }
        self.latest = self.latest.max(Some(entry.signed_at));
        self.short_ids.push(short(&entry.log_id));
        if entry.class == ERASURE_CLASS {
            self.erased_ids.extend(entry.reference.as_ref().map(short));
        }
    }

    /// Returns true if the archive must have the receipt of a leaf, unless it was erased.
    pub(super) fn must_have(&self, leaf: u64) -> bool {
        self.expected.contains(leaf)
    }

    /// Returns true if the log says that the receipt of a leaf was erased.
    pub(super) fn is_erased(&self, leaf: u64) -> bool {
        let id = usize::try_from(leaf).ok().and_then(|leaf| self.short_ids.get(leaf));
        id.is_some_and(|id| self.erased_ids.contains(id))
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

/// The beginning of a hash.
fn short(hash: &[u8; 32]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}
