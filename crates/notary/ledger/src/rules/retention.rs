//! The receipts whose request and evidence are deleted, and the time at which the others are looked at again.

use receipt::json::{Json, parse};
use receipt::time::Timestamp;

use crate::{HELD_AGAIN_MS, LOOK_AGAIN_MS, NotErasable, RetentionTerms};

/// A receipt whose time may be over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgedReceipt {
    /// The leaf index of the receipt.
    pub leaf: u64,
    /// The class of the receipt.
    pub class: String,
    /// The time of its signature.
    pub signed_at: Timestamp,
}

impl AgedReceipt {
    /// Reads the receipt at a leaf from its log entry; `None` where it is no entry of a receipt.
    #[must_use]
    pub fn of_entry(leaf: u64, entry: &[u8]) -> Option<Self> {
        let entry = parse(entry).ok()?;
        let member = |name: &str| entry.get(name).and_then(Json::as_str);
        Some(Self { leaf, class: member("class")?.to_owned(), signed_at: member("t")?.parse().ok()? })
    }

    /// The time at which the receipt is looked at again; `None` where its time is over.
    #[must_use]
    pub fn look_again_at(&self, terms: &RetentionTerms, now: Timestamp) -> Option<Timestamp> {
        let end = terms.end(&self.class, self.signed_at);
        (now < end).then(|| end.min(now.saturating_add_millis(LOOK_AGAIN_MS)))
    }
}

/// The time at which a receipt that is needed longer is looked at again.
#[must_use]
pub fn held_until(now: Timestamp) -> Timestamp {
    now.saturating_add_millis(HELD_AGAIN_MS)
}

/// The result of a look at a run of log entries.
#[derive(Debug, Default)]
pub struct Looked {
    /// The receipts whose time may be over, in the order of the log.
    pub receipts: Vec<AgedReceipt>,
    /// The number of entries that were looked at, from the first on.
    pub entries: u64,
    /// The number of entries that cannot be read. Their requests are kept.
    pub unreadable: u64,
}

/// Looks at log entries from `first` on, up to the first receipt for which the shortest time of any class is not over.
pub fn look<'e>(
    first: u64,
    entries: impl IntoIterator<Item = &'e [u8]>,
    terms: &RetentionTerms,
    now: Timestamp,
) -> Looked {
    let mut looked = Looked::default();
    for (leaf, entry) in (first..).zip(entries) {
        match AgedReceipt::of_entry(leaf, entry) {
            Some(receipt) if now < receipt.signed_at.saturating_add_millis(terms.shortest_ms()) => break,
            Some(receipt) => looked.receipts.push(receipt),
            None => looked.unreadable += 1,
        }
        looked.entries += 1;
    }
    looked
}

/// The facts that decide if a receipt may be erased, and its request be deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// A claim to dispute it is not finished, or a refund that follows from it is not paid.
    pub dispute: bool,
    /// The watch that it has opened is live.
    pub watch: bool,
}

impl Needs {
    /// Returns true if something needs the receipt's request.
    #[must_use]
    pub fn any(self) -> bool {
        self.dispute || self.watch
    }

    /// Refuses an erasure.
    ///
    /// # Errors
    /// [`NotErasable::Disputed`] and [`NotErasable::Watched`].
    pub fn check_erasable(self) -> Result<(), NotErasable> {
        match self {
            Self { dispute: true, .. } => Err(NotErasable::Disputed),
            Self { watch: true, .. } => Err(NotErasable::Watched),
            Self { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use receipt::hash::ReceiptHash;
    use receipt::sign::log_entry;

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_795_226_400_000 + hours * HOUR).unwrap()
    }

    fn terms() -> RetentionTerms {
        RetentionTerms { default_ms: 144 * HOUR, classes: BTreeMap::from([("commit".to_owned(), 72 * HOUR)]) }
    }

    fn entry(class: &str, hours: i64) -> Vec<u8> {
        log_entry(class, &ReceiptHash([1; 32]), "did:web:a#k", at(hours), None)
    }

    #[test]
    fn entries_are_looked_at_up_to_the_first_that_no_class_lets_go() {
        let entries =
            [entry("commit", 0), b"no entry".to_vec(), entry("dispute", 1), entry("commit", 2)].to_vec();
        let looked = |now| look(7, entries.iter().map(Vec::as_slice), &terms(), at(now));
        assert_eq!((looked(71).entries, looked(71).receipts.len()), (0, 0));
        let some = looked(73);
        assert_eq!((some.entries, some.unreadable), (3, 1));
        assert_eq!(some.receipts.iter().map(|receipt| receipt.leaf).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(looked(74).entries, 4);
    }

    #[test]
    fn a_receipt_is_looked_at_again_at_its_end_and_within_a_day_at_the_latest() {
        let receipt = AgedReceipt::of_entry(1, &entry("screen-entity", 0)).unwrap();
        let again = |now| receipt.look_again_at(&terms(), at(now));
        assert_eq!(again(72), Some(at(96)), "the configuration may change");
        assert_eq!(again(140), Some(at(144)));
        assert_eq!((again(144), again(1000)), (None, None));
    }
}
