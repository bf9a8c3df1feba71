//! The header fields of a response.

use serde::{Deserialize, Serialize};

/// The longest value of a field that a rule looks at; the Observatory cuts most at this or less.
pub(crate) const MAX_VALUE_CHARS: usize = 1024;

/// The header fields of a response in their order, with names in lower case.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HeaderFields(Vec<(String, String)>);

impl HeaderFields {
    /// Adds a field. Bytes that are not UTF-8 are read as Latin-1, as browsers do.
    pub fn push(&mut self, name: &str, value: &[u8]) {
        let value = std::str::from_utf8(value)
            .map_or_else(|_| value.iter().copied().map(char::from).collect(), str::to_owned);
        self.0.push((name.to_ascii_lowercase(), value));
    }

    /// The values of all fields with this name, which must be in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Iterates over all fields, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of the field with this lower-case name, with several values joined by commas (RFC 9110, section 5.3);
    /// `None` where it is absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.all(name).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// Value of a field as [`HeaderFields::get`] gives it; `None` for an empty one, which counts as none.
    pub(crate) fn filled(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.is_empty())
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for HeaderFields {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut fields = Self::default();
        for (name, value) in pairs {
            fields.push(name.as_ref(), value.as_ref());
        }
        fields
    }
}

/// White space as ECMAScript trims it.
pub(crate) fn is_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

/// The first so many characters, trimmed, in lower case.
pub(crate) fn normal(value: &str, chars: usize) -> String {
    let cut = value.char_indices().nth(chars).map_or(value, |(at, _)| &value[..at]);
    cut.trim_matches(is_space).to_lowercase()
}
