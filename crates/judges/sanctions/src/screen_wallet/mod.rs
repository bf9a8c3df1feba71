//! The judge behind `POST /screen-wallet`, which looks a digital currency address up in the sanctions lists.
//!
//! # Invariants
//!
//! - `NO_MATCH` requires the addresses of the SDN list.
//! - `NO_MATCH` requires that every list was confirmed to be current within the last 24 hours.
//! - `NO_MATCH` requires that the address has no detectable typing error.
//! - A listed address is found whatever currency or spelling the list or the caller gives for it.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | fields of the question, and how they are read |
//! | `finding` | the finding, as the receipt shows it |
//! | `judge` | [`ScreenWalletJudge`]: the above behind [`verdict::Judge`] |

mod finding;
mod judge;
mod question;

pub use crate::screen::{Party, ScreenEvidence, ScreenedList};
pub use finding::{AddressForm, ListedAs, METHOD, WalletFinding, WalletMatch, WalletVerdict};
pub(crate) use finding::{address_form, matches};
pub use judge::ScreenWalletJudge;
pub(crate) use question::{CHAIN, WALLET, refused};
pub use question::{CHAIN_CHARS, WalletQuestion};
