//! Checks that a dispute's verdict follows from the finding that a key of reruns signed.
//!
//! The notary does not decide a dispute, so a signature by its receipt key does not suffice: the receipt contains the
//! finding of the rerun (`replay`) with its signature (`rerun`), and this module computes the verdict from that. The
//! verdict and the evidence of the disputed receipt (`disputed`) are taken as the receipt states them and compared with
//! nothing.

use super::fields::ReceiptFields;
use super::{CheckResult, Keys};
use crate::hash::sha256;
use crate::json::{Json, Object};
use crate::key::did_from_base_url;
use std::borrow::Cow;

/// The `typ` of a rerun's JWS header.
pub const RERUN_JWS_TYPE: &str = "verdict-rerun+jws";

/// The class of a dispute's receipt.
const CLASS: &str = "dispute";

/// The rules that are known here. By the second another verdict by other rules than the receipt's decides nothing.
const METHODS: [&str; 2] = ["dispute/1", "dispute/2"];

const MISSING: &str = "evidence_missing";

/// The reasons for which a dispute may have no replay: the rerun came to no end, could not begin, or there was no
/// dispute to hear.
pub const REASONS_WITHOUT_REPLAY: [&str; 5] =
    ["rerun_exhausted", "too_large", "another_dispute", "rerun_unavailable", "request_redacted"];

/// The check of a dispute's receipt; a receipt of another class has none.
pub(super) fn check(fields: &ReceiptFields<'_>, keys: &Keys, leaf: Option<u64>) -> Option<CheckResult> {
    let is_dispute = fields.class == CLASS;
    is_dispute.then(|| borne_out(fields, keys, leaf).map_or_else(CheckResult::failed, CheckResult::passed))
}

type Why = Cow<'static, str>;

/// Returns the evidence that the verdict follows from, or the reason why it does not follow.
fn borne_out(fields: &ReceiptFields<'_>, keys: &Keys, leaf: Option<u64>) -> Result<String, Why> {
    let method = said(fields, "method").filter(|method| METHODS.contains(method));
    let method = method
        .ok_or_else(|| format!("method is not {}, and other rules are not known", METHODS.join(" or ")))?;
    let disputed = DisputedMembers::of(fields).ok_or("disputed is not of the known form")?;
    if fields.reference != Some(disputed.receipt_hash) {
        return Err("disputed.receipt_hash is not ref".into());
    }
    let object = |name| fields.finding(name).map(|member| member.as_object().ok_or(name)).transpose();
    let not_an_object = |name| format!("{name} is not an object");
    let replay = object("replay").map_err(not_an_object)?;
    let rerun = object("rerun").map_err(not_an_object)?;
    let ruling = match (replay, rerun) {
        (Some(replay), Some(rerun)) => {
            check_signature(fields, keys, leaf, replay, rerun)?;
            if text(replay, "receipt_hash") != fields.reference {
                return Err("the replay is of another receipt than ref".into());
            }
            ExpectedRuling::on(&disputed, replay, method != METHODS[0])?
        }
        (None, None) => ExpectedRuling::without_replay(fields)?,
        _ => return Err("there is a replay without its rerun, or the reverse".into()),
    };
    ruling.hold_against(fields)?;
    let what =
        ruling.found.map_or_else(|| "nothing was found".to_owned(), |found| format!("{found} was found"));
    let whose = if replay.is_some() {
        "the signature of the rerun's key verifies"
    } else {
        "no rerun came to an end"
    };
    Ok(format!(
        "{whose}: {what}, so the verdict is {}; disputed was not compared with that receipt",
        ruling.verdict
    ))
}

fn check_signature(
    fields: &ReceiptFields<'_>,
    keys: &Keys,
    leaf: Option<u64>,
    replay: &Object,
    rerun: &Object,
) -> Result<(), Why> {
    let kid = text(rerun, "kid").unwrap_or_default();
    let key = keys.rerun_key(kid);
    let key =
        key.ok_or("rerun.kid is not one of the known keys of reruns, so the replay cannot be checked")?;
    if did_from_base_url(fields.iss).as_deref() != Ok(key.kid.did()) {
        return Err("rerun.kid is not a key of iss".into());
    }
    // What a key found before it was replaced may be logged after that; a revoked one may have been another's by then.
    if let Some(range) = key.range.as_ref().filter(|range| range.revoked.is_some()) {
        let leaf = leaf.ok_or("there is no leaf index to hold the range of rerun.kid against")?;
        range.check(leaf).map_err(|error| format!("rerun.kid was revoked: {error}"))?;
    }
    let signature = text(rerun, "signature").unwrap_or_default();
    let verified = key.verify(&replay.canonical_without(&[]), signature);
    verified.map_err(|why| format!("rerun.signature over the replay {why}").into())
}

