//! The receipt of a claim: the last of its steps, taken in the transaction that logs the receipt.
//!
//! That transaction has locked the head, and then the row of the work sequencer.

use ledger::rules::claims::ClaimStep;
use ledger::{ClaimId, ClaimRef, ClaimState, DisputeEnd, Inclusion, LedgerRecord};

use super::claim_steps;
use crate::columns::{Coded as _, row_id};
use crate::connection::{Connection, Param, Result};
use crate::refunds::dispute_end;
use crate::together::together;

/// Checks that a claim may be delivered by this owner, with or without the end of a dispute. It only reads, so a batch
/// can check all its records at the same time; records that deliver the same claim do not see one another.
pub(crate) async fn check(
    connection: Connection<'_>,
    claim: ClaimRef,
    end: Option<&DisputeEnd>,
) -> Result<()> {
    let (claim_and_next, disputed) = together!(
        claim_steps::step(connection, claim, ClaimStep::Deliver),
        dispute_end::disputed(connection, end)
    )?;
    dispute_end::check(&claim_and_next.0, end, disputed)
}

/// Changes a claim from settled to delivered, after [`check`] within the same transaction. The debts that a dispute leaves
/// are written with it.
///
/// Records of one batch that end no dispute can be delivered at the same time. Those that do are delivered one after
/// another: each finds the bounty reserve as the one before has left it.
pub(crate) async fn deliver(
    connection: Connection<'_>,
    id: ClaimId,
    record: &LedgerRecord,
    inclusion: &Inclusion,
) -> Result<()> {
    let update = "UPDATE claims SET state = $1, receipt = $2, leaf = $3, proof = $4 WHERE id = $5";
    let params: [Param<'_>; 5] = [
        &ClaimState::Delivered.code(),
        &record.hash.as_bytes().as_slice(),
        &row_id(inclusion.leaf),
        &inclusion.to_text(),
        &row_id(id.0),
    ];
    together!(connection.run(update, &params), claim_steps::forget_work(connection, id))?;
    match &record.dispute {
        Some(end) => dispute_end::end(connection, id, record, end).await,
        None => Ok(()),
    }
}
