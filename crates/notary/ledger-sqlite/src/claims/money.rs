//! Money: settlements, what they add up to, local accounts, and prices. All writes are within a transaction of their
//! caller's.

use ledger::rules::claims::ClaimStep;
use ledger::rules::prices::{self, PriceEntry};
use ledger::rules::settlements::{self, Credit, Takings};
use ledger::{
    Claim, ClaimRef, ClaimState, LedgerError, LocalPayment, LocalTransfer, ProofKey, Revenue, Settlement,
};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::claim_names::{bind, owner_of_name};
use super::claim_rows;
use super::claim_steps::{known, step};
use super::dispute_rows;
use crate::columns::{CodeColumn, Millis};
use crate::failure::ConnectionError;

/// Settles a claim by a transfer that was seen.
pub(crate) fn settle(
    connection: &Connection,
    claim: ClaimRef,
    settlement: &Settlement,
) -> Result<(), ConnectionError> {
    let next = step(connection, claim, ClaimStep::Settle)?;
    let claim = known(connection, claim.id)?;
    // The money has moved: what is no dispute is given back at its end.
    let is_late = dispute_rows::refusal_of(connection, &claim)?.is_some();
    match Credit::of(&claim, settlement)? {
        Credit::Transfer { key, binds } => {
            let name = key.name();
            settlements::check_uncredited(claim.id, owner_of_name(connection, &name)?)?;
            if binds {
                bind(connection, &name, claim.id)?;
            }
        }
        Credit::Unseen(name) => {
            let holder = claim_rows::by_name(connection, &name)?;
            if settlements::takes_unseen_name(holder.as_ref())? {
                bind(connection, &name, claim.id)?;
            }
        }
    }
    set_settled(connection, &claim, next, settlement)?;
    if is_late {
        dispute_rows::mark_late(connection, claim.id)?;
    }
    Ok(())
}

/// Settles a claim by moving local money.
pub(crate) fn settle_local(
    connection: &Connection,
    claim: ClaimRef,
    payment: LocalPayment,
) -> Result<(), ConnectionError> {
    let next = step(connection, claim, ClaimStep::SettleLocally)?;
    let claim = known(connection, claim.id)?;
    let (settlement, transfer) = settlements::local(&claim, &payment);
    let name = transfer.name();
    settlements::check_uncredited(claim.id, owner_of_name(connection, &name)?)?;
    if let Some(refusal) = dispute_rows::refusal_of(connection, &claim)? {
        return Err(LedgerError::from(refusal).into());
    }
    let LocalPayment { payee, at, .. } = payment;
    let moved = LocalTransfer { payer: claim.payer, payee, amount: claim.amount, at };
    move_locally(connection, &transfer, &moved)?;
    bind(connection, &name, claim.id)?;
    set_settled(connection, &claim, next, &settlement)
}

/// Moves local money, and keeps where it went under the transfer's name.
///
/// # Errors
/// [`LedgerError::AlreadyCredited`]: another transfer has the name; [`LedgerError::InsufficientFunds`].
pub(crate) fn move_locally(
    connection: &Connection,
    key: &ProofKey,
    transfer: &LocalTransfer,
) -> Result<(), ConnectionError> {
    let LocalTransfer { payer, payee, amount, at } = transfer;
    let name = key.name();
    let is_taken = claim_rows::local_transfer(connection, &name)?.is_some();
    settlements::check_local_transfer(is_taken, local_balance(connection, payer)?, *amount)?;
    connection
        .prepare_cached("UPDATE local_accounts SET balance = balance - ? WHERE account = ?")?
        .execute(params![amount, payer])?;
    local_credit(connection, payee, *amount)?;
    connection
        .prepare_cached(
            "INSERT INTO local_transfers (name, payer, payee, amount, at) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![name, payer, payee, amount, at.as_millis()])?;
    Ok(())
}

fn set_settled(
    connection: &Connection,
    claim: &Claim,
    next: Option<ClaimState>,
    settlement: &Settlement,
) -> Result<(), ConnectionError> {
    connection
        .prepare_cached(
            "UPDATE claims SET state = ?, hash = ?, log_index = ?, settlement = ?, settled_at = ? WHERE id = ?",
        )?
        .execute(params![
            next.map(CodeColumn),
            settlement.transaction,
            settlement.log_index,
            settlement.kind,
            settlement.at.as_millis(),
            claim.id.0
        ])?;
    count(connection, claim, settlement.at.unix_days())?;
    Ok(())
}

fn count(connection: &Connection, claim: &Claim, day: u32) -> Result<()> {
    let Takings { income, bonds } = Takings::of(claim);
    connection
        .prepare_cached(
            "INSERT INTO revenue (symbol, class, income, bonds) VALUES (?, ?, ?, ?)
             ON CONFLICT (symbol, class)
             DO UPDATE SET income = income + excluded.income, bonds = bonds + excluded.bonds",
        )?
        .execute(params![claim.symbol, claim.class, income, bonds])?;
    if claim.bond {
        return Ok(());
    }
    count_income(connection, &claim.class, day, income, 0)?;
    connection
        .prepare_cached(
            "INSERT INTO settled (agent, day, amount) VALUES (?, ?, ?)
             ON CONFLICT (agent, day) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![claim.agent, day, income])?;
    Ok(())
}

/// Takes a fee that is owed back out of what was earned: out of the revenue of its class, and out of what its agent has
/// settled on the day when it was settled, or since `owed_at` where the day is not known.
pub(crate) fn give_back(connection: &Connection, claim: &Claim, owed_at: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE revenue SET income = income - ? WHERE symbol = ? AND class = ?")?
        .execute(params![claim.amount, claim.symbol, claim.class])?;
    let select = "SELECT settled_at FROM claims WHERE id = ?";
    let settled_at: Option<Millis> =
        connection.prepare_cached(select)?.query_row([claim.id.0], |row| row.get(0))?;
    let day = settlements::day_given_back(settled_at.map(|at| at.0), owed_at);
    connection
        .prepare_cached(
            "INSERT INTO settled (agent, day, amount) VALUES (?, ?, -?)
             ON CONFLICT (agent, day) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![claim.agent, day, claim.amount])?;
    count_income(connection, &claim.class, day, 0, claim.amount)
}

/// Counts what a class has earned on a day, and what it has given back.
fn count_income(connection: &Connection, class: &str, day: u32, earned: u64, given_back: u64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO days (day, class, income) VALUES (?, ?, ? - ?)
             ON CONFLICT (day, class) DO UPDATE SET income = income + excluded.income",
        )?
        .execute(params![day, class, earned, given_back])?;
    Ok(())
}

