//! The end of a dispute: whether it fits its claim, and the refunds that it leaves owed. All changes are made within the
//! transaction that logs its receipt.

use ledger::rules::disputes::{self, BondKind, Consequences, Debt};
use ledger::{
    Claim, ClaimId, ClaimTransfer, DisputeEnd, DisputeOutcome, LedgerRecord, RefundId, RefundKind,
    RefundState,
};
use receipt::hash::ReceiptHash;

use super::refund_rows;
use crate::claims::claim_rows;
use crate::claims::claim_steps;
use crate::claims::money;
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Result};
use crate::failure::ConnectionError;
use crate::numbers;
use crate::together::together;

/// The receipt at the leaf that the end of a dispute names; `None` without an end, or where the log has no such leaf.
pub(crate) async fn disputed(
    connection: Connection<'_>,
    end: Option<&DisputeEnd>,
) -> Result<Option<ReceiptHash>> {
    let Some(end) = end else { return Ok(None) };
    let select = "SELECT hash FROM receipts WHERE leaf = $1";
    let row = connection.maybe(select, &[&row_id(end.disputed)]).await?;
    Ok(row.map(|row| row.bytes(0).map(ReceiptHash)).transpose()?)
}

/// Checks that a claim may be delivered with this end of a dispute, or without one: see [`disputes::check_end`].
pub(crate) fn check(claim: &Claim, end: Option<&DisputeEnd>, disputed: Option<ReceiptHash>) -> Result<()> {
    let bond = match (claim.bond, claim.is_late) {
        (false, _) => BondKind::None,
        (true, true) => BondKind::Late,
        (true, false) => BondKind::Bond,
    };
    Ok(disputes::check_end(bond, claim.about, end, disputed)?)
}

/// Ends a dispute, after [`check`] within the same transaction: see [`disputes::consequences`].
pub(crate) async fn end(
    connection: Connection<'_>,
    id: ClaimId,
    record: &LedgerRecord,
    end: &DisputeEnd,
) -> Result<()> {
    let bond = claim_steps::known(connection, id).await?;
    let token = BondToken::of(&bond)?;
    let (original, reserve) = match end.outcome {
        DisputeOutcome::Overturned => {
            together!(claim_rows::by_leaf(connection, end.disputed), token.reserve(connection))?
        }
        DisputeOutcome::Upheld | DisputeOutcome::Inconclusive => (None, 0),
    };
    let Consequences { forfeited, taken, debts } =
        disputes::consequences(end, &bond, original.as_ref(), reserve);
    if let Some(amount) = forfeited {
        token.forfeit(connection, amount).await?;
    }
    if taken > 0 {
        token.take_bounty(connection, taken).await?;
    }
    for debt in debts {
        let is_new = owe(connection, record, bond.about.as_ref(), &debt).await?;
        if is_new && debt.kind == RefundKind::Fee {
            money::give_back(connection, debt.claim, record.signed_at).await?;
        }
    }
    Ok(())
}

/// The transfer by which a claim that has settled did.
fn settled_by(claim: &Claim) -> Result<&ClaimTransfer> {
    claim.transfer.as_ref().ok_or_else(|| ConnectionError::unreadable("a settled claim has no transfer"))
}

/// The token of a bond, which has a bounty reserve of its own.
struct BondToken<'a> {
    chain_id: Option<i64>,
    symbol: &'a str,
    settlement: &'a str,
}

impl<'a> BondToken<'a> {
    fn of(bond: &'a Claim) -> Result<Self> {
        let chain_id = row_id(bond.key.chain_id());
        Ok(Self { chain_id, symbol: &bond.symbol, settlement: &settled_by(bond)?.kind })
    }

    /// The amount that the bounty reserve has of the token.
    async fn reserve(&self, connection: Connection<'_>) -> Result<u64> {
        let select = "SELECT amount FROM reserve WHERE chain_id = $1 AND symbol = $2 AND settlement = $3";
        let row = connection.maybe(select, &[&self.chain_id, &self.symbol, &self.settlement]).await?;
        Ok(row.map_or(Ok(0), |row| row.unsigned(0))?)
    }

    /// Adds an amount to the bounty reserve.
    async fn forfeit(&self, connection: Connection<'_>, amount: u64) -> Result<()> {
        let insert = "INSERT INTO reserve (chain_id, symbol, settlement, amount) VALUES ($1, $2, $3, $4)
            ON CONFLICT (chain_id, symbol, settlement) DO UPDATE SET amount = reserve.amount + excluded.amount";
        let amount = row_id(amount);
        connection.run(insert, &[&self.chain_id, &self.symbol, &self.settlement, &amount]).await?;
        Ok(())
    }

    /// Takes an amount out of the bounty reserve, which has it.
    async fn take_bounty(&self, connection: Connection<'_>, amount: u64) -> Result<()> {
        let update = "UPDATE reserve SET amount = amount - $4
            WHERE chain_id = $1 AND symbol = $2 AND settlement = $3";
        let amount = row_id(amount);
        connection.run(update, &[&self.chain_id, &self.symbol, &self.settlement, &amount]).await?;
        Ok(())
    }
}

/// Writes a debt as a refund that is owed, since the dispute of `record` has ended. A refund that was owed before stays as
/// it is. Returns true if it is owed only now.
async fn owe(
    connection: Connection<'_>,
    record: &LedgerRecord,
    disputed: Option<&ReceiptHash>,
    debt: &Debt<'_>,
) -> Result<bool> {
    let Debt { claim, kind, payee, amount } = debt;
    let origin = settled_by(claim)?;
    let (log_index, authorization) = refund_rows::id_columns(&origin.id);
    let id = RefundId(numbers::give(connection, "refunds", 1).await?);
    let insert = r#"INSERT INTO refunds (id, claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state,
            origin, log_index, "authorization", settlement, owed_at, lease_until)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)
        ON CONFLICT (claim, kind) DO NOTHING"#;
    let owed = connection
        .run(
            insert,
            &[
                &row_id(id.0),
                &row_id(claim.id.0),
                &kind.code(),
                &record.hash.as_bytes().as_slice(),
                &disputed.map(|disputed| disputed.as_bytes().as_slice()),
                &row_id(claim.key.chain_id()),
                &claim.symbol,
                &payee.as_slice(),
                &row_id(*amount),
                &RefundState::Owed.code(),
                &origin.transaction.as_slice(),
                &row_id(log_index),
                &authorization,
                &origin.kind,
                &record.signed_at.as_millis(),
            ],
        )
        .await?;
    Ok(owed > 0)
}
