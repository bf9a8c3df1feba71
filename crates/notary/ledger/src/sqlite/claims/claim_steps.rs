//! The steps of a claim up to its settlement, each within a transaction of its caller's.
//!
//! Each looks before it changes anything, so that a refusal leaves nothing to be undone.

use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::claim_names::{bind, owner_of_name, unbind};
use super::claim_rows::{self, row_id};
use super::dispute_rows;
use crate::claims::{ClaimName, transaction_name};
use crate::{
    Claim, ClaimId, ClaimRef, ClaimState, Claiming, Failure, Judgement, LedgerError, MAX_UNFINISHED_CLAIMS,
    NewClaim, Owner, PaymentIdentifier, Prepared, ProofKey, TakeOver,
};

/// Makes a claim, where its proof and its payment identifier are new and there is room.
pub(crate) fn make(connection: &Connection, new: &NewClaim) -> Result<Claiming, LedgerError> {
    let names = names(&new.key, new.identifier.as_ref());
    for name in &names {
        if let Some(claim) = claim_rows::by_name(connection, name)? {
            return Ok(Claiming::Known(claim));
        }
    }
    if let Some(claim) = settled_unseen(connection, new)? {
        return Ok(Claiming::Known(claim));
    }
    if let (true, Some(about)) = (new.bond, &new.about)
        && let Some(refusal) = dispute_rows::refusal(connection, about)?
    {
        return Ok(refusal);
    }
    if let Some(refusal) = payer_refusal(connection, new)? {
        return Ok(refusal);
    }
    if is_full(connection)? {
        return Ok(Claiming::Full);
    }
    let id = insert(connection, new)?;
    for name in &names {
        bind(connection, name, id)?;
    }
    if let ProofKey::Transaction { chain_id, transaction, .. } = &new.key {
        let name = transaction_name(*chain_id, transaction, &new.payer);
        if owner_of_name(connection, &name)?.is_none() {
            bind(connection, &name, id)?;
        }
    }
    Ok(Claiming::Mine(id))
}

/// The payer's claim by an authorization that was settled in the transaction of a new claim when nobody looked at the chain:
/// the transfer that is shown now may be the one that has paid for it. Older stores have such claims under the log index 0,
/// which is no authorization's: the token writes another event before its transfer.
fn settled_unseen(connection: &Connection, new: &NewClaim) -> Result<Option<Claim>> {
    let ProofKey::Transaction { chain_id, transaction, .. } = new.key else { return Ok(None) };
    let by_authorization =
        |claim: &Claim| claim.payer == new.payer && matches!(claim.key, ProofKey::Authorization { .. });
    let name = transaction_name(chain_id, &transaction, &new.payer);
    if let Some(claim) = claim_rows::by_name(connection, &name)?.filter(by_authorization) {
        return Ok(Some(claim));
    }
    let name = ProofKey::Transaction { chain_id, transaction, log_index: 0 }.name();
    let by_facilitator =
        |claim: &Claim| claim.transfer.as_ref().is_some_and(|transfer| transfer.kind == "facilitator");
    let claim = claim_rows::by_name(connection, &name)?;
    Ok(claim.filter(by_authorization).filter(by_facilitator))
}

/// What a claim is unique by before it is settled.
fn names(key: &ProofKey, identifier: Option<&PaymentIdentifier>) -> Vec<ClaimName> {
    [Some(key.name()), identifier.map(PaymentIdentifier::name)].into_iter().flatten().collect()
}

/// Why a payer may make no further claim now: it has too many, or its balance does not cover what has not settled. What
/// has settled is gone from the balance already, and so is a transfer that the payer has made itself.
fn payer_refusal(connection: &Connection, new: &NewClaim) -> Result<Option<Claiming>> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(amount) FILTER (WHERE state < 3 AND nonce IS NOT NULL AND chain_id = ?), 0)
         FROM claims INDEXED BY unfinished_by_payer WHERE payer = ? AND state < 4",
    )?;
    let (unfinished, unsettled): (u32, u64) =
        statement.query_row(params![new.key.chain_id(), new.payer], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if unfinished >= new.most_of_payer {
        return Ok(Some(Claiming::PayerLimit));
    }
    let needed = unsettled.saturating_add(new.amount);
    let is_uncovered = match (&new.key, new.balance) {
        (ProofKey::Authorization { .. }, Some(balance)) => balance < needed,
        _ => false,
    };
    Ok(is_uncovered.then_some(Claiming::Uncovered))
}

