//! A set of leaves, a bit each.

use std::ops::Range;

/// A set of leaves.
#[derive(Debug, Default)]
pub(crate) struct LeafSet(Vec<u64>);

impl LeafSet {
    /// Adds a leaf.
    pub(crate) fn insert(&mut self, leaf: u64) {
        let Ok(at) = usize::try_from(leaf / 64) else { return };
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (leaf % 64);
    }

    /// Returns true if the leaf is there.
    pub(crate) fn contains(&self, leaf: u64) -> bool {
        let word = usize::try_from(leaf / 64).ok().and_then(|at| self.0.get(at));
        word.is_some_and(|word| word >> (leaf % 64) & 1 == 1)
    }

    /// The part of a range from its first leaf that is there to its last; `None` where none is.
    pub(crate) fn span(&self, mut leaves: Range<u64>) -> Option<Range<u64>> {
        let first = leaves.find(|leaf| self.contains(*leaf))?;
        let last = leaves.rfind(|leaf| self.contains(*leaf)).unwrap_or(first);
        Some(first..last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_begins_and_ends_with_leaves_that_are_there() {
        let mut set = LeafSet::default();
        for leaf in [3, 64, 200] {
            set.insert(leaf);
        }
        assert!(set.contains(64) && !set.contains(65) && !set.contains(1 << 40));
        assert_eq!(set.span(0..300), Some(3..201));
        assert_eq!(set.span(4..200), Some(64..65));
        assert_eq!((set.span(65..200), set.span(3..3)), (None, None));
    }
}
