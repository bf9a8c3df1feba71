//! Bundles of entries on the way to a checkpoint: fetched, checked, and appended to the tree.

use bytes::Bytes;
use tlog::tile::{FULL_WIDTH, TileError, decode_bundle, tile_width};
use tlog::{FullTile, Hash, RightEdge, TilePath, leaf_hash};

use crate::diagnosis::{hash_tile, tile_or_full};
use crate::follow_error::FollowError;
use crate::observer::Observer;
use crate::source::LogSource;

/// The entries of a full bundle.
pub(crate) const WIDTH: u64 = FULL_WIDTH as u64;

/// A bundle of entries up to the tree's end.
pub(crate) struct Bundle {
    index: u64,
    path: TilePath,
    bytes: Bytes,
    /// The hashes of its hash tile, where they were fetched.
    hashes: Option<Vec<Hash>>,
}

/// The leaves of the tree that is gone to, and those of the one that the log serves its tiles of: as many, or more.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) goal: u64,
    pub(crate) served: u64,
}

/// Fetches a bundle up to the end of the tree that is gone to, and its hash tile if asked.
pub(crate) async fn bundle(
    source: &dyn LogSource,
    index: u64,
    sizes: Sizes,
    with_hashes: bool,
) -> Result<Bundle, FollowError> {
    let width = tile_width(sizes.served, 0, index);
    let failed = |path: &dyn std::fmt::Display, error| FollowError::Tile { path: path.to_string(), error };
    let path = TilePath::entries(index, width).map_err(|error| failed(&"tile/entries", error))?;
    let (path, bytes) = tile_or_full(source, path).await?;
    let entries = decode_bundle(&bytes).map_err(|error| failed(&path, error))?;
    let wanted = usize::from(tile_width(sizes.goal, 0, index));
    let served = usize::from(width);
    if entries.len() < served || (entries.len() > served && path.is_partial()) {
        return Err(failed(&path, TileError::Width(entries.len())));
    }
    let length: usize = entries[..wanted].iter().map(|entry| 2 + entry.len()).sum();
    let hashes = if with_hashes { Some(hash_tile(source, 0, index, width).await?) } else { None };
    Ok(Bundle { index, path, bytes: bytes.slice(..length), hashes })
}

impl Bundle {
    /// The bytes of its entries.
    pub(crate) fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The hashes of its entries.
    pub(crate) fn leaves(&self) -> Result<Vec<Hash>, FollowError> {
        let malformed = |error| FollowError::Tile { path: self.path.to_string(), error };
        Ok(decode_bundle(&self.bytes).map_err(malformed)?.iter().map(|entry| leaf_hash(entry)).collect())
    }

    /// Appends the entries that the tree does not have yet; those that it has must be the same. `at_size` sees the tree after
    /// each, and the tiles that it has filled.
    pub(crate) fn append<O: Observer>(
        &self,
        edge: &mut RightEdge,
        observer: &mut O,
        mut at_size: impl FnMut(&RightEdge, &[FullTile]),
    ) -> Result<(), FollowError> {
        let malformed = |error| FollowError::Tile { path: self.path.to_string(), error };
        let entries = decode_bundle(&self.bytes).map_err(malformed)?;
        let leaves: Vec<Hash> = entries.iter().map(|entry| leaf_hash(entry)).collect();
        let other = |position| FollowError::Entries { path: self.path.to_string(), position };
        let differing = |hashes: &[Hash]| hashes.iter().zip(&leaves).position(|(one, other)| one != other);
        if let Some(position) = self.hashes.as_deref().and_then(differing) {
            return Err(other(position));
        }
        let partial = edge.partial_tiles().into_iter().find(|tile| tile.level == 0);
        let seen = partial.map_or_else(Vec::new, |tile| tile.hashes);
        debug_assert_eq!(edge.size() / WIDTH, self.index);
        if let Some(position) = differing(&seen) {
            return Err(other(position));
        }
        let mut full = Vec::new();
        for leaf in leaves.iter().skip(seen.len()) {
            let filled = edge.append(*leaf);
            at_size(edge, &filled);
            full.extend(filled);
        }
        observer
            .bundle(self.index, &self.bytes, &entries, seen.len().min(entries.len()))
            .and_then(|()| full.iter().try_for_each(|tile| observer.full_tile(tile)))
            .map_err(FollowError::Observer)
    }
}
