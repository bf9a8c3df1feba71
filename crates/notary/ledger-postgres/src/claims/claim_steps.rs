//! The steps of a claim up to its settlement, each within a transaction of its caller's that holds the work lock.
//!
//! [`rules::claims`](ledger::rules::claims) decides; here its facts are read, and what it says is written. Each step reads
//! before it changes anything, so that a refusal leaves nothing to be undone.

use ledger::back_end::ClaimName;
use ledger::rules::claims::{self, ClaimCounts, ClaimFacts, ClaimStep, UnseenSettlement};
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimRef, ClaimState, Judgement, LeaseRequest, LedgerError,
    MAX_UNFINISHED_CLAIMS, NewClaim, PreparedTransaction, ProofKey,
};
use receipt::time::Timestamp;

use super::claim_names;
use super::claim_rows;
use super::dispute_rows;
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Param, Result};
use crate::numbers;
use crate::together::together;

/// Makes a claim, where its proof and its payment identifier are new and there is room.
pub(crate) async fn make(connection: Connection<'_>, new: &NewClaim) -> Result<ClaimOutcome> {
    let mut names = claims::unique_names(&new.key, new.identifier.as_ref());
    let unseen = UnseenSettlement::of(new);
    let shared = claims::shared_name(&new.key, &new.payer);
    let asked: Vec<ClaimName> =
        names.iter().chain(unseen.iter().map(UnseenSettlement::name)).chain(&shared).copied().collect();
    let (mut found, counts) = together!(claim_rows::by_names(connection, &asked), counts(connection, new))?;
    if let Some(claim) = names.iter().find_map(|name| found.remove(name)) {
        return Ok(ClaimOutcome::Known(claim));
    }
    let settled = unseen.iter().find(|unseen| found.get(unseen.name()).is_some_and(|it| unseen.is(new, it)));
    if let Some(claim) = settled.and_then(|unseen| found.remove(unseen.name())) {
        return Ok(ClaimOutcome::Known(claim));
    }
    if let Some(refusal) = claims::refusal(new, &counts) {
        return Ok(refusal);
    }
    names.extend(shared.filter(|name| !found.contains_key(name)));
    let id = ClaimId(numbers::give(connection, "claims", 1).await?);
    together!(
        insert(connection, id, new),
        insert_work(connection, id, new),
        claim_names::bind(connection, &names, id)
    )?;
    Ok(ClaimOutcome::Mine(id))
}

/// The counts that a new claim is held against.
async fn counts(connection: Connection<'_>, new: &NewClaim) -> Result<ClaimCounts> {
    let disputes = async {
        match new.about.as_ref().filter(|_| new.bond) {
            Some(about) => dispute_rows::counts(connection, about).await.map(Some),
            None => Ok(None),
        }
    };
    // The index of unfinished claims is small: their number is limited.
    let select = "SELECT count(*),
            coalesce(sum(amount) FILTER (WHERE state < 3 AND nonce IS NOT NULL AND chain_id = $1), 0)::BIGINT,
            (SELECT count(*) FROM (SELECT 1 FROM claims WHERE state < 4 LIMIT $3) AS unfinished)
        FROM claims WHERE payer = $2 AND state < 4";
    let (chain_id, most) = (row_id(new.key.chain_id()), MAX_UNFINISHED_CLAIMS as i64);
    let params: [Param<'_>; 3] = [&chain_id, &new.payer.as_slice(), &most];
    let (disputes, row) = together!(disputes, connection.one(select, &params))?;
    let in_all = usize::try_from(row.unsigned(2)?).unwrap_or(usize::MAX);
    Ok(ClaimCounts { disputes, of_payer: row.small(0)?, unsettled: row.unsigned(1)?, in_all })
}

async fn insert(connection: Connection<'_>, id: ClaimId, new: &NewClaim) -> Result<()> {
    let (asset, nonce, hash, log_index) = match &new.key {
        ProofKey::Authorization { asset, nonce, .. } => {
            (Some(asset.as_slice()), Some(nonce.as_slice()), None, None)
        }
        ProofKey::Transaction { transaction, log_index, .. } => {
            (None, None, Some(transaction.as_slice()), row_id(*log_index))
        }
    };
    let insert =
        "INSERT INTO claims (id, state, owner, lease_until, chain_id, asset, payer, nonce, hash, log_index,
            fingerprint, class, agent, symbol, amount, bond, about, identifier)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    connection
        .run(
            insert,
            &[
                &row_id(id.0),
                &ClaimState::Claimed.code(),
                &new.owner.0.as_slice(),
                &connection.store_time(new.lease_until),
                &row_id(new.key.chain_id()),
                &asset,
                &new.payer.as_slice(),
                &nonce,
                &hash,
                &log_index,
                &new.fingerprint.as_slice(),
                &new.class,
                &new.agent,
                &new.symbol,
                &row_id(new.amount),
                &i64::from(new.bond),
                &new.about.as_ref().map(|about| about.as_bytes().as_slice()),
                &new.identifier.as_ref().map(|identifier| identifier.id.as_str()),
            ],
        )
        .await?;
    Ok(())
}

