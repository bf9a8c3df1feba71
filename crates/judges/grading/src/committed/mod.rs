//! Trades that were committed before they opened, and how a finding marks them.
//!
//! A commitment holds where the log has its receipt of `/commit`, under the caller's name of an agent, of the very content that
//! the row hands in, and signed when the trade opened or before. The mark says how many trades have one; no verdict depends
//! on it, and the correction for trials stays: a commitment proves when something was said, and not that nothing else was.
//! The facts of the ledger are evidence, so that a replay without a ledger finds the same bytes.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::{AgentName, EvidenceBlob, EvidenceMissing, NamedReceipts, Timestamp, WantedReceipts};

use crate::input::{Commitment, Instant, Rows};

/// The class of the receipts.
const CLASS: &str = "commit";
/// The role of the evidence.
const ROLE: &str = "commitments";

/// The commitments that the rows of a record name; at least one.
#[derive(Clone, PartialEq, Debug)]
pub struct Commitments {
    named: Vec<NamedCommitment>,
    receipts: Vec<ReceiptHash>,
    /// Number of settled trades.
    settled: u32,
}

/// A commitment, and the trade that names it.
#[derive(Clone, PartialEq, Debug)]
struct NamedCommitment {
    row: usize,
    is_settled: bool,
    opened_at: Instant,
    commitment: Commitment,
}

/// The receipts of a record's commitments, as the ledger has them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommitReceipts {
    /// Receipts of `/commit` that were counted for the agent.
    agent_commits: u64,
    /// The receipts in the order of the rows.
    receipts: Vec<FoundReceipt>,
}

/// A receipt that a row names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case", deny_unknown_fields)]
enum FoundReceipt {
    /// The log has none of this hash.
    Unknown,
    /// It is of another class.
    NotACommit,
    /// It is of another agent.
    OtherAgent,
    /// It is a commit of the agent.
    Commit {
        /// The time at which it was signed.
        signed_at: Timestamp,
        /// The hash that was committed: `sha256:` and lowercase hex.
        content_hash: String,
    },
}

/// The trades that were committed before they opened. No verdict depends on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Committed {
    /// Settled trades whose commitment holds.
    pub trades: u32,
    /// Of these, the trades whose commitment states a size, a stake or a greatest loss. The others could be sized when it was
    /// known how they went.
    pub sized: u32,
    /// Settled trades.
    pub of: u32,
    /// Trades that name a commitment, including those that are not settled.
    pub named: u32,
    /// When the first commitment that holds was signed; absent if none holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub first_at: Option<Timestamp>,
    /// If the commitments are one series; absent where the receipts were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
    /// Receipts of /commit under this name of an agent that the ledger has counted, for whatever purpose; absent where the
    /// receipts were not read. Those beyond `named` are not in this record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_commits: Option<u64>,
    /// The commitments that do not hold, by reason.
    pub not_held: Vec<NotHeld>,
}

/// The order of the commitments, by the `previous` of their contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chain {
    /// All hold, and from the first one on each is named as `previous` by exactly one other of them, up to the last. A commitment
    /// that is not in the record may name the same `previous` as one that is: `agent_commits` counts it.
    Unbroken,
    /// A commitment names another as the one before it, and they are not unbroken.
    Broken,
    /// No commitment names another.
    None,
}

/// Commitments that do not hold, for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NotHeld {
    /// The reason.
    pub reason: NotHeldReason,
    /// Number of such commitments.
    pub trades: u32,
    /// The path of the first one.
    pub first: String,
}

/// The reason why a commitment does not hold: the first of these that applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotHeldReason {
    /// The receipts were not read, as by a command without a ledger.
    Unchecked,
    /// The log of this notary has no such receipt, or it is longer than a receipt of /commit can be.
    Unknown,
    /// The receipt is not one of /commit.
    NotACommit,
    /// It is under another name of an agent.
    OtherAgent,
    /// Another content was committed.
    OtherContent,
    /// It was signed after the trade opened.
    Late,
    /// Neither the content nor the row states a side, so it would serve a trade of either.
    NoSide,
}

