//! Disputes of receipts, read: the bonds that have settled about each.

use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::claim_rows;
use crate::{Claim, ClaimId, Claiming, Dispute, LedgerError, MAX_DISPUTES};

/// Why no dispute about a receipt may be opened. Bonds that have not settled are in nobody's way.
pub(crate) fn refusal(connection: &Connection, about: &ReceiptHash) -> Result<Option<Claiming>> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(state < 4), 0) FROM claims INDEXED BY about
         WHERE about = ? AND bond = 1 AND state < 5 AND state > 2",
    )?;
    let (all, open): (u32, u32) =
        statement.query_row([about.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(match (all, open) {
        (_, 1..) => Some(Claiming::DisputeOpen),
        (MAX_DISPUTES.., 0) => Some(Claiming::DisputeLimit),
        _ => None,
    })
}

/// Why a claim that is about to settle is not the dispute that it was made for.
pub(crate) fn refusal_of(connection: &Connection, claim: &Claim) -> Result<Option<LedgerError>> {
    let (true, Some(about)) = (claim.bond, &claim.about) else { return Ok(None) };
    Ok(match refusal(connection, about)? {
        None => None,
        Some(Claiming::DisputeLimit) => Some(LedgerError::DisputeLimit),
        Some(_) => Some(LedgerError::DisputeOpen),
    })
}

/// Lets a bond be a dispute of nothing.
pub(crate) fn mark_late(connection: &Connection, id: ClaimId) -> Result<()> {
    let update = "UPDATE claims SET bond = ? WHERE id = ?";
    connection.prepare_cached(update)?.execute(params![claim_rows::LATE_BOND, id.0])?;
    Ok(())
}

/// Whether any claim is about a receipt.
pub(crate) fn is_spoken_of(connection: &Connection, hash: &ReceiptHash) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM claims INDEXED BY about WHERE about = ? AND state < 5)",
    )?;
    statement.query_row([hash.as_bytes()], |row| row.get(0))
}

/// The disputes of a receipt, the oldest first. A delivery may be of a transaction that was committed, but
/// not yet published: its leaf is given beside it.
pub(crate) fn disputes(connection: &Connection, hash: &ReceiptHash) -> Result<Vec<(Dispute, Option<u64>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT receipt, leaf FROM claims INDEXED BY about
         WHERE about = ? AND bond = 1 AND state < 5 AND state > 2 ORDER BY id",
    )?;
    let rows = statement.query_map([hash.as_bytes()], |row| {
        Ok((Dispute { receipt: row.get::<_, Option<_>>(0)?.map(ReceiptHash) }, row.get(1)?))
    })?;
    rows.collect()
}

/// The newest receipt below a leaf that is about this one, without a bond, of this agent and payer.
pub(crate) fn superseded_by(
    connection: &Connection,
    hash: &ReceiptHash,
    agent: &str,
    payer: &[u8; 20],
    below: u64,
) -> Result<Option<ReceiptHash>> {
    let mut statement = connection.prepare_cached(
        "SELECT receipt FROM claims INDEXED BY about
         WHERE about = ? AND bond = 0 AND payer = ? AND state < 5 AND agent = ? AND leaf < ?
         ORDER BY leaf DESC LIMIT 1",
    )?;
    let newest = statement.query_row(params![hash.as_bytes(), payer, agent, below], |row| row.get(0));
    Ok(newest.optional()?.map(ReceiptHash))
}
