//! Errors of a text that is not I-JSON.

use super::Path;
use thiserror::Error;

/// The kinds of refusal; [`JsonErrorKind::code`] is the stable code that callers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonErrorKind {
    /// The text is not JSON (RFC 8259).
    Syntax,
    /// The text is not UTF-8 (RFC 8259, section 8.1).
    InvalidUtf8,
    /// An object has two members of one name (RFC 7493, section 2.3).
    DuplicateKey,
    /// A string has an escaped surrogate without its other half (RFC 7493, section 2.1).
    LoneSurrogate,
    /// Arrays and objects are nested more than [`MAX_DEPTH`](super::MAX_DEPTH) deep.
    TooDeep,
    /// The decimal value of a number differs from that of its canonical form (RFC 8785, section 3.2.2.3).
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

/// The refusal of a JSON text, with the place of the error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{detail}")]
pub struct JsonError {
    /// The kind of error.
    pub kind: JsonErrorKind,
    /// The path of the offending member. It is the root for [`Syntax`](JsonErrorKind::Syntax),
    /// [`InvalidUtf8`](JsonErrorKind::InvalidUtf8) and [`TooDeep`](JsonErrorKind::TooDeep), which concern the whole
    /// document.
    pub path: Path,
    /// The offset of the byte at which the parser noticed the error, counted from 0.
    pub offset: usize,
    /// The reason, in one lower-case sentence without a full stop, for people.
    pub detail: String,
}

impl JsonError {
    /// The stable reason code; see [`JsonErrorKind::code`].
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The path of the offending member, with dots between names; `body` for the whole text.
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
