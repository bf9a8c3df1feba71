//! Reasons why a text is no domain that can be looked at.

/// Reason why a name was refused. The texts follow the field's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DomainError {
    /// The text is empty, or nothing but a dot.
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
    /// The text is no host name: an empty or too long label, or a character that host names do not have.
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
