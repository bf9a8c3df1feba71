//! The steps of a refund, each within a transaction of its caller's.
//!
//! [`rules::refunds`] decides; here its facts are read, and what it says is written. Each step reads before it changes
//! anything, so that a refusal leaves nothing to be undone.

use ledger::rules;
use ledger::rules::refunds::{RefundFacts, RefundStep};
use ledger::{
    LeaseRequest, LedgerError, LocalTransfer, Owner, PayoutCap, PreparedTransaction, ProofKey, Refund,
    RefundId, RefundState,
};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::refund_rows::{self, row_id};
use crate::claims::claim_names;
use crate::claims::money;
use crate::columns::CodeColumn;
use crate::failure::ConnectionError;

/// A refund in the hands of its owner.
#[derive(Clone, Copy)]
pub(crate) struct RefundRef {
    pub(crate) id: RefundId,
    pub(crate) owner: Owner,
}

/// Hands refunds that are not paid, and that nobody works on, to a new owner.
pub(crate) fn take(connection: &Connection, wish: LeaseRequest) -> Result<Vec<Refund>, ConnectionError> {
    let LeaseRequest { now, owner, lease_until, most } = wish;
    let mut statement = connection.prepare_cached(
        "SELECT id FROM refunds INDEXED BY unpaid WHERE state < 2 AND lease_until <= ?
         ORDER BY lease_until, id LIMIT ?",
    )?;
    let ids = statement.query_map(params![now.as_millis(), most], |row| row.get(0).map(RefundId))?;
    let ids: Vec<RefundId> = ids.collect::<Result<_>>()?;
    let mut update =
        connection.prepare_cached("UPDATE refunds SET owner = ?, lease_until = ? WHERE id = ?")?;
    for id in &ids {
        update.execute(params![owner.0, lease_until.as_millis(), id.0])?;
    }
    ids.into_iter().map(|id| known(connection, id)).collect()
}

/// Decides a step that a refund's owner asks for: the state that it leads to.
fn step(
    connection: &Connection,
    refund: RefundRef,
    step: RefundStep,
) -> Result<RefundState, ConnectionError> {
    let mut statement = connection.prepare_cached("SELECT state, owner FROM refunds WHERE id = ?")?;
    let row = statement.query_row([row_id(refund.id)], |row| {
        Ok(RefundFacts {
            state: row.get::<_, CodeColumn<_>>(0)?.0,
            owner: row.get::<_, Option<_>>(1)?.map(Owner),
        })
    });
    let facts = row.optional()?.ok_or(LedgerError::NoSuchRefund(refund.id))?;
    Ok(facts.step(step, refund.owner)?)
}

fn known(connection: &Connection, id: RefundId) -> Result<Refund, ConnectionError> {
    Ok(refund_rows::by_id(connection, id)?.ok_or(LedgerError::NoSuchRefund(id))?)
}

/// Refuses a payout that would take the day over its cap.
fn check_cap(
    connection: &Connection,
    cap: Option<PayoutCap>,
    refund: &Refund,
) -> Result<(), ConnectionError> {
    let Some(cap) = cap else { return Ok(()) };
    let paid = refund_rows::paid_out_since(connection, cap.since)?;
    Ok(rules::refunds::check_cap(cap, paid, refund.amount)?)
}

pub(crate) fn renew(
    connection: &Connection,
    refund: RefundRef,
    lease_until: Timestamp,
) -> Result<(), ConnectionError> {
    step(connection, refund, RefundStep::Renew)?;
    connection
        .prepare_cached("UPDATE refunds SET lease_until = ? WHERE id = ?")?
        .execute(params![lease_until.as_millis(), refund.id.0])?;
    Ok(())
}

pub(crate) fn sending(
    connection: &Connection,
    refund: RefundRef,
    proof: &[u8],
    prepared: &PreparedTransaction,
    cap: Option<PayoutCap>,
) -> Result<(), ConnectionError> {
    let next = step(connection, refund, RefundStep::Send { replaces: prepared.replaces })?;
    if !prepared.replaces {
        check_cap(connection, cap, &known(connection, refund.id)?)?;
    }
    connection
        .prepare_cached("UPDATE refunds SET state = ?, proof = ?, raw = ?, hash = ? WHERE id = ?")?
        .execute(params![CodeColumn(next), proof, prepared.raw, prepared.transaction, refund.id.0])?;
    Ok(())
}

pub(crate) fn paid(
    connection: &Connection,
    refund: RefundRef,
    transaction: [u8; 32],
    at: Timestamp,
) -> Result<(), ConnectionError> {
    let next = step(connection, refund, RefundStep::Pay)?;
    Ok(set_paid(connection, refund.id, next, transaction, at)?)
}

fn set_paid(
    connection: &Connection,
    id: RefundId,
    paid: RefundState,
    transaction: [u8; 32],
    at: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE refunds SET state = ?, hash = ?, paid_at = ? WHERE id = ?")?
        .execute(params![CodeColumn(paid), transaction, at.as_millis(), id.0])?;
    Ok(())
}

pub(crate) fn failed(connection: &Connection, refund: RefundRef) -> Result<(), ConnectionError> {
    let next = step(connection, refund, RefundStep::Fail)?;
    connection
        .prepare_cached("UPDATE refunds SET state = ?, proof = NULL, raw = NULL, hash = NULL WHERE id = ?")?
        .execute(params![CodeColumn(next), refund.id.0])?;
    Ok(())
}

pub(crate) fn pay_locally(
    connection: &Connection,
    refund: RefundRef,
    payer: [u8; 20],
    transaction: [u8; 32],
    at: Timestamp,
    cap: Option<PayoutCap>,
) -> Result<(), ConnectionError> {
    let next = step(connection, refund, RefundStep::PayLocally)?;
    let known = known(connection, refund.id)?;
    check_cap(connection, cap, &known)?;
    let Refund { id, chain_id, payee, amount, .. } = known;
    let key = ProofKey::Transaction { chain_id, transaction, log_index: 0 };
    if claim_names::owner_of_name(connection, &key.name())?.is_some() {
        return Err(LedgerError::AlreadyCredited.into());
    }
    money::move_locally(connection, &key, &LocalTransfer { payer, payee, amount, at })?;
    Ok(set_paid(connection, id, next, transaction, at)?)
}

/// Owed to paid, by an operator: whoever has taken the refund meanwhile has sent nothing yet, and cannot any more.
/// Sending to paid where what was sent is over: this very transaction sees that nothing newer was sent meanwhile.
pub(crate) fn paid_by_hand(
    connection: &Connection,
    id: RefundId,
    transaction: [u8; 32],
    at: Timestamp,
    is_over: &dyn Fn(&[u8]) -> bool,
) -> Result<(), ConnectionError> {
    let Refund { state, proof, .. } = known(connection, id)?;
    rules::refunds::check_paid_by_hand(state, proof.as_deref(), is_over)?;
    Ok(set_paid(connection, id, RefundState::Paid, transaction, at)?)
}

/// Ends all leases: the process that opens the store is the only one that pays.
pub(crate) fn end_leases(connection: &Connection) -> Result<()> {
    connection.execute("UPDATE refunds SET lease_until = 0 WHERE state < 2", [])?;
    Ok(())
}
