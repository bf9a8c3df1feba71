//! Errors of a text that is not I-JSON.

use super::Path;
use thiserror::Error;

/// The kinds of refusal; [`JsonErrorKind::code`] is the stable code that callers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonErrorKind {
    /// Not a JSON text (RFC 8259).
    Syntax,
    /// Not UTF-8 (RFC 8259 section 8.1).
    InvalidUtf8,
    /// A name given twice in one object (RFC 7493 section 2.3).
    DuplicateKey,
    /// An escaped surrogate without its other half (RFC 7493 section 2.1).
    LoneSurrogate,
    /// Arrays and objects nested more than [`MAX_DEPTH`](super::MAX_DEPTH) deep.
    TooDeep,
    /// A number whose decimal value is not that of its canonical form (RFC 8785 section 3.2.2.3).
    NumberNotExact,
}

impl JsonErrorKind {
    /// The stable reason code: `malformed`, `invalid_utf8`, `duplicate_key`, `lone_surrogate`, `too_deep` or
    /// `number_not_exact`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Syntax => "malformed",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::DuplicateKey => "duplicate_key",
            Self::LoneSurrogate => "lone_surrogate",
            Self::TooDeep => "too_deep",
            Self::NumberNotExact => "number_not_exact",
        }
    }
}

/// A text that was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{detail}")]
pub struct JsonError {
    /// The kind of error.
    pub kind: JsonErrorKind,
    /// The offending member. The root for [`Syntax`](JsonErrorKind::Syntax),
    /// [`InvalidUtf8`](JsonErrorKind::InvalidUtf8) and [`TooDeep`](JsonErrorKind::TooDeep), which are the
    /// document's and not one member's.
    pub path: Path,
    /// The byte at which it was noticed, counted from 0.
    pub offset: usize,
    /// One sentence in lower case for people.
    pub detail: String,
}

impl JsonError {
    /// [`JsonErrorKind::code`] of the kind.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The member at fault, with dots between names; `body` where it is the whole text.
    pub fn field(&self) -> String {
        if self.path.is_root() { "body".to_owned() } else { self.path.dotted() }
    }

    pub(super) fn new(kind: JsonErrorKind, offset: usize, detail: impl Into<String>) -> Self {
        Self { kind, path: Path::root(), offset, detail: detail.into() }
    }

    /// Returns true if the error has a path: only an error in one member has one.
    pub(super) fn has_path(&self) -> bool {
        matches!(
            self.kind,
            JsonErrorKind::DuplicateKey | JsonErrorKind::LoneSurrogate | JsonErrorKind::NumberNotExact
        )
    }
}