async fn insert_work(connection: Connection<'_>, id: ClaimId, new: &NewClaim) -> Result<()> {
    let request = new.deferred.as_ref().map(|deferred| deferred.request.body());
    let redacted_from = new.deferred.as_ref().and_then(|deferred| deferred.request.redacted_from());
    let at = new.deferred.as_ref().map(|deferred| deferred.at.as_millis());
    let insert = "INSERT INTO claim_works (claim, proof, request, redacted_from, judged_at)
        VALUES ($1, $2, $3, $4, $5)";
    let redacted_from = redacted_from.as_ref().map(<[u8; 32]>::as_slice);
    connection.run(insert, &[&row_id(id.0), &new.proof, &request, &redacted_from, &at]).await?;
    Ok(())
}

/// A claim that is asked for by its number.
///
/// # Errors
/// [`LedgerError::NoSuchClaim`].
pub(crate) async fn known(connection: Connection<'_>, id: ClaimId) -> Result<Claim> {
    Ok(claim_rows::by_id(connection, id).await?.ok_or(LedgerError::NoSuchClaim(id))?)
}

/// Decides a step that a claim's owner asks for: the claim before it, and the state that the step leads to.
pub(crate) async fn step(
    connection: Connection<'_>,
    claim: ClaimRef,
    step: ClaimStep,
) -> Result<(Claim, Option<ClaimState>)> {
    let found = known(connection, claim.id).await?;
    let next = facts(&found).step(step, claim.owner)?;
    Ok((found, next))
}

/// The part of a claim that decides its steps.
pub(crate) fn facts(claim: &Claim) -> ClaimFacts {
    let is_by_transaction = matches!(claim.key, ProofKey::Transaction { .. });
    ClaimFacts { state: claim.state, owner: claim.owner, bond: claim.bond, is_by_transaction }
}

/// Stores a judgement.
pub(crate) async fn judged(connection: Connection<'_>, claim: ClaimRef, judgement: &Judgement) -> Result<()> {
    let ClaimRef { id, owner } = claim;
    let (claim, has_finding) = together!(known(connection, id), has_finding(connection, id))?;
    let is_judged = claim.bond && has_finding;
    let next = facts(&claim).step(ClaimStep::Judge { is_judged }, owner)?;
    let change_state = async {
        if next != Some(claim.state) {
            let update = "UPDATE claims SET state = $1 WHERE id = $2";
            connection.run(update, &[&next.map(ClaimState::code), &row_id(id.0)]).await?;
        }
        Ok(())
    };
    together!(
        change_state,
        store_finding(connection, id, judgement),
        store_evidence(connection, id, judgement)
    )?;
    Ok(())
}

/// Returns true if a claim has a finding; false also where its work is gone.
async fn has_finding(connection: Connection<'_>, id: ClaimId) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM claim_works WHERE claim = $1 AND finding IS NOT NULL)";
    Ok(connection.one(select, &[&row_id(id.0)]).await?.try_get(0)?)
}

