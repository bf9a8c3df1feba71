//! What the ledger must know of a dispute's end.

use ledger::{DisputeEnd, Ledger};
use payment::Address;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};

use super::finding::DisputeVerdict;
use crate::refusal::Refusal;

/// A dispute's end, and which receipt it was about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// The receipt that was disputed: the `ref` of the dispute's.
    pub(crate) disputed: ReceiptHash,
    /// What is owed follows from it.
    pub(crate) end: DisputeEnd,
}

/// The end of a dispute, from its stored finding. The disputer is paid where the finding says, else at `payer`.
///
/// # Errors
/// 503: the finding or the disputed receipt cannot be read.
pub(crate) async fn ended(
    ledger: &dyn Ledger,
    finding: &Object,
    disputed: ReceiptHash,
    payer: Address,
) -> Result<Ended, Refusal> {
    let unsound = || Refusal::unavailable(super::CLASS, 60, "the dispute's finding cannot be read");
    let text = |name| finding.get(name).and_then(Json::as_str);
    let outcome = text("verdict").and_then(DisputeVerdict::outcome).ok_or_else(unsound)?;
    let refund_to = text("refund_to").map_or(Ok(payer), str::parse).map_err(|_| unsound())?;
    let leaf = ledger.receipt(&disputed).await?.ok_or_else(unsound)?.leaf;
    let end = DisputeEnd { outcome, disputed: leaf, refund_to: refund_to.into_array() };
    Ok(Ended { disputed, end })
}
