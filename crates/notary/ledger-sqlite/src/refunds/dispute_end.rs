//! The end of a dispute: whether it fits its claim, and the refunds that it leaves owed. All writes are within a
//! transaction of their caller's.

use ledger::rules::disputes::{self, BondKind, Consequences, Debt};
use ledger::{
    Claim, ClaimId, ClaimTransfer, DisputeEnd, DisputeOutcome, LedgerRecord, RefundKind, RefundState,
};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Error, OptionalExtension, Result, params};

use super::refund_rows;
use crate::claims::claim_rows::{self, row_id};
use crate::claims::money;
use crate::columns::CodeColumn;
use crate::failure::ConnectionError;

/// Checks that a claim may be delivered with this end of a dispute, or without one: see [`disputes::check_end`].
pub(crate) fn check(
    connection: &Connection,
    id: ClaimId,
    end: Option<&DisputeEnd>,
) -> Result<(), ConnectionError> {
    let mut statement = connection.prepare_cached("SELECT bond, about FROM claims WHERE id = ?")?;
    let (bond, about): (i64, Option<[u8; 32]>) =
        statement.query_row([row_id(id)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let bond = match bond {
        0 => BondKind::None,
        claim_rows::LATE_BOND => BondKind::Late,
        _ => BondKind::Bond,
    };
    let disputed = end.map(|end| receipt_at(connection, end.disputed)).transpose()?.flatten();
    Ok(disputes::check_end(bond, about.map(ReceiptHash), end, disputed)?)
}

fn receipt_at(connection: &Connection, leaf: u64) -> Result<Option<ReceiptHash>> {
    let leaf = i64::try_from(leaf).ok();
    let mut statement = connection.prepare_cached("SELECT hash FROM receipts WHERE leaf = ?")?;
    statement.query_row([leaf], |row| row.get(0).map(ReceiptHash)).optional()
}

/// Ends a dispute, after [`check`] within the same transaction: see [`disputes::consequences`].
pub(crate) fn end(
    connection: &Connection,
    id: ClaimId,
    record: &LedgerRecord,
    end: &DisputeEnd,
) -> Result<()> {
    let bond = claim_rows::by_id(connection, id)?.ok_or(Error::QueryReturnedNoRows)?;
    let bonded = settled_by(&bond)?;
    let (original, reserve) = match end.outcome {
        DisputeOutcome::Overturned => {
            (claim_rows::by_leaf(connection, end.disputed)?, reserve(connection, &bond, bonded)?)
        }
        DisputeOutcome::Upheld | DisputeOutcome::Inconclusive => (None, 0),
    };
    let Consequences { forfeited, taken, debts } =
        disputes::consequences(end, &bond, original.as_ref(), reserve);
    if let Some(amount) = forfeited {
        forfeit(connection, &bond, bonded, amount)?;
    }
    if taken > 0 {
        take_bounty(connection, &bond, bonded, taken)?;
    }
    for debt in debts {
        let is_new = owe(connection, record, bond.about.as_ref(), &debt)?;
        if is_new && debt.kind == RefundKind::Fee {
            money::give_back(connection, debt.claim, record.signed_at)?;
        }
    }
    Ok(())
}

/// The transfer by which a claim that has settled did.
fn settled_by(claim: &Claim) -> Result<&ClaimTransfer> {
    claim.transfer.as_ref().ok_or(Error::QueryReturnedNoRows)
}

/// Adds an amount to the bounty reserve of a bond's token.
fn forfeit(connection: &Connection, bond: &Claim, transfer: &ClaimTransfer, amount: u64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO reserve (chain_id, symbol, settlement, amount) VALUES (?, ?, ?, ?)
             ON CONFLICT (chain_id, symbol, settlement) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![bond.key.chain_id(), bond.symbol, transfer.kind, amount])?;
    Ok(())
}

/// The amount that the bounty reserve has of a bond's token.
fn reserve(connection: &Connection, bond: &Claim, transfer: &ClaimTransfer) -> Result<u64> {
    let select = "SELECT amount FROM reserve WHERE chain_id = ? AND symbol = ? AND settlement = ?";
    let token = (bond.key.chain_id(), &bond.symbol, &transfer.kind);
    let amount = connection.prepare_cached(select)?.query_row(token, |row| row.get(0));
    Ok(amount.optional()?.unwrap_or(0))
}

/// Takes an amount out of the bounty reserve, which has it.
fn take_bounty(connection: &Connection, bond: &Claim, transfer: &ClaimTransfer, amount: u64) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE reserve SET amount = amount - ? WHERE chain_id = ? AND symbol = ? AND settlement = ?",
        )?
        .execute(params![amount, bond.key.chain_id(), bond.symbol, transfer.kind])?;
    Ok(())
}

/// Writes a debt as a refund that is owed, since the dispute of `record` has ended. A refund that was owed before stays as
/// it is. Returns whether it is owed only now.
fn owe(
    connection: &Connection,
    record: &LedgerRecord,
    disputed: Option<&ReceiptHash>,
    debt: &Debt<'_>,
) -> Result<bool> {
    let Debt { claim, kind, payee, amount } = debt;
    let origin = settled_by(claim)?;
    let (log_index, authorization) = refund_rows::id_columns(&origin.id);
    let owed = connection
        .prepare_cached(
            "INSERT INTO refunds (claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state,
                origin, log_index, authorization, settlement, owed_at, lease_until)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (claim, kind) DO NOTHING",
        )?
        .execute(params![
            claim.id.0,
            CodeColumn(*kind),
            record.hash.as_bytes(),
            disputed.map(ReceiptHash::as_bytes),
            claim.key.chain_id(),
            claim.symbol,
            payee,
            amount,
            CodeColumn(RefundState::Owed),
            origin.transaction,
            log_index,
            authorization,
            origin.kind,
            record.signed_at.as_millis(),
        ])?;
    Ok(owed > 0)
}
