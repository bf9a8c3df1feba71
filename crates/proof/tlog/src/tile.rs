//! Tile paths, hash tiles and entry bundles: C2SP tlog-tiles, "Merkle Tree" and "Log entries".

use std::fmt;
use std::str::FromStr;

use crate::hash::Hash;
use crate::nodes::{TILE_WIDTH, hashes_on_level};

/// The width of a full tile, as paths and readers count it.
pub const FULL_WIDTH: u16 = 256;

/// The highest tile level that the format allows.
pub const MAX_LEVEL: u8 = 63;

/// The longest entry that fits the two-byte length prefix of a bundle.
pub const MAX_ENTRY_BYTES: usize = u16::MAX as usize;

/// The longest path: an index of 20 digits has seven groups.
const MAX_PATH_BYTES: usize = "tile/entries/".len() + 7 * "x000/".len() + ".p/255".len();

const HASH_BYTES: usize = 32;

/// An error in the path or in the bytes of a tile or an entry bundle (C2SP tlog-tiles).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// The text is not a tile's path, or is not in its canonical spelling.
    #[error("not the path of a tile")]
    Path,
    /// The tile level is this one, but the highest is 63.
    #[error("tile level {0} is above 63")]
    Level(u8),
    /// The width is this one, but it must be 1 to 256.
    #[error("a tile is 1 to 256 wide, not {0}")]
    Width(usize),
    /// The hash tile has this many bytes; its length must be 32 bytes times 1 to 256.
    #[error("a hash tile of {0} bytes")]
    Length(usize),
    /// The entry is longer than [`MAX_ENTRY_BYTES`].
    #[error("entry {position} has {bytes} bytes, more than 65535")]
    EntryTooLong {
        /// The position of the entry in the bundle, counted from 0.
        position: usize,
        /// The length of the entry, in bytes.
        bytes: usize,
    },
    /// The bundle ends within an entry.
    #[error("the bundle ends within entry {position}")]
    Truncated {
        /// The position of the entry in the bundle, counted from 0.
        position: usize,
    },
}

/// The kind of a tile: hashes of the tree, or log entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TileKind {
    /// Hashes of the tree, on this tile level (0 to 63).
    Hashes(u8),
    /// Log entries, at the positions of their leaf hashes in tile level 0.
    Entries,
}

/// The path of a tile below the log's prefix: `tile/<L>/<N>[.p/<W>]` or `tile/entries/<N>[.p/<W>]`.
///
/// ```
/// let path: tlog::TilePath = "tile/0/x001/x234/067.p/5".parse()?;
/// assert_eq!((path.index(), path.width()), (1_234_067, 5));
/// assert!("tile/0/x000/067".parse::<tlog::TilePath>().is_err());
/// # Ok::<(), tlog::TileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TilePath {
    kind: TileKind,
    index: u64,
    width: u16,
}

impl TilePath {
    /// The path of a hash tile. Level 0 to 63, width 1 to 256, where 256 is the full tile.
    pub fn hashes(level: u8, index: u64, width: u16) -> Result<Self, TileError> {
        if level > MAX_LEVEL {
            return Err(TileError::Level(level));
        }
        Self::new(TileKind::Hashes(level), index, width)
    }

    /// The path of an entry bundle. Width 1 to 256, where 256 is the full bundle.
    pub fn entries(index: u64, width: u16) -> Result<Self, TileError> {
        Self::new(TileKind::Entries, index, width)
    }

    fn new(kind: TileKind, index: u64, width: u16) -> Result<Self, TileError> {
        if !(1..=FULL_WIDTH).contains(&width) {
            return Err(TileError::Width(usize::from(width)));
        }
        Ok(Self { kind, index, width })
    }

    /// The kind of the tile.
    pub fn kind(&self) -> TileKind {
        self.kind
    }

    /// The index of the tile within its level, counted from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The number of hashes or entries, 1 to 256.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Returns true if the tile is partial, that is, narrower than 256.
    pub fn is_partial(&self) -> bool {
        self.width < FULL_WIDTH
    }
}

impl fmt::Display for TilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TileKind::Hashes(level) => write!(f, "tile/{level}/")?,
            TileKind::Entries => f.write_str("tile/entries/")?,
        }
        let mut groups = Vec::with_capacity(7);
        let mut rest = self.index;
        while rest >= 1000 {
            groups.push(rest % 1000);
            rest /= 1000;
        }
        groups.push(rest);
        while let Some(group) = groups.pop() {
            let more = !groups.is_empty();
            write!(f, "{}{group:03}{}", if more { "x" } else { "" }, if more { "/" } else { "" })?;
        }
        if self.is_partial() { write!(f, ".p/{}", self.width) } else { Ok(()) }
    }
}

