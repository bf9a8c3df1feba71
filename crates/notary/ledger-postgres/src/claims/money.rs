//! Money: settlements, what they add up to, local accounts, and prices. All changes are made within a transaction of their
//! caller's that holds the work lock.

use ledger::rules::claims::ClaimStep;
use ledger::rules::prices::{self, PriceEntry};
use ledger::rules::settlements::{self, Credit, Takings};
use ledger::{
    Claim, ClaimRef, ClaimState, LedgerError, LocalPayment, LocalTransfer, ProofKey, Revenue, Settlement,
};
use receipt::time::Timestamp;
use tokio_postgres::Row;

use super::claim_names::bind;
use super::claim_rows::{self, LATE_BOND};
use super::claim_steps::step;
use super::dispute_rows;
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Param, Result};
use crate::together::together;

/// Settles a claim by a transfer that was seen.
pub(crate) async fn settle(
    connection: Connection<'_>,
    claim: ClaimRef,
    settlement: &Settlement,
) -> Result<()> {
    let (claim, next) = step(connection, claim, ClaimStep::Settle).await?;
    let credit = Credit::of(&claim, settlement)?;
    let name = match &credit {
        Credit::Transfer { key, .. } => key.name(),
        Credit::Unseen(name) => *name,
    };
    let (holder, refusal) =
        together!(claim_rows::by_name(connection, &name), dispute_rows::refusal_of(connection, &claim))?;
    let binds = match credit {
        Credit::Transfer { binds, .. } => {
            settlements::check_uncredited(claim.id, holder.map(|holder| holder.id))?;
            binds
        }
        Credit::Unseen(_) => settlements::takes_unseen_name(holder.as_ref())?,
    };
    let names: &[_] = if binds { &[name] } else { &[] };
    // The money has moved: what is no dispute is given back at its end.
    let bond = if refusal.is_some() { LATE_BOND } else { i64::from(claim.bond) };
    together!(bind(connection, names, claim.id), set_settled(connection, &claim, next, bond, settlement))?;
    Ok(())
}

/// Settles a claim by moving local money.
pub(crate) async fn settle_local(
    connection: Connection<'_>,
    claim: ClaimRef,
    payment: LocalPayment,
) -> Result<()> {
    let (claim, next) = step(connection, claim, ClaimStep::SettleLocally).await?;
    let (settlement, transfer) = settlements::local(&claim, &payment);
    let name = transfer.name();
    let (holder, refusal) =
        together!(claim_rows::by_name(connection, &name), dispute_rows::refusal_of(connection, &claim))?;
    settlements::check_uncredited(claim.id, holder.map(|holder| holder.id))?;
    if let Some(refusal) = refusal {
        return Err(LedgerError::from(refusal).into());
    }
    let LocalPayment { payee, at, .. } = payment;
    let moved = LocalTransfer { payer: claim.payer, payee, amount: claim.amount, at };
    move_locally(connection, &transfer, &moved).await?;
    let names = [name];
    together!(
        bind(connection, &names, claim.id),
        set_settled(connection, &claim, next, i64::from(claim.bond), &settlement)
    )?;
    Ok(())
}

/// Moves local money, and keeps where it went under the transfer's name.
///
/// # Errors
/// [`LedgerError::AlreadyCredited`]: another transfer has the name; [`LedgerError::InsufficientFunds`].
pub(crate) async fn move_locally(
    connection: Connection<'_>,
    key: &ProofKey,
    transfer: &LocalTransfer,
) -> Result<()> {
    let LocalTransfer { payer, payee, amount, at } = transfer;
    let name = key.name();
    let (taken, balance) =
        together!(claim_rows::local_transfer(connection, &name), local_balance(connection, payer))?;
    settlements::check_local_transfer(taken.is_some(), balance, *amount)?;
    let debit = "UPDATE local_accounts SET balance = balance - $1 WHERE account = $2";
    let keep = "INSERT INTO local_transfers (name, payer, payee, amount, at) VALUES ($1, $2, $3, $4, $5)";
    let (sum, from, to) = (row_id(*amount), payer.as_slice(), payee.as_slice());
    let (debited, kept): ([Param<'_>; 2], [Param<'_>; 5]) =
        ([&sum, &from], [&name.as_slice(), &from, &to, &sum, &at.as_millis()]);
    together!(
        connection.run(debit, &debited),
        local_credit(connection, payee, *amount),
        connection.run(keep, &kept)
    )?;
    Ok(())
}

