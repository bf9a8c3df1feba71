//! The kinds of certificates that the lab's sites have.

/// The kind of a certificate: valid, or with one flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 90 days old at most, 60 to come, from the lab's authority through an intermediate one.
    Good,
    /// The same, with these days to come.
    Ends(u32),
    /// It ended 30 days ago.
    Expired,
    /// It begins in 30 days.
    NotYetValid,
    /// The certificate is its own issuer.
    SelfSigned,
    /// For `elsewhere.test`.
    OtherName,
    /// From an authority that nobody knows.
    UnknownAuthority,
    /// The intermediate certificate is not sent along.
    Incomplete,
    /// Good but for the log's receipts (SCTs), of which it has none; all others have two, of logs that nobody knows.
    NotLogged,
    /// Good, with an RSA key of 2048 bits in place of an EC key of 256.
    Rsa2048,
    /// Good but for its RSA key of 1024 bits, which OpenSSL takes at its lowest level alone.
    Rsa1024,
    /// Good, with an EC key of 384 bits.
    Ecc384,
    /// Good, for a thousand names.
    ManyNames,
}
