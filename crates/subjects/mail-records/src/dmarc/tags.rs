//! The tag-value syntax of a record (RFC 9989, 4.8; RFC 6376, 3.2).

use serde::Serialize;

/// The longest part of a malformed tag that is repeated, in bytes.
const SHOWN: usize = 80;

/// A record's tags: those that are of the form `name=value`, and those that are not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tags {
    /// Names in lower case, values without white space around them, in their order, `v` left out.
    pub pairs: Vec<(String, String)>,
    /// Texts between semicolons that are no tags. They count for nothing (4.7).
    pub malformed: Vec<String>,
}

/// Something in a record that counts for nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum IgnoredTag {
    /// A tag that RFC 9989 does not have.
    UnknownTag {
        /// Name of the tag.
        tag: String,
    },
    /// A tag that RFC 7489 had.
    RemovedTag {
        /// Name of the tag.
        tag: String,
    },
    /// A tag whose value it cannot have; its default holds.
    InvalidValue {
        /// Name of the tag.
        tag: String,
    },
    /// An address of a list that is none, or none that reports are sent to.
    InvalidUri {
        /// The tag's name.
        tag: String,
    },
    /// A size limit on an address, which RFC 7489 had.
    SizeLimit {
        /// The tag's name.
        tag: String,
    },
    /// Something that is no tag; empty where nothing stands between two semicolons.
    Malformed {
        /// The text, shortened where it is long.
        text: String,
    },
}

impl Tags {
    /// Reads a text; `None` where it does not begin with this version of DMARC, so that it is no DMARC record at all.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let mut parts = text.split(|byte| *byte == b';').map(trim);
        let version = parts.next()?;
        let (name, value) = split(version)?;
        if !name.eq_ignore_ascii_case(b"v") || value != b"DMARC1" || starts_with_white_space(text) {
            return None;
        }
        let parts: Vec<&[u8]> = parts.collect();
        // A semicolon at the end begins no further tag.
        let parts = match parts.split_last() {
            Some(([], rest)) => rest,
            _ => &parts,
        };
        let mut tags = Self::default();
        for part in parts {
            match tag(part) {
                Some(pair) => tags.pairs.push(pair),
                None => tags.malformed.push(shown(part)),
            }
        }
        Some(tags)
    }

    /// Value of a tag; `None` where the record does not have it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// A tag among `names` that is given more than once.
    pub(super) fn duplicate(&self, names: &[&'static str]) -> Option<&'static str> {
        let times = |name: &str| self.pairs.iter().filter(|(tag, _)| tag == name).count();
        names.iter().copied().find(|name| times(name) > 1)
    }
}

fn starts_with_white_space(text: &[u8]) -> bool {
    matches!(text.first(), Some(b' ' | b'\t'))
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

fn split(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = part.iter().position(|byte| *byte == b'=')?;
    Some((trim(part.get(..at)?), trim(part.get(at + 1..)?)))
}

/// A name of letters and a value of printing characters; an empty value is a value that no tag can have.
fn tag(part: &[u8]) -> Option<(String, String)> {
    let (name, value) = split(part)?;
    let name = str::from_utf8(name).ok()?;
    let value = str::from_utf8(value).ok()?;
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let printing = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (named && printing).then(|| (name.to_ascii_lowercase(), value.to_owned()))
}

fn shown(part: &[u8]) -> String {
    String::from_utf8_lossy(part.get(..part.len().min(SHOWN)).unwrap_or_default()).into_owned()
}
