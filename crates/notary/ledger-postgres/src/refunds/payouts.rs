//! The steps of a refund, each within a transaction of its caller's that holds the work lock.
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

use super::refund_rows;
use crate::claims::claim_names;
use crate::claims::money;
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Result};

/// A refund in the hands of its owner.
#[derive(Clone, Copy)]
pub(crate) struct RefundRef {
    pub(crate) id: RefundId,
    pub(crate) owner: Owner,
}

/// Hands refunds that are not paid, and that nobody works on, to a new owner.
pub(crate) async fn take(connection: Connection<'_>, wish: LeaseRequest) -> Result<Vec<Refund>> {
    let LeaseRequest { now, owner, lease_until, most } = wish;
    let mut taken = refund_rows::abandoned(connection, connection.store_time(now), most).await?;
    if taken.is_empty() {
        return Ok(taken);
    }
    let ids: Vec<Option<i64>> = taken.iter().map(|refund| row_id(refund.id.0)).collect();
    let until = connection.store_time(lease_until);
    let update = "UPDATE refunds SET owner = $1, lease_until = $2 WHERE id = ANY($3)";
    connection.run(update, &[&owner.0.as_slice(), &until, &ids]).await?;
    for refund in &mut taken {
        refund.owner = owner;
    }
    Ok(taken)
}

/// Decides a step that a refund's owner asks for: the state that it leads to.
async fn step(connection: Connection<'_>, refund: RefundRef, step: RefundStep) -> Result<RefundState> {
    let select = "SELECT state, owner FROM refunds WHERE id = $1";
    let row = connection.maybe(select, &[&row_id(refund.id.0)]).await?;
    let row = row.ok_or(LedgerError::NoSuchRefund(refund.id))?;
    let facts = RefundFacts { state: row.code(0)?, owner: row.maybe_bytes(1)?.map(Owner) };
    Ok(facts.step(step, refund.owner)?)
}

async fn known(connection: Connection<'_>, id: RefundId) -> Result<Refund> {
    Ok(refund_rows::by_id(connection, id).await?.ok_or(LedgerError::NoSuchRefund(id))?)
}

/// Refuses a payout that would take the day over its cap. The work lock is held, so no other is decided on meanwhile.
async fn check_cap(connection: Connection<'_>, cap: Option<PayoutCap>, refund: &Refund) -> Result<()> {
    let Some(cap) = cap else { return Ok(()) };
    let paid = refund_rows::paid_out_since(connection, cap.since).await?;
    Ok(rules::refunds::check_cap(cap, paid, refund.amount)?)
}

/// Extends the lease of a refund.
pub(crate) async fn renew(
    connection: Connection<'_>,
    refund: RefundRef,
    lease_until: Timestamp,
) -> Result<()> {
    step(connection, refund, RefundStep::Renew).await?;
    let update = "UPDATE refunds SET lease_until = $1 WHERE id = $2";
    connection.run(update, &[&connection.store_time(lease_until), &row_id(refund.id.0)]).await?;
    Ok(())
}

/// Stores the prepared transfer.
pub(crate) async fn sending(
    connection: Connection<'_>,
    refund: RefundRef,
    proof: &[u8],
    prepared: &PreparedTransaction,
    cap: Option<PayoutCap>,
) -> Result<()> {
    let next = step(connection, refund, RefundStep::Send { replaces: prepared.replaces }).await?;
    if !prepared.replaces && cap.is_some() {
        check_cap(connection, cap, &known(connection, refund.id).await?).await?;
    }
    let transaction = prepared.transaction.as_ref().map(<[u8; 32]>::as_slice);
    let update = "UPDATE refunds SET state = $1, proof = $2, raw = $3, hash = $4 WHERE id = $5";
    let id = row_id(refund.id.0);
    connection.run(update, &[&next.code(), &proof, &prepared.raw, &transaction, &id]).await?;
    Ok(())
}

/// Records that what was sent has moved the money.
pub(crate) async fn paid(
    connection: Connection<'_>,
    refund: RefundRef,
    transaction: [u8; 32],
    at: Timestamp,
) -> Result<()> {
    let next = step(connection, refund, RefundStep::Pay).await?;
    set_paid(connection, refund.id, next, transaction, at).await
}

async fn set_paid(
    connection: Connection<'_>,
    id: RefundId,
    paid: RefundState,
    transaction: [u8; 32],
    at: Timestamp,
) -> Result<()> {
    let update = "UPDATE refunds SET state = $1, hash = $2, paid_at = $3 WHERE id = $4";
    let transaction = transaction.as_slice();
    connection.run(update, &[&paid.code(), &transaction, &at.as_millis(), &row_id(id.0)]).await?;
    Ok(())
}

/// Records that what was sent can never move the money.
pub(crate) async fn failed(connection: Connection<'_>, refund: RefundRef) -> Result<()> {
    let next = step(connection, refund, RefundStep::Fail).await?;
    let update = "UPDATE refunds SET state = $1, proof = NULL, raw = NULL, hash = NULL WHERE id = $2";
    connection.run(update, &[&next.code(), &row_id(refund.id.0)]).await?;
    Ok(())
}

/// Pays a refund by local money.
pub(crate) async fn pay_locally(
    connection: Connection<'_>,
    refund: RefundRef,
    payer: [u8; 20],
    transaction: [u8; 32],
    at: Timestamp,
    cap: Option<PayoutCap>,
) -> Result<()> {
    let next = step(connection, refund, RefundStep::PayLocally).await?;
    let known = known(connection, refund.id).await?;
    check_cap(connection, cap, &known).await?;
    let Refund { id, chain_id, payee, amount, .. } = known;
    let key = ProofKey::Transaction { chain_id, transaction, log_index: 0 };
    if claim_names::is_bound(connection, &key.name()).await? {
        return Err(LedgerError::AlreadyCredited.into());
    }
    money::move_locally(connection, &key, &LocalTransfer { payer, payee, amount, at }).await?;
    set_paid(connection, id, next, transaction, at).await
}

/// Changes a refund from owed to paid for an operator: whoever has taken the refund meanwhile has sent nothing yet, and
/// cannot any more. Also from sending to paid, where what was sent is over: this very transaction sees that nothing newer
/// was sent meanwhile.
pub(crate) async fn paid_by_hand(
    connection: Connection<'_>,
    id: RefundId,
    transaction: [u8; 32],
    at: Timestamp,
    is_over: &dyn Fn(&[u8]) -> bool,
) -> Result<()> {
    let Refund { state, proof, .. } = known(connection, id).await?;
    rules::refunds::check_paid_by_hand(state, proof.as_deref(), is_over)?;
    set_paid(connection, id, RefundState::Paid, transaction, at).await
}
