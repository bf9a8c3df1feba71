//! Counts of the work that a ledger still has before it, for the operator's metrics.

use crate::ClaimState;

/// The unfinished work of a ledger at a time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// The payments that are neither delivered nor failed, by state. A state without a payment is left out.
    pub payments: Vec<(ClaimState, u64)>,
    /// The disputes whose bond has settled and whose receipt is not logged yet.
    pub disputes: u64,
    /// The refunds that are not paid yet, by token.
    pub refunds: Vec<OwedRefunds>,
    /// The watches that have neither ended nor expired.
    pub watches: u64,
    /// The webhooks that wait to be sent, for the first time or again.
    pub webhooks: u64,
}

/// The refunds that are not paid yet in one token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwedRefunds {
    /// The symbol of the token.
    pub symbol: String,
    /// The number of refunds.
    pub refunds: u64,
    /// The sum of the refunds in atomic units.
    pub amount: u64,
}
