//! The check of a receipt's checkpoint against a policy of witnesses (C2SP tlog-policy).

use std::path::Path;

use anyhow::Context as _;
use receipt::json::Json;
use receipt::verify::{CheckResult, VerificationOutcome};
use tlog::policy::PolicyReport;
use tlog::{Note, Policy, TlogProof, VerifierKey};
use verdict::Timestamp;

use crate::witnesses;

/// Reads a policy. Where it names no log, the log keys at hand are its logs.
pub fn policy(path: &Path, log_keys: &[VerifierKey]) -> anyhow::Result<Policy> {
    let policy =
        Policy::from_bytes(&witnesses::read(path)?).with_context(|| format!("{}", path.display()))?;
    if !policy.logs().is_empty() {
        return Ok(policy);
    }
    Ok(log_keys.iter().cloned().fold(policy, Policy::with_log))
}

/// Checks that a quorum has cosigned the checkpoint in the receipt's proof. Too few cosignatures speak for nothing and
/// against nothing; one that does not verify speaks against it.
pub fn check(policy: &Policy, receipt: Option<&Json>) -> CheckResult {
    cosigned(policy, receipt)
        .map_or_else(|why| why, |(_, detail)| CheckResult { ok: true, detail, is_unmade: false })
}

/// As [`check`]: the time by which a quorum had cosigned it, with the words for it, or why it is not shown.
pub fn cosigned_at(policy: &Policy, receipt: Option<&Json>) -> Result<(Timestamp, String), String> {
    let (time, detail) = cosigned(policy, receipt).map_err(|why| why.detail)?;
    time.map(|time| (time, detail)).ok_or_else(|| "the cosignatures of a quorum state no time".to_owned())
}

fn cosigned(policy: &Policy, receipt: Option<&Json>) -> Result<(Option<Timestamp>, String), CheckResult> {
    let Some(proof) = receipt.and_then(|receipt| receipt.get("proof")?.as_str()) else {
        return Err(unmade("the receipt has no proof, so there is no checkpoint"));
    };
    let note = match proof.parse::<TlogProof>() {
        Ok(proof) => proof.checkpoint.parse::<Note>(),
        Err(error) => return Err(failed(format!("the proof is malformed: {error}"))),
    };
    match note.map_err(tlog::CheckpointError::from).and_then(|note| policy.evaluate(&note)) {
        Ok(report) if report.is_met() && report.cosignatures.is_empty() => {
            Err(unmade("no witness has cosigned it, and the policy asks for none"))
        }
        Ok(report) if report.is_met() => Ok(met(&report)),
        Ok(report) => Err(unmade(&format!(
            "{} of the policy's witnesses have cosigned the checkpoint in the proof, which is no quorum; the proof in a receipt \
             is from before any witness saw it: give the receipt's .tlog-proof by --proof",
            report.cosignatures.len()
        ))),
        Err(error) => Err(failed(format!("the checkpoint does not verify under the policy: {error}"))),
    }
}

/// The outcome with this check.
pub fn with(outcome: VerificationOutcome, check: &CheckResult) -> VerificationOutcome {
    match outcome {
        VerificationOutcome::Holds | VerificationOutcome::CannotSay if !check.ok && !check.is_unmade => {
            VerificationOutcome::Fails
        }
        VerificationOutcome::Holds if !check.ok => VerificationOutcome::CannotSay,
        other => other,
    }
}

fn met(report: &PolicyReport<'_>) -> (Option<Timestamp>, String) {
    let names =
        report.cosignatures.iter().map(|cosignature| String::from_utf8_lossy(&cosignature.witness.name));
    let names = names.collect::<Vec<_>>().join(", ");
    let size = report.checkpoint.size();
    // Each cosigner says that it has seen the tree by its own time. By the newest of them all had.
    let millis = report.met_by().and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1000));
    let time = millis.and_then(|millis| Timestamp::from_millis(millis).ok());
    let by = time.map_or_else(String::new, |time| format!(", by {time}"));
    (time, format!("a quorum has cosigned the tree of {size}{by}: {names}"))
}

fn unmade(detail: &str) -> CheckResult {
    CheckResult { ok: false, detail: detail.to_owned(), is_unmade: true }
}

fn failed(detail: String) -> CheckResult {
    CheckResult { ok: false, detail, is_unmade: false }
}
