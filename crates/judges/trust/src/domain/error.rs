//! Why a text is no domain that can be looked at.

use receipt::json::Path;
use verdict::{FieldError, Reason};

/// Why a name was refused. The texts follow the field's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DomainError {
    /// No text, or nothing but a dot.
    #[error("must not be empty")]
    Empty,
    /// Longer than the DNS can carry.
    #[error("must be at most 253 bytes long in the form of the DNS")]
    TooLong,
    /// An IPv4 or IPv6 address, in any notation.
    #[error("must be a domain name, not an address")]
    Address,
    /// `*.example.com`.
    #[error("must be one name, not a wildcard")]
    Wildcard,
    /// Not a host name: an empty or too long label, a character that host names do not have.
    #[error("must be a host name: labels of letters, digits and hyphens, each of 1 to 63 bytes")]
    Malformed,
    /// An `xn--` label that is not the one form of any text.
    #[error("has a punycode label that does not stand for itself")]
    Punycode,
    /// A name of special use, or of one label: no registry answers for it.
    #[error("must be a name of the public DNS, not one of special use or of one label")]
    SpecialUse,
    /// `com`, `co.uk`: a suffix below which others register.
    #[error("must be below a public suffix, not one itself")]
    PublicSuffix,
}

impl DomainError {
    /// The stable code.
    #[must_use]
    pub fn reason(self) -> Reason {
        match self {
            Self::Empty => Reason::Empty,
            Self::TooLong => Reason::TooLong,
            Self::Malformed | Self::Punycode | Self::Wildcard => Reason::Malformed,
            Self::Address | Self::SpecialUse | Self::PublicSuffix => Reason::NotApplicable,
        }
    }
}

impl From<DomainError> for FieldError {
    fn from(error: DomainError) -> Self {
        let mut path = Path::root();
        path.push_name("domain");
        Self { path, reason: error.reason(), detail: error.to_string() }
    }
}
