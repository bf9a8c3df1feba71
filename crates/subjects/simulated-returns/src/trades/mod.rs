//! Generators of trade records.

pub(crate) mod copied;
pub(crate) mod doubling;
pub(crate) mod holds;
pub(crate) mod intraday;
pub(crate) mod ledger;
pub(crate) mod one_bet;
