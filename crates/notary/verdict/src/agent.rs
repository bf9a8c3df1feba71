//! The name that a caller gives itself.

use std::fmt;

use crate::{Field, FieldError, Fields};

/// A self-chosen name: 1 to 128 Unicode characters after trimming, no control characters.
/// It is attribution, never a credential: it only decides whose free calls are counted.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AgentName(String);

impl AgentName {
    /// The most characters that a name may have.
    pub const MAX_CHARS: usize = 128;

    /// The agent name that is used for callers of free routes that send none.
    #[must_use]
    pub fn anonymous() -> Self {
        Self("anonymous".to_owned())
    }

    /// Parses a name.
    ///
    /// # Errors
    /// A sentence that says which rule the text breaks, with its stable code.
    pub fn parse(text: &str) -> Result<Self, (crate::Reason, &'static str)> {
        let name = text.trim();
        if name.is_empty() {
            return Err((crate::Reason::Empty, "must not be empty"));
        }
        if name.chars().count() > Self::MAX_CHARS {
            return Err((crate::Reason::TooLong, "must be at most 128 characters"));
        }
        if name.chars().any(char::is_control) {
            return Err((crate::Reason::Malformed, "must not contain control characters"));
        }
        Ok(Self(name.to_owned()))
    }

    /// Reads the field `agent` of a request.
    ///
    /// # Errors
    ///
    /// The field is missing, is not a string, or is not a valid name.
    pub fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let text = fields.text(&Field::text("agent", 0..=usize::MAX))?;
        Self::parse(text).map_err(|(reason, detail)| fields.error("agent", reason, detail))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded_in_characters_not_bytes() {
        assert_eq!(AgentName::parse("  scout-7 \n").unwrap().as_str(), "scout-7");
        assert!(AgentName::parse(&"ß".repeat(128)).is_ok());
        assert_eq!(AgentName::parse(&"ß".repeat(129)).unwrap_err().0, crate::Reason::TooLong);
        assert_eq!(AgentName::parse(" \t ").unwrap_err().0, crate::Reason::Empty);
        assert_eq!(AgentName::parse("a\u{7}b").unwrap_err().0, crate::Reason::Malformed);
    }
}
