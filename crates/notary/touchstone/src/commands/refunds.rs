//! `touchstone refunds`: what is owed after disputes, whether or not the service runs.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use anyhow::Context as _;
use ledger::{OperatorStore, Refund, RefundId, RefundState};
use payment::{Address, B256, SignedAuthorization, U256};
use serde_json::{Value, json};
use verdict::{Clock as _, SystemClock, Timestamp, Usd};

use super::store;
use crate::cli::{RefundsAction, RefundsArgs};
use crate::settings::Settings;

/// Lists refunds, notes one as paid, writes those that are owed as a table, or says what the bounty reserve has.
pub fn run(args: &RefundsArgs) -> anyhow::Result<ExitCode> {
    let mut store = store(&Settings::load(&args.settings)?)?;
    match &args.action {
        RefundsAction::List { owed, json } => list(&*store, *owed, *json)?,
        RefundsAction::Pay { id, transaction } => pay(&mut *store, RefundId(*id), transaction)?,
        RefundsAction::Export => export(&*store)?,
        RefundsAction::Reserve { json } => reserve(&*store, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(store: &dyn OperatorStore, owed: bool, json: bool) -> anyhow::Result<()> {
    let states = if owed { &[RefundState::Owed, RefundState::Sending][..] } else { &RefundState::ALL };
    let mut output = io::stdout().lock();
    let as_json = json || !output.is_terminal();
    for refund in store.refunds(states)? {
        if as_json {
            writeln!(output, "{}", line(&refund))?;
        } else {
            writeln!(output, "{}", sentence(&refund))?;
        }
    }
    Ok(())
}

/// Prints the reserve from upheld disputes that is left for bounties, a token a line.
fn reserve(store: &dyn OperatorStore, json: bool) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let as_json = json || !output.is_terminal();
    for (symbol, amount) in store.reserve()? {
        let amount = Usd::from_atomic(amount).to_string();
        if as_json {
            writeln!(output, "{}", json!({"token": symbol, "amount": amount}))?;
        } else {
            writeln!(output, "bounty reserve: {amount} {symbol}")?;
        }
    }
    Ok(())
}

/// The operator has paid it: the transaction is what he says it is.
fn pay(store: &mut dyn OperatorStore, id: RefundId, transaction: &str) -> anyhow::Result<()> {
    let transaction: B256 = transaction.parse().context("--transaction: 0x and 64 hexadecimal digits")?;
    let now = SystemClock::start().now();
    store.paid_by_hand(id, transaction.0, now, &|proof| is_over(proof, now))?;
    println!("refund {} is paid by {transaction}", id.0);
    Ok(())
}

/// Returns true if the authorization that was sent has expired, so that it can move no money any more.
fn is_over(proof: &[u8], now: Timestamp) -> bool {
    let signed = SignedAuthorization::from_json(proof);
    signed.is_some_and(|signed| signed.authorization.valid_before < U256::from(now.unix_seconds()))
}

/// CSV, one line a payment that is owed: for a wallet that sends many at once. Payments on their way are left out.
fn export(store: &dyn OperatorStore) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "id,payee,amount,token,chain_id,kind,dispute")?;
    for refund in store.refunds(&[RefundState::Owed])? {
        let Refund { id, payee, amount, symbol, chain_id, kind, dispute, .. } = &refund;
        let (payee, amount) = (Address::new(*payee), Usd::from_atomic(*amount));
        writeln!(output, "{},{payee},{amount},{symbol},{chain_id},{},{dispute}", id.0, kind.as_str())?;
    }
    Ok(())
}

fn line(refund: &Refund) -> Value {
    json!({
        "id": refund.id.0,
        "state": refund.state.as_str(),
        "kind": refund.kind.as_str(),
        "payee": Address::new(refund.payee).to_string(),
        "amount": Usd::from_atomic(refund.amount).to_string(),
        "token": refund.symbol,
        "chain_id": refund.chain_id,
        "dispute": refund.dispute.to_string(),
        "disputed": refund.disputed.to_string(),
        "transaction": refund.transaction.map(|hash| B256::new(hash).to_string()),
        "owed_at": refund.owed_at.to_string(),
        "paid_at": refund.paid_at.map(|at| at.to_string()),
    })
}

fn sentence(refund: &Refund) -> String {
    let Refund { id, state, kind, symbol, dispute, .. } = refund;
    let (payee, amount) = (Address::new(refund.payee), Usd::from_atomic(refund.amount));
    let (state, kind) = (state.as_str(), kind.as_str());
    format!("refund {}: {state}, {amount} {symbol} to {payee}, the {kind} of dispute {dispute}", id.0)
}
