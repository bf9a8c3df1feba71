//! The check of the statements about a receipt's time: its `.times`.
//!
//! A bound is a statement of somebody whom the reader believes: a time-stamp token under roots that he gives, or cosignatures under
//! a policy that he gives. A token bounds the receipt from above where its checkpoint holds the receipt, and from below where the
//! receipt's `log_head` holds the token. Statements of others are passed over, and counted. A bound that nobody else states is the
//! notary's own word.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::envelope::LogHead;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, parse};
use receipt::time::Timestamp;
use receipt::verify::{CheckResult, VerificationOutcome, Verifier};
use serde::Deserialize;
use time_stamp::{Authority, LoggedToken, NotEarlier, StampError};
use tlog::{Hash, Policy, TlogProof};

use super::{replaced, witnesses};
use crate::commands::call::http::Server;

/// The most bytes of a `.times`.
const MAX_BYTES: u64 = 4 << 20;
/// The most statements that are read; a notary makes two.
const MAX_STATEMENTS: usize = 16;
/// The makers of statements.
const TIMESTAMP: &str = "timestamp";
const WITNESSES: &str = "witnesses";
/// The most milliseconds between the clocks of a notary and of an authority: the notary takes no token that is a minute off.
const TOKEN_APART_MS: i64 = 120_000;
/// The most milliseconds between the clocks of a notary and of a witness: a cosignature that is five minutes off is not counted.
const WITNESSES_APART_MS: i64 = 360_000;

/// The statements about a receipt's time, and whom to believe.
#[derive(Clone)]
pub struct Times {
    earliest: Earliest,
    statements: Vec<Statement>,
    authority: Option<Authority>,
}

#[derive(Deserialize)]
struct Document {
    /// Absent in a document of before there was one.
    #[serde(default)]
    earliest: Earliest,
    latest: Vec<Statement>,
}

/// A statement that the receipt was signed after a time.
#[derive(Clone, Default, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Earliest {
    /// The token of an authority, and the proof that the tree of `log_head` holds its hash.
    Timestamp(EarlierToken),
    /// The notary alone, or somebody whom this program does not know.
    #[default]
    #[serde(other)]
    Notary,
}

#[derive(Clone, Deserialize)]
struct EarlierToken {
    /// The checkpoint that is stamped.
    checkpoint: String,
    /// The authority's answer, in base64.
    answer: String,
    /// The payload of the receipt that logs the token.
    payload: String,
    /// The leaf index of that receipt.
    leaf: u64,
    /// The inclusion path of that leaf in the tree of `log_head`, from the leaf up, in base64.
    path: Vec<String>,
}

/// A statement that the receipt was in the log by a time.
#[derive(Clone, Deserialize)]
struct Statement {
    by: String,
    /// The proof of the receipt under the checkpoint that the statement is about.
    proof: String,
    /// The authority's answer, in base64; none for cosignatures.
    answer: Option<String>,
}

/// The reasons why a statement says nothing.
enum Unheld {
    /// The reader has not said that he believes its maker.
    NotBelieved,
    /// It does not hold.
    Wrong(String),
}

