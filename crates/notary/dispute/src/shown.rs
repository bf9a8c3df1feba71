//! A receipt's disputes and its successor, as `/verify` shows them.

use ledger::{Ledger, LedgerError};
use payment::Address;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use serde::Serialize;

/// The later statements about a receipt.
#[derive(Clone, Default, Serialize)]
pub struct ReceiptStatus {
    /// The disputes of the receipt, the oldest first.
    pub disputes: Vec<DisputeStatus>,
    /// The hash of the newest receipt that supersedes it; `None` if there is none.
    pub superseded_by: Option<String>,
}

/// A dispute. An open dispute has no receipt yet.
#[derive(Clone, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum DisputeStatus {
    /// The dispute is not decided yet.
    Open,
    /// The dispute is decided.
    Ended {
        /// The hash of the dispute's receipt.
        receipt_hash: String,
        /// The verdict of the dispute.
        verdict: String,
        /// The time of its signing.
        signed_at: String,
    },
    /// The dispute was decided, and its receipt was erased.
    Erased {
        /// The hash of the dispute's receipt.
        receipt_hash: String,
        /// The time of the erasure.
        erased_at: String,
    },
}

/// Collects the later statements about a receipt, which is given as JSON.
///
/// Anybody may commit to a content that supersedes another's receipt, under any agent's name. So only the agent and
/// payer that paid for a receipt can supersede it.
///
/// # Errors
/// The ledger cannot be read.
pub async fn shown(
    ledger: &dyn Ledger,
    hash: &ReceiptHash,
    receipt: &[u8],
) -> Result<ReceiptStatus, LedgerError> {
    let mut shown = ReceiptStatus::default();
    // Of nearly all receipts there is nothing to say, which one look tells.
    if !ledger.is_spoken_of(hash).await? {
        return Ok(shown);
    }
    for dispute in ledger.disputes(hash).await? {
        match dispute.receipt {
            None => shown.disputes.push(DisputeStatus::Open),
            Some(dispute) => shown.disputes.extend(ended(ledger, &dispute).await?),
        }
    }
    if let Some((agent, payer)) = parse(receipt).ok().as_ref().and_then(paid_by) {
        let newer = ledger.superseded_by(hash, agent, &payer.into_array()).await?;
        shown.superseded_by = newer.map(|newer| newer.to_string());
    }
    Ok(shown)
}

async fn ended(ledger: &dyn Ledger, hash: &ReceiptHash) -> Result<Option<DisputeStatus>, LedgerError> {
    let stored = ledger.receipt(hash).await?;
    if stored.is_none()
        && let Some((erased, _)) = ledger.erased(hash).await?
    {
        let (receipt_hash, erased_at) = (hash.to_string(), erased.at.to_string());
        return Ok(Some(DisputeStatus::Erased { receipt_hash, erased_at }));
    }
    let payload = stored.and_then(|stored| parse(&stored.payload).ok());
    let text = |name| payload.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let (Some(verdict), Some(signed_at)) = (text("verdict"), text("signed_at")) else { return Ok(None) };
    Ok(Some(DisputeStatus::Ended { receipt_hash: hash.to_string(), verdict, signed_at }))
}

/// The agent and the payer of a receipt that was paid for.
fn paid_by(receipt: &Json) -> Option<(&str, Address)> {
    let payer = receipt.get("payment")?.get("payer")?.as_str()?.parse().ok()?;
    Some((receipt.get("agent")?.as_str()?, payer))
}
