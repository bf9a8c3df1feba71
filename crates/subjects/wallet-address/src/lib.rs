//! Digital currency addresses: their forms and checksums, and an index of the addresses of lists, which finds an address
//! under any currency and in any spelling.
//!
//! | module | content |
//! |---|---|
//! | `index` | [`WalletIndex`]: all addresses of several lists |
//! | `key` | the account behind an address, the same for all its spellings |
//! | `spelling` | [`normalise`], [`form()`]: the canonical spelling of an address, and its form |
//! | `form`, `check` | [`Form`]: the known forms, and their checksums |
//! | `error` | [`AddressError`] |
//!
//! The checksum of a listed address is not verified, because some listed addresses have a wrong one. The caller's address
//! is verified if it is not found, because a mistyped address must not be answered with "not listed".
//!
//! ```
//! use wallet_address::{AddressError, Form, form, normalise};
//!
//! assert_eq!(form("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), Ok(Form::Evm));
//! assert_eq!(form("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"), Err(AddressError::Checksum("EIP-55")));
//! let upper = "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4";
//! assert_eq!(normalise(upper), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4");
//! ```

mod check;
mod error;
mod form;
mod index;
mod key;
mod spelling;

pub use error::{ADDRESS_BYTES, AddressError};
pub use form::Form;
pub use index::{ListedWallet, WalletIndex};
pub use spelling::{form, normalise};