impl Times {
    /// Reads a file of a `.times`. `authority` is the one that the reader believes.
    pub fn read(path: &Path, authority: Option<Authority>) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("read {}", path.display()))?;
        let mut text = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut text).with_context(|| format!("read {}", path.display()))?;
        Self::of(&text, authority).with_context(|| format!("{}", path.display()))
    }

    /// Fetches the `.times` of a receipt.
    pub fn fetch(server: &Server, hash: &ReceiptHash, authority: Authority) -> anyhow::Result<Self> {
        let answer = server.get(&format!("receipts/{hash}.times"))?;
        ensure!(answer.status == StatusCode::OK, "the notary answered {}", answer.status);
        ensure!(answer.body.len() as u64 <= MAX_BYTES, "it has more than {MAX_BYTES} bytes");
        Self::of(&answer.body, Some(authority))
    }

    fn of(text: &[u8], authority: Option<Authority>) -> anyhow::Result<Self> {
        let Document { earliest, mut latest } = serde_json::from_slice(text).context("it is no .times")?;
        latest.truncate(MAX_STATEMENTS);
        Ok(Self { earliest, statements: latest, authority })
    }

    /// Returns true if witnesses have made one of the statements.
    pub fn has_witnesses(&self) -> bool {
        self.statements.iter().any(|statement| statement.by == WITNESSES)
    }

    /// Checks the statements about a receipt, and that the time that it gives itself lies between their bounds. `tree` is its
    /// `log_head`, as far as that was read.
    pub fn check(
        &self,
        verifier: &Verifier,
        policy: Option<&Policy>,
        receipt: &[u8],
        tree: Option<LogHead>,
    ) -> CheckResult {
        let wrong = |detail| CheckResult { ok: false, detail, is_unmade: false };
        let signed_at = parse(receipt)
            .ok()
            .and_then(|receipt| receipt.get("signed_at").and_then(Json::as_str).map(str::to_owned));
        let signed_at = signed_at.unwrap_or_default();
        let (mut latest, mut not_believed) = (Vec::new(), 0_u32);
        for statement in &self.statements {
            match self.held(statement, verifier, policy, receipt) {
                Ok(bound) if bound.is_before(&signed_at) => {
                    return wrong(format!(
                        "the receipt says {signed_at}, and it was there before: {}",
                        bound.words
                    ));
                }
                Ok(bound) => latest.push(bound.words),
                Err(Unheld::NotBelieved) => not_believed += 1,
                Err(Unheld::Wrong(why)) => {
                    return wrong(format!("a statement by {} does not hold: {why}", statement.by));
                }
            }
        }
        let earliest = match self.not_earlier(tree) {
            Ok(bound) if bound.is_after(&signed_at) => {
                return wrong(format!(
                    "the receipt says {signed_at}, and it was signed after: {}",
                    bound.words
                ));
            }
            Ok(bound) => Some(bound.words),
            Err(Unheld::NotBelieved) => {
                not_believed += u32::from(!matches!(self.earliest, Earliest::Notary));
                None
            }
            Err(Unheld::Wrong(why)) => {
                return wrong(format!("the token before the receipt does not hold: {why}"));
            }
        };
        let others = match not_believed {
            0 => String::new(),
            count => format!("; {count} statements by others were not checked (--stamped-under, --policy)"),
        };
        if latest.is_empty() && earliest.is_none() {
            let detail =
                format!("not checked: that it was signed at {signed_at} is the notary's own word{others}");
            return CheckResult { ok: false, detail, is_unmade: true };
        }
        let own_word = || format!("{signed_at}, which is the notary's own word");
        let earliest = earliest.unwrap_or_else(own_word);
        let latest = if latest.is_empty() { own_word() } else { latest.join("; ") };
        let detail = format!("not earlier than {earliest}; not later than: {latest}{others}");
        CheckResult { ok: true, detail, is_unmade: false }
    }

    /// The lower bound.
    fn not_earlier(&self, tree: Option<LogHead>) -> Result<Bound, Unheld> {
        let wrong = |why: &str| Unheld::Wrong(why.to_owned());
        let (Some(authority), Earliest::Timestamp(token)) = (&self.authority, &self.earliest) else {
            return Err(Unheld::NotBelieved);
        };
        // Without a proof log_head is not read.
        let tree = tree.ok_or(Unheld::NotBelieved)?;
        let answer = STANDARD.decode(&token.answer).map_err(|_| wrong("the token is no base64"))?;
        let path = token.path.iter().map(|hash| Hash::from_base64(hash)).collect::<Result<Vec<_>, _>>();
        let path = path.map_err(|_| wrong("a hash of the path is no SHA-256 in base64"))?;
        let logged = LoggedToken {
            checkpoint: &token.checkpoint,
            answer: &answer,
            payload: token.payload.as_bytes(),
            leaf: token.leaf,
            path: &path,
        };
        let stamp = logged.check(authority, tree).map_err(|error| match error {
            NotEarlier::Token(StampError::Untrusted(_)) => Unheld::NotBelieved,
            error => Unheld::Wrong(error.to_string()),
        })?;
        let (at, leaf) = (stamp.earliest(), token.leaf);
        let words =
            format!("{at}, by the token of {} at leaf {leaf} of the tree that it names", stamp.authority);
        Ok(Bound { at, apart_ms: TOKEN_APART_MS, words })
    }

    /// The upper bound of a statement that holds.
    fn held(
        &self,
        statement: &Statement,
        verifier: &Verifier,
        policy: Option<&Policy>,
        receipt: &[u8],
    ) -> Result<Bound, Unheld> {
        let wrong = Unheld::Wrong;
        let is_believed = match &*statement.by {
            TIMESTAMP => self.authority.is_some(),
            WITNESSES => policy.is_some(),
            _ => false,
        };
        if !is_believed {
            return Err(Unheld::NotBelieved);
        }
        let proven = replaced(receipt, &statement.proof).ok_or_else(|| wrong("no receipt".to_owned()))?;
        let report = verifier.verify(&proven).map_err(|error| wrong(error.to_string()))?;
        if report.outcome() != VerificationOutcome::Holds {
            let failed = report.checks().find(|(_, check)| !check.ok);
            let why = failed.map(|(name, check)| format!("{name}: {}", check.detail)).unwrap_or_default();
            return Err(wrong(format!("the receipt is not proven under its checkpoint: {why}")));
        }
        if let (Some(authority), TIMESTAMP) = (&self.authority, &*statement.by) {
            return token(statement, authority);
        }
        let policy = policy.ok_or(Unheld::NotBelieved)?;
        let (at, words) = witnesses::cosigned_at(policy, parse(&proven).ok().as_ref()).map_err(wrong)?;
        Ok(Bound { at, apart_ms: WITNESSES_APART_MS, words })
    }
}