pub(crate) fn revenue(connection: &Connection) -> Result<Vec<Revenue>> {
    let mut statement = connection.prepare_cached("SELECT symbol, class, income, bonds FROM revenue")?;
    let rows = statement.query_map([], |row| {
        Ok(Revenue { symbol: row.get(0)?, class: row.get(1)?, income: row.get(2)?, bonds: row.get(3)? })
    })?;
    rows.collect()
}

pub(crate) fn settled_by(connection: &Connection, agent: &str, since_day: u32) -> Result<u64> {
    // The refunds of a payment before these days may be more than the amount settled since.
    let select = "SELECT max(coalesce(sum(amount), 0), 0) FROM settled WHERE agent = ? AND day >= ?";
    connection.prepare_cached(select)?.query_row(params![agent, since_day], |row| row.get(0))
}

pub(crate) fn local_balance(connection: &Connection, account: &[u8; 20]) -> Result<u64> {
    let select = "SELECT balance FROM local_accounts WHERE account = ?";
    let balance = connection.prepare_cached(select)?.query_row([account], |row| row.get(0));
    Ok(balance.optional()?.unwrap_or(0))
}

pub(crate) fn local_credit(connection: &Connection, account: &[u8; 20], amount: u64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO local_accounts (account, balance) VALUES (?, ?)
             ON CONFLICT (account) DO UPDATE SET balance = balance + excluded.balance",
        )?
        .execute(params![account, amount])?;
    Ok(())
}

pub(crate) fn local_open(connection: &Connection, account: &[u8; 20], amount: u64) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO local_accounts (account, balance) VALUES (?, ?) ON CONFLICT DO NOTHING")?
        .execute(params![account, amount])?;
    Ok(())
}

/// Records a price where it differs from the last one. The history never goes back, whatever the clock does.
pub(crate) fn note_price(connection: &Connection, now: Timestamp, class: &str, amount: u64) -> Result<()> {
    let select = "SELECT since, amount FROM prices WHERE class = ? ORDER BY since DESC LIMIT 1";
    let last = connection.prepare_cached(select)?.query_row([class], price).optional()?;
    let Some(entry) = prices::change(last, now.as_millis(), amount) else { return Ok(()) };
    connection
        .prepare_cached("INSERT INTO prices (class, since, amount) VALUES (?, ?, ?)")?
        .execute(params![class, entry.since, entry.amount])?;
    Ok(())
}

pub(crate) fn prices_in_force(connection: &Connection, class: &str, since: Timestamp) -> Result<Vec<u64>> {
    let select = "SELECT since, amount FROM prices WHERE class = ? ORDER BY since DESC";
    let mut statement = connection.prepare_cached(select)?;
    prices::in_force(statement.query_map([class], price)?, since.as_millis())
}

fn price(row: &Row<'_>) -> Result<PriceEntry> {
    Ok(PriceEntry { since: row.get(0)?, amount: row.get(1)? })
}
