//! The finding of a dispute, derived from its hearing.

use std::borrow::Cow;

use receipt::hash::sha256;
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use verdict::{DisputeOutcome, EvidenceBlob, EvidenceMissing};

use super::question::DisputeQuestion;

/// Name and version of the rules in this module, as findings state them.
pub const METHOD: &str = "dispute/2";

const SCOPE: &str = "This receipt says what a process apart, without network and under a key of its own, has found on \
    the preserved request and evidence of the disputed receipt, and whether that is the disputed receipt's verdict; it \
    does not say what the source says today, nor whether the source is right.";

/// The verdict on a dispute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DisputeVerdict {
    /// The re-run found the disputed receipt's verdict.
    Upheld,
    /// It found another one.
    Overturned,
    /// It had nothing to find on, or came to no end.
    Inconclusive,
}

impl From<DisputeVerdict> for DisputeOutcome {
    fn from(verdict: DisputeVerdict) -> Self {
        match verdict {
            DisputeVerdict::Upheld => Self::Upheld,
            DisputeVerdict::Overturned => Self::Overturned,
            DisputeVerdict::Inconclusive => Self::Inconclusive,
        }
    }
}

/// Why the verdict is what it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeReason {
    /// The same verdict was found.
    SameVerdict,
    /// Another verdict was found.
    OtherVerdict,
    /// Another verdict was found, by other rules than the receipt's: the notary has a newer version of them.
    RulesChanged,
    /// A piece of what the verdict was found on is not kept, or never was.
    EvidenceMissing,
    /// No judge takes the preserved request any more.
    RequestRefused,
    /// The re-run used up its processor time or its memory.
    RerunExhausted,
    /// What was preserved is too large to be replayed.
    TooLarge,
    /// The bond settled while another dispute of the receipt was open, or after its last: this is no dispute of it.
    AnotherDispute,
    /// No re-run could be made for an hour.
    RerunUnavailable,
    /// The request is stored without its secrets, and what the disputer had brought was lost with the process that heard it.
    RequestRedacted,
}

/// The finding of `POST /dispute`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DisputeFinding {
    /// The verdict.
    pub verdict: DisputeVerdict,
    /// Why.
    pub reason: DisputeReason,
    /// What the disputer said.
    pub disputer_reason: String,
    /// The receipt that was disputed.
    pub disputed: ComparedReceipt,
    /// The verdict that the re-run found, where it found one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Whether the same question gets another verdict from its source now; `null` where there is no source, or it could
    /// not be asked. Nothing is decided on it.
    pub source_changed: Option<bool>,
    /// Where the disputer is paid what is owed, if it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// What the process said, as it signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")]
    pub replay: Option<Json>,
    /// Its key's name, and its signature over `replay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<RerunSignature>")]
    pub rerun: Option<Json>,
    /// What was looked at.
    pub evidence: DisputeEvidence,
    /// The decision and its reason, in a sentence or two.
    pub explanation: String,
    /// What this receipt says and what it does not.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// The receipt that was disputed, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Disputed")]
pub struct ComparedReceipt {
    /// Its hash, the same as `ref`.
    pub receipt_hash: String,
    /// Its class.
    pub class: String,
    /// Its verdict.
    pub verdict: String,
    /// The time at which it was signed.
    pub signed_at: String,
    /// The SHA-256 of the canonical form of its `evidence`, in lowercase hex: a re-run that finds the same verdict on
    /// other evidence upholds nothing.
    pub evidence_sha256: String,
    /// The rules by which it was judged; absent in disputes that were heard before 2026-11-26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// Who signed what a re-run found.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of a member that is passed on as it came")]
#[schemars(rename = "Rerun")]
pub struct RerunSignature {
    /// The key's name: in the notary's JWKS with `"role": "rerun"`.
    kid: String,
    /// Base64url without padding.
    signature: String,
}

/// What was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DisputeEvidence {
    /// When it was heard.
    pub heard_at: String,
    /// What was heard, by its SHA-256 in lowercase hex: kept for replays.
    pub sha256: String,
    /// The verdict that the source gave to the same question now, and when, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceVerdict>,
}

