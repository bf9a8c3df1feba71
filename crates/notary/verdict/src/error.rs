//! The ways in which a question gets no finding. None of them knows of HTTP.

use receipt::json::Path;

/// Why a field was refused; `code()` is stable and part of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The field is required and absent.
    Missing,
    /// The field is there with another JSON type.
    WrongType,
    /// The field has the right type and breaks its grammar.
    Malformed,
    /// The field is a text without content.
    Empty,
    /// The field is longer than published.
    TooLong,
    /// The field is not one of the values published.
    UnknownValue,
    /// A name is given more than once.
    DuplicateKey,
    /// The field names something that this question cannot be asked about.
    NotApplicable,
    /// The number is outside what it can be.
    OutOfRange,
    /// The same thing is given more than once.
    Duplicate,
    /// The field and another one cannot both be true.
    Contradictory,
    /// The time has not come yet.
    InFuture,
    /// The field is not known, and was most likely meant for one that is.
    Misnamed,
    /// A code of the I-JSON reader, passed on as it is.
    Json(&'static str),
}

impl Reason {
    /// The stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::UnknownValue => "unknown_value",
            Self::DuplicateKey => "duplicate_key",
            Self::NotApplicable => "not_applicable",
            Self::OutOfRange => "out_of_range",
            Self::Duplicate => "duplicate",
            Self::Contradictory => "contradictory",
            Self::InFuture => "in_future",
            Self::Misnamed => "misnamed",
            Self::Json(code) => code,
        }
    }
}

/// The first field that is wrong: where, why as a code, and why in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` {detail}", path.dotted())]
pub struct FieldError {
    /// Where the field is (or should be).
    pub path: Path,
    /// The stable code.
    pub reason: Reason,
    /// A phrase that follows the field's name: "must be a string".
    pub detail: String,
}

/// The judge cannot look at the moment; nothing is charged or counted as used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{module}: {detail}")]
pub struct Unavailable {
    /// The part that is down, as `/health` names it.
    pub module: &'static str,
    /// Seconds after which another try makes sense.
    pub retry_after_s: u32,
    /// What is the matter, in words fit for a caller.
    pub detail: String,
}

/// A replay lacks a piece of preserved evidence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("evidence is missing: {0}")]
pub struct EvidenceMissing(pub String);

/// What is in the way of a question that is well formed: it is told before anything is paid or counted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Objection {
    /// What it is about is not there.
    #[error("{0}")]
    Unknown(&'static str),
    /// It cannot be asked, or not now.
    #[error("{detail}")]
    Impossible {
        /// A stable code.
        code: &'static str,
        /// One sentence.
        detail: &'static str,
    },
    /// A field names what it must not.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Whether anything is in the way cannot be seen.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
