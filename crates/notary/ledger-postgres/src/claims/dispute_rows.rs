//! Disputes of receipts, read: the bonds that have settled about each.

use ledger::rules::disputes::{DisputeCounts, DisputeRefusal};
use ledger::{Claim, Dispute};
use receipt::hash::ReceiptHash;

use crate::columns::Columns as _;
use crate::connection::{Connection, Result};

/// The disputes of a receipt, counted.
pub(crate) async fn counts(connection: Connection<'_>, about: &ReceiptHash) -> Result<DisputeCounts> {
    let select = "SELECT count(*), count(*) FILTER (WHERE state < 4) FROM claims
        WHERE about = $1 AND bond = 1 AND state < 5 AND state > 2";
    let row = connection.one(select, &[&about.as_bytes().as_slice()]).await?;
    Ok(DisputeCounts { all: row.small(0)?, open: row.small(1)? })
}

/// The reason why a claim that is about to settle is not the dispute that it was made for, where it is a bond.
pub(crate) async fn refusal_of(connection: Connection<'_>, claim: &Claim) -> Result<Option<DisputeRefusal>> {
    let Some(about) = claim.about.as_ref().filter(|_| claim.bond) else { return Ok(None) };
    Ok(counts(connection, about).await?.refusal())
}

/// Returns true if any claim is about a receipt.
pub(crate) async fn is_spoken_of(connection: Connection<'_>, hash: &ReceiptHash) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM claims WHERE about = $1 AND state < 5)";
    Ok(connection.one(select, &[&hash.as_bytes().as_slice()]).await?.try_get(0)?)
}

/// The disputes of a receipt, the oldest first.
pub(crate) async fn disputes(connection: Connection<'_>, hash: &ReceiptHash) -> Result<Vec<Dispute>> {
    let select = "SELECT receipt FROM claims
        WHERE about = $1 AND bond = 1 AND state < 5 AND state > 2 ORDER BY id";
    let rows = connection.rows(select, &[&hash.as_bytes().as_slice()]).await?;
    let disputes = rows.iter().map(|row| Ok(Dispute { receipt: row.maybe_bytes(0)?.map(ReceiptHash) }));
    disputes.collect()
}

/// The newest receipt that is about this one, without a bond, of this agent and payer.
pub(crate) async fn superseded_by(
    connection: Connection<'_>,
    hash: &ReceiptHash,
    agent: &str,
    payer: &[u8; 20],
) -> Result<Option<ReceiptHash>> {
    let select = "SELECT receipt FROM claims
        WHERE about = $1 AND bond = 0 AND payer = $2 AND state < 5 AND agent = $3 AND leaf IS NOT NULL
        ORDER BY leaf DESC LIMIT 1";
    let (about, payer) = (hash.as_bytes().as_slice(), payer.as_slice());
    let row = connection.maybe(select, &[&about, &payer, &agent]).await?;
    Ok(row.map(|row| row.bytes(0).map(ReceiptHash)).transpose()?)
}