/// What a source says now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct SourceVerdict {
    /// The verdict on the same question.
    pub verdict: String,
    /// When it was asked.
    pub judged_at: String,
}

/// The hearing of a dispute: all data that its finding follows from, kept as its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hearing {
    pub(super) disputed: ComparedReceipt,
    pub(super) rerun: Rerunning,
    pub(super) source: Option<SourceVerdict>,
}

/// The result of the re-run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rerunning {
    /// The process gave a signed answer, with its members `replay` and `rerun`.
    Answered { replay: Object, rerun: Object },
    /// The process gave no answer, for a reason in the case.
    Failed(DisputeReason),
}

/// The role of the one piece of evidence.
const ROLE: &str = "hearing";

impl Hearing {
    /// Serializes the hearing as the evidence that the ledger keeps.
    pub(super) fn to_blob(&self) -> EvidenceBlob {
        let mut object = Object::new();
        object.insert("disputed", plain(&self.disputed));
        match &self.rerun {
            Rerunning::Answered { replay, rerun } => {
                object.insert("replay", replay.clone());
                object.insert("rerun", rerun.clone());
            }
            Rerunning::Failed(reason) => {
                object.insert("failed", plain(reason));
            }
        }
        if let Some(source) = &self.source {
            object.insert("source", plain(source));
        }
        EvidenceBlob::new(ROLE, Json::Object(object).canonical())
    }

    /// Parses the output of [`to_blob`](Self::to_blob).
    pub(super) fn read(evidence: &[EvidenceBlob]) -> Result<Self, EvidenceMissing> {
        let missing = || EvidenceMissing("what was heard".to_owned());
        let blob = evidence.iter().find(|blob| blob.role() == ROLE).and_then(EvidenceBlob::bytes);
        let heard = parse(blob.ok_or_else(missing)?).map_err(|_| missing())?;
        Self::of(&heard).ok_or_else(missing)
    }

    fn of(heard: &Json) -> Option<Self> {
        let object = |name: &str| heard.get(name)?.as_object().cloned();
        let rerun = match heard.get("failed") {
            Some(reason) => Rerunning::Failed(read(reason)?),
            None => Rerunning::Answered { replay: object("replay")?, rerun: object("rerun")? },
        };
        let source = match heard.get("source") {
            None => None,
            Some(source) => Some(read(source)?),
        };
        Some(Self { disputed: read(heard.get("disputed")?)?, rerun, source })
    }
}

/// A part of what was heard that is texts alone.
fn read<T: DeserializeOwned>(part: &Json) -> Option<T> {
    serde_json::from_value(part.clone().into()).ok()
}

fn plain(value: &impl Serialize) -> Json {
    from_serialize(value).expect("texts under names have a JSON form")
}

/// The address of the `evidence` of a finding.
pub(super) fn evidence_sha256(evidence: &Json) -> String {
    hex::encode(sha256(&evidence.canonical()))
}

/// Tests that a re-run names other rules than the receipt does.
fn has_other_rules(rerun: &Rerunning, disputed: &ComparedReceipt) -> bool {
    match (rerun.rules(), &disputed.method) {
        (Some(rules), Some(method)) => rules != *method,
        _ => false,
    }
}

