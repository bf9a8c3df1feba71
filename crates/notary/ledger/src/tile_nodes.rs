//! Tiles with their inner nodes, so that building a proof needs no hashing.

use tlog::{Hash, node_hash};

/// Up to 256 hashes with all complete nodes above them.
///
/// The nodes are ordered by height, and at each height from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileNodes {
    width: usize,
    nodes: Box<[Hash]>,
}

impl TileNodes {
    /// Computes all nodes above up to 256 hashes.
    #[must_use]
    pub fn fold(hashes: &[Hash]) -> Self {
        let width = hashes.len();
        let mut nodes = Vec::with_capacity(node_count(width));
        nodes.extend_from_slice(hashes);
        let (mut start, mut across) = (0, width);
        while across > 1 {
            for pair in (start..start + across - across % 2).step_by(2) {
                nodes.push(node_hash(&nodes[pair], &nodes[pair + 1]));
            }
            start += across;
            across /= 2;
        }
        Self { width, nodes: nodes.into() }
    }

    /// Rebuilds the value from the [nodes](Self::nodes) over `width` hashes; `None` where their number is wrong.
    ///
    /// The nodes are not checked: they must come from [`fold`](Self::fold).
    #[must_use]
    pub fn from_nodes(width: usize, nodes: Box<[Hash]>) -> Option<Self> {
        (nodes.len() == node_count(width)).then_some(Self { width, nodes })
    }

    /// The hashes, from the left.
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.nodes[..self.width]
    }

    /// The nodes by height: the hashes, then the nodes of height 1, and so on to the top.
    #[must_use]
    pub fn nodes(&self) -> &[Hash] {
        &self.nodes
    }

    /// The node at this height above the hashes; `None` where it is not complete.
    #[must_use]
    pub fn node(&self, height: u32, within: usize) -> Option<Hash> {
        let across = self.width.checked_shr(height)?;
        let below: usize = (0..height).map(|height| self.width >> height).sum();
        (within < across).then(|| self.nodes[below + within])
    }

    /// The node over all hashes; `None` where their number is not a power of two.
    #[must_use]
    pub fn top(&self) -> Option<Hash> {
        if self.width.is_power_of_two() { self.nodes.last().copied() } else { None }
    }
}

/// The number of complete nodes over `width` hashes, those included.
fn node_count(width: usize) -> usize {
    2 * width - width.count_ones() as usize
}

/// The number of hashes in a group: a tile has 16 groups, and their tops are 16 hashes again.
pub const GROUP: usize = 16;

/// The groups of a full tile, and the nodes over them.
#[must_use]
pub fn grouped(hashes: &[Hash]) -> (Vec<TileNodes>, TileNodes) {
    let groups: Vec<TileNodes> = hashes.chunks_exact(GROUP).map(TileNodes::fold).collect();
    let tops: Vec<Hash> = groups.iter().filter_map(TileNodes::top).collect();
    let upper = TileNodes::fold(&tops);
    (groups, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tlog::RightEdge;

    #[test]
    fn every_complete_node_of_every_width_is_the_root_of_the_hashes_below_it() {
        let hashes: Vec<Hash> = (0..256_u16).map(|leaf| tlog::leaf_hash(&leaf.to_be_bytes())).collect();
        for width in [0, 1, 2, 3, 15, 16, 17, 255, 256] {
            let folded = TileNodes::fold(&hashes[..width]);
            assert_eq!(folded.hashes(), &hashes[..width]);
            let again = TileNodes::from_nodes(width, folded.nodes().into());
            assert_eq!(again.as_ref(), Some(&folded));
            assert_eq!(TileNodes::from_nodes(width + 1, folded.nodes().into()), None);
            for height in 0..9 {
                let across = width >> height;
                for within in 0..across {
                    let mut edge = RightEdge::new();
                    for hash in &hashes[within << height..(within + 1) << height] {
                        edge.append(*hash);
                    }
                    assert_eq!(folded.node(height, within), Some(edge.root()));
                }
                assert_eq!(folded.node(height, across), None);
            }
            assert_eq!(folded.top().is_some(), width.is_power_of_two());
        }
    }
}
