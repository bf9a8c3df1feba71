//! Money: settlements, what they add up to, local accounts, and prices. All writes are within a transaction of their
//! caller's.

use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::claim_names::{bind, owner_of_name};
use super::claim_rows;
use super::claim_steps::{held, known, ready};
use super::dispute_rows;
use crate::claims::transaction_name;
use crate::sqlite::columns::Millis;
use crate::{
    Claim, ClaimRef, ClaimState, LedgerError, LocalPayment, LocalTransfer, ProofKey, Revenue, Settlement,
};

/// Settles a claim by a transfer that was seen.
pub(crate) fn settle(
    connection: &Connection,
    claim: ClaimRef,
    settlement: &Settlement,
) -> Result<(), LedgerError> {
    let states = [ClaimState::Claimed, ClaimState::Judged, ClaimState::Broadcast];
    let state = held(connection, claim, &states)?;
    let claim = known(connection, claim.id)?;
    let is_by_transaction = matches!(claim.key, ProofKey::Transaction { .. });
    if state != ClaimState::Broadcast && !(is_by_transaction && state == ready(&claim)) {
        return Err(LedgerError::WrongState(state));
    }
    // The money has moved: what is no dispute is given back at its end.
    let is_late = dispute_rows::refusal_of(connection, &claim)?.is_some();
    let transfer = settlement.log_index.map(|log_index| transfer(&claim, settlement.transaction, log_index));
    match (claim.key, transfer) {
        (ProofKey::Authorization { .. }, None) => credit_unseen(connection, &claim, settlement)?,
        (ProofKey::Authorization { .. }, Some(transfer)) => {
            check_uncredited(connection, &claim, &transfer)?;
            credit(connection, &claim, &transfer, settlement)?;
        }
        (key @ ProofKey::Transaction { .. }, Some(transfer)) if key == transfer => {
            check_uncredited(connection, &claim, &transfer)?;
            credit(connection, &claim, &transfer, settlement)?;
        }
        (ProofKey::Transaction { .. }, _) => {
            return Err(LedgerError::Unfit("the transfer is not the one that the claim is by".to_owned()));
        }
    }
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
) -> Result<(), LedgerError> {
    let state = held(connection, claim, &[ClaimState::Claimed, ClaimState::Judged])?;
    let claim = known(connection, claim.id)?;
    if state != ready(&claim) {
        return Err(LedgerError::WrongState(state));
    }
    if let ProofKey::Transaction { .. } = claim.key {
        return Err(LedgerError::Unfit("a transfer that has happened does not move local money".to_owned()));
    }
    let LocalPayment { payee, transaction, at } = payment;
    let settlement = Settlement { transaction, log_index: Some(0), kind: "local", at };
    let transfer = transfer(&claim, transaction, 0);
    check_uncredited(connection, &claim, &transfer)?;
    if let Some(refusal) = dispute_rows::refusal_of(connection, &claim)? {
        return Err(refusal);
    }
    move_locally(
        connection,
        &transfer,
        &LocalTransfer { payer: claim.payer, payee, amount: claim.amount, at },
    )?;
    credit(connection, &claim, &transfer, &settlement)
}