/// A bound that somebody else has stated.
struct Bound {
    at: Timestamp,
    /// The most milliseconds by which the clocks of its maker and of the notary are taken to differ.
    apart_ms: i64,
    words: String,
}

impl Bound {
    /// Returns true if a receipt with this upper bound says a later time.
    fn is_before(&self, signed_at: &str) -> bool {
        signed_at.parse().is_ok_and(|at: Timestamp| at.millis_since(self.at) > self.apart_ms)
    }

    /// Returns true if a receipt with this lower bound says an earlier time.
    fn is_after(&self, signed_at: &str) -> bool {
        signed_at.parse().is_ok_and(|at: Timestamp| self.at.millis_since(at) > self.apart_ms)
    }
}

/// Checks the token over the checkpoint of a statement.
fn token(statement: &Statement, authority: &Authority) -> Result<Bound, Unheld> {
    let wrong = |why: &str| Unheld::Wrong(why.to_owned());
    let proof = statement.proof.parse::<TlogProof>();
    let proof = proof.map_err(|error| Unheld::Wrong(format!("the proof: {error}")))?;
    let answer = statement.answer.as_deref().ok_or_else(|| wrong("it has no token"))?;
    let answer = STANDARD.decode(answer).map_err(|_| wrong("the token is no base64"))?;
    let stamp = authority.check(&answer, &sha256(proof.checkpoint.as_bytes()), None);
    let stamp = stamp.map_err(|error| match error {
        StampError::Untrusted(_) => Unheld::NotBelieved,
        error => Unheld::Wrong(error.to_string()),
    })?;
    let (at, size) = (stamp.latest(), proof.checkpoint.lines().nth(1).unwrap_or_default());
    let words = format!("{at}, by the token of {} over the tree of {size}", stamp.authority);
    Ok(Bound { at, apart_ms: TOKEN_APART_MS, words })
}
