//! Claims as rows, read.

use std::collections::HashMap;

use ledger::back_end::ClaimName;
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimState, ClaimTransfer, ClaimWork, DeferredRequest, Delivery, Judgement,
    LocalTransfer, Owner, ProofKey, TransferId,
};
use receipt::hash::ReceiptHash;
use tokio_postgres::Row;
use verdict::{EvidenceBlob, KeptRequest};

use super::claim_names::slices;
use crate::columns::{Coded, Columns as _, row_id};
use crate::connection::{Connection, Param, Result};
use crate::failure::ConnectionError;

/// The value of the column `bond` for a bond that settled too late to be a dispute; 1 is any other bond.
pub(crate) const LATE_BOND: i64 = 2;

/// The first column that [`select`] adds to those of a claim.
const MORE: usize = 23;

/// Selects the columns of a claim, in the order of [`claim`], and more columns beside them, which begin with a comma.
macro_rules! select {
    ($more:literal, $from:literal) => {
        concat!(
            "SELECT claims.id, claims.state, claims.owner, claims.lease_until, claims.chain_id, claims.asset,
                claims.payer, claims.nonce, claims.hash, claims.log_index, claims.settlement, claims.fingerprint,
                claims.class, claims.agent, claims.symbol, claims.amount, claims.bond, claims.receipt, claims.leaf,
                claims.code, claims.detail, claims.proof, claims.about",
            $more,
            " FROM claims ",
            $from
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

/// The claim under a name.
pub(crate) async fn by_name(connection: Connection<'_>, name: &ClaimName) -> Result<Option<Claim>> {
    Ok(by_names(connection, &[*name]).await?.remove(name))
}

/// The claims under those of the names that are bound.
pub(crate) async fn by_names(
    connection: Connection<'_>,
    names: &[ClaimName],
) -> Result<HashMap<ClaimName, Claim>> {
    let select = select!(
        ", claim_names.name",
        "JOIN claim_names ON claim_names.claim = claims.id WHERE claim_names.name = ANY($1)"
    );
    let rows = connection.rows(select, &[&slices(names)]).await?;
    rows.iter().map(|row| Ok((row.bytes(MORE)?, claim(row)?))).collect()
}

/// The claim of a number.
pub(crate) async fn by_id(connection: Connection<'_>, id: ClaimId) -> Result<Option<Claim>> {
    one(connection, select!("", "WHERE id = $1"), &[&row_id(id.0)]).await
}

/// The claim of a number, and the payer's identifier for it where there is one.
pub(crate) async fn by_id_with_identifier(
    connection: Connection<'_>,
    id: ClaimId,
) -> Result<Option<(Claim, Option<String>)>> {
    let select = select!(", claims.identifier", "WHERE id = $1");
    let row = connection.maybe(select, &[&row_id(id.0)]).await?;
    row.map(|row| Ok((claim(&row)?, row.try_get(MORE)?))).transpose()
}

/// The claim whose receipt is at a leaf.
pub(crate) async fn by_leaf(connection: Connection<'_>, leaf: u64) -> Result<Option<Claim>> {
    one(connection, select!("", "WHERE leaf = $1"), &[&row_id(leaf)]).await
}

/// Unfinished claims whose lease has ended at `now`, a time of the store, those with the earliest end first.
pub(crate) async fn abandoned(connection: Connection<'_>, now: i64, most: u32) -> Result<Vec<Claim>> {
    let select = select!("", "WHERE state < 4 AND lease_until <= $1 ORDER BY lease_until, id LIMIT $2");
    connection.rows(select, &[&now, &i64::from(most)]).await?.iter().map(claim).collect()
}

async fn one(connection: Connection<'_>, select: &'static str, key: &[Param<'_>]) -> Result<Option<Claim>> {
    connection.maybe(select, key).await?.as_ref().map(claim).transpose()
}

fn claim(row: &Row) -> Result<Claim> {
    let (chain_id, payer) = (row.unsigned(4)?, row.bytes(6)?);
    let transaction = row.maybe_bytes(8)?;
    let log_index = row.maybe_unsigned(9)?;
    let key = match (row.maybe_bytes(5)?, row.maybe_bytes(7)?, transaction, log_index) {
        (Some(asset), Some(nonce), _, _) => ProofKey::Authorization { chain_id, asset, payer, nonce },
        (None, None, Some(transaction), Some(log_index)) => {
            ProofKey::Transaction { chain_id, transaction, log_index }
        }
        _ => return Err(ConnectionError::unreadable("a claim's key is not whole")),
    };
    let bond: i64 = row.try_get(16)?;
    Ok(Claim {
        id: ClaimId(row.unsigned(0)?),
        key,
        state: row.code(1)?,
        owner: Owner(row.bytes(2)?),
        lease_until: row.millis(3)?,
        payer,
        transaction,
        transfer: transfer(transaction, TransferId::of(&key, log_index), row.try_get(10)?),
        fingerprint: row.bytes(11)?,
        class: row.try_get(12)?,
        agent: row.try_get(13)?,
        symbol: row.try_get(14)?,
        amount: row.unsigned(15)?,
        bond: bond != 0,
        is_late: bond == LATE_BOND,
        about: row.maybe_bytes(22)?.map(ReceiptHash),
        receipt: delivery(row.maybe_bytes(17)?, row.maybe_unsigned(18)?, row.try_get(21)?),
        failure: failure(row.try_get(19)?, row.try_get(20)?),
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

/// A claim with what is needed to go on with it. The caller sees to it that both statements are of one moment.
pub(crate) async fn work(connection: Connection<'_>, id: ClaimId) -> Result<Option<ClaimWork>> {
    let select = select!(
        ", claim_works.proof, claim_works.raw, claim_works.finding, claim_works.request, claim_works.judged_at,
           claim_works.redacted_from",
        "LEFT JOIN claim_works ON claim_works.claim = claims.id WHERE claims.id = $1"
    );
    let Some(row) = connection.maybe(select, &[&row_id(id.0)]).await? else { return Ok(None) };
    let (body, redacted_from) = (row.try_get::<_, Option<Vec<u8>>>(MORE + 3)?, row.maybe_bytes(MORE + 5)?);
    let request = body.map(|body| KeptRequest::stored(body, redacted_from));
    let (deferred, judgement) = match (row.try_get(MORE + 2)?, request, row.maybe_millis(MORE + 4)?) {
        (Some(finding), Some(request), Some(at)) => {
            let evidence = evidence(connection, id).await?;
            (None, Some(Judgement { finding, evidence, request, at }))
        }
        (None, Some(request), Some(at)) => (Some(DeferredRequest { request, at }), None),
        _ => (None, None),
    };
    let proof: Option<Vec<u8>> = row.try_get(MORE)?;
    let (claim, raw) = (claim(&row)?, row.try_get(MORE + 1)?);
    Ok(Some(ClaimWork { claim, proof: proof.unwrap_or_default(), deferred, judgement, raw }))
}

async fn evidence(connection: Connection<'_>, id: ClaimId) -> Result<Vec<EvidenceBlob>> {
    let select = "SELECT role, bytes, kept FROM claim_evidence WHERE claim = $1 ORDER BY position";
    let rows = connection.rows(select, &[&row_id(id.0)]).await?;
    let blobs = rows.iter().map(|row| {
        let role: String = row.try_get(0)?;
        Ok(match row.maybe_bytes(2)? {
            Some(sha256) => EvidenceBlob::kept(role, sha256),
            None => EvidenceBlob::new(role, row.try_get(1)?),
        })
    });
    blobs.collect()
}

/// The transfer of local money under a name.
pub(crate) async fn local_transfer(
    connection: Connection<'_>,
    name: &ClaimName,
) -> Result<Option<LocalTransfer>> {
    let select = "SELECT payer, payee, amount, at FROM local_transfers WHERE name = $1";
    let row = connection.maybe(select, &[&name.as_slice()]).await?;
    let transfer = row.map(|row| {
        let (payer, payee) = (row.bytes(0)?, row.bytes(1)?);
        Ok(LocalTransfer { payer, payee, amount: row.unsigned(2)?, at: row.millis(3)? })
    });
    transfer.transpose()
}
