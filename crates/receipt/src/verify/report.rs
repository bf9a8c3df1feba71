//! What a verification found.

use crate::envelope::LogHead;
use crate::hash::ReceiptHash;
use serde::Serialize;
use tlog::Hash;

/// One check's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Whether it holds.
    pub ok: bool,
    /// One sentence for people: what holds, or what does not and why.
    pub detail: String,
}

impl Check {
    pub(super) fn passed(detail: impl Into<String>) -> Self {
        Self { ok: true, detail: detail.into() }
    }

    pub(super) fn failed(detail: impl Into<String>) -> Self {
        Self { ok: false, detail: detail.into() }
    }
}

/// The five checks of a receipt. As JSON it is the `checks` of `/verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The hash of the receipt's payload, computed here: what the receipt claims is one of the checks.
    #[serde(skip)]
    pub receipt_hash: ReceiptHash,
    /// The head that the receipt names, where its times are possible by themselves.
    #[serde(skip)]
    pub log_head: Option<LogHead>,
    /// `receipt_hash` is the SHA-256 of the canonical payload.
    pub hash: Check,
    /// The signature is the key's.
    pub signature: Check,
    /// The key is one of the notary's.
    pub key: Check,
    /// The receipt is in the log.
    pub inclusion: Check,
    /// The times are possible.
    pub timestamp: Check,
}

impl Report {
    /// Holds [`log_head`](Self::log_head) against the log itself, which no receipt brings along: `root` is the root
    /// that the log had at that size, `None` where it has never been so large.
    pub fn compare_head(&mut self, root: Option<Hash>) {
        let Some(head) = self.log_head else { return };
        let size = head.size;
        self.timestamp = match root {
            Some(root) if root == head.root => {
                Check::passed(format!("signed after the tree of {size}, whose root is the log's"))
            }
            Some(root) => Check::failed(format!(
                "this log never had log_head: its root at size {size} is {}",
                root.to_hex()
            )),
            None => Check::failed(format!("this log never had log_head: it has fewer than {size} leaves")),
        };
    }

    /// Whether all checks hold.
    pub fn valid(&self) -> bool {
        self.checks().iter().all(|(_, check)| check.ok)
    }

    /// The checks by name, in their order.
    pub fn checks(&self) -> [(&'static str, &Check); 5] {
        [
            ("hash", &self.hash),
            ("signature", &self.signature),
            ("key", &self.key),
            ("inclusion", &self.inclusion),
            ("timestamp", &self.timestamp),
        ]
    }

    /// The names of the checks that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.checks().into_iter().filter(|(_, check)| !check.ok).map(|(name, _)| name)
    }
}
