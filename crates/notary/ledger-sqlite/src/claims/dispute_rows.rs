//! Disputes of receipts, read: the bonds that have settled about each.

use ledger::rules::disputes::{DisputeCounts, DisputeRefusal};
use ledger::{Claim, ClaimId, Dispute};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::claim_rows;

/// The disputes of a receipt, counted.
pub(crate) fn counts(connection: &Connection, about: &ReceiptHash) -> Result<DisputeCounts> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(state < 4), 0) FROM claims INDEXED BY about
         WHERE about = ? AND bond = 1 AND state < 5 AND state > 2",
    )?;
    statement.query_row([about.as_bytes()], |row| Ok(DisputeCounts { all: row.get(0)?, open: row.get(1)? }))
}

/// The reason why a claim that is about to settle is not the dispute that it was made for, where it is a bond.
pub(crate) fn refusal_of(connection: &Connection, claim: &Claim) -> Result<Option<DisputeRefusal>> {
    let Some(about) = claim.about.as_ref().filter(|_| claim.bond) else { return Ok(None) };
    Ok(counts(connection, about)?.refusal())
}

/// Marks a bond as late: it is no dispute.
pub(crate) fn mark_late(connection: &Connection, id: ClaimId) -> Result<()> {
    let update = "UPDATE claims SET bond = ? WHERE id = ?";
    connection.prepare_cached(update)?.execute(params![claim_rows::LATE_BOND, id.0])?;
    Ok(())
}

/// Says whether any claim is about a receipt.
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
