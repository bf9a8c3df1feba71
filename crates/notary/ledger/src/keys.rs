//! Changes of the notary's keys, each of which is made in the transaction that logs its receipt.

use receipt::history::KeyRole;

/// A change of a key, as the receipt records it that is logged in the same transaction.
///
/// After it the store is [bound](crate::Identity) to the key that may sign from then on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyStep {
    /// A key is there when the log begins to have records of keys.
    Introduced {
        /// The key's name.
        name: String,
    },
    /// A key takes the place of another one; a log key signs beside the other one until that is
    /// [ended](Self::LogKeyEnded).
    Replaced {
        /// The role of both.
        role: KeyRole,
        /// The name of the new key.
        name: String,
        /// The name of the key that was in use.
        replaces: String,
    },
    /// A log key that another one signs beside signs no more.
    LogKeyEnded {
        /// The vkey of the key that ends.
        name: String,
        /// The vkey of the one that signs alone from now on.
        successor: String,
    },
    /// A former key must not be trusted any more.
    RevokedFormer {
        /// The role of that key.
        role: KeyRole,
        /// The name of that key.
        name: String,
        /// The name of the key of the role that is in use, which the record names too.
        current: String,
    },
}

impl KeyStep {
    /// The text that is stored with the receipt. No two steps with one text are taken.
    #[must_use]
    pub fn mark(&self) -> String {
        match self {
            Self::Introduced { name } | Self::Replaced { name, .. } => name.clone(),
            Self::RevokedFormer { name, .. } => format!("revoked {name}"),
            Self::LogKeyEnded { name, .. } => format!("ended {name}"),
        }
    }
}
