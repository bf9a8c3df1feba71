//! Disputes: whether one may be opened, whether its end fits, and what it leaves owed. All writes are within a
//! transaction of their caller's.

use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Error, OptionalExtension, Result, params};

use super::claim_rows::{self, row_id};
use crate::{
    About, Claim, ClaimId, Claiming, DisputeEnd, DisputeOutcome, LedgerError, MAX_ABOUT, MAX_DISPUTES,
    Record, RefundKind, RefundState,
};

/// Why no dispute about a receipt may be opened.
pub(super) fn refusal(connection: &Connection, about: &ReceiptHash) -> Result<Option<Claiming>> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(state < 4), 0) FROM claims INDEXED BY about
         WHERE about = ? AND bond = 1 AND state < 5",
    )?;
    let (all, open): (u32, u32) =
        statement.query_row([about.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(match (all, open) {
        (_, 1..) => Some(Claiming::DisputeOpen),
        (MAX_DISPUTES.., 0) => Some(Claiming::DisputeLimit),
        _ => None,
    })
}

/// What has been claimed about a receipt, the oldest first. A delivery may be of a transaction that was committed, but
/// not yet published: its leaf is given beside it.
pub(super) fn about(connection: &Connection, hash: &ReceiptHash) -> Result<Vec<(About, Option<u64>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, class, bond, agent, payer, receipt, leaf FROM claims INDEXED BY about
         WHERE about = ? AND state < 5 ORDER BY bond DESC, id LIMIT ?",
    )?;
    let rows = statement.query_map(params![hash.as_bytes(), MAX_ABOUT], |row| {
        let about = About {
            claim: ClaimId(row.get(0)?),
            class: row.get(1)?,
            bond: row.get(2)?,
            agent: row.get(3)?,
            payer: row.get(4)?,
            receipt: row.get::<_, Option<_>>(5)?.map(ReceiptHash),
        };
        Ok((about, row.get(6)?))
    })?;
    let mut found: Vec<(About, Option<u64>)> = rows.collect::<Result<_>>()?;
    found.sort_unstable_by_key(|(about, _)| about.claim);
    Ok(found)
}

/// Whether a claim may be delivered with this end of a dispute, or without one. A bond may not be delivered without:
/// it would be kept though nobody has decided on it.
pub(super) fn check(
    connection: &Connection,
    id: ClaimId,
    end: Option<&DisputeEnd>,
) -> Result<(), LedgerError> {
    let unfit = |why: &str| Err(LedgerError::Unfit(why.to_owned()));
    let mut statement = connection.prepare_cached("SELECT bond, about FROM claims WHERE id = ?")?;
    let (bond, about): (bool, Option<[u8; 32]>) =
        statement.query_row([row_id(id)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    match (end, bond) {
        (None, false) => Ok(()),
        (None, true) => unfit("a bond's receipt that does not say how the dispute has ended"),
        (Some(_), false) => unfit("the end of a dispute that no bond was paid for"),
        (Some(end), true) if about.is_none() || receipt_at(connection, end.disputed)? != about => {
            unfit("the disputed leaf is not the one of the receipt that the bond is about")
        }
        (Some(_), true) => Ok(()),
    }
}

fn receipt_at(connection: &Connection, leaf: u64) -> Result<Option<[u8; 32]>> {
    let leaf = i64::try_from(leaf).ok();
    let mut statement = connection.prepare_cached("SELECT hash FROM receipts WHERE leaf = ?")?;
    statement.query_row([leaf], |row| row.get(0)).optional()
}

/// Ends a dispute, after [`check`] within the same transaction: its bond is forfeited to the reserve, or is owed with
/// all else that follows from the outcome.
pub(super) fn end(connection: &Connection, id: ClaimId, record: &Record, end: &DisputeEnd) -> Result<()> {
    let bond = claim_rows::by_id(connection, id)?.ok_or(Error::QueryReturnedNoRows)?;
    let debts = Debts { connection, record, disputed: bond.about };
    match end.outcome {
        DisputeOutcome::Upheld => return forfeit(connection, &bond),
        DisputeOutcome::Inconclusive => {}
        DisputeOutcome::Overturned => {
            if let Some(original) = claim_rows::by_leaf(connection, end.disputed)?.filter(|claim| !claim.bond)
            {
                debts.owe(&original, RefundKind::Fee, original.payer, original.amount)?;
            }
            let bounty = take_bounty(connection, &bond)?;
            debts.owe(&bond, RefundKind::Bounty, end.refund_to, bounty)?;
        }
    }
    debts.owe(&bond, RefundKind::Bond, end.refund_to, bond.amount)
}

fn forfeit(connection: &Connection, bond: &Claim) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO reserve (chain_id, symbol, amount) VALUES (?, ?, ?)
             ON CONFLICT (chain_id, symbol) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![bond.key.chain_id(), bond.symbol, bond.amount])?;
    Ok(())
}

/// Takes the bounty out of the reserve: the lesser of the bond and what is there.
fn take_bounty(connection: &Connection, bond: &Claim) -> Result<u64> {
    let token = (bond.key.chain_id(), &bond.symbol);
    let select = "SELECT amount FROM reserve WHERE chain_id = ? AND symbol = ?";
    let reserve: Option<u64> =
        connection.prepare_cached(select)?.query_row(token, |row| row.get(0)).optional()?;
    let bounty = bond.amount.min(reserve.unwrap_or(0));
    connection
        .prepare_cached("UPDATE reserve SET amount = amount - ? WHERE chain_id = ? AND symbol = ?")?
        .execute(params![bounty, token.0, token.1])?;
    Ok(bounty)
}

/// What one dispute leaves owed.
struct Debts<'a> {
    connection: &'a Connection,
    /// The dispute's receipt.
    record: &'a Record,
    disputed: Option<ReceiptHash>,
}

impl Debts<'_> {
    /// Owes an amount of a claim's token; nothing where it is 0. A fee that was owed before stays as it is: the bond
    /// and the bounty of one claim cannot be met twice, since it is delivered once.
    fn owe(&self, claim: &Claim, kind: RefundKind, payee: [u8; 20], amount: u64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        self.connection
            .prepare_cached(
                "INSERT INTO refunds (claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state,
                    attempt, owed_at, lease_until)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0) ON CONFLICT (claim, kind) DO NOTHING",
            )?
            .execute(params![
                claim.id.0,
                kind,
                self.record.hash.as_bytes(),
                self.disputed.as_ref().map(ReceiptHash::as_bytes),
                claim.key.chain_id(),
                claim.symbol,
                payee,
                amount,
                RefundState::Owed,
                self.record.signed_at.as_millis(),
            ])?;
        Ok(())
    }
}