impl Commitments {
    /// Returns the commitments that the rows name; `None` where they name none.
    pub fn of(rows: &Rows) -> Option<Self> {
        let Rows::Trades(trades) = rows else { return None };
        let named = trades.iter().enumerate().filter_map(|(row, trade)| {
            let (commitment, opened_at) = (**trade.commitment.as_ref()?, trade.opened_at?);
            Some(NamedCommitment { row, is_settled: trade.is_settled(), opened_at, commitment })
        });
        let named: Vec<NamedCommitment> = named.collect();
        if named.is_empty() {
            return None;
        }
        let receipts = named.iter().map(|named| named.commitment.receipt).collect();
        let settled = count(trades.iter().filter(|trade| trade.is_settled()).count());
        Some(Self { named, receipts, settled })
    }

    /// Returns the receipts that the ledger is asked for.
    pub fn wanted(&self) -> WantedReceipts<'_> {
        WantedReceipts { class: CLASS, hashes: &self.receipts }
    }

    /// Returns the number of commitments that the rows name.
    pub fn count(&self) -> usize {
        self.named.len()
    }

    /// Marks the trades whose commitment holds. `found` is `None` where the receipts were not read.
    pub(crate) fn mark(&self, found: Option<&CommitReceipts>) -> Committed {
        let reasons: Vec<Result<Timestamp, NotHeldReason>> = match found {
            None => self.named.iter().map(|_| Err(NotHeldReason::Unchecked)).collect(),
            Some(found) => {
                self.named.iter().zip(&found.receipts).map(|(named, one)| named.held(one)).collect()
            }
        };
        let held = || {
            self.named.iter().zip(&reasons).filter_map(|(named, reason)| reason.ok().map(|at| (named, at)))
        };
        Committed {
            trades: count(held().filter(|(named, _)| named.is_settled).count()),
            sized: count(held().filter(|(named, _)| named.is_settled && named.commitment.has_size).count()),
            of: self.settled,
            named: count(self.named.len()),
            first_at: held().map(|(_, at)| at).min(),
            chain: found.map(|_| self.chain(held().count() == self.named.len())),
            agent_commits: found.map(|found| found.agent_commits),
            not_held: self.not_held(&reasons),
        }
    }

    fn not_held(&self, reasons: &[Result<Timestamp, NotHeldReason>]) -> Vec<NotHeld> {
        let mut by_reason: Vec<NotHeld> = Vec::new();
        for (named, reason) in self.named.iter().zip(reasons) {
            let Err(reason) = *reason else { continue };
            match by_reason.iter_mut().find(|one| one.reason == reason) {
                Some(one) => one.trades += 1,
                None => {
                    let first = format!("trades.{}.commitment", named.row);
                    by_reason.push(NotHeld { reason, trades: 1, first });
                }
            }
        }
        by_reason.sort_by_key(|one| one.reason);
        by_reason
    }

    /// If the commitments are one series, from the only one without `previous` to the last.
    fn chain(&self, all_hold: bool) -> Chain {
        let links = || {
            self.named.iter().filter_map(|named| Some((named.commitment.previous?, named.commitment.receipt)))
        };
        if links().next().is_none() {
            return Chain::None;
        }
        let next: HashMap<ReceiptHash, ReceiptHash> = links().collect();
        let followers: HashSet<ReceiptHash> = links().map(|(_, receipt)| receipt).collect();
        let mut first = self.receipts.iter().filter(|receipt| !followers.contains(receipt));
        let (Some(&start), None) = (first.next(), first.next()) else { return Chain::Broken };
        // Each step takes one link, and none leads back to the start.
        let mut length = 1;
        let mut at = start;
        while let Some(&receipt) = next.get(&at).filter(|_| length < self.named.len()) {
            (at, length) = (receipt, length + 1);
        }
        if all_hold && length == self.named.len() { Chain::Unbroken } else { Chain::Broken }
    }
}

