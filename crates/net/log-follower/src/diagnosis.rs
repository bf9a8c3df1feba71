//! What is wrong where entries do not hash to the signed root: read from the log's hash tiles.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tlog::tile::{FULL_WIDTH, TileError, decode_hashes};
use tlog::{Hash, ReadError, TilePath, TileReader, consistency_nodes, roots_from_consistency};

use crate::contradiction::ConsistencyPath;
use crate::follow_error::FollowError;
use crate::source::LogSource;

/// The most tiles that a consistency proof can need: each level's on the way, and those of the peaks.
const MAX_TILES: usize = 64;

/// Hash tiles by their level and index.
type Tiles = HashMap<(u8, u64), Arc<[Hash]>>;

/// Tiles that were fetched so far. The reader names the one that it misses.
#[derive(Default)]
struct Fetched {
    tiles: RefCell<Tiles>,
}

struct Missing {
    level: u8,
    index: u64,
    width: u16,
}

impl TileReader for Fetched {
    type Error = Missing;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Missing> {
        let found = self.tiles.borrow().get(&(level, index)).cloned();
        found.ok_or(Missing { level, index, width })
    }
}

/// The path between two trees as the log's hash tiles have it, and the roots that it leads to.
pub(crate) struct PathOfLog {
    pub(crate) path: ConsistencyPath,
    pub(crate) old_root: Hash,
    pub(crate) new_root: Hash,
}

/// Reads the path from the tree of `old` leaves, at least 1, to that of `new`, which is larger.
pub(crate) async fn path_of_log(
    source: &dyn LogSource,
    old: u64,
    new: u64,
) -> Result<PathOfLog, FollowError> {
    let fetched = Fetched::default();
    for _ in 0..MAX_TILES {
        match consistency_nodes(old, new, &fetched) {
            Ok((start, hashes)) => {
                let roots = roots_from_consistency(old, new, &start, &hashes);
                let (old_root, new_root) = roots.expect("the path was made for these sizes");
                return Ok(PathOfLog { path: ConsistencyPath { start, hashes }, old_root, new_root });
            }
            Err(ReadError::Reader(Missing { level, index, width })) => {
                let hashes = hash_tile(source, level, index, width).await?;
                fetched.tiles.borrow_mut().insert((level, index), hashes.into());
            }
            Err(ReadError::Short { .. } | ReadError::Proof(_) | ReadError::Tree(_)) => break,
        }
    }
    Err(FollowError::NoPath { old, new })
}

/// Fetches the first `width` hashes of a tile.
pub(crate) async fn hash_tile(
    source: &dyn LogSource,
    level: u8,
    index: u64,
    width: u16,
) -> Result<Vec<Hash>, FollowError> {
    let path = TilePath::hashes(level, index, width);
    let path = path.map_err(|error| FollowError::Tile { path: format!("tile/{level}"), error })?;
    let (path, bytes) = tile_or_full(source, path).await?;
    let failed = |error| FollowError::Tile { path: path.to_string(), error };
    let mut hashes = decode_hashes(&bytes).map_err(failed)?;
    if hashes.len() < usize::from(width) {
        return Err(failed(TileError::Width(hashes.len())));
    }
    hashes.truncate(usize::from(width));
    Ok(hashes)
}

/// Fetches a tile; in place of a partial one that is gone, the full one.
pub(crate) async fn tile_or_full(
    source: &dyn LogSource,
    path: TilePath,
) -> Result<(TilePath, bytes::Bytes), FollowError> {
    if let Some(bytes) = source.tile(path).await? {
        return Ok((path, bytes));
    }
    let missing = || FollowError::Missing { path: path.to_string() };
    if !path.is_partial() {
        return Err(missing());
    }
    let full = match path.kind() {
        tlog::TileKind::Hashes(level) => TilePath::hashes(level, path.index(), FULL_WIDTH),
        tlog::TileKind::Entries => TilePath::entries(path.index(), FULL_WIDTH),
    };
    let full = full.map_err(|error| FollowError::Tile { path: path.to_string(), error })?;
    Ok((full, source.tile(full).await?.ok_or_else(missing)?))
}