/// Moves local money, and keeps where it went under the transfer's name.
///
/// It refuses a name that another transfer has ([`LedgerError::AlreadyCredited`]), and a payer who has less.
pub(crate) fn move_locally(
    connection: &Connection,
    key: &ProofKey,
    transfer: &LocalTransfer,
) -> Result<(), LedgerError> {
    let LocalTransfer { payer, payee, amount, at } = transfer;
    let name = key.name();
    if claim_rows::local_transfer(connection, &name)?.is_some() {
        return Err(LedgerError::AlreadyCredited);
    }
    if local_balance(connection, payer)? < *amount {
        return Err(LedgerError::InsufficientFunds);
    }
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

fn transfer(claim: &Claim, transaction: [u8; 32], log_index: u64) -> ProofKey {
    ProofKey::Transaction { chain_id: claim.key.chain_id(), transaction, log_index }
}

/// A transfer under another claim's name has paid for that one, or is about to.
fn check_uncredited(connection: &Connection, claim: &Claim, transfer: &ProofKey) -> Result<(), LedgerError> {
    match owner_of_name(connection, &transfer.name())? {
        Some(other) if other != claim.id => Err(LedgerError::AlreadyCredited),
        _ => Ok(()),
    }
}

/// Makes a claim settled by a transfer that is no other claim's, and counts the money.
fn credit(
    connection: &Connection,
    claim: &Claim,
    transfer: &ProofKey,
    settlement: &Settlement,
) -> Result<(), LedgerError> {
    if claim.key != *transfer {
        bind(connection, &transfer.name(), claim.id)?;
    }
    set_settled(connection, claim, settlement)
}

/// Makes a claim settled by its authorization, which was used up in a transaction that nobody looked at. Others may have
/// been used up in the same one, so it takes no transfer's name; but it binds the transaction and the payer, so that
/// whoever shows the transaction later gets no second answer for what has paid for this one.
fn credit_unseen(connection: &Connection, claim: &Claim, settlement: &Settlement) -> Result<(), LedgerError> {
    let name = transaction_name(claim.key.chain_id(), &settlement.transaction, &claim.payer);
    match claim_rows::by_name(connection, &name)? {
        None => bind(connection, &name, claim.id)?,
        Some(other) if matches!(other.key, ProofKey::Authorization { .. }) => {}
        // The payer has shown a transfer in it for another request, and it may be this one.
        Some(_) => return Err(LedgerError::AlreadyCredited),
    }
    set_settled(connection, claim, settlement)
}

fn set_settled(connection: &Connection, claim: &Claim, settlement: &Settlement) -> Result<(), LedgerError> {
    connection
        .prepare_cached(
            "UPDATE claims SET state = ?, hash = ?, log_index = ?, settlement = ?, settled_at = ? WHERE id = ?",
        )?
        .execute(params![
            ClaimState::Settled,
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
    let (income, bonds) = if claim.bond { (0, claim.amount) } else { (claim.amount, 0) };
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
    connection
        .prepare_cached(
            "INSERT INTO settled (agent, day, amount) VALUES (?, ?, ?)
             ON CONFLICT (agent, day) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![claim.agent, day, claim.amount])?;
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
    let day = settled_at.map_or(owed_at, |at| at.0).unix_days();
    connection
        .prepare_cached(
            "INSERT INTO settled (agent, day, amount) VALUES (?, ?, -?)
             ON CONFLICT (agent, day) DO UPDATE SET amount = amount + excluded.amount",
        )?
        .execute(params![claim.agent, day, claim.amount])?;
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
    // What was given back of a payment before these days may be more than was settled since.
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
    let last: Option<(i64, u64)> = connection
        .prepare_cached(select)?
        .query_row([class], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let since = match last {
        Some((_, in_force)) if in_force == amount => return Ok(()),
        Some((since, _)) => now.as_millis().max(since + 1),
        None => now.as_millis(),
    };
    connection
        .prepare_cached("INSERT INTO prices (class, since, amount) VALUES (?, ?, ?)")?
        .execute(params![class, since, amount])?;
    Ok(())
}

pub(crate) fn prices_in_force(connection: &Connection, class: &str, since: Timestamp) -> Result<Vec<u64>> {
    let select = "SELECT since, amount FROM prices WHERE class = ? ORDER BY since DESC";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query([class])?;
    let mut prices = Vec::new();
    while let Some(row) = rows.next()? {
        let (from, amount): (i64, u64) = (row.get(0)?, row.get(1)?);
        if !prices.contains(&amount) {
            prices.push(amount);
        }
        // The one before ended when this one began.
        if from < since.as_millis() {
            break;
        }
    }
    Ok(prices)
}
