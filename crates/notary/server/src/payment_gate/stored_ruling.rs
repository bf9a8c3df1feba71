//! A finding and its effect, as a claim keeps them until its receipt is signed.

use ledger::Judgement;
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use verdict::{Effect, Ruling};

use crate::refusal::Refusal;

const FINDING: &str = "finding";
const EFFECT: &str = "effect";

/// Serializes a ruling on a request.
///
/// # Errors
/// 503: its effect has no JSON form.
pub(super) fn write(ruling: Ruling, request: Vec<u8>, at: Timestamp) -> Result<Judgement, Refusal> {
    let Ruling { finding, evidence, effect } = ruling;
    let mut stored = Object::new();
    stored.insert(FINDING, Json::Object(finding));
    if let Some(effect) = effect {
        let effect = from_serialize(&effect)
            .map_err(|_| super::unavailable("the effect of a finding has no JSON form"))?;
        stored.insert(EFFECT, effect);
    }
    Ok(Judgement { finding: Json::Object(stored).canonical(), evidence, request, at })
}

/// Parses the output of [`write`]; `None` for any other bytes.
pub(super) fn read(judgement: &Judgement) -> Option<(Object, Option<Effect>)> {
    let stored = parse(&judgement.finding).ok()?;
    let finding = stored.get(FINDING)?.as_object()?.clone();
    let effect = match stored.get(EFFECT) {
        None => None,
        Some(effect) => Some(serde_json::from_value(effect.clone().into()).ok()?),
    };
    Some((finding, effect))
}

#[cfg(test)]
mod tests {
    use verdict::{DisputeOutcome, EndDispute, OpenWatch, ScreeningResult};

    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let dispute = EndDispute { outcome: DisputeOutcome::Overturned, refund_to: Some([7; 20]) };
        let watch = OpenWatch {
            sha256: "00".repeat(32),
            until: Timestamp::EPOCH,
            webhook: Some("https://hooks.example/".to_owned()),
            class: "screen-entity".to_owned(),
            screening: ScreeningResult {
                verdict: "NO_MATCH".to_owned(),
                snapshots: vec!["a".to_owned()],
                at: Timestamp::EPOCH,
            },
        };
        for effect in [None, Some(Effect::EndDispute(dispute)), Some(Effect::OpenWatch(watch))] {
            let mut finding = Object::new();
            finding.insert("verdict", "WATCHING");
            let ruling = Ruling { finding: finding.clone(), evidence: Vec::new(), effect: effect.clone() };
            let judgement = write(ruling, Vec::new(), Timestamp::EPOCH).unwrap();
            assert_eq!(read(&judgement), Some((finding, effect)));
        }
        let good = br#"{"finding":{"verdict":"UPHELD"},"effect":{"end_dispute":{"outcome":"upheld","refund_to":null}}}"#;
        let stored = |finding: &[u8]| Judgement {
            finding: finding.to_vec(),
            evidence: Vec::new(),
            request: Vec::new(),
            at: Timestamp::EPOCH,
        };
        assert!(read(&stored(good)).is_some());
        for bad in [
            &b"{}"[..],
            br#"{"verdict":"UPHELD"}"#,
            br#"{"finding":[]}"#,
            br#"{"finding":{},"effect":{}}"#,
            br#"{"finding":{},"effect":{"end_dispute":{"outcome":"won"}}}"#,
            b"",
        ] {
            assert_eq!(read(&stored(bad)), None, "{}", String::from_utf8_lossy(bad));
        }
    }
}
