//! The judge behind `POST /screen-wallet`: whether a digital currency address is on a sanctions list.
//!
//! What never happens: `NO_MATCH` is said without the addresses of the SDN list, by a list that nobody has confirmed for a
//! day, or of a mistyped address; the currency that a list files an address under, or the form that it writes it in, hides
//! it from who names another.
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
