//! Domain names as evaluators use them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A domain name that a query can be made for: lower case, without the root's dot, never empty.
///
/// Records may name anything in printable ASCII (`foo:bar.example` is a name, though no host), so only what RFC 1035
/// (2.3.4) bounds is checked. Names in other scripts are A-labels before they get here.
///
/// ```
/// use dns::Name;
///
/// let name = Name::parse("Mail.Example.COM.")?;
/// assert_eq!(name.as_str(), "mail.example.com");
/// assert_eq!(name.parent(), Some(Name::parse("example.com")?));
/// # Ok::<(), dns::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(String);

/// A text that no query can be made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// An empty text, two dots in a row, or a dot at the start.
    #[error("must not have an empty label")]
    EmptyLabel,
    /// A label over [`Name::MAX_LABEL`] bytes.
    #[error("must have labels of at most {} bytes", Name::MAX_LABEL)]
    LongLabel,
    /// The name is longer than [`Name::MAX_LENGTH`] bytes.
    #[error("must have at most {} bytes", Name::MAX_LENGTH)]
    TooLong,
    /// The name has a character that is not printable ASCII.
    #[error("must be printable ASCII")]
    NotAscii,
}

impl Name {
    /// The longest label, in bytes.
    pub const MAX_LABEL: usize = 63;
    /// The longest name, in bytes, without the root's dot.
    pub const MAX_LENGTH: usize = 253;

    /// Reads a name; one dot at the end is taken for the root's.
    ///
    /// # Errors
    /// The first rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let text = text.strip_suffix('.').unwrap_or(text);
        if text.len() > Self::MAX_LENGTH {
            return Err(NameError::TooLong);
        }
        if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(NameError::NotAscii);
        }
        for label in text.split('.') {
            match label.len() {
                0 => return Err(NameError::EmptyLabel),
                1..=Self::MAX_LABEL => {}
                _ => return Err(NameError::LongLabel),
            }
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    /// Text of the name, in lower case, without the root's dot.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The labels from left to right; at least one.
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }

    /// The name without its leftmost label; `None` for a name of one label.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.split_once('.').map(|(_, rest)| Self(rest.to_owned()))
    }

    /// The last `count` labels, or the whole name where it has no more.
    #[must_use]
    pub fn last_labels(&self, count: usize) -> Self {
        match self.0.rmatch_indices('.').nth(count.saturating_sub(1)) {
            Some((dot, _)) => Self(self.0.get(dot + 1..).unwrap_or(&self.0).to_owned()),
            None => self.clone(),
        }
    }

    /// The name below this one whose leftmost labels are `labels`.
    ///
    /// # Errors
    /// What [`Name::parse`] says of it, above all [`NameError::TooLong`].
    pub fn below(&self, labels: &str) -> Result<Self, NameError> {
        Self::parse(&format!("{labels}.{}", self.0))
    }

    /// True if this is `other` or a name below it.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.strip_suffix(other.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
