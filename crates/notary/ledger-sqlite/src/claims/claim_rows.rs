//! Claims as rows, read.

use ledger::back_end::ClaimName;
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimState, ClaimTransfer, ClaimWork, DeferredRequest, Delivery, Judgement,
    LocalTransfer, Owner, ProofKey, TransferId,
};
use receipt::hash::ReceiptHash;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Error, OptionalExtension, Params, Result, Row};
use verdict::{EvidenceBlob, KeptRequest};

use crate::columns::{CodeColumn, Coded, Millis};
use crate::failure::ConnectionError;

/// The value of the column `bond` for a bond that settled too late to be a dispute; 1 is any other bond.
pub(crate) const LATE_BOND: i64 = 2;

/// Selects the columns of a claim, in the order of [`claim`].
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, state, owner, lease_until, chain_id, asset, payer, nonce, hash, log_index, settlement,
                fingerprint, class, agent, symbol, amount, bond, receipt, leaf, code, detail, proof, about
             FROM claims ",
            $rest
        )
    };
}

impl Coded for ClaimState {
    const VALUES: &'static [Self] = &Self::ALL;

    fn code(self) -> i64 {
        match self {
            Self::Claimed => 0,
            Self::Judged => 1,
            Self::Broadcast => 2,
            Self::Settled => 3,
            Self::Delivered => 4,
            Self::Failed => 5,
        }
    }
}

/// The number of a claim's row; no row where it is not one that was ever given.
pub(crate) fn row_id(id: ClaimId) -> Option<i64> {
    i64::try_from(id.0).ok()
}

/// The claim under a name.
pub(crate) fn by_name(connection: &Connection, name: &ClaimName) -> Result<Option<Claim>> {
    let select = select!("WHERE id = (SELECT claim FROM claim_names WHERE name = ?)");
    one(connection, select, [name])
}

/// The claim of a number.
pub(crate) fn by_id(connection: &Connection, id: ClaimId) -> Result<Option<Claim>> {
    one(connection, select!("WHERE id = ?"), [row_id(id)])
}

/// The claim whose receipt is at a leaf.
pub(crate) fn by_leaf(connection: &Connection, leaf: u64) -> Result<Option<Claim>> {
    one(connection, select!("WHERE leaf = ?"), [i64::try_from(leaf).ok()])
}

fn one(connection: &Connection, select: &str, key: impl Params) -> Result<Option<Claim>> {
    connection.prepare_cached(select)?.query_row(key, claim).optional()
}

fn claim(row: &Row<'_>) -> Result<Claim> {
    let (chain_id, payer) = (row.get(4)?, row.get(6)?);
    let (asset, nonce): (Option<_>, Option<_>) = (row.get(5)?, row.get(7)?);
    let transaction: Option<[u8; 32]> = row.get(8)?;
    let log_index: Option<u64> = row.get(9)?;
    let key = match (asset, nonce, transaction, log_index) {
        (Some(asset), Some(nonce), _, _) => ProofKey::Authorization { chain_id, asset, payer, nonce },
        (None, None, Some(transaction), Some(log_index)) => {
            ProofKey::Transaction { chain_id, transaction, log_index }
        }
        _ => return Err(FromSqlError::Other("a claim's key is not whole".into()).into()),
    };
    let settlement: Option<String> = row.get(10)?;
    let receipt: Option<[u8; 32]> = row.get(17)?;
    Ok(Claim {
        id: ClaimId(row.get(0)?),
        key,
        state: row.get::<_, CodeColumn<_>>(1)?.0,
        owner: Owner(row.get(2)?),
        lease_until: row.get::<_, Millis>(3)?.0,
        payer,
        transaction,
        transfer: transfer(transaction, TransferId::of(&key, log_index), settlement),
        fingerprint: row.get(11)?,
        class: row.get(12)?,
        agent: row.get(13)?,
        symbol: row.get(14)?,
        amount: row.get(15)?,
        bond: row.get::<_, i64>(16)? != 0,
        is_late: row.get::<_, i64>(16)? == LATE_BOND,
        about: row.get::<_, Option<_>>(22)?.map(ReceiptHash),
        receipt: delivery(receipt, row.get(18)?, row.get(21)?),
        failure: failure(row.get(19)?, row.get(20)?),
    })
}

fn transfer(hash: Option<[u8; 32]>, id: TransferId, kind: Option<String>) -> Option<ClaimTransfer> {
    Some(ClaimTransfer { transaction: hash?, id, kind: kind? })
}

fn delivery(hash: Option<[u8; 32]>, leaf: Option<u64>, proof: Option<String>) -> Option<Delivery> {
    Some(Delivery { hash: ReceiptHash(hash?), leaf: leaf?, proof: proof? })
}

fn failure(code: Option<String>, detail: Option<String>) -> Option<ClaimFailure> {
    Some(ClaimFailure { code: code?, detail: detail? })
}

/// A claim with what is needed to go on with it, all of one moment.
pub(crate) fn work(connection: &Connection, id: ClaimId) -> Result<Option<ClaimWork>, ConnectionError> {
    let moment = connection.unchecked_transaction()?;
    let Some(claim) = by_id(&moment, id)? else { return Ok(None) };
    let mut statement = moment.prepare_cached(
        "SELECT proof, raw, finding, request, judged_at, redacted_from FROM claim_works WHERE claim = ?",
    )?;
    let row = statement.query_row([row_id(id)], |row| {
        let judged_at: Option<Millis> = row.get(4)?;
        let (body, redacted_from): (Option<Vec<u8>>, _) = (row.get(3)?, row.get(5)?);
        let request = body.map(|body| KeptRequest::stored(body, redacted_from));
        let (deferred, judgement) = match (row.get(2)?, request, judged_at) {
            (Some(finding), Some(request), Some(Millis(at))) => {
                (None, Some(Judgement { finding, evidence: evidence(&moment, id)?, request, at }))
            }
            (None, Some(request), Some(Millis(at))) => (Some(DeferredRequest { request, at }), None),
            _ => (None, None),
        };
        Ok((row.get(0)?, row.get(1)?, deferred, judgement))
    });
    let (proof, raw, deferred, judgement) = row.optional()?.unwrap_or_default();
    Ok(Some(ClaimWork { claim, proof, deferred, judgement, raw }))
}

fn evidence(connection: &Connection, id: ClaimId) -> Result<Vec<EvidenceBlob>> {
    let mut statement = connection
        .prepare_cached("SELECT role, bytes, kept FROM claim_evidence WHERE claim = ? ORDER BY position")?;
    let rows = statement.query_map([row_id(id)], |row| {
        let role: String = row.get(0)?;
        Ok(match row.get(2)? {
            Some(sha256) => EvidenceBlob::kept(role, sha256),
            None => EvidenceBlob::new(role, row.get(1)?),
        })
    })?;
    rows.collect()
}

/// The transfer of local money under a name.
pub(crate) fn local_transfer(
    connection: &Connection,
    name: &ClaimName,
) -> Result<Option<LocalTransfer>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT payer, payee, amount, at FROM local_transfers WHERE name = ?")?;
    let row = statement.query_row([name], |row| {
        let at: Millis = row.get(3)?;
        Ok(LocalTransfer { payer: row.get(0)?, payee: row.get(1)?, amount: row.get(2)?, at: at.0 })
    });
    row.optional()
}
