//! Tokens whose hash is in a log: they bound the time of a later receipt from below.
//!
//! Nobody can know a token before its authority makes it. A tree that holds the hash of one was made after it, and so was
//! a receipt that names this tree as its `log_head`.

use receipt::envelope::LogHead;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Number, Object, parse};
use receipt::sign::log_entry;
use receipt::time::Timestamp;
use tlog::{Hash, leaf_hash, verify_inclusion};

use crate::authority::{Authority, Stamp};
use crate::error::NotEarlier;

/// The class of the receipts that log tokens.
pub const TIME_STAMP_CLASS: &str = "time-stamp";
/// The name and version of the rules by which such a receipt is made.
pub const TIME_STAMP_METHOD: &str = "time-stamp/1";

const VERDICT: &str = "STAMPED";
const SCOPE: &str = "Says that a time-stamping authority has given a token over a checkpoint of this log. A receipt whose log_head has this \
    leaf was signed after that token. It does not say that the authority's time is right.";

/// What a receipt of the class [`TIME_STAMP_CLASS`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampRecord {
    /// The size and the root of the stamped tree.
    pub tree: LogHead,
    /// SHA-256 of the authority's answer, a `TimeStampResp` in DER.
    pub answer_sha256: [u8; 32],
    /// The time of the token.
    pub at: Timestamp,
    /// The name of the authority.
    pub authority: String,
}

impl StampRecord {
    /// The finding of the receipt, its verdict included.
    #[must_use]
    pub fn finding(&self) -> Object {
        let LogHead { size, root } = self.tree;
        let mut tree = Object::new();
        tree.insert("size", Number::from(size));
        tree.insert("root", root.to_hex());
        let mut finding = Object::new();
        finding.insert("verdict", VERDICT);
        finding.insert("stamped", Json::Object(tree));
        finding.insert("answer_sha256", hex::encode(self.answer_sha256));
        finding.insert("at", self.at.to_string());
        finding.insert("authority", self.authority.as_str());
        finding.insert("evidence", Vec::new());
        finding.insert("scope", SCOPE);
        finding.insert("method", TIME_STAMP_METHOD);
        finding.insert(
            "explanation",
            format!("{} has stamped the checkpoint of {size} leaves, at {}.", self.authority, self.at),
        );
        finding
    }
}

/// A token, and the proof that a tree holds its hash.
#[derive(Clone, Copy, Debug)]
pub struct LoggedToken<'a> {
    /// The checkpoint whose bytes are stamped.
    pub checkpoint: &'a str,
    /// The authority's answer.
    pub answer: &'a [u8],
    /// The canonical payload of the receipt that logs the token.
    pub payload: &'a [u8],
    /// The leaf index of that receipt, counted from 0.
    pub leaf: u64,
    /// The inclusion path of that leaf in the tree.
    pub path: &'a [Hash],
}

impl LoggedToken<'_> {
    /// Checks that the tree was made after the token, and returns what the token says. Who signed the receipt that logs it does
    /// not matter: the tree holds what nobody could know before.
    ///
    /// # Errors
    /// [`NotEarlier`], which names the first check that fails.
    pub fn check(&self, authority: &Authority, tree: LogHead) -> Result<Stamp, NotEarlier> {
        let stamp = authority.check(self.answer, &sha256(self.checkpoint.as_bytes()), None)?;
        let payload = parse(self.payload).map_err(|_| NotEarlier::Payload)?;
        let text = |name: &str| payload.get(name).and_then(Json::as_str);
        if text("answer_sha256") != Some(&hex::encode(sha256(self.answer))) {
            return Err(NotEarlier::OtherToken);
        }
        let (class, kid) =
            (text("class").ok_or(NotEarlier::Payload)?, text("kid").ok_or(NotEarlier::Payload)?);
        let signed_at = text("signed_at").and_then(|at| at.parse().ok()).ok_or(NotEarlier::Payload)?;
        let entry = log_entry(class, &ReceiptHash::of_payload(self.payload), kid, signed_at, None);
        verify_inclusion(self.leaf, tree.size, &leaf_hash(&entry), self.path, &tree.root)?;
        Ok(stamp)
    }
}