/// The members of the disputed receipt that the ruling depends on.
struct DisputedMembers<'a> {
    receipt_hash: &'a str,
    verdict: &'a str,
    evidence_sha256: &'a str,
    method: Option<&'a str>,
}

impl<'a> DisputedMembers<'a> {
    fn of(fields: &ReceiptFields<'a>) -> Option<Self> {
        let disputed = fields.finding("disputed")?.as_object()?;
        Some(Self {
            receipt_hash: text(disputed, "receipt_hash")?,
            verdict: text(disputed, "verdict")?,
            evidence_sha256: text(disputed, "evidence_sha256")?,
            method: text(disputed, "method"),
        })
    }
}

/// The members that the dispute's receipt must have.
struct ExpectedRuling<'a> {
    found: Option<&'a str>,
    verdict: &'static str,
    reason: &'a str,
}

impl<'a> ExpectedRuling<'a> {
    /// Returns the ruling that follows from a replay. `compares_rules` says that other rules overturn nothing.
    fn on(disputed: &DisputedMembers<'_>, replay: &'a Object, compares_rules: bool) -> Result<Self, Why> {
        let finding = replay.get("finding").and_then(Json::as_object);
        let found = finding.and_then(|finding| text(finding, "verdict"));
        let rules = finding.and_then(|finding| text(finding, "method"));
        let has_other_rules =
            compares_rules && disputed.method.zip(rules).is_some_and(|(one, other)| one != other);
        let (verdict, reason) = match (text(replay, "outcome"), found) {
            (Some("found"), Some(found)) if found != disputed.verdict && has_other_rules => {
                ("INCONCLUSIVE", "rules_changed")
            }
            (Some("found"), Some(found)) if found != disputed.verdict => ("OVERTURNED", "other_verdict"),
            (Some("found"), Some(_))
                if evidence_sha256(finding).as_deref() == Some(disputed.evidence_sha256) =>
            {
                ("UPHELD", "same_verdict")
            }
            // The evidence kept is not the evidence that the disputed receipt names.
            (Some("found"), Some(_)) | (Some("missing"), None) => ("INCONCLUSIVE", MISSING),
            (Some("refused"), None) => ("INCONCLUSIVE", "request_refused"),
            _ => return Err("the replay's outcome is not of the known form".into()),
        };
        Ok(Self { found, verdict, reason })
    }

    /// Returns the ruling without a replay: any known reason for its absence is accepted.
    fn without_replay(fields: &ReceiptFields<'a>) -> Result<Self, Why> {
        let reason = said(fields, "reason").filter(|reason| REASONS_WITHOUT_REPLAY.contains(reason));
        let reason = reason.ok_or("there is no replay, and reason does not say why")?;
        Ok(Self { found: None, verdict: "INCONCLUSIVE", reason })
    }

    fn hold_against(&self, fields: &ReceiptFields<'_>) -> Result<(), Why> {
        let Self { found, verdict, reason } = self;
        if fields.verdict != *verdict {
            return Err(format!("the verdict does not follow: it would be {verdict}").into());
        }
        if said(fields, "reason") != Some(reason) {
            return Err(format!("reason does not follow: it would be {reason}").into());
        }
        if fields.finding("found").map(Json::as_str) != found.map(Some) {
            return Err("found is not what the replay found".into());
        }
        Ok(())
    }
}

/// The address of the evidence that a finding was made on.
fn evidence_sha256(finding: Option<&Object>) -> Option<String> {
    Some(hex::encode(sha256(&finding?.get("evidence")?.canonical())))
}

fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Json::as_str)
}

fn said<'a>(fields: &ReceiptFields<'a>, name: &str) -> Option<&'a str> {
    fields.finding(name).and_then(Json::as_str)
}