async fn store_finding(connection: Connection<'_>, id: ClaimId, judgement: &Judgement) -> Result<()> {
    let Judgement { finding, request, at, .. } = judgement;
    let redacted_from = request.redacted_from();
    let redacted_from = redacted_from.as_ref().map(<[u8; 32]>::as_slice);
    let update = "UPDATE claim_works SET finding = $1, request = $2, redacted_from = $3, judged_at = $4
        WHERE claim = $5";
    let params: [Param<'_>; 5] = [finding, &request.body(), &redacted_from, &at.as_millis(), &row_id(id.0)];
    connection.run(update, &params).await?;
    Ok(())
}

async fn store_evidence(connection: Connection<'_>, id: ClaimId, judgement: &Judgement) -> Result<()> {
    let evidence = &judgement.evidence;
    if evidence.is_empty() {
        return Ok(());
    }
    let positions: Vec<i64> = (0..).take(evidence.len()).collect();
    let roles: Vec<&str> = evidence.iter().map(|blob| blob.role()).collect();
    let bytes: Vec<Option<&[u8]>> = evidence.iter().map(|blob| blob.bytes()).collect();
    let kept = evidence.iter().map(|blob| blob.bytes().is_none().then(|| blob.sha256().to_vec()));
    let kept: Vec<Option<Vec<u8>>> = kept.collect();
    let insert = "INSERT INTO claim_evidence (claim, position, role, bytes, kept)
        SELECT $1::BIGINT, given.position, given.role, given.bytes, given.kept
        FROM unnest($2::BIGINT[], $3::TEXT[], $4::BYTEA[], $5::BYTEA[]) AS given (position, role, bytes, kept)";
    connection.run(insert, &[&row_id(id.0), &positions, &roles, &bytes, &kept]).await?;
    Ok(())
}

/// Stores the prepared settlement.
pub(crate) async fn broadcasting(
    connection: Connection<'_>,
    claim: ClaimRef,
    prepared: &PreparedTransaction,
) -> Result<()> {
    let (found, next) = step(connection, claim, ClaimStep::Broadcast { replaces: prepared.replaces }).await?;
    let id = row_id(found.id.0);
    let state = next.map(ClaimState::code);
    let transaction = prepared.transaction.as_ref().map(<[u8; 32]>::as_slice);
    let claim: [Param<'_>; 3] = [&state, &transaction, &id];
    let work: [Param<'_>; 2] = [&prepared.raw, &id];
    together!(
        connection.run("UPDATE claims SET state = $1, hash = $2 WHERE id = $3", &claim),
        connection.run("UPDATE claim_works SET raw = $1 WHERE claim = $2", &work)
    )?;
    Ok(())
}

/// Removes a claim.
pub(crate) async fn free(connection: Connection<'_>, claim: ClaimRef) -> Result<()> {
    let (_, names) = last_step(connection, claim, ClaimStep::Free).await?;
    let id = row_id(claim.id.0);
    let deleted: [Param<'_>; 1] = [&id];
    together!(
        claim_names::unbind(connection, &names, claim.id),
        forget_work(connection, claim.id),
        connection.run("DELETE FROM claims WHERE id = $1", &deleted)
    )?;
    Ok(())
}

/// Gives a claim up, with the reason.
pub(crate) async fn failed(
    connection: Connection<'_>,
    claim: ClaimRef,
    failure: &ClaimFailure,
) -> Result<()> {
    let (next, names) = last_step(connection, claim, ClaimStep::Fail).await?;
    let (state, id) = (next.map(ClaimState::code), row_id(claim.id.0));
    let update = "UPDATE claims SET state = $1, code = $2, detail = $3 WHERE id = $4";
    let params: [Param<'_>; 4] = [&state, &failure.code, &failure.detail, &id];
    together!(
        claim_names::unbind(connection, &names, claim.id),
        forget_work(connection, claim.id),
        connection.run(update, &params)
    )?;
    Ok(())
}

/// Decides a step by which a claim gives up names: the state that it leads to, and the names.
async fn last_step(
    connection: Connection<'_>,
    claim: ClaimRef,
    step: ClaimStep,
) -> Result<(Option<ClaimState>, Vec<ClaimName>)> {
    let found = claim_rows::by_id_with_identifier(connection, claim.id).await?;
    let (found, identifier) = found.ok_or(LedgerError::NoSuchClaim(claim.id))?;
    let next = facts(&found).step(step, claim.owner)?;
    Ok((next, claims::freed_names(step, &found, identifier)))
}

/// Deletes the rows that are kept only to go on with a claim.
pub(crate) async fn forget_work(connection: Connection<'_>, id: ClaimId) -> Result<()> {
    let id = row_id(id.0);
    let claim: [Param<'_>; 1] = [&id];
    together!(
        connection.run("DELETE FROM claim_works WHERE claim = $1", &claim),
        connection.run("DELETE FROM claim_evidence WHERE claim = $1", &claim)
    )?;
    Ok(())
}

/// Extends the lease of a claim.
pub(crate) async fn renew(connection: Connection<'_>, claim: ClaimRef, lease_until: Timestamp) -> Result<()> {
    step(connection, claim, ClaimStep::Renew).await?;
    let update = "UPDATE claims SET lease_until = $1 WHERE id = $2";
    connection.run(update, &[&connection.store_time(lease_until), &row_id(claim.id.0)]).await?;
    Ok(())
}

/// Hands unfinished claims whose lease has ended to a new owner.
pub(crate) async fn take_over(connection: Connection<'_>, wish: LeaseRequest) -> Result<Vec<Claim>> {
    let LeaseRequest { now, owner, lease_until, most } = wish;
    let mut taken = claim_rows::abandoned(connection, connection.store_time(now), most).await?;
    if taken.is_empty() {
        return Ok(taken);
    }
    let ids: Vec<Option<i64>> = taken.iter().map(|claim| row_id(claim.id.0)).collect();
    let until = connection.store_time(lease_until);
    let update = "UPDATE claims SET owner = $1, lease_until = $2 WHERE id = ANY($3)";
    connection.run(update, &[&owner.0.as_slice(), &until, &ids]).await?;
    for claim in &mut taken {
        (claim.owner, claim.lease_until) = (owner, lease_until);
    }
    Ok(taken)
}
