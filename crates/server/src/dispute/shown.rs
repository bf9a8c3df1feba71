//! What `/verify` says of a receipt: its disputes, and what has taken its place.

use ledger::{About, Ledger};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use serde::Serialize;

use crate::refusal::Refusal;

/// What has been said about a receipt since.
#[derive(Clone, Default, Serialize)]
pub(crate) struct Shown {
    /// Its disputes, the oldest first.
    pub(crate) disputes: Vec<Dispute>,
    /// The newest receipt that takes its place.
    pub(crate) superseded_by: Option<String>,
}

/// A dispute: one that is open has no receipt yet.
#[derive(Clone, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub(crate) enum Dispute {
    Open,
    Ended { receipt_hash: String, verdict: String, signed_at: String },
}

/// What has been said about a receipt, given as JSON.
///
/// Anybody may commit to a content that supersedes another's receipt, under any agent's name. So only who has paid for
/// a receipt can have it superseded: the same agent and payer.
pub(crate) async fn shown(ledger: &dyn Ledger, hash: &ReceiptHash, receipt: &[u8]) -> Result<Shown, Refusal> {
    let about = ledger.about(hash).await?;
    let mut shown = Shown::default();
    if about.is_empty() {
        return Ok(shown);
    }
    let own = parse(receipt).ok();
    for about in about {
        match about.receipt {
            None if about.bond => shown.disputes.push(Dispute::Open),
            Some(dispute) if about.bond => shown.disputes.extend(ended(ledger, &dispute).await?),
            Some(newer) if own.as_ref().is_some_and(|own| is_same_payer(own, &about)) => {
                shown.superseded_by = Some(newer.to_string());
            }
            _ => {}
        }
    }
    Ok(shown)
}

async fn ended(ledger: &dyn Ledger, hash: &ReceiptHash) -> Result<Option<Dispute>, Refusal> {
    let stored = ledger.receipt(hash).await?;
    let payload = stored.and_then(|stored| parse(&stored.payload).ok());
    let text = |name| payload.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let (Some(verdict), Some(signed_at)) = (text("verdict"), text("signed_at")) else { return Ok(None) };
    Ok(Some(Dispute::Ended { receipt_hash: hash.to_string(), verdict, signed_at }))
}

fn is_same_payer(own: &Json, about: &About) -> bool {
    let agent = own.get("agent").and_then(Json::as_str);
    let payer = own.get("payment").and_then(|payment| payment.get("payer")).and_then(Json::as_str);
    agent == Some(about.agent.as_str())
        && payer.is_some_and(|payer| payer == payment::Address::new(about.payer).to_string())
}
