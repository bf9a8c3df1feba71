//! The bounds of a receipt's time, and who says so.
//!
//! A lower bound is a time-stamp token whose hash is in the tree that the receipt names as its `log_head`: nobody could know it
//! before the token's time. A cosignature or a token over that tree says by when it was there, and not since when. Without such a
//! token the lower bound is the notary's own word.
//!
//! An upper bound is a statement of somebody else about a tree that contains the receipt: the cosignatures of a quorum of
//! witnesses, or a time-stamp token. Without one, it is the notary's own word.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledger::LedgerError;
use serde_json::{Value, json};
use time_stamping::LowerBound;

use crate::app::App;

/// The statements of others about a receipt's time.
#[derive(Debug)]
pub(crate) struct Times {
    /// The lower bound; `None` where it is the notary's own word.
    pub(crate) earliest: Option<EarlierToken>,
    /// The upper bounds, the earliest first.
    pub(crate) latest: Vec<UpperBound>,
    /// True if somebody else will make a statement.
    pub(crate) is_awaited: bool,
}

/// A token that was there before the receipt was signed.
#[derive(Debug)]
pub(crate) struct EarlierToken {
    /// The earliest time at which the token can have been made.
    pub(crate) at: String,
    /// The name of the authority.
    pub(crate) who: String,
    /// The size of the stamped tree.
    pub(crate) size: u64,
    bound: LowerBound,
}

impl EarlierToken {
    fn members(&self) -> Value {
        let Self { at, who, size, bound } = self;
        let LowerBound { checkpoint, stamp, payload, leaf, path } = bound;
        let path: Vec<_> = path.iter().map(tlog::Hash::to_string).collect();
        json!({
            "by": "timestamp",
            "who": who,
            "at": at,
            "accuracy_ms": stamp.accuracy_ms,
            "policy": stamp.policy,
            "serial": stamp.serial,
            "size": size,
            "checkpoint": &*checkpoint.note,
            "answer": STANDARD.encode(&checkpoint.answer),
            "leaf": leaf,
            "payload": String::from_utf8_lossy(payload),
            "path": path,
        })
    }
}

/// The statement of somebody else that a receipt was in the log by a time.
#[derive(Debug)]
pub(crate) struct UpperBound {
    /// The time.
    pub(crate) at: String,
    /// Who says so: names of witnesses, or of the authority.
    pub(crate) who: String,
    /// The size of the tree.
    pub(crate) size: u64,
    /// The proof of the receipt under that tree (C2SP tlog-proof).
    proof: String,
    /// What the statement is made of.
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Cosignatures,
    Token { answer: Vec<u8>, accuracy_ms: i64, policy: String, serial: String },
}

impl UpperBound {
    /// Returns true if it is a time-stamp token.
    pub(crate) fn is_token(&self) -> bool {
        matches!(self.kind, Kind::Token { .. })
    }

    fn members(&self) -> Value {
        let Self { at, who, size, proof, kind } = self;
        match kind {
            Kind::Cosignatures => {
                json!({"by": "witnesses", "who": who, "at": at, "size": size, "proof": proof})
            }
            Kind::Token { answer, accuracy_ms, policy, serial } => json!({
                "by": "timestamp",
                "who": who,
                "at": at,
                "accuracy_ms": accuracy_ms,
                "policy": policy,
                "serial": serial,
                "size": size,
                "proof": proof,
                "answer": STANDARD.encode(answer),
            }),
        }
    }
}

impl Times {
    /// The document `.times` of a receipt that says that it was signed at a time.
    pub(crate) fn members(&self, signed_at: &str) -> Value {
        json!({
            "signed_at": signed_at,
            "earliest": self.earliest.as_ref().map_or_else(
                || json!({"by": "notary", "at": signed_at}),
                EarlierToken::members,
            ),
            "latest": self.latest.iter().map(UpperBound::members).collect::<Vec<_>>(),
        })
    }
}

/// The bounds of the receipt with this leaf, which names a tree of `tree_size` leaves as its `log_head`.
///
/// # Errors
/// [`LedgerError`]: the store cannot be read.
pub(crate) async fn of(app: &App, leaf: u64, tree_size: u64) -> Result<Times, LedgerError> {
    let (mut earliest, mut latest) = (None, Vec::new());
    if let Some(cosigning) = &app.cosigning
        && let Some(first) = cosigning.first_with(leaf).await?
    {
        latest.push(UpperBound {
            at: first.at.to_string(),
            who: first.witnesses.join(", "),
            size: first.size,
            proof: first.inclusion.to_text(),
            kind: Kind::Cosignatures,
        });
    }
    if let Some(stamping) = &app.stamping
        && let Some(bound) = stamping.last_before(tree_size).await?
    {
        earliest = Some(EarlierToken {
            at: bound.stamp.earliest().to_string(),
            who: bound.stamp.authority.clone(),
            size: bound.checkpoint.size,
            bound,
        });
    }
    if let Some(stamping) = &app.stamping
        && let Some(bound) = stamping.first_with(leaf).await?
    {
        let stamp = bound.stamp;
        latest.push(UpperBound {
            at: stamp.latest().to_string(),
            who: stamp.authority,
            size: bound.checkpoint.size,
            proof: bound.inclusion.to_text(),
            kind: Kind::Token {
                answer: bound.checkpoint.answer,
                accuracy_ms: stamp.accuracy_ms,
                policy: stamp.policy,
                serial: stamp.serial,
            },
        });
    }
    latest.sort_by(|one, other| one.at.cmp(&other.at));
    Ok(Times { earliest, latest, is_awaited: app.cosigning.is_some() || app.stamping.is_some() })
}
