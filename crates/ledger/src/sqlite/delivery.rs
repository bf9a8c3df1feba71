//! The receipt of a claim: the last of its steps, taken in the transaction that logs the receipt.

use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Result, params};

use super::claims;
use crate::{ClaimId, ClaimRef, ClaimState, Inclusion, LedgerError};

/// Whether a claim may be delivered by this owner.
pub(super) fn check(connection: &Connection, claim: ClaimRef) -> Result<(), LedgerError> {
    claims::held(connection, claim, &[ClaimState::Settled]).map(drop)
}

/// Settled to delivered, after [`check`] within the same transaction.
pub(super) fn deliver(
    connection: &Connection,
    id: ClaimId,
    hash: &ReceiptHash,
    inclusion: &Inclusion,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE claims SET state = ?, receipt = ?, leaf = ?, proof = ? WHERE id = ?")?
        .execute(params![
            ClaimState::Delivered,
            hash.as_bytes(),
            inclusion.leaf,
            inclusion.to_text(),
            id.0
        ])?;
    claims::forget_work(connection, id)
}
