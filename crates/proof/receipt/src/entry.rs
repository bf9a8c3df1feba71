//! Reading of the log's entries, as [`log_entry`](crate::sign::log_entry) writes them: the canonical form (RFC 8785) of
//! `{class, h, kid, t, v}`, and `ref` where the receipt is about another one.

use crate::hash::parse_hex;
use crate::json::{self, Json};
use crate::time::Timestamp;

/// The reason why bytes are not the entry of a notary's log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// The bytes are not an I-JSON object in canonical form.
    #[error("the entry is not JSON in canonical form")]
    NotCanonical,
    /// The entry has a member that entries do not have, or lacks one.
    #[error("the entry does not have the members class, h, kid, t, v (and ref)")]
    Members,
    /// This member has a value that it cannot have.
    #[error("the entry's {0} is malformed")]
    Value(&'static str),
}

/// An entry of a notary's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The class of the receipt.
    pub class: String,
    /// The SHA-256 of the receipt's hash.
    pub log_id: [u8; 32],
    /// The name of the key that signed the receipt.
    pub kid: String,
    /// The SHA-256 of the hash of the receipt that this one is about.
    pub reference: Option<[u8; 32]>,
    /// The time at which the receipt was signed.
    pub signed_at: Timestamp,
}

/// The longest class and the longest key name, in bytes.
const MAX_TEXT: usize = 1024;

impl LogEntry {
    /// The most milliseconds by which the time of an entry may be before that of an earlier one: receipts are signed side by side.
    pub const MAX_BACK_MILLIS: i64 = 60_000;

    /// Reads an entry.
    ///
    /// # Errors
    /// [`EntryError`].
    pub fn read(bytes: &[u8]) -> Result<Self, EntryError> {
        let document = json::parse(bytes).map_err(|_| EntryError::NotCanonical)?;
        if document.canonical() != bytes {
            return Err(EntryError::NotCanonical);
        }
        let Json::Object(object) = &document else { return Err(EntryError::Members) };
        let names: Vec<&str> = object.members().iter().map(|(name, _)| name.as_str()).collect();
        let has_reference = match names.as_slice() {
            ["class", "h", "kid", "t", "v"] => false,
            ["class", "h", "kid", "ref", "t", "v"] => true,
            _ => return Err(EntryError::Members),
        };
        let text = |name: &'static str| {
            let text = document.get(name).and_then(Json::as_str);
            text.filter(|text| !text.is_empty() && text.len() <= MAX_TEXT).ok_or(EntryError::Value(name))
        };
        let hash = |name: &'static str| parse_hex::<32>(text(name)?).ok_or(EntryError::Value(name));
        if document.get("v").and_then(Json::as_number).and_then(|version| version.as_u64()) != Some(1) {
            return Err(EntryError::Value("v"));
        }
        Ok(Self {
            class: text("class")?.to_owned(),
            log_id: hash("h")?,
            kid: text("kid")?.to_owned(),
            reference: if has_reference { Some(hash("ref")?) } else { None },
            signed_at: text("t")?.parse().map_err(|_| EntryError::Value("t"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::ReceiptHash;
    use crate::sign::log_entry;

    #[test]
    fn an_entry_is_read_as_the_notary_writes_it() {
        let hash = ReceiptHash([7; 32]);
        for reference in [None, Some(ReceiptHash([8; 32]))] {
            let written = log_entry("commit", &hash, "did:web:a#b", Timestamp::EPOCH, reference.as_ref());
            let read = LogEntry::read(&written).unwrap();
            assert_eq!((&*read.class, read.log_id, &*read.kid), ("commit", hash.log_id(), "did:web:a#b"));
            assert_eq!(read.reference, reference.map(|reference| reference.log_id()));
            assert_eq!(read.signed_at, Timestamp::EPOCH);
        }
    }

    #[test]
    fn an_entry_of_another_form_is_refused() {
        let good = String::from_utf8(log_entry("commit", &ReceiptHash([7; 32]), "k", Timestamp::EPOCH, None))
            .unwrap();
        assert!(LogEntry::read(good.as_bytes()).is_ok());
        for (from, to, error) in [
            ("{\"class\"", "{ \"class\"", EntryError::NotCanonical),
            ("\"v\":1", "\"v\":1.0", EntryError::NotCanonical),
            ("\"v\":1", "\"v\":1,\"v\":1", EntryError::NotCanonical),
            ("\"v\":1", "\"v\":2", EntryError::Value("v")),
            ("\"v\":1", "\"v\":1,\"w\":1", EntryError::Members),
            ("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z", EntryError::Value("t")),
            ("\"kid\":\"k\"", "\"kid\":\"\"", EntryError::Value("kid")),
            ("\"h\":\"", "\"h\":\"A", EntryError::Value("h")),
        ] {
            assert_eq!(LogEntry::read(good.replacen(from, to, 1).as_bytes()), Err(error), "{to}");
        }
        assert_eq!(LogEntry::read(b"[]"), Err(EntryError::Members));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = LogEntry::read(&bytes);
        }
    }
}
