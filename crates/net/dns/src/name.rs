//! Domain names that queries are made for.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A domain name that a query can be made for: lower case, without the root's dot, never empty.
///
/// Records may contain any name in printable ASCII (`foo:bar.example` is a name, but not a host name), so only the
/// lengths of RFC 1035 (2.3.4) are checked. Names in other scripts must be converted to A-labels (RFC 5890) first.
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

/// An error in the text of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// The text is empty, begins with a dot, or has two dots in a row.
    #[error("must not have an empty label")]
    EmptyLabel,
    /// A label is longer than [`Name::MAX_LABEL`] bytes.
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
    /// The longest label, in bytes (RFC 1035, 2.3.4).
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

    /// The labels from left to right. There is at least one.
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }

    /// The name without its leftmost label; `None` for a name with one label.
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
    /// [`NameError`] as of [`Name::parse`], most often [`NameError::TooLong`].
    pub fn below(&self, labels: &str) -> Result<Self, NameError> {
        Self::parse(&format!("{labels}.{}", self.0))
    }

    /// Returns true if this name is `other` or a name below it.
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
