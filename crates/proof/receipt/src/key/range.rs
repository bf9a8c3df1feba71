//! The leaves of the log at which a key may sign.

use thiserror::Error;

/// The range of leaves of the log in which a key may sign, as the log's records of keys decide it. A receipt whose leaf
/// lies outside does not hold, whoever signed it: so a key that was stolen after its end cannot date anything back.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LeafRange {
    /// The first leaf, counted from 0, that the key may sign.
    pub from: u64,
    /// The first leaf that it may no more sign; `None` while it is in use.
    pub until: Option<u64>,
    /// The operator's reason for revoking the key; `None` where it was not revoked.
    pub revoked: Option<String>,
}

/// A leaf that lies outside of a [`LeafRange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OutOfRange {
    /// The key was not in use yet.
    #[error("the leaf {leaf} is before the key's range, which began at {from}")]
    Before {
        /// The leaf.
        leaf: u64,
        /// The first leaf of the range.
        from: u64,
    },
    /// The key was no more in use.
    #[error("the leaf {leaf} is past the key's range, which ended at {until}")]
    Past {
        /// The leaf.
        leaf: u64,
        /// The first leaf after the range.
        until: u64,
    },
}

impl LeafRange {
    /// The range of a key that is in use.
    pub fn since(from: u64) -> Self {
        Self { from, ..Self::default() }
    }

    /// Returns true if every leaf lies in the range.
    pub fn is_everything(&self) -> bool {
        self.from == 0 && self.until.is_none()
    }

    /// Checks that a leaf lies in the range.
    ///
    /// # Errors
    /// [`OutOfRange`]: it does not.
    pub fn check(&self, leaf: u64) -> Result<(), OutOfRange> {
        match *self {
            Self { from, .. } if leaf < from => Err(OutOfRange::Before { leaf, from }),
            Self { until: Some(until), .. } if leaf >= until => Err(OutOfRange::Past { leaf, until }),
            _ => Ok(()),
        }
    }
}
