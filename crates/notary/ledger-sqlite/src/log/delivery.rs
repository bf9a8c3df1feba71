//! The receipt of a claim: the last of its steps, taken in the transaction that logs the receipt.

use ledger::rules::claims::ClaimStep;
use ledger::{ClaimId, ClaimRef, ClaimState, DisputeEnd, Inclusion, LedgerRecord};
use rusqlite::{Connection, Result, params};

use crate::claims::claim_steps;
use crate::columns::CodeColumn;
use crate::failure::ConnectionError;
use crate::refunds::dispute_end;

/// Checks that a claim may be delivered by this owner, with or without the end of a dispute.
pub(crate) fn check(
    connection: &Connection,
    claim: ClaimRef,
    end: Option<&DisputeEnd>,
) -> Result<(), ConnectionError> {
    claim_steps::step(connection, claim, ClaimStep::Deliver)?;
    dispute_end::check(connection, claim.id, end)
}

/// Settled to delivered, after [`check`] within the same transaction. The debts that a dispute leaves are written with it.
pub(crate) fn deliver(
    connection: &Connection,
    id: ClaimId,
    record: &LedgerRecord,
    inclusion: &Inclusion,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE claims SET state = ?, receipt = ?, leaf = ?, proof = ? WHERE id = ?")?
        .execute(params![
            CodeColumn(ClaimState::Delivered),
            record.hash.as_bytes(),
            inclusion.leaf,
            inclusion.to_text(),
            id.0
        ])?;
    claim_steps::forget_work(connection, id)?;
    match &record.dispute {
        Some(end) => dispute_end::end(connection, id, record, end),
        None => Ok(()),
    }
}
