//! Replays a case in the rerun process.

use module::RouteTable;
use receipt::json::{Json, parse};
use receipt::key::{KeyId, SigningKey};
use verdict::EffectKind;

use super::case::{CaseError, RerunCase};
use super::signed::{ReplayOutcome, sign};

/// Replays a case with the route table's judges, and signs the outcome: the line that the process writes. `sandbox`
/// names the restrictions that the process has put on itself.
///
/// # Errors
/// [`CaseError::NotAReceipt`].
pub fn answer(
    route_table: &RouteTable,
    case: RerunCase,
    sandbox: &[&str],
    key: &SigningKey,
    kid: &KeyId,
) -> Result<Vec<u8>, CaseError> {
    let subject = case.subject();
    Ok(sign(subject, replay(route_table, case)?, sandbox, key, kid))
}

fn replay(route_table: &RouteTable, case: RerunCase) -> Result<ReplayOutcome, CaseError> {
    let (class, request) = case.question()?;
    let Some(judge) = route_table.route(&class).and_then(|route| route.judge.clone()) else {
        return Ok(ReplayOutcome::Refused(format!("there is no judge of the class `{class}`")));
    };
    let Some(request) = request else {
        return Ok(ReplayOutcome::Missing("the request".to_owned()));
    };
    let object = match parse(request) {
        Ok(Json::Object(object)) => object,
        Ok(other) => return Ok(ReplayOutcome::Refused(format!("the request is {}", other.type_name()))),
        Err(error) => return Ok(ReplayOutcome::Refused(format!("the request is not I-JSON: {error}"))),
    };
    let opened = match judge.open(&object) {
        Ok(opened) => opened,
        Err(error) => return Ok(ReplayOutcome::Refused(error.to_string())),
    };
    let at = case.judged_at;
    Ok(match opened.replay(&case.blobs(), at) {
        Ok(finding) if judge.effect_kind() == EffectKind::OpenWatch => {
            ReplayOutcome::Found(watch::for_others(finding))
        }
        Ok(finding) => ReplayOutcome::Found(finding),
        Err(missing) => ReplayOutcome::Missing(missing.0),
    })
}
