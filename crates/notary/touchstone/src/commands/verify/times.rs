//! The check of the statements about a receipt's time: its `.times`.
//!
//! The lower bound is the notary's own word. An upper bound is a statement of somebody whom the reader believes: a time-stamp
//! token under roots that he gives, or cosignatures under a policy that he gives. Statements of others are passed over, and
//! counted.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::hash::sha256;
use receipt::json::{Json, parse};
use receipt::verify::{CheckResult, VerificationOutcome, Verifier};
use serde::Deserialize;
use time_stamp::Authority;
use tlog::{Policy, TlogProof};

use super::{replaced, witnesses};
use crate::timestamps;

/// The most bytes of a `.times`.
const MAX_BYTES: u64 = 4 << 20;
/// The most statements that are read; a notary makes two.
const MAX_STATEMENTS: usize = 16;

/// The statements about a receipt's time, and whom to believe.
pub struct Times {
    statements: Vec<Statement>,
    authority: Option<Authority>,
}

#[derive(Deserialize)]
struct Document {
    latest: Vec<Statement>,
}

/// A statement that the receipt was in the log by a time.
#[derive(Deserialize)]
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
    /// Reads a `.times`, and the roots of the authority that the reader believes.
    pub fn read(path: &Path, roots: Option<&Path>) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("read {}", path.display()))?;
        let mut text = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut text).with_context(|| format!("read {}", path.display()))?;
        let Document { mut latest } =
            serde_json::from_slice(&text).with_context(|| format!("{} is no .times", path.display()))?;
        latest.truncate(MAX_STATEMENTS);
        let authority = roots.map(|roots| timestamps::authority(roots, None)).transpose()?;
        Ok(Self { statements: latest, authority: authority.map(|(authority, _)| authority) })
    }

    /// Checks the statements about a receipt.
    pub fn check(&self, verifier: &Verifier, policy: Option<&Policy>, receipt: &[u8]) -> CheckResult {
        let (mut held, mut not_believed) = (Vec::new(), 0_u32);
        for statement in &self.statements {
            match self.held(statement, verifier, policy, receipt) {
                Ok(said) => held.push(said),
                Err(Unheld::NotBelieved) => not_believed += 1,
                Err(Unheld::Wrong(why)) => {
                    let detail = format!("a statement by {} does not hold: {why}", statement.by);
                    return CheckResult { ok: false, detail, is_unmade: false };
                }
            }
        }
        let signed_at = parse(receipt)
            .ok()
            .and_then(|receipt| receipt.get("signed_at").and_then(Json::as_str).map(str::to_owned));
        let signed_at = signed_at.unwrap_or_default();
        let others = match not_believed {
            0 => String::new(),
            count => format!("; {count} statements by others were not checked (--stamped-under, --policy)"),
        };
        if held.is_empty() {
            let detail =
                format!("not checked: that it was signed at {signed_at} is the notary's own word{others}");
            return CheckResult { ok: false, detail, is_unmade: true };
        }
        let detail = format!(
            "not earlier than {signed_at}, which is the notary's own word; not later than: {}{others}",
            held.join("; ")
        );
        CheckResult { ok: true, detail, is_unmade: false }
    }

    /// The words of a statement that holds.
    fn held(
        &self,
        statement: &Statement,
        verifier: &Verifier,
        policy: Option<&Policy>,
        receipt: &[u8],
    ) -> Result<String, Unheld> {
        let wrong = Unheld::Wrong;
        let is_believed = match &*statement.by {
            "timestamp" => self.authority.is_some(),
            "witnesses" => policy.is_some(),
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
        if let (Some(authority), "timestamp") = (&self.authority, &*statement.by) {
            return token(statement, authority).map_err(wrong);
        }
        let cosigned = policy.map(|policy| witnesses::check(policy, parse(&proven).ok().as_ref()));
        match cosigned {
            Some(check) if check.ok => Ok(check.detail),
            Some(check) => Err(wrong(check.detail)),
            None => Err(Unheld::NotBelieved),
        }
    }
}

/// Checks the token over the checkpoint of a statement, and gives its words.
fn token(statement: &Statement, authority: &Authority) -> Result<String, String> {
    let proof: TlogProof = statement.proof.parse().map_err(|error| format!("the proof: {error}"))?;
    let answer = statement.answer.as_deref().ok_or("it has no token")?;
    let answer = STANDARD.decode(answer).map_err(|_| "the token is no base64")?;
    let stamp = authority.check(&answer, &sha256(proof.checkpoint.as_bytes()), None);
    let stamp = stamp.map_err(|error| error.to_string())?;
    let size = proof.checkpoint.lines().nth(1).unwrap_or_default().to_owned();
    Ok(format!("{}, by the token of {} over the tree of {size}", stamp.latest(), stamp.authority))
}
