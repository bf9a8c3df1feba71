//! What the tests of several checks are made of.

use dns::{Answer, Name};

/// A name that is one.
pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// An answer of these records.
pub(super) fn found<T>(records: Vec<T>) -> Answer<T> {
    Answer::Found { records, ttl: 60 }
}
