//! The report of a verification.

use crate::envelope::LogHead;
use crate::hash::ReceiptHash;
use serde::Serialize;
use tlog::Hash;

/// One check's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// True if the check holds.
    pub ok: bool,
    /// One sentence for people: what holds, or what does not and why.
    pub detail: String,
}

impl CheckResult {
    pub(super) fn passed(detail: impl Into<String>) -> Self {
        Self { ok: true, detail: detail.into() }
    }

    pub(super) fn failed(detail: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into() }
    }
}

/// The checks of a receipt: five, and one more of a dispute's. As JSON it is the `checks` of `/verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The hash of the receipt's payload, computed here: what the receipt claims is one of the checks.
    #[serde(skip)]
    pub receipt_hash: ReceiptHash,
    /// The head that the receipt names, where its times are possible by themselves.
    #[serde(skip)]
    pub log_head: Option<LogHead>,
    /// The tree that the receipt's leaf is proved to be in, where it is.
    #[serde(skip)]
    pub checkpoint: Option<LogHead>,
    /// `receipt_hash` is the SHA-256 of the canonical payload.
    pub hash: CheckResult,
    /// The signature is the key's.
    pub signature: CheckResult,
    /// The key is one of the notary's.
    pub key: CheckResult,
    /// The receipt is in the log.
    pub inclusion: CheckResult,
    /// The times are possible.
    pub timestamp: CheckResult,
    /// Of a dispute's receipt: what a key of reruns signed bears its verdict out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun: Option<CheckResult>,
}

impl Report {
    /// Holds [`log_head`](Self::log_head) against the log itself, which no receipt brings along: `root` is the root
    /// that the log had at that size, `None` where it has never been so large.
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

    /// Holds [`checkpoint`](Self::checkpoint) against the log itself, as [`compare_head`](Self::compare_head) does.
    /// Anybody who has the log's key can sign a tree that the log never had, and only the log can show that.
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

    /// The checks by name, in their order.
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

    /// The names of the checks that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.checks().filter(|(_, check)| !check.ok).map(|(name, _)| name)
    }
}
