//! The reasons why a body of EDGAR cannot be read.

use jiter::{JiterError, JiterErrorType, JsonErrorType};

/// The most characters of a refused value that an error repeats.
const MAX_SHOWN_CHARS: usize = 40;

/// The reason why a body cannot be read. The messages name the member that is at fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FactsError {
    /// More bytes than [`MAX_BODY_BYTES`](crate::MAX_BODY_BYTES).
    #[error("the body is larger than {} bytes", crate::MAX_BODY_BYTES)]
    TooLarge,
    /// The bytes could not be taken from their source.
    #[error("the body could not be taken: {0}")]
    Source(String),
    /// An HTML or XML page where JSON was expected.
    #[error("the body is a page of HTML, not JSON")]
    Html,
    /// Bytes that are no UTF-8.
    #[error("the body is not UTF-8")]
    NotUtf8,
    /// The JSON ends before it is complete, or the body is empty.
    #[error("the JSON ends at byte {0} before it is complete")]
    Incomplete(usize),
    /// Not JSON.
    #[error("the body is not JSON from byte {0} on")]
    NotJson(usize),
    /// A passed-over member has more levels than the parser follows.
    #[error("the JSON is nested too deeply at byte {0}")]
    TooDeep(usize),
    /// A required member is not there.
    #[error("the member {0} is missing")]
    Missing(&'static str),
    /// A member stands twice in one object, so that it has no one meaning.
    #[error("the member {0} stands twice")]
    Duplicate(String),
    /// A member has another type.
    #[error("the member {member} is not {expected}")]
    WrongType {
        /// The member.
        member: &'static str,
        /// The type that is read.
        expected: &'static str,
    },
    /// A member has the right type and no possible value, such as 30 February.
    #[error("the member {member} cannot be {value:?}")]
    Malformed {
        /// The member.
        member: &'static str,
        /// The value, at most 40 characters.
        value: String,
    },
    /// A text is longer than its bound.
    #[error("the member {0} is too long")]
    TooLong(&'static str),
    /// More facts of mapped tags than [`MAX_FACTS`](crate::MAX_FACTS).
    #[error("there are more than {} facts of the tags in use", crate::MAX_FACTS)]
    TooManyFacts,
    /// More rows of another kind than their bound.
    #[error("there are too many {0}")]
    TooMany(&'static str),
    /// Columns of one table that have different lengths.
    #[error("the columns of {0} have different lengths")]
    UnequalColumns(&'static str),
    /// Bytes that no canonical form of this crate is.
    #[error("the bytes are not a canonical extract: {0}")]
    NotCanonical(String),
}

impl FactsError {
    /// A stable name of the kind of error, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::Source(_) => "source",
            Self::Html => "html",
            Self::NotUtf8 => "not_utf8",
            Self::Incomplete(_) => "incomplete",
            Self::NotJson(_) => "not_json",
            Self::TooDeep(_) => "too_deep",
            Self::Missing(_) => "missing",
            Self::Duplicate(_) => "duplicate",
            Self::WrongType { .. } => "wrong_type",
            Self::Malformed { .. } => "malformed",
            Self::TooLong(_) => "too_long",
            Self::TooManyFacts => "too_many_facts",
            Self::TooMany(_) => "too_many",
            Self::UnequalColumns(_) => "unequal_columns",
            Self::NotCanonical(_) => "not_canonical",
        }
    }

    pub(crate) fn malformed(member: &'static str, value: &str) -> Self {
        Self::Malformed { member, value: value.chars().take(MAX_SHOWN_CHARS).collect() }
    }

    pub(crate) fn duplicate(member: &str) -> Self {
        Self::Duplicate(member.chars().take(MAX_SHOWN_CHARS).collect())
    }

    /// Names an error of the parser, which met it where it expected a member of a type.
    pub(crate) fn of_parser(error: &JiterError, member: &'static str, expected: &'static str) -> Self {
        let JiterErrorType::JsonError(kind) = &error.error_type else {
            return Self::WrongType { member, expected };
        };
        match kind {
            JsonErrorType::EofWhileParsingList
            | JsonErrorType::EofWhileParsingObject
            | JsonErrorType::EofWhileParsingString
            | JsonErrorType::EofWhileParsingValue
            | JsonErrorType::UnexpectedEndOfHexEscape => Self::Incomplete(error.index),
            JsonErrorType::RecursionLimitExceeded => Self::TooDeep(error.index),
            _ => Self::NotJson(error.index),
        }
    }
}
