//! Digital currency addresses: their forms and checksums, and the addresses of lists, found under whatever currency the
//! list files them and in whatever spelling either side writes them.
//!
//! | module | content |
//! |---|---|
//! | `index` | [`WalletIndex`]: all addresses of some lists |
//! | `key` | the account behind an address, the same for all its spellings |
//! | `spelling` | [`normalise`], [`form()`]: the one spelling of an address, and its form |
//! | `form`, `check` | [`Form`]: the forms that are known, and their checksums |
//! | `error` | [`AddressError`] |
//!
//! The address of a list is compared and never judged: some fail base58check and are listed all the same. Only
//! where nothing was found is the caller's address checked: a mistyped one would otherwise be answered with
//! "not listed".
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
