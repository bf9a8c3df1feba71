//! The steps of a claim up to its settlement, each within a transaction of its caller's.
//!
//! [`rules::claims`](ledger::rules::claims) decides; here its facts are read, and what it says is written. Each step reads before it
//! changes anything, so that a refusal leaves nothing to be undone.

use ledger::rules::claims::{self, ClaimCounts, ClaimFacts, ClaimStep, UnseenSettlement};
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimRef, ClaimState, Judgement, LeaseRequest, LedgerError,
    MAX_UNFINISHED_CLAIMS, NewClaim, Owner, PreparedTransaction, ProofKey,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::claim_names::{self, bind, owner_of_name};
use super::claim_rows::{self, row_id};
use super::dispute_rows;
use crate::columns::CodeColumn;
use crate::failure::ConnectionError;

/// Makes a claim, where its proof and its payment identifier are new and there is room.
pub(crate) fn make(connection: &Connection, new: &NewClaim) -> Result<ClaimOutcome, ConnectionError> {
    let names = claims::unique_names(&new.key, new.identifier.as_ref());
    for name in &names {
        if let Some(claim) = claim_rows::by_name(connection, name)? {
            return Ok(ClaimOutcome::Known(claim));
        }
    }
    for unseen in UnseenSettlement::of(new) {
        let found = claim_rows::by_name(connection, unseen.name())?;
        if let Some(claim) = found.filter(|found| unseen.is(new, found)) {
            return Ok(ClaimOutcome::Known(claim));
        }
    }
    if let Some(refusal) = claims::refusal(new, &counts(connection, new)?) {
        return Ok(refusal);
    }
    let id = insert(connection, new)?;
    for name in &names {
        bind(connection, name, id)?;
    }
    if let Some(name) = claims::shared_name(&new.key, &new.payer)
        && owner_of_name(connection, &name)?.is_none()
    {
        bind(connection, &name, id)?;
    }
    Ok(ClaimOutcome::Mine(id))
}

/// The counts that a new claim is held against.
fn counts(connection: &Connection, new: &NewClaim) -> Result<ClaimCounts> {
    let disputed = new.about.as_ref().filter(|_| new.bond);
    let disputes = disputed.map(|about| dispute_rows::counts(connection, about)).transpose()?;
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(amount) FILTER (WHERE state < 3 AND nonce IS NOT NULL AND chain_id = ?), 0)
         FROM claims INDEXED BY unfinished_by_payer WHERE payer = ? AND state < 4",
    )?;
    let (of_payer, unsettled) =
        statement.query_row(params![new.key.chain_id(), new.payer], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM claims INDEXED BY unfinished_by_payer WHERE state < 4 LIMIT 1 OFFSET ?)",
    )?;
    let is_full: bool = statement.query_row([MAX_UNFINISHED_CLAIMS - 1], |row| row.get(0))?;
    let in_all = if is_full { MAX_UNFINISHED_CLAIMS } else { 0 };
    Ok(ClaimCounts { disputes, of_payer, unsettled, in_all })
}

fn insert(connection: &Connection, new: &NewClaim) -> Result<ClaimId> {
    let chain_id = new.key.chain_id();
    let (asset, nonce, hash, log_index) = match &new.key {
        ProofKey::Authorization { asset, nonce, .. } => (Some(asset), Some(nonce), None, None),
        ProofKey::Transaction { transaction, log_index, .. } => {
            (None, None, Some(transaction), Some(*log_index))
        }
    };
    let mut statement = connection.prepare_cached(
        "INSERT INTO claims (state, owner, lease_until, chain_id, asset, payer, nonce, hash, log_index,
            fingerprint, class, agent, symbol, amount, bond, about, identifier)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )?;
    let values = params![
        CodeColumn(ClaimState::Claimed),
        new.owner.0,
        new.lease_until.as_millis(),
        chain_id,
        asset,
        new.payer,
        nonce,
        hash,
        log_index,
        new.fingerprint,
        new.class,
        new.agent,
        new.symbol,
        new.amount,
        new.bond,
        new.about.as_ref().map(ReceiptHash::as_bytes),
        new.identifier.as_ref().map(|identifier| &identifier.id),
    ];
    let id = statement.query_row(values, |row| row.get(0))?;
    let request = new.deferred.as_ref().map(|deferred| deferred.request.body());
    let redacted_from = new.deferred.as_ref().and_then(|deferred| deferred.request.redacted_from());
    let at = new.deferred.as_ref().map(|deferred| deferred.at.as_millis());
    let mut statement = connection.prepare_cached(
        "INSERT INTO claim_works (claim, proof, request, redacted_from, judged_at) VALUES (?, ?, ?, ?, ?)",
    )?;
    statement.execute(params![id, new.proof, request, redacted_from, at])?;
    Ok(ClaimId(id))
}