/// Writes that a claim is settled, with its column `bond`, and counts its money.
async fn set_settled(
    connection: Connection<'_>,
    claim: &Claim,
    next: Option<ClaimState>,
    bond: i64,
    settlement: &Settlement,
) -> Result<()> {
    let update =
        "UPDATE claims SET state = $1, hash = $2, log_index = $3, settlement = $4, settled_at = $5, bond = $6
        WHERE id = $7";
    let params: [Param<'_>; 7] = [
        &next.map(ClaimState::code),
        &settlement.transaction.as_slice(),
        &settlement.log_index.and_then(row_id),
        &settlement.kind,
        &settlement.at.as_millis(),
        &bond,
        &row_id(claim.id.0),
    ];
    together!(connection.run(update, &params), count(connection, claim, settlement.at.unix_days()))?;
    Ok(())
}

/// Counts the money of a claim that settles on a day.
async fn count(connection: Connection<'_>, claim: &Claim, day: u32) -> Result<()> {
    let Takings { income, bonds } = Takings::of(claim);
    let (income, bonds) = (row_id(income), row_id(bonds));
    let of_class = "INSERT INTO revenue (symbol, class, income, bonds) VALUES ($1, $2, $3, $4)
        ON CONFLICT (symbol, class) DO UPDATE
        SET income = revenue.income + excluded.income, bonds = revenue.bonds + excluded.bonds";
    let params: [Param<'_>; 4] = [&claim.symbol, &claim.class, &income, &bonds];
    let of_class = connection.run(of_class, &params);
    if claim.bond {
        of_class.await?;
        return Ok(());
    }
    let of_agent = "INSERT INTO settled (agent, day, amount) VALUES ($1, $2, $3)
        ON CONFLICT (agent, day) DO UPDATE SET amount = settled.amount + excluded.amount";
    let params: [Param<'_>; 3] = [&claim.agent, &i64::from(day), &income];
    together!(
        of_class,
        connection.run(of_agent, &params),
        count_income(connection, &claim.class, day, claim.amount, 0)
    )?;
    Ok(())
}

/// Takes a fee that is owed back out of what was earned: out of the revenue of its class, and out of what its agent has
/// settled on the day when it was settled, or since `owed_at` where the day is not known.
pub(crate) async fn give_back(connection: Connection<'_>, claim: &Claim, owed_at: Timestamp) -> Result<()> {
    let select = "SELECT settled_at FROM claims WHERE id = $1";
    let settled_at = connection.one(select, &[&row_id(claim.id.0)]).await?.maybe_millis(0)?;
    let day = settlements::day_given_back(settled_at, owed_at);
    let of_class = "UPDATE revenue SET income = income - $1 WHERE symbol = $2 AND class = $3";
    let of_agent = "INSERT INTO settled (agent, day, amount) VALUES ($1, $2, -($3::BIGINT))
        ON CONFLICT (agent, day) DO UPDATE SET amount = settled.amount + excluded.amount";
    let (amount, on) = (row_id(claim.amount), i64::from(day));
    let (class, agent): ([Param<'_>; 3], [Param<'_>; 3]) =
        ([&amount, &claim.symbol, &claim.class], [&claim.agent, &on, &amount]);
    together!(
        connection.run(of_class, &class),
        connection.run(of_agent, &agent),
        count_income(connection, &claim.class, day, 0, claim.amount)
    )?;
    Ok(())
}

/// Counts what a class has earned on a day, and what it has given back.
async fn count_income(
    connection: Connection<'_>,
    class: &str,
    day: u32,
    earned: u64,
    given_back: u64,
) -> Result<()> {
    let insert = "INSERT INTO incomes (day, class, income) VALUES ($1, $2, $3::BIGINT - $4::BIGINT)
        ON CONFLICT (day, class) DO UPDATE SET income = incomes.income + excluded.income";
    connection.run(insert, &[&i64::from(day), &class, &row_id(earned), &row_id(given_back)]).await?;
    Ok(())
}

/// What was earned and what was held, by token and class.
pub(crate) async fn revenue(connection: Connection<'_>) -> Result<Vec<Revenue>> {
    let select = "SELECT symbol, class, income, bonds FROM revenue ORDER BY symbol, class";
    let rows = connection.rows(select, &[]).await?;
    let revenue = rows.iter().map(|row| {
        let (symbol, class) = (row.try_get(0)?, row.try_get(1)?);
        Ok(Revenue { symbol, class, income: row.unsigned(2)?, bonds: row.unsigned(3)? })
    });
    revenue.collect()
}

/// The amounts that agents have settled, each since a day.
pub(crate) async fn settled_by(connection: Connection<'_>, agents: &[(String, u32)]) -> Result<Vec<u64>> {
    // The refunds of a payment before these days may be more than the amount settled since.
    let select = "SELECT greatest(coalesce(sum(settled.amount), 0), 0)::BIGINT
        FROM unnest($1::TEXT[], $2::BIGINT[]) WITH ORDINALITY AS asked (agent, since, number)
        LEFT JOIN settled ON settled.agent = asked.agent AND settled.day >= asked.since
        GROUP BY asked.number ORDER BY asked.number";
    let (names, days): (Vec<&str>, Vec<i64>) =
        agents.iter().map(|(agent, since)| (agent.as_str(), i64::from(*since))).unzip();
    let rows = connection.rows(select, &[&names, &days]).await?;
    Ok(rows.iter().map(|row| row.unsigned(0)).collect::<std::result::Result<_, _>>()?)
}

/// The balance of a local account; 0 where there is none.
pub(crate) async fn local_balance(connection: Connection<'_>, account: &[u8; 20]) -> Result<u64> {
    let select = "SELECT balance FROM local_accounts WHERE account = $1";
    let row = connection.maybe(select, &[&account.as_slice()]).await?;
    Ok(row.map_or(Ok(0), |row| row.unsigned(0))?)
}

/// Adds an amount to a local account, which is opened where there is none.
pub(crate) async fn local_credit(connection: Connection<'_>, account: &[u8; 20], amount: u64) -> Result<()> {
    let insert = "INSERT INTO local_accounts (account, balance) VALUES ($1, $2)
        ON CONFLICT (account) DO UPDATE SET balance = local_accounts.balance + excluded.balance";
    connection.run(insert, &[&account.as_slice(), &row_id(amount)]).await?;
    Ok(())
}

/// Opens a local account with an amount, where there is none.
pub(crate) async fn local_open(connection: Connection<'_>, account: &[u8; 20], amount: u64) -> Result<()> {
    let insert =
        "INSERT INTO local_accounts (account, balance) VALUES ($1, $2) ON CONFLICT (account) DO NOTHING";
    connection.run(insert, &[&account.as_slice(), &row_id(amount)]).await?;
    Ok(())
}

/// Records a price where it differs from the last one. The history never goes back, whatever the clock does.
pub(crate) async fn note_price(
    connection: Connection<'_>,
    now: Timestamp,
    class: &str,
    amount: u64,
) -> Result<()> {
    let select = "SELECT since, amount FROM prices WHERE class = $1 ORDER BY since DESC LIMIT 1";
    let last = connection.maybe(select, &[&class]).await?.as_ref().map(price).transpose()?;
    let Some(entry) = prices::change(last, now.as_millis(), amount) else { return Ok(()) };
    let insert = "INSERT INTO prices (class, since, amount) VALUES ($1, $2, $3)";
    connection.run(insert, &[&class, &entry.since, &row_id(entry.amount)]).await?;
    Ok(())
}

/// The prices of a class that were in force at a time or later, the newest first.
pub(crate) async fn prices_in_force(
    connection: Connection<'_>,
    class: &str,
    since: Timestamp,
) -> Result<Vec<u64>> {
    // The newest price from before that time is still in force at it.
    let select = "SELECT since, amount FROM prices WHERE class = $1 AND since >= coalesce(
            (SELECT max(since) FROM prices WHERE class = $1 AND since < $2), $2)
        ORDER BY since DESC";
    let rows = connection.rows(select, &[&class, &since.as_millis()]).await?;
    prices::in_force(rows.iter().map(price), since.as_millis())
}

fn price(row: &Row) -> Result<PriceEntry> {
    Ok(PriceEntry { since: row.try_get(0)?, amount: row.unsigned(1)? })
}