fn is_full(connection: &Connection) -> Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM claims INDEXED BY unfinished_by_payer WHERE state < 4 LIMIT 1 OFFSET ?)",
    )?;
    statement.query_row([MAX_UNFINISHED_CLAIMS - 1], |row| row.get(0))
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
        ClaimState::Claimed,
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
    let (request, at) = new.asked.as_ref().map(|asked| (&asked.request, asked.at.as_millis())).unzip();
    let mut statement = connection
        .prepare_cached("INSERT INTO claim_works (claim, proof, request, judged_at) VALUES (?, ?, ?, ?)")?;
    statement.execute(params![id, new.proof, request, at])?;
    Ok(ClaimId(id))
}

/// The state from which a claim's money may move: when it is judged, or for a bond at once.
pub(crate) fn ready(claim: &Claim) -> ClaimState {
    if claim.bond { ClaimState::Claimed } else { ClaimState::Judged }
}

/// The state of a claim whose owner may take a step from these states.
pub(crate) fn held(
    connection: &Connection,
    claim: ClaimRef,
    from: &[ClaimState],
) -> Result<ClaimState, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT state, owner FROM claims WHERE id = ?")?;
    let row = statement.query_row([row_id(claim.id)], |row| Ok((row.get(0)?, Owner(row.get(1)?))));
    let (state, owner) = row.optional()?.ok_or(LedgerError::NoSuchClaim(claim.id))?;
    if owner != claim.owner {
        return Err(LedgerError::NotOwner);
    }
    if !from.contains(&state) {
        return Err(LedgerError::WrongState(state));
    }
    Ok(state)
}

/// A claim that was found to be [`held`].
pub(crate) fn known(connection: &Connection, id: ClaimId) -> Result<Claim, LedgerError> {
    claim_rows::by_id(connection, id)?.ok_or(LedgerError::NoSuchClaim(id))
}

fn set_state(connection: &Connection, id: ClaimId, state: ClaimState) -> Result<()> {
    connection.prepare_cached("UPDATE claims SET state = ? WHERE id = ?")?.execute(params![state, id.0])?;
    Ok(())
}