/// The part of a claim's row that decides its steps.
///
/// # Errors
/// [`LedgerError::NoSuchClaim`].
pub(crate) fn facts(connection: &Connection, id: ClaimId) -> Result<ClaimFacts, ConnectionError> {
    let mut statement = connection
        .prepare_cached("SELECT state, owner, bond <> 0, nonce IS NULL FROM claims WHERE id = ?")?;
    let row = statement.query_row([row_id(id)], |row| {
        Ok(ClaimFacts {
            state: row.get::<_, CodeColumn<_>>(0)?.0,
            owner: Owner(row.get(1)?),
            bond: row.get(2)?,
            is_by_transaction: row.get(3)?,
        })
    });
    Ok(row.optional()?.ok_or(LedgerError::NoSuchClaim(id))?)
}

/// Decides a step that a claim's owner asks for.
pub(crate) fn step(
    connection: &Connection,
    claim: ClaimRef,
    step: ClaimStep,
) -> Result<Option<ClaimState>, ConnectionError> {
    Ok(facts(connection, claim.id)?.step(step, claim.owner)?)
}

/// A claim whose [`facts`] were read.
pub(crate) fn known(connection: &Connection, id: ClaimId) -> Result<Claim, ConnectionError> {
    Ok(claim_rows::by_id(connection, id)?.ok_or(LedgerError::NoSuchClaim(id))?)
}

