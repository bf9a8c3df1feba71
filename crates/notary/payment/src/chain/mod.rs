//! Settlement on a chain by our own transactions ([`ChainSettler`]), and reading a chain ([`ChainView`]).
//!
//! | module | contents |
//! |---|---|
//! | `node`, `wire` | the calls to a node, and the types of its answers |
//! | `token` | the token's calls, events and reasons |
//! | `view` | checks if an authorization would settle, and who signed it |
//! | `history` | reads the fate of an authorization |
//! | `transaction`, `nonces` | our transactions, and their account nonces |
//! | `waits` | which payers wait after payments that failed at our expense |
//! | `gas` | the day's budget for gas |
//! | `drafts` | makes our transactions |
//! | `settler` | the settlement back end |
//!
//! # Decision of the outcome
//!
//! The token alone decides if a payment was made, never the fate of one transaction of ours: it was made where
//! the token has written `AuthorizationUsed` and the exact `Transfer` for it, in a block with the configured
//! confirmations, whoever sent the transaction. It will not be made where, at that depth, the nonce was spent otherwise,
//! the window is over with the nonce unused, or our transaction was reverted. Everything else is not known. The token
//! takes each authorization once, so no number of transactions moves the money twice.
//!
//! # Duties of the caller
//!
//! 1. Store the result of [`prepare`](crate::Settler::prepare) durably before `broadcast`.
//! 2. While the outcome is `Unknown`: `broadcast` the same again from time to time (every few seconds; at a start, all
//!    that is stored before anything new is prepared). A node may have lost it, and a repeated broadcast is also what
//!    fills a gap in the account's nonces that a crash between `prepare` and the store has left.
//! 3. When it is `Stalled`: `prepare_again`, store that in place of the old, `broadcast`. An error of `prepare_again`
//!    changes nothing: ask for the outcome again.
//! 4. Make the transfer of `Settled` unique by transaction and log index, together with those that
//!    [`find`](crate::Settler::find) gave: what an authorization became may be presented as a proof of settlement, and
//!    must not be good for another request.
//!
//! # Unsupported wallets
//!
//! Contract wallets that are not deployed yet: an EIP-6492 signature is taken for a wallet that has code, by what it
//! wraps, and refused otherwise, since deploying it would be at our expense.

mod drafts;
pub mod gas;
mod history;
mod node;
mod nonces;
mod settler;
mod token;
mod transaction;
mod view;
pub mod waits;
mod wire;

pub use rpc::Rpc;
pub use settler::ChainSettler;
pub(crate) use view::Sending;
pub use view::{ChainView, ChainViewSettings, MAX_GAS};
