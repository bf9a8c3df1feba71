//! Refunds and the reserve as rows, read.

use ledger::{ClaimTransfer, Owner, Refund, RefundId, RefundKind, RefundState, TransferId};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use crate::columns::{CodeColumn, Coded, Millis};

/// Selects the columns of a refund, in the order of [`refund`].
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, dispute, disputed, kind, chain_id, symbol, payee, amount, state, origin, log_index,
                settlement, proof, raw, hash, owed_at, paid_at, owner, authorization FROM refunds ",
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

/// The number of a refund's row; no row where it is not one that was ever given.
pub(crate) fn row_id(id: RefundId) -> Option<i64> {
    i64::try_from(id.0).ok()
}

/// The refund of a number.
pub(crate) fn by_id(connection: &Connection, id: RefundId) -> Result<Option<Refund>> {
    connection.prepare_cached(select!("WHERE id = ?"))?.query_row([row_id(id)], refund).optional()
}

/// All refunds in these states, the oldest first.
pub(crate) fn in_states(connection: &Connection, states: &[RefundState]) -> Result<Vec<Refund>> {
    let [owed, sending, paid] =
        RefundState::ALL.map(|state| states.contains(&state).then_some(CodeColumn(state)));
    let mut statement = connection.prepare_cached(select!("WHERE state IN (?, ?, ?) ORDER BY id"))?;
    let rows = statement.query_map((owed, sending, paid), refund)?;
    rows.collect()
}

fn refund(row: &Row<'_>) -> Result<Refund> {
    Ok(Refund {
        id: RefundId(row.get(0)?),
        dispute: ReceiptHash(row.get(1)?),
        disputed: ReceiptHash(row.get(2)?),
        kind: row.get::<_, CodeColumn<_>>(3)?.0,
        chain_id: row.get(4)?,
        symbol: row.get(5)?,
        payee: row.get(6)?,
        amount: row.get(7)?,
        state: row.get::<_, CodeColumn<_>>(8)?.0,
        origin: ClaimTransfer {
            transaction: row.get(9)?,
            id: id(row.get(10)?, row.get(18)?)?,
            kind: row.get(11)?,
        },
        proof: row.get(12)?,
        raw: row.get(13)?,
        transaction: row.get(14)?,
        owed_at: row.get::<_, Millis>(15)?.0,
        paid_at: row.get::<_, Option<Millis>>(16)?.map(|at| at.0),
        owner: Owner(row.get::<_, Option<_>>(17)?.unwrap_or_default()),
    })
}

/// The sum of the refunds that are on their way and of those that were paid since a time.
pub(crate) fn paid_out_since(connection: &Connection, since: Timestamp) -> Result<u64> {
    let select = "SELECT coalesce((SELECT sum(amount) FROM refunds INDEXED BY unpaid WHERE state < 2 AND state = 1), 0)
        + coalesce((SELECT sum(amount) FROM refunds WHERE paid_at >= ?), 0)";
    connection.prepare_cached(select)?.query_row([since.as_millis()], |row| row.get(0))
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
        _ => Err(FromSqlError::Other("a refund's authorization is not payer and nonce".into()).into()),
    }
}

/// The amounts of the bounty reserve, by the token's symbol.
pub(crate) fn reserves(connection: &Connection) -> Result<Vec<(String, u64)>> {
    let mut statement = connection
        .prepare_cached("SELECT symbol, sum(amount) FROM reserve GROUP BY symbol ORDER BY symbol")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