pub(crate) fn judged(
    connection: &Connection,
    claim: ClaimRef,
    judgement: &Judgement,
) -> Result<(), ConnectionError> {
    let facts = facts(connection, claim.id)?;
    let is_judged = facts.bond && has_finding(connection, claim.id)?;
    let next = facts.step(ClaimStep::Judge { is_judged }, claim.owner)?;
    if next != Some(facts.state) {
        let update = "UPDATE claims SET state = ? WHERE id = ?";
        connection.prepare_cached(update)?.execute(params![next.map(CodeColumn), claim.id.0])?;
    }
    connection
        .prepare_cached(
            "UPDATE claim_works SET finding = ?, request = ?, redacted_from = ?, judged_at = ? WHERE claim = ?",
        )?
        .execute(params![
            judgement.finding,
            judgement.request.body(),
            judgement.request.redacted_from(),
            judgement.at.as_millis(),
            claim.id.0
        ])?;
    for (position, blob) in judgement.evidence.iter().enumerate() {
        let kept = blob.bytes().is_none().then(|| blob.sha256());
        connection
            .prepare_cached(
                "INSERT INTO claim_evidence (claim, position, role, bytes, kept) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![claim.id.0, position, blob.role(), blob.bytes(), kept])?;
    }
    Ok(())
}

/// Says whether a claim has a finding; not where its work is gone.
fn has_finding(connection: &Connection, id: ClaimId) -> Result<bool> {
    let select = "SELECT finding IS NOT NULL FROM claim_works WHERE claim = ?";
    let found = connection.prepare_cached(select)?.query_row([id.0], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(false))
}

pub(crate) fn broadcasting(
    connection: &Connection,
    claim: ClaimRef,
    prepared: &PreparedTransaction,
) -> Result<(), ConnectionError> {
    let next = step(connection, claim, ClaimStep::Broadcast { replaces: prepared.replaces })?;
    connection.prepare_cached("UPDATE claims SET state = ?, hash = ? WHERE id = ?")?.execute(params![
        next.map(CodeColumn),
        prepared.transaction,
        claim.id.0
    ])?;
    connection
        .prepare_cached("UPDATE claim_works SET raw = ? WHERE claim = ?")?
        .execute(params![prepared.raw, claim.id.0])?;
    Ok(())
}

pub(crate) fn free(connection: &Connection, claim: ClaimRef) -> Result<(), ConnectionError> {
    step(connection, claim, ClaimStep::Free)?;
    free_names(connection, claim.id, ClaimStep::Free)?;
    forget_work(connection, claim.id)?;
    connection.prepare_cached("DELETE FROM claims WHERE id = ?")?.execute([claim.id.0])?;
    Ok(())
}

pub(crate) fn failed(
    connection: &Connection,
    claim: ClaimRef,
    failure: &ClaimFailure,
) -> Result<(), ConnectionError> {
    let next = step(connection, claim, ClaimStep::Fail)?;
    free_names(connection, claim.id, ClaimStep::Fail)?;
    forget_work(connection, claim.id)?;
    connection
        .prepare_cached("UPDATE claims SET state = ?, code = ?, detail = ? WHERE id = ?")?
        .execute(params![next.map(CodeColumn), failure.code, failure.detail, claim.id.0])?;
    Ok(())
}

/// Frees the names that a claim gives up with a step.
fn free_names(connection: &Connection, id: ClaimId, step: ClaimStep) -> Result<(), ConnectionError> {
    let claim = known(connection, id)?;
    let mut statement = connection.prepare_cached("SELECT identifier FROM claims WHERE id = ?")?;
    let identifier: Option<String> = statement.query_row([id.0], |row| row.get(0))?;
    for name in claims::freed_names(step, &claim, identifier) {
        claim_names::unbind(connection, &name, id)?;
    }
    Ok(())
}

/// Deletes the rows that are kept only to go on with a claim.
pub(crate) fn forget_work(connection: &Connection, id: ClaimId) -> Result<()> {
    connection.prepare_cached("DELETE FROM claim_works WHERE claim = ?")?.execute([id.0])?;
    connection.prepare_cached("DELETE FROM claim_evidence WHERE claim = ?")?.execute([id.0])?;
    Ok(())
}

pub(crate) fn renew(
    connection: &Connection,
    claim: ClaimRef,
    lease_until: Timestamp,
) -> Result<(), ConnectionError> {
    step(connection, claim, ClaimStep::Renew)?;
    connection
        .prepare_cached("UPDATE claims SET lease_until = ? WHERE id = ?")?
        .execute(params![lease_until.as_millis(), claim.id.0])?;
    Ok(())
}

pub(crate) fn take_over(connection: &Connection, wish: LeaseRequest) -> Result<Vec<Claim>, ConnectionError> {
    let LeaseRequest { now, owner, lease_until, most } = wish;
    let mut statement = connection.prepare_cached(
        "SELECT id FROM claims INDEXED BY unfinished_by_payer WHERE state < 4 AND lease_until <= ?
         ORDER BY lease_until LIMIT ?",
    )?;
    let ids = statement.query_map(params![now.as_millis(), most], |row| row.get(0).map(ClaimId))?;
    let ids: Vec<ClaimId> = ids.collect::<Result<_>>()?;
    let mut update =
        connection.prepare_cached("UPDATE claims SET owner = ?, lease_until = ? WHERE id = ?")?;
    for id in &ids {
        update.execute(params![owner.0, lease_until.as_millis(), id.0])?;
    }
    ids.into_iter().map(|id| known(connection, id)).collect()
}

/// Ends all leases: this process alone has the store, so whoever held one is dead.
pub(crate) fn end_leases(connection: &Connection) -> Result<()> {
    connection.execute("UPDATE claims SET lease_until = 0 WHERE state < 4", [])?;
    Ok(())
}
