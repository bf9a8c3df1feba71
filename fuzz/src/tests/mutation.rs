//! Inputs: arbitrary bytes, and samples with some changes.

use std::fmt;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The most bytes of an arbitrary input, of what is put into a sample, and of what is moved within it.
const MOST_ARBITRARY: usize = 400;
const MOST_INSERTED: usize = 8;
const MOST_MOVED: usize = 120;
const MOST_CHANGES: usize = 5;

/// Bytes, shown as a literal of Rust.
#[derive(Clone)]
pub struct Input(pub Vec<u8>);

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Any bytes, or any text.
pub fn arbitrary() -> impl Strategy<Value = Input> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..MOST_ARBITRARY).prop_map(Input),
        "\\PC{0,60}".prop_map(|text| Input(text.into_bytes())),
    ]
}

/// One of the samples with some changes.
pub fn mutated(samples: Vec<Vec<u8>>) -> impl Strategy<Value = Input> {
    let changes = prop::collection::vec(change(), 0..=MOST_CHANGES);
    (select(samples.clone()), select(samples), changes).prop_map(|(mut bytes, other, changes)| {
        changes.into_iter().for_each(|change| change.apply(&mut bytes, &other));
        Input(bytes)
    })
}

/// A change of a sample.
#[derive(Clone, Debug)]
enum Change {
    /// Takes bytes out.
    Delete(Span),
    /// Puts bytes in once more, elsewhere.
    Copy(Span, Index),
    /// Makes two bytes take each other's place.
    Swap(Index, Index),
    /// Puts bytes of another sample in the place of others.
    Splice(Span, Span),
    /// Puts bytes in the place of others.
    Overwrite(Span, Vec<u8>),
    /// Ends the sample.
    Cut(Index),
}

/// A place in a sample, and a length.
type Span = (Index, usize);

fn change() -> impl Strategy<Value = Change> {
    let span = || (any::<Index>(), 0..MOST_MOVED);
    let short = || (any::<Index>(), 0..MOST_INSERTED);
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..MOST_INSERTED),
        prop::collection::vec(
            select(&b"0123456789-+.,:;/\"'<>{}[]()\\ \n\r\t\0\x1a\xff"[..]),
            1..MOST_INSERTED
        ),
        "\\PC{1,3}".prop_map(String::into_bytes),
    ];
    prop_oneof![
        3 => prop_oneof![span(), short()].prop_map(Change::Delete),
        2 => (span(), any::<Index>()).prop_map(|(from, to)| Change::Copy(from, to)),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Change::Swap(one, other)),
        2 => (span(), span()).prop_map(|(at, from)| Change::Splice(at, from)),
        6 => (short(), bytes).prop_map(|(at, bytes)| Change::Overwrite(at, bytes)),
        1 => any::<Index>().prop_map(Change::Cut),
    ]
}

impl Change {
    fn apply(self, bytes: &mut Vec<u8>, other: &[u8]) {
        match self {
            Self::Delete(span) => drop(bytes.drain(range(span, bytes.len()))),
            Self::Copy(from, to) => {
                let copied = bytes[range(from, bytes.len())].to_vec();
                let to = to.index(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            Self::Swap(one, other) => {
                if !bytes.is_empty() {
                    let (one, other) = (one.index(bytes.len()), other.index(bytes.len()));
                    bytes.swap(one, other);
                }
            }
            Self::Splice(at, from) => {
                let inserted = other[range(from, other.len())].to_vec();
                bytes.splice(range(at, bytes.len()), inserted);
            }
            Self::Overwrite(at, with) => {
                bytes.splice(range(at, bytes.len()), with);
            }
            Self::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
        }
    }
}

/// The bytes from there on, as many as there are.
fn range((at, length): Span, bytes: usize) -> std::ops::Range<usize> {
    let start = at.index(bytes + 1);
    start..(start + length).min(bytes)
}
