//! A finding and its effect, as a claim keeps them until its receipt is signed.

use ledger::Judgement;
use payment::Address;
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use verdict::{DisputeOutcome, Effect, EffectKind, EndDispute, KeptRequest, OpenWatch, Ruling};

use crate::refusal::Refusal;

const FINDING: &str = "finding";
const EFFECT: &str = "effect";

/// Serializes a ruling on a request.
///
/// # Errors
/// 503: its effect has no JSON form.
pub(super) fn write(ruling: Ruling, request: KeptRequest, at: Timestamp) -> Result<Judgement, Refusal> {
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

/// Parses the output of [`write`]; `None` for any other bytes. `kind` is that of the class's judge.
pub(super) fn read(judgement: &Judgement, kind: EffectKind) -> Option<(Object, Option<Effect>)> {
    let stored = parse(&judgement.finding).ok()?;
    if stored.get("verdict").is_some() {
        return read_bare(stored.as_object()?.clone(), kind);
    }
    let finding = stored.get(FINDING)?.as_object()?.clone();
    let effect = match stored.get(EFFECT) {
        None => None,
        Some(effect) => Some(serde_json::from_value(effect.clone().into()).ok()?),
    };
    Some((finding, effect))
}

/// Reads a finding that a version of before 2026-11-23 has stored for a claim: it stands alone, and its effect is in it.
fn read_bare(finding: Object, kind: EffectKind) -> Option<(Object, Option<Effect>)> {
    let text = |object: &Object, name: &str| object.get(name).and_then(Json::as_str).map(str::to_owned);
    let effect = match kind {
        // A ruling of before anything was counted or remembered.
        EffectKind::None | EffectKind::Count | EffectKind::Remember => None,
        EffectKind::EndDispute => {
            let outcome = match text(&finding, "verdict")?.as_str() {
                "UPHELD" => DisputeOutcome::Upheld,
                "OVERTURNED" => DisputeOutcome::Overturned,
                "INCONCLUSIVE" => DisputeOutcome::Inconclusive,
                _ => return None,
            };
            let refund_to = match text(&finding, "refund_to") {
                None => None,
                Some(address) => Some(address.parse::<Address>().ok()?.into_array()),
            };
            Some(Effect::EndDispute(EndDispute { outcome, refund_to }))
        }
        EffectKind::OpenWatch => {
            let (watch, screen) = (finding.get("watch")?.as_object()?, finding.get("screen")?.as_object()?);
            Some(Effect::OpenWatch(OpenWatch {
                sha256: text(watch, "sha256")?,
                until: text(watch, "until")?.parse().ok()?,
                webhook: text(watch, "webhook"),
                class: text(screen, "class")?,
                screening: watch::screening(screen)?,
            }))
        }
    };
    Some((finding, effect))
}

#[cfg(test)]
mod tests {
    use verdict::{CountJudged, Remember, ScreeningResult};

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
        let count = CountJudged { subject: Some("00".repeat(32)) };
        let remember = Remember { subject: "00".repeat(32), memory: "{}".to_owned() };
        let effects = [
            Effect::EndDispute(dispute),
            Effect::OpenWatch(watch),
            Effect::Count(count),
            Effect::Remember(remember),
        ];
        for effect in [None].into_iter().chain(effects.map(Some)) {
            let mut finding = Object::new();
            finding.insert("verdict", "WATCHING");
            let ruling = Ruling { finding: finding.clone(), evidence: Vec::new(), effect: effect.clone() };
            let judgement = write(ruling, KeptRequest::as_sent(Vec::new()), Timestamp::EPOCH).unwrap();
            assert_eq!(read(&judgement, EffectKind::None), Some((finding, effect)));
        }
        let good = br#"{"finding":{"verdict":"UPHELD"},"effect":{"end_dispute":{"outcome":"upheld","refund_to":null}}}"#;
        let stored = |finding: &[u8]| Judgement {
            finding: finding.to_vec(),
            evidence: Vec::new(),
            request: KeptRequest::as_sent(Vec::new()),
            at: Timestamp::EPOCH,
        };
        assert!(read(&stored(good), EffectKind::EndDispute).is_some());
        for bad in [
            &b"{}"[..],
            br#"{"verdict":"WON"}"#,
            br#"{"verdict":"UPHELD","refund_to":"nobody"}"#,
            br#"{"finding":[]}"#,
            br#"{"finding":{},"effect":{}}"#,
            br#"{"finding":{},"effect":{"end_dispute":{"outcome":"won"}}}"#,
            b"",
        ] {
            assert_eq!(read(&stored(bad), EffectKind::EndDispute), None, "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn a_finding_that_an_older_version_stored_has_its_effect_in_it() {
        let stored = |finding: &str| Judgement {
            finding: finding.as_bytes().to_vec(),
            evidence: Vec::new(),
            request: KeptRequest::as_sent(Vec::new()),
            at: Timestamp::EPOCH,
        };
        let effect = |finding: &str, kind| read(&stored(finding), kind).map(|(_, effect)| effect);
        assert_eq!(effect(r#"{"verdict":"CONFIRMED"}"#, EffectKind::None), Some(None));
        let to = format!("0x{}", "07".repeat(20));
        let ended = format!(r#"{{"verdict":"OVERTURNED","refund_to":"{to}"}}"#);
        let end = EndDispute { outcome: DisputeOutcome::Overturned, refund_to: Some([7; 20]) };
        assert_eq!(effect(&ended, EffectKind::EndDispute), Some(Some(Effect::EndDispute(end))));
        let watch = r#"{"verdict":"WATCHING","watch":{"sha256":"00","until":"2026-12-01T00:00:00.000Z"},
            "screen":{"class":"screen-entity","verdict":"NO_MATCH","evidence":{"snapshots":["a"],
            "screened_at":"2026-11-01T00:00:00.000Z"}}}"#;
        let Some(Some(Effect::OpenWatch(opened))) = effect(watch, EffectKind::OpenWatch) else { panic!() };
        assert_eq!((&*opened.class, &*opened.screening.verdict), ("screen-entity", "NO_MATCH"));
        assert_eq!((opened.screening.snapshots, opened.webhook), (vec!["a".to_owned()], None));
        assert_eq!(effect(r#"{"verdict":"WATCHING"}"#, EffectKind::OpenWatch), None);
    }
}
