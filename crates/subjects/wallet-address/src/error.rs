//! The error of a caller's address.

use thiserror::Error;

/// Bytes of an address. The longest in use, Monero's integrated ones, have 106.
pub const ADDRESS_BYTES: usize = 256;

/// The caller's address cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Empty, too long, or not printable ASCII without spaces.
    #[error("an address is 1 to {ADDRESS_BYTES} printable ASCII characters without spaces")]
    Malformed,
    /// The checksum does not hold. The text is the name of the checksum.
    #[error("the address's {0} checksum does not hold: it is mistyped")]
    Checksum(&'static str),
    /// The form is unknown: a name, a link, or another spelling. Such an address is never answered with "not listed".
    #[error("the address is in no known form: a name or a link must be resolved first")]
    Unknown,
}
