//! Refunds and the reserve as rows, read.

use ledger::{ClaimTransfer, Owner, Refund, RefundId, RefundKind, RefundState, TransferId};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tokio_postgres::Row;

use crate::columns::{Coded, Columns as _, row_id};
use crate::connection::{Connection, Result};
use crate::failure::ConnectionError;

/// Selects the columns of a refund, in the order of [`refund`].
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, dispute, disputed, kind, chain_id, symbol, payee, amount, state, origin, log_index,
                settlement, proof, raw, hash, owed_at, paid_at, owner, \"authorization\" FROM refunds ",
            $rest
        )
    };
}

impl Coded for RefundKind {
    const VALUES: &'static [Self] = &Self::ALL;

    fn code(self) -> i64 {
        match self {
            Self::Bond => 0,
            Self::Fee => 1,
            Self::Bounty => 2,
        }
    }
}

impl Coded for RefundState {
    const VALUES: &'static [Self] = &Self::ALL;

    fn code(self) -> i64 {
        match self {
            Self::Owed => 0,
            Self::Sending => 1,
            Self::Paid => 2,
        }
    }
}

/// The refund of a number.
pub(crate) async fn by_id(connection: Connection<'_>, id: RefundId) -> Result<Option<Refund>> {
    let row = connection.maybe(select!("WHERE id = $1"), &[&row_id(id.0)]).await?;
    row.as_ref().map(refund).transpose()
}

/// Refunds that are not paid, and whose lease has ended at `now`, a time of the store: those with the earliest end first,
/// then the oldest.
pub(crate) async fn abandoned(connection: Connection<'_>, now: i64, most: u32) -> Result<Vec<Refund>> {
    let select = select!("WHERE state < 2 AND lease_until <= $1 ORDER BY lease_until, id LIMIT $2");
    connection.rows(select, &[&now, &i64::from(most)]).await?.iter().map(refund).collect()
}

/// All refunds in these states, the oldest first.
pub(crate) async fn in_states(connection: Connection<'_>, states: &[RefundState]) -> Result<Vec<Refund>> {
    let states: Vec<i64> = states.iter().map(|state| state.code()).collect();
    let select = select!("WHERE state = ANY($1) ORDER BY id");
    connection.rows(select, &[&states]).await?.iter().map(refund).collect()
}

fn refund(row: &Row) -> Result<Refund> {
    Ok(Refund {
        id: RefundId(row.unsigned(0)?),
        dispute: ReceiptHash(row.bytes(1)?),
        disputed: ReceiptHash(row.bytes(2)?),
        kind: row.code(3)?,
        chain_id: row.unsigned(4)?,
        symbol: row.try_get(5)?,
        payee: row.bytes(6)?,
        amount: row.unsigned(7)?,
        state: row.code(8)?,
        origin: ClaimTransfer {
            transaction: row.bytes(9)?,
            id: id(row.unsigned(10)?, row.try_get(18)?)?,
            kind: row.try_get(11)?,
        },
        proof: row.try_get(12)?,
        raw: row.try_get(13)?,
        transaction: row.maybe_bytes(14)?,
        owed_at: row.millis(15)?,
        paid_at: row.maybe_millis(16)?,
        owner: Owner(row.maybe_bytes(17)?.unwrap_or_default()),
    })
}

/// The sum of the refunds that are on their way and of those that were paid since a time.
pub(crate) async fn paid_out_since(connection: Connection<'_>, since: Timestamp) -> Result<u64> {
    let select = "SELECT (coalesce((SELECT sum(amount) FROM refunds WHERE state < 2 AND state = 1), 0)
        + coalesce((SELECT sum(amount) FROM refunds WHERE paid_at >= $1), 0))::BIGINT";
    Ok(connection.one(select, &[&since.as_millis()]).await?.unsigned(0)?)
}

/// The columns `log_index` and `authorization` of a transfer.
pub(crate) fn id_columns(id: &TransferId) -> (u64, Option<Vec<u8>>) {
    match id {
        TransferId::LogIndex(index) => (*index, None),
        TransferId::Authorization { payer, nonce } => (0, Some([payer.as_slice(), nonce].concat())),
    }
}

fn id(log_index: u64, authorization: Option<Vec<u8>>) -> Result<TransferId> {
    let Some(authorization) = authorization else { return Ok(TransferId::LogIndex(log_index)) };
    let (payer, nonce) = authorization.split_at_checked(20).unwrap_or_default();
    match (payer.try_into(), nonce.try_into()) {
        (Ok(payer), Ok(nonce)) => Ok(TransferId::Authorization { payer, nonce }),
        _ => Err(ConnectionError::unreadable("a refund's authorization is not payer and nonce")),
    }
}

/// The amounts of the bounty reserve, by the token's symbol.
pub(crate) async fn reserves(connection: Connection<'_>) -> Result<Vec<(String, u64)>> {
    let select = "SELECT symbol, sum(amount)::BIGINT FROM reserve GROUP BY symbol ORDER BY symbol";
    let rows = connection.rows(select, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.unsigned(1)?))).collect()
}
