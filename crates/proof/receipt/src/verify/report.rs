//! The report of a verification.

use crate::envelope::LogHead;
use crate::hash::ReceiptHash;
use serde::Serialize;
use tlog::Hash;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// True if the check holds.
    pub ok: bool,
    /// The reason, in one sentence for people.
    pub detail: String,
    /// True if the check could not be made, because the verifier lacks a key or the receipt its proof. It does not hold then
    /// either, and nothing speaks against the receipt.
    #[serde(skip)]
    pub is_unmade: bool,
}

/// The result of a verification of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationOutcome {
    /// All checks hold.
    Holds,
    /// A check could not be made, and none that was made fails.
    CannotSay,
    /// A check fails.
    Fails,
}

impl CheckResult {
    pub(super) fn passed(detail: impl Into<String>) -> Self {
        Self { ok: true, detail: detail.into(), is_unmade: false }
    }

    pub(super) fn failed(detail: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into(), is_unmade: false }
    }

    pub(super) fn unmade(detail: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into(), is_unmade: true }
    }
}

/// The results of the checks of a receipt: five, and a sixth for the receipt of a dispute. As JSON it is the member
/// `checks` of the answer of `/verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The hash of the receipt's payload, computed by the verifier. The check `hash` compares it with the one that the
    /// receipt has.
    #[serde(skip)]
    pub receipt_hash: ReceiptHash,
    /// The log head that the receipt names; `None` where the `timestamp` check fails.
    #[serde(skip)]
    pub log_head: Option<LogHead>,
    /// The head of the tree that provably contains the receipt's leaf; `None` where the `inclusion` check fails.
    #[serde(skip)]
    pub checkpoint: Option<LogHead>,
    /// The check that `receipt_hash` is the SHA-256 of the canonical payload.
    pub hash: CheckResult,
    /// The check that the signature is a valid signature by the key that `kid` names.
    pub signature: CheckResult,
    /// The check that `kid` is a known key of the notary and fits `iss`.
    pub key: CheckResult,
    /// The check that the log entry of the receipt is in a tree whose checkpoint the log's key signed.
    pub inclusion: CheckResult,
    /// The check that `signed_at` is not in the future and that `log_head` is not larger than the leaf's index.
    pub timestamp: CheckResult,
    /// The check that a dispute's verdict follows from the finding that a key of reruns signed; `None` for other
    /// receipts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun: Option<CheckResult>,
}

impl Report {
    /// Compares [`log_head`](Self::log_head) with the log itself, which the receipt does not contain. `root` is the
    /// log's root at that size, or `None` where the log has never been so large. A difference fails the `timestamp`
    /// check.
    pub fn compare_head(&mut self, root: Option<Hash>) {
        let Some(head) = self.log_head else { return };
        let size = head.size;
        self.timestamp = match root {
            Some(root) if root == head.root => {
                CheckResult::passed(format!("signed after the tree of {size}, whose root is the log's"))
            }
            Some(root) => CheckResult::failed(format!(
                "this log never had log_head: its root at size {size} is {}",
                root.to_hex()
            )),
            None => {
                CheckResult::failed(format!("this log never had log_head: it has fewer than {size} leaves"))
            }
        };
    }

    /// Compares [`checkpoint`](Self::checkpoint) with the log itself, as [`compare_head`](Self::compare_head) does. A
    /// holder of the log's key can sign a tree that the log never had, and only the log can show that. A difference
    /// fails the `inclusion` check.
    pub fn compare_checkpoint(&mut self, root: Option<Hash>) {
        let Some(LogHead { size, root: signed }) = self.checkpoint else { return };
        let why = match root {
            Some(root) if root == signed => {
                return self.inclusion.detail.push_str(", which is the log's own");
            }
            Some(root) => format!("its root at size {size} is {}", root.to_hex()),
            None => format!("it has fewer than {size} leaves"),
        };
        self.inclusion = CheckResult::failed(format!(
            "this log never had the checkpoint, although its key signed it: {why}"
        ));
    }

    /// Returns true if all checks hold.
    pub fn valid(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The outcome of all checks together.
    pub fn outcome(&self) -> VerificationOutcome {
        let failing = || self.checks().filter(|(_, check)| !check.ok);
        if failing().next().is_none() {
            VerificationOutcome::Holds
        } else if failing().all(|(_, check)| check.is_unmade) {
            VerificationOutcome::CannotSay
        } else {
            VerificationOutcome::Fails
        }
    }

    /// The results of the checks by name, in the order of the fields.
    pub fn checks(&self) -> impl Iterator<Item = (&'static str, &CheckResult)> {
        let five = [
            ("hash", &self.hash),
            ("signature", &self.signature),
            ("key", &self.key),
            ("inclusion", &self.inclusion),
            ("timestamp", &self.timestamp),
        ];
        five.into_iter().chain(self.rerun.as_ref().map(|check| ("rerun", check)))
    }

    /// The names of the failed checks.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.checks().filter(|(_, check)| !check.ok).map(|(name, _)| name)
    }
}