pub(crate) fn judged(
    connection: &Connection,
    claim: ClaimRef,
    judgement: &Judgement,
) -> Result<(), LedgerError> {
    let state = held(connection, claim, &[ClaimState::Claimed, ClaimState::Settled])?;
    let is_bond = is_bond(connection, claim.id)?;
    if is_bond != (state == ClaimState::Settled) || (is_bond && has_finding(connection, claim.id)?) {
        return Err(LedgerError::WrongState(state));
    }
    if !is_bond {
        set_state(connection, claim.id, ClaimState::Judged)?;
    }
    connection
        .prepare_cached("UPDATE claim_works SET finding = ?, request = ?, judged_at = ? WHERE claim = ?")?
        .execute(params![judgement.finding, judgement.request, judgement.at.as_millis(), claim.id.0])?;
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

fn is_bond(connection: &Connection, id: ClaimId) -> Result<bool> {
    let select = "SELECT bond <> 0 FROM claims WHERE id = ?";
    connection.prepare_cached(select)?.query_row([id.0], |row| row.get(0))
}

fn has_finding(connection: &Connection, id: ClaimId) -> Result<bool> {
    let select = "SELECT finding IS NOT NULL FROM claim_works WHERE claim = ?";
    connection.prepare_cached(select)?.query_row([id.0], |row| row.get(0))
}

pub(crate) fn broadcasting(
    connection: &Connection,
    claim: ClaimRef,
    prepared: &Prepared,
) -> Result<(), LedgerError> {
    let state = held(connection, claim, &[ClaimState::Claimed, ClaimState::Judged, ClaimState::Broadcast])?;
    let found = known(connection, claim.id)?;
    let from = if prepared.replaces { ClaimState::Broadcast } else { ready(&found) };
    if state != from {
        return Err(LedgerError::WrongState(state));
    }
    if let ProofKey::Transaction { .. } = found.key {
        return Err(LedgerError::Unfit("a transfer that has happened is not broadcast".to_owned()));
    }
    connection.prepare_cached("UPDATE claims SET state = ?, hash = ? WHERE id = ?")?.execute(params![
        ClaimState::Broadcast,
        prepared.transaction,
        claim.id.0
    ])?;
    connection
        .prepare_cached("UPDATE claim_works SET raw = ? WHERE claim = ?")?
        .execute(params![prepared.raw, claim.id.0])?;
    Ok(())
}

pub(crate) fn free(connection: &Connection, claim: ClaimRef) -> Result<(), LedgerError> {
    held(connection, claim, &[ClaimState::Claimed, ClaimState::Judged])?;
    let Claim { id, key, payer, .. } = known(connection, claim.id)?;
    unbind(connection, &key.name(), id)?;
    unbind_identifier(connection, id, payer)?;
    if let ProofKey::Transaction { chain_id, transaction, .. } = &key {
        unbind(connection, &transaction_name(*chain_id, transaction, &payer), id)?;
    }
    forget_work(connection, id)?;
    connection.prepare_cached("DELETE FROM claims WHERE id = ?")?.execute([id.0])?;
    Ok(())
}

pub(crate) fn failed(connection: &Connection, claim: ClaimRef, failure: &Failure) -> Result<(), LedgerError> {
    held(connection, claim, &[ClaimState::Broadcast])?;
    let Claim { id, payer, .. } = known(connection, claim.id)?;
    // There is no answer that the identifier could stand for: the payer may try again under it.
    unbind_identifier(connection, id, payer)?;
    forget_work(connection, id)?;
    connection
        .prepare_cached("UPDATE claims SET state = ?, code = ?, detail = ? WHERE id = ?")?
        .execute(params![ClaimState::Failed, failure.code, failure.detail, id.0])?;
    Ok(())
}

fn unbind_identifier(connection: &Connection, id: ClaimId, payer: [u8; 20]) -> Result<()> {
    let mut statement = connection.prepare_cached("SELECT identifier FROM claims WHERE id = ?")?;
    let identifier: Option<String> = statement.query_row([id.0], |row| row.get(0))?;
    let Some(identifier) = identifier else { return Ok(()) };
    unbind(connection, &PaymentIdentifier { payer, id: identifier }.name(), id)
}

/// Forgets what is kept only to go on with a claim.
pub(crate) fn forget_work(connection: &Connection, id: ClaimId) -> Result<()> {
    connection.prepare_cached("DELETE FROM claim_works WHERE claim = ?")?.execute([id.0])?;
    connection.prepare_cached("DELETE FROM claim_evidence WHERE claim = ?")?.execute([id.0])?;
    Ok(())
}

const UNFINISHED: [ClaimState; 4] =
    [ClaimState::Claimed, ClaimState::Judged, ClaimState::Broadcast, ClaimState::Settled];

pub(crate) fn renew(
    connection: &Connection,
    claim: ClaimRef,
    lease_until: Timestamp,
) -> Result<(), LedgerError> {
    held(connection, claim, &UNFINISHED)?;
    connection
        .prepare_cached("UPDATE claims SET lease_until = ? WHERE id = ?")?
        .execute(params![lease_until.as_millis(), claim.id.0])?;
    Ok(())
}

pub(crate) fn take_over(connection: &Connection, wish: TakeOver) -> Result<Vec<Claim>, LedgerError> {
    let TakeOver { now, owner, lease_until, most } = wish;
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
