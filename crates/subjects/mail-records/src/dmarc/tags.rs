//! The tag-value syntax of a record (RFC 9989, 4.8; RFC 6376, 3.2).

use serde::Serialize;

/// The longest part of a malformed tag that is repeated, in bytes.
const SHOWN: usize = 80;

/// The tags of a record, and the parts of the record that are not of the form `name=value`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tags {
    /// The tags in their order, without `v`: lower-case names, and values without white space around them.
    pub pairs: Vec<(String, String)>,
    /// The texts between semicolons that are not tags. They have no effect (4.7).
    pub malformed: Vec<String>,
}

/// A part of a record that has no effect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum IgnoredTag {
    /// A tag that RFC 9989 does not define.
    UnknownTag {
        /// The name of the tag.
        tag: String,
    },
    /// A tag that only RFC 7489 defines.
    RemovedTag {
        /// The name of the tag.
        tag: String,
    },
    /// A tag with an invalid value, so that its default applies.
    InvalidValue {
        /// The name of the tag.
        tag: String,
    },
    /// A text in a list of report addresses that is not a URI, or not one to which reports are sent.
    InvalidUri {
        /// The name of the tag.
        tag: String,
    },
    /// A size limit of a report address, which only RFC 7489 defines.
    SizeLimit {
        /// The name of the tag.
        tag: String,
    },
    /// A text that is not a tag; it is empty where nothing is between two semicolons.
    Malformed {
        /// The text, shortened if it is long.
        text: String,
    },
}

impl Tags {
    /// Reads the text of a record; `None` where it is not a DMARC record, because it does not begin with `v=DMARC1`.
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

    /// The value of a tag; `None` where the record does not have it.
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
