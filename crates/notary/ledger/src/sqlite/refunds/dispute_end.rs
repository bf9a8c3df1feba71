//! The end of a dispute: whether it fits its claim, and the refunds that it leaves owed. All writes are within a
//! transaction of their caller's.

use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Error, OptionalExtension, Result, params};

use super::refund_rows;
use crate::sqlite::claims::claim_rows::{self, row_id};
use crate::sqlite::claims::money;
use crate::{
    Claim, ClaimId, DisputeEnd, DisputeOutcome, LedgerError, Record, RefundKind, RefundState, Transfer,
};

/// Whether a claim may be delivered with this end of a dispute, or without one. A bond may not be delivered without:
/// it would be kept though nobody has decided on it.
pub(crate) fn check(
    connection: &Connection,
    id: ClaimId,
    end: Option<&DisputeEnd>,
) -> Result<(), LedgerError> {
    let unfit = |why: &str| Err(LedgerError::Unfit(why.to_owned()));
    let mut statement = connection.prepare_cached("SELECT bond, about FROM claims WHERE id = ?")?;
    let (bond, about): (i64, Option<[u8; 32]>) =
        statement.query_row([row_id(id)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let is_late = bond == claim_rows::LATE_BOND;
    match (end, bond != 0) {
        (Some(end), true) if is_late && end.outcome != DisputeOutcome::Inconclusive => {
            unfit("a verdict for a bond that settled too late to be a dispute")
        }
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
pub(crate) fn end(connection: &Connection, id: ClaimId, record: &Record, end: &DisputeEnd) -> Result<()> {
    let bond = claim_rows::by_id(connection, id)?.ok_or(Error::QueryReturnedNoRows)?;
    let debts = Debts { connection, record, disputed: bond.about };
    let bonded = settled_by(&bond)?;
    match end.outcome {
        DisputeOutcome::Upheld => return forfeit(connection, &bond, bonded),
        DisputeOutcome::Inconclusive => {}
        DisputeOutcome::Overturned => {
            if let Some(original) = claim_rows::by_leaf(connection, end.disputed)?.filter(|claim| !claim.bond)
                && debts.owe(&original, RefundKind::Fee, original.payer, original.amount)?
            {
                money::give_back(connection, &original, record.signed_at)?;
            }
            let bounty = take_bounty(connection, &bond, bonded)?;
            debts.owe(&bond, RefundKind::Bounty, end.refund_to, bounty)?;
        }
    }
    debts.owe(&bond, RefundKind::Bond, end.refund_to, bond.amount)?;
    Ok(())
}

/// The transfer by which a claim that has settled did.
fn settled_by(claim: &Claim) -> Result<&Transfer> {
    claim.transfer.as_ref().ok_or(Error::QueryReturnedNoRows)
}

fn forfeit(connection: &Connection, bond: &Claim, transfer: &Transfer) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO reserve (chain_id, symbol, settlement, amount) VALUES (?, ?, ?, ?)
             ON CONFLICT (chain_id, symbol, settlement) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![bond.key.chain_id(), bond.symbol, transfer.kind, bond.amount])?;
    Ok(())
}

/// Takes the bounty out of the reserve: the lesser of the bond and what is there.
fn take_bounty(connection: &Connection, bond: &Claim, transfer: &Transfer) -> Result<u64> {
    let token = (bond.key.chain_id(), &bond.symbol, &transfer.kind);
    let select = "SELECT amount FROM reserve WHERE chain_id = ? AND symbol = ? AND settlement = ?";
    let reserve: Option<u64> =
        connection.prepare_cached(select)?.query_row(token, |row| row.get(0)).optional()?;
    let bounty = bond.amount.min(reserve.unwrap_or(0));
    connection
        .prepare_cached(
            "UPDATE reserve SET amount = amount - ? WHERE chain_id = ? AND symbol = ? AND settlement = ?",
        )?
        .execute(params![bounty, token.0, token.1, token.2])?;
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
    /// and the bounty of one claim cannot be met twice, since it is delivered once. Says whether it is owed only now.
    fn owe(&self, claim: &Claim, kind: RefundKind, payee: [u8; 20], amount: u64) -> Result<bool> {
        if amount == 0 {
            return Ok(false);
        }
        let origin = settled_by(claim)?;
        let (log_index, authorization) = refund_rows::id_columns(&origin.id);
        let owed = self
            .connection
            .prepare_cached(
                "INSERT INTO refunds (claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state,
                    origin, log_index, authorization, settlement, owed_at, lease_until)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (claim, kind) DO NOTHING",
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
                origin.transaction,
                log_index,
                authorization,
                origin.kind,
                self.record.signed_at.as_millis(),
            ])?;
        Ok(owed > 0)
    }
}
