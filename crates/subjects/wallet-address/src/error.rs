//! The error of a caller's address.

use thiserror::Error;

/// Maximum length of an address, in bytes. The longest addresses in use, Monero's integrated addresses, have 106.
pub const ADDRESS_BYTES: usize = 256;

/// The reason why a caller's address cannot be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The address is empty, too long, or has characters other than printable ASCII without spaces.
    #[error("an address is 1 to {ADDRESS_BYTES} printable ASCII characters without spaces")]
    Malformed,
    /// The checksum of this name is wrong.
    #[error("the address's {0} checksum does not hold: it is mistyped")]
    Checksum(&'static str),
    /// The form is unknown, such as a name, a link, or another spelling. Such an address is never answered with "not
    /// listed".
    #[error("the address is in no known form: a name or a link must be resolved first")]
    Unknown,
}