impl NamedCommitment {
    /// Returns when the commitment was signed, or why it does not hold.
    fn held(&self, found: &FoundReceipt) -> Result<Timestamp, NotHeldReason> {
        match found {
            FoundReceipt::Unknown => Err(NotHeldReason::Unknown),
            FoundReceipt::NotACommit => Err(NotHeldReason::NotACommit),
            FoundReceipt::OtherAgent => Err(NotHeldReason::OtherAgent),
            FoundReceipt::Commit { content_hash, .. } if *content_hash != self.content_hash() => {
                Err(NotHeldReason::OtherContent)
            }
            FoundReceipt::Commit { signed_at, .. } if Instant::from(*signed_at) > self.opened_at => {
                Err(NotHeldReason::Late)
            }
            FoundReceipt::Commit { .. } if !self.commitment.has_side => Err(NotHeldReason::NoSide),
            FoundReceipt::Commit { signed_at, .. } => Ok(*signed_at),
        }
    }

    fn content_hash(&self) -> String {
        format!("sha256:{}", hex::encode(self.commitment.content_sha256))
    }
}

impl CommitReceipts {
    /// Reads the receipts that the ledger has.
    pub(crate) fn of(named: &NamedReceipts) -> Self {
        let found = |payload: &Option<Vec<u8>>| match payload {
            Some(payload) => FoundReceipt::read(payload, &named.agent),
            None => FoundReceipt::Unknown,
        };
        Self { agent_commits: named.of_agent, receipts: named.payloads.iter().map(found).collect() }
    }

    /// Returns the evidence: its JSON text.
    pub(crate) fn to_blob(&self) -> EvidenceBlob {
        let bytes = serde_json::to_vec(self).expect("texts and integers under string keys");
        EvidenceBlob::new(ROLE, bytes)
    }

    /// Reads the evidence again; `None` where a receipt was signed without it.
    ///
    /// # Errors
    /// The evidence was deleted, cannot be read, or is of another number of commitments.
    pub(crate) fn from_evidence(
        evidence: &[EvidenceBlob],
        commitments: &Commitments,
    ) -> Result<Option<Self>, EvidenceMissing> {
        let Some(blob) = evidence.iter().find(|blob| blob.role() == ROLE) else { return Ok(None) };
        let read: Option<Self> = blob.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        let read = read.filter(|read| read.receipts.len() == commitments.count());
        read.map(Some).ok_or_else(|| EvidenceMissing("the receipts of the commitments".to_owned()))
    }
}

impl FoundReceipt {
    /// Reads a payload. One that lacks a member of a commit's receipt is none.
    fn read(payload: &[u8], agent: &AgentName) -> Self {
        let Ok(payload) = parse(payload) else { return Self::Unknown };
        let text = |name| payload.get(name).and_then(Json::as_str);
        if text("class") != Some(CLASS) {
            return Self::NotACommit;
        }
        if text("agent") != Some(agent.as_str()) {
            return Self::OtherAgent;
        }
        match (text("signed_at").and_then(|at| at.parse().ok()), text("content_hash")) {
            (Some(signed_at), Some(hash)) => Self::Commit { signed_at, content_hash: hash.to_owned() },
            _ => Self::NotACommit,
        }
    }
}

impl Committed {
    /// Adds a sentence on the commitments to an explanation.
    pub(crate) fn explained(committed: Option<&Self>, explanation: String) -> String {
        match committed {
            Some(committed) => format!("{explanation} {}", committed.sentence()),
            None => explanation,
        }
    }

    fn sentence(&self) -> String {
        let Self { trades, sized, of, named, .. } = self;
        let chain = match self.chain {
            None => {
                return format!("Its commitments ({named}) were not checked, since there is no ledger here.");
            }
            Some(_) if *trades == 0 => return format!("Its commitments ({named}) mark no settled trade."),
            Some(Chain::Unbroken) => "in one unbroken chain",
            Some(Chain::Broken) => "in a broken chain",
            Some(Chain::None) => "without a chain",
        };
        format!(
            "{trades} of {of} settled trades were committed before they opened, {sized} with a size, {chain}; the correction for \
             trials stays."
        )
    }
}

fn count(trades: usize) -> u32 {
    u32::try_from(trades).unwrap_or(u32::MAX)
}
