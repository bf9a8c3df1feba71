//! The mark of a store that was copied, moved, or restored from a backup, and what may be done with such a store.

use crate::LedgerError;

/// The kinds of a [`TransferMark`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// The store is a copy of another one, and has not got all of it yet.
    Copying,
    /// The store is being moved to another place, and the copy there is not whole yet.
    Moving,
    /// The store was moved to another place, where its log goes on.
    Moved,
    /// The store is a copy that must not go on: it may be older than what was served.
    Archive,
}

impl MarkKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Copying, Self::Moving, Self::Moved, Self::Archive];

    /// The text of the kind as a store has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Copying => "copying",
            Self::Moving => "moving",
            Self::Moved => "moved",
            Self::Archive => "archive",
        }
    }
}

/// The mark of a store whose log does not go on in it.
///
/// A log that goes on in two places is a fork. So a store is marked before another one takes its place, and a copy is marked
/// until it may take the place of its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransferMark {
    /// The kind of the mark.
    pub kind: MarkKind,
    /// The place that the store was moved to, or that it is a copy of: a path, or an address without a password.
    pub place: String,
    /// The number of leaves of the log when the store was marked; of a copy, those of its source.
    pub size: u64,
}

impl TransferMark {
    /// Reads a mark from its columns.
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`]: the kind is unknown. Only a later program can have written it.
    pub fn read(kind: &str, place: String, size: u64) -> Result<Self, LedgerError> {
        let known = MarkKind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = known.ok_or_else(|| LedgerError::Corrupt(format!("its mark `{kind}` is unknown")))?;
        Ok(Self { kind, place, size })
    }

    /// Checks that the store may be opened, which is read-only for an [archive](MarkKind::Archive).
    ///
    /// # Errors
    /// [`LedgerError::Open`]: it was or is being moved, or is a copy that is not whole. The text says what to do instead.
    pub fn check_usable(&self, store: &str) -> Result<(), LedgerError> {
        let Self { kind, place, size } = self;
        let why = match kind {
            MarkKind::Archive => return Ok(()),
            MarkKind::Moving => format!(
                "it is being moved to {place}: run `touchstone migrate-store --from {store} --to {place}` again, and it goes on; \
                 or give that up with `--from {place} --to {store}`"
            ),
            MarkKind::Moved => format!(
                "it was moved to {place} with {size} leaves, and its log goes on there: name that store, or move it back with \
                 `touchstone migrate-store --from {place} --to {store}`"
            ),
            MarkKind::Copying => format!(
                "it is a copy of {place} that is not whole yet: run the command that makes it again, and it goes on from where \
                 it was"
            ),
        };
        Err(LedgerError::Open { path: store.to_owned(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_was_moved_or_is_half_made_is_refused_and_an_archive_is_not() {
        let mark = |kind: &str| TransferMark::read(kind, "there".to_owned(), 7);
        let refused = |kind: &str| mark(kind).unwrap().check_usable("here").unwrap_err().to_string();
        assert!(refused("moved").contains("migrate-store --from there --to here"), "{}", refused("moved"));
        assert!(refused("moving").contains("migrate-store --from here --to there"), "{}", refused("moving"));
        assert!(refused("copying").contains("not whole"), "{}", refused("copying"));
        mark("archive").unwrap().check_usable("here").unwrap();
        assert!(mark("other").unwrap_err().to_string().contains("other"));
    }
}