/// Derives the finding from a hearing.
pub(super) fn find(question: &DisputeQuestion, hearing: Hearing, at: Timestamp) -> DisputeFinding {
    let evidence = hearing.to_blob();
    let Hearing { disputed, rerun, source } = hearing;
    let found = rerun.found();
    let (verdict, reason) = match (&found, &rerun) {
        (Some(found), rerun) if *found == disputed.verdict => {
            if rerun.found_on().as_ref() == Some(&disputed.evidence_sha256) {
                (DisputeVerdict::Upheld, DisputeReason::SameVerdict)
            } else {
                // The preserved evidence is not the evidence that the receipt names.
                (DisputeVerdict::Inconclusive, DisputeReason::EvidenceMissing)
            }
        }
        // A verdict is wrong by its own rules or not at all: newer ones would make every receipt of before worth a bounty.
        (Some(_), rerun) if has_other_rules(rerun, &disputed) => {
            (DisputeVerdict::Inconclusive, DisputeReason::RulesChanged)
        }
        (Some(_), _) => (DisputeVerdict::Overturned, DisputeReason::OtherVerdict),
        (None, rerun) => (DisputeVerdict::Inconclusive, rerun.failure()),
    };
    let (replay, rerun) = match rerun {
        Rerunning::Answered { replay, rerun } => (Some(replay.into()), Some(rerun.into())),
        Rerunning::Failed(_) => (None, None),
    };
    DisputeFinding {
        explanation: explanation(&disputed, reason, found.as_deref()),
        verdict,
        reason,
        disputer_reason: question.reason.clone(),
        source_changed: source.as_ref().map(|source| source.verdict != disputed.verdict),
        disputed,
        found,
        refund_to: question.refund_to.map(|address| address.to_string()),
        replay,
        rerun,
        evidence: DisputeEvidence {
            heard_at: at.to_string(),
            sha256: hex::encode(evidence.sha256()),
            source,
        },
        scope: SCOPE.into(),
        method: METHOD.into(),
    }
}

impl Rerunning {
    /// The verdict that was found.
    fn found(&self) -> Option<String> {
        let Self::Answered { replay, .. } = self else { return None };
        replay.get("finding")?.get("verdict")?.as_str().map(str::to_owned)
    }

    /// The rules by which it was found.
    fn rules(&self) -> Option<&str> {
        let Self::Answered { replay, .. } = self else { return None };
        replay.get("finding")?.get("method")?.as_str()
    }

    /// The address of the evidence that it was found on, as receipts have it.
    fn found_on(&self) -> Option<String> {
        let Self::Answered { replay, .. } = self else { return None };
        replay.get("finding")?.get("evidence").map(evidence_sha256)
    }

    /// The reason why nothing was found.
    fn failure(&self) -> DisputeReason {
        match self {
            Self::Failed(reason) => *reason,
            Self::Answered { replay, .. } => match replay.get("outcome").and_then(Json::as_str) {
                Some("refused") => DisputeReason::RequestRefused,
                _ => DisputeReason::EvidenceMissing,
            },
        }
    }
}
/// The sentence that says what became of the first verdict and of the bond.
fn explanation(disputed: &ComparedReceipt, reason: DisputeReason, found: Option<&str>) -> String {
    let first = format!("The verdict {} of a receipt of {}", disputed.verdict, disputed.class);
    let undecided = |why: &str| {
        format!("{first} could not be judged again: {why}. It stands undecided, and the bond is owed back.")
    };
    match reason {
        DisputeReason::SameVerdict => format!(
            "{first} was found again on the preserved evidence. The first verdict stands, and the bond is forfeited."
        ),
        DisputeReason::OtherVerdict => format!(
            "{first} was not found again: the preserved evidence gives {}. The first verdict is wrong by its own rules; bond, \
             fee and bounty are owed.",
            found.unwrap_or("another one")
        ),
        DisputeReason::RulesChanged => undecided("the notary has newer rules"),
        DisputeReason::EvidenceMissing => undecided("a piece of its evidence is not kept"),
        DisputeReason::RequestRefused => undecided("no judge takes the preserved request any more"),
        DisputeReason::RerunExhausted => undecided("the re-run used up its processor time or its memory"),
        DisputeReason::TooLarge => undecided("what was preserved is too large"),
        DisputeReason::AnotherDispute => undecided("another dispute of it was open when the bond settled"),
        DisputeReason::RerunUnavailable => undecided("no re-run could be made for an hour"),
        DisputeReason::RequestRedacted => undecided("its request is kept without its secrets"),
    }
}
