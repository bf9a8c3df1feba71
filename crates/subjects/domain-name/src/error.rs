//! The reasons why a text is not a domain that can be examined.

/// The reason why a name was refused. Each message follows the name of the field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DomainError {
    /// The text is empty, or only a dot.
    #[error("must not be empty")]
    Empty,
    /// The name is longer than the DNS permits, 253 bytes.
    #[error("must be at most 253 bytes long in the form of the DNS")]
    TooLong,
    /// The text is an IPv4 or IPv6 address, in any notation.
    #[error("must be a domain name, not an address")]
    Address,
    /// The text is a wildcard, such as `*.example.com`.
    #[error("must be one name, not a wildcard")]
    Wildcard,
    /// The text is not a host name: a label is empty or longer than 63 bytes, or a character is not allowed in host
    /// names.
    #[error("must be a host name: labels of letters, digits and hyphens, each of 1 to 63 bytes")]
    Malformed,
    /// A label begins with `xn--` and is not the canonical A-label of a text.
    #[error("has a punycode label that does not stand for itself")]
    Punycode,
    /// The name is a special-use name (RFC 6761) or has only one label, so no registry has it.
    #[error("must be a name of the public DNS, not one of special use or of one label")]
    SpecialUse,
    /// The name is a public suffix, such as `com` or `co.uk`, below which others register names.
    #[error("must be below a public suffix, not one itself")]
    PublicSuffix,
}
