//! The hash tiles of the log: they show what is wrong where entries do not hash to the signed root, and that the part of a long
//! way that was gone so far is in the signed tree.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use tlog::tile::{FULL_WIDTH, TileError, decode_hashes, tile_width};
use tlog::{
    Hash, ReadError, RightEdge, Tile, TilePath, TileReader, consistency_nodes, roots_from_consistency,
};

use crate::bundle::{Sizes, WIDTH, bundle};
use crate::contradiction::ConsistencyPath;
use crate::follow_error::FollowError;
use crate::source::LogSource;

/// The most tiles that a consistency proof can need: each level's on the way, and those of the peaks.
const MAX_TILES: usize = 64;

/// Hash tiles of one tree that are at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles(HashMap<(u8, u64), Arc<[Hash]>>);

/// The tile that is not at hand.
#[derive(Clone, Copy)]
pub(crate) struct Lacking {
    level: u8,
    index: u64,
    width: u16,
}

impl TileReader for Tiles {
    type Error = Lacking;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Lacking> {
        self.0.get(&(level, index)).cloned().ok_or(Lacking { level, index, width })
    }
}

/// The path between two trees as hash tiles have it, and the roots that it leads to.
pub(crate) struct PathOfLog {
    pub(crate) path: ConsistencyPath,
    pub(crate) old_root: Hash,
    pub(crate) new_root: Hash,
}

impl Tiles {
    /// Adds a tile that follows from entries: its hashes take the place of the first ones of a tile that was fetched.
    pub(crate) fn put(&mut self, tile: &Tile) {
        let mut hashes = tile.hashes.clone();
        if let Some(further) = self.0.get(&(tile.level, tile.index)).and_then(|all| all.get(hashes.len()..)) {
            hashes.extend(further);
        }
        self.0.insert((tile.level, tile.index), hashes.into());
    }

    /// The tiles of the tree that is gone to, made from its entries. They are kept all: the tree must not be large.
    pub(crate) async fn of_entries(
        source: &dyn LogSource,
        sizes: Sizes,
        at_once: usize,
    ) -> Result<Self, FollowError> {
        let (mut tiles, mut edge) = (Self::default(), RightEdge::new());
        let fetches = (0..sizes.goal.div_ceil(WIDTH)).map(|index| bundle(source, index, sizes, false));
        let mut bundles = stream::iter(fetches).buffered(at_once);
        while let Some(bundle) = bundles.next().await {
            for leaf in bundle?.leaves()? {
                edge.append(leaf).iter().for_each(|tile| tiles.put(tile));
            }
        }
        edge.partial_tiles().iter().for_each(|tile| tiles.put(tile));
        Ok(tiles)
    }

    /// The path from the tree of `old` leaves, at least 1, to that of `new`, which is larger.
    pub(crate) fn path(&self, old: u64, new: u64) -> Result<PathOfLog, ReadError<Lacking>> {
        let (start, hashes) = consistency_nodes(old, new, self)?;
        let roots = roots_from_consistency(old, new, &start, &hashes);
        let (old_root, new_root) = roots.expect("the path was made for these sizes");
        Ok(PathOfLog { path: ConsistencyPath { start, hashes }, old_root, new_root })
    }

    /// Fetches the tiles that are not at hand, and gives the path from the tree of `old` leaves, at least 1, to the goal, which
    /// is larger.
    pub(crate) async fn path_of_log(
        &mut self,
        source: &dyn LogSource,
        old: u64,
        sizes: Sizes,
    ) -> Result<PathOfLog, FollowError> {
        for _ in 0..MAX_TILES {
            match self.path(old, sizes.goal) {
                Ok(path) => return Ok(path),
                Err(ReadError::Reader(Lacking { level, index, width })) => {
                    let served = tile_width(sizes.served, level, index);
                    let mut hashes = hash_tile(source, level, index, served.max(width)).await?;
                    hashes.truncate(usize::from(width));
                    self.0.insert((level, index), hashes.into());
                }
                Err(ReadError::Short { .. } | ReadError::Proof(_) | ReadError::Tree(_)) => break,
            }
        }
        Err(FollowError::NoPath { old, new: sizes.goal })
    }
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
    let (path, bytes) = match tile_or_full(source, path).await {
        Err(FollowError::Missing { path }) => return Err(FollowError::HashTileMissing { path }),
        found => found?,
    };
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