impl FromStr for TilePath {
    type Err = TileError;

    fn from_str(path: &str) -> Result<Self, TileError> {
        if path.len() > MAX_PATH_BYTES {
            return Err(TileError::Path);
        }
        let parsed = read_path(path).ok_or(TileError::Path)?;
        // Leading zeros, a first group of zeros and the like all show as a difference here.
        if parsed.to_string() == path { Ok(parsed) } else { Err(TileError::Path) }
    }
}

fn read_path(path: &str) -> Option<TilePath> {
    let (kind, rest) = path.strip_prefix("tile/")?.split_once('/')?;
    let kind = match kind {
        "entries" => TileKind::Entries,
        level => TileKind::Hashes(level.parse().ok().filter(|level| *level <= MAX_LEVEL)?),
    };
    let (groups, width) = match rest.split_once(".p/") {
        Some((groups, width)) => (groups, width.parse().ok().filter(|width| *width < FULL_WIDTH)?),
        None => (rest, FULL_WIDTH),
    };
    let mut index: u64 = 0;
    for group in groups.split('/') {
        let group: u64 = group.strip_prefix('x').unwrap_or(group).parse().ok()?;
        index = index.checked_mul(1000)?.checked_add(group)?;
    }
    TilePath::new(kind, index, width).ok()
}

/// The width of the partial tile of a tile level in a tree of `size`: `floor(size / 256^level) mod 256`; 0 where the
/// level has no partial tile.
pub fn partial_width(size: u64, level: u8) -> u16 {
    u16::from(hashes_on_level(size, level).to_le_bytes()[0])
}

/// The width of tile `index` of a tile level in a tree of `size`: 256 where it is full, 0 where it does not exist.
pub fn tile_width(size: u64, level: u8, index: u64) -> u16 {
    let before = index.saturating_mul(TILE_WIDTH as u64);
    let rest = hashes_on_level(size, level).saturating_sub(before);
    u16::try_from(rest).map_or(FULL_WIDTH, |rest| rest.min(FULL_WIDTH))
}

/// The bytes of a hash tile: its hashes, one after the other.
pub fn encode_hashes(hashes: &[Hash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.0).collect()
}

/// Reads the bytes of a hash tile of 1 to 256 hashes.
pub fn decode_hashes(bytes: &[u8]) -> Result<Vec<Hash>, TileError> {
    let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
    if hashes.is_empty() || hashes.len() > TILE_WIDTH || !rest.is_empty() {
        return Err(TileError::Length(bytes.len()));
    }
    Ok(hashes.iter().copied().map(Hash).collect())
}

/// The bytes of an entry bundle: 1 to 256 entries, each after its length as a big-endian `u16`.
pub fn encode_bundle<E: AsRef<[u8]>>(entries: &[E]) -> Result<Vec<u8>, TileError> {
    check_width(entries.len())?;
    let mut bundle = Vec::with_capacity(entries.iter().map(|entry| entry.as_ref().len() + 2).sum());
    for (position, entry) in entries.iter().enumerate() {
        push_entry(&mut bundle, entry.as_ref())
            .map_err(|_| TileError::EntryTooLong { position, bytes: entry.as_ref().len() })?;
    }
    Ok(bundle)
}

fn push_entry(bundle: &mut Vec<u8>, entry: &[u8]) -> Result<(), std::num::TryFromIntError> {
    bundle.extend_from_slice(&u16::try_from(entry.len())?.to_be_bytes());
    bundle.extend_from_slice(entry);
    Ok(())
}

/// Reads the entries of a bundle of 1 to 256 entries.
pub fn decode_bundle(bundle: &[u8]) -> Result<Vec<&[u8]>, TileError> {
    let mut entries = Vec::new();
    let mut rest = bundle;
    while !rest.is_empty() {
        let position = entries.len();
        check_width(position + 1)?;
        let truncated = TileError::Truncated { position };
        let Some((length, after)) = rest.split_first_chunk() else { return Err(truncated) };
        let length = usize::from(u16::from_be_bytes(*length));
        let Some((entry, after)) = after.split_at_checked(length) else { return Err(truncated) };
        entries.push(entry);
        rest = after;
    }
    check_width(entries.len())?;
    Ok(entries)
}

fn check_width(width: usize) -> Result<(), TileError> {
    if (1..=TILE_WIDTH).contains(&width) { Ok(()) } else { Err(TileError::Width(width)) }
}
