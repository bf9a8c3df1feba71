//! An example of a receipt: what the judge finds on the route's example question, signed and logged by a notary that
//! does not exist. It holds in every check but under keys that nobody publishes.

use module::Route;
use notary::take_verdict;
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::sha256;
use receipt::json::{Json, Object, parse};
use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::{Signer, log_entry};
use serde_json::Value;
use tlog::{Checkpoint, EMPTY_ROOT, TlogProof, leaf_hash};
use verdict::{AgentName, Fields, Timestamp};

/// The notary of the examples (RFC 2606 keeps the name free).
const ISS: &str = "https://notary.example";
const SIGNED_AT: &str = "2026-11-21T02:00:00.250Z";
/// The seed of both keys of that notary, which is public.
const SEED: [u8; 32] = [0; 32];

/// Findings on the example questions of routes whose judges look at something: answers of the development profile, recorded
/// once. The schemas of the document hold for them (`tests/peers/openapi.py`). In that of `composite` only the last days of
/// `course` are there.
const RECORDED: &[(&str, &str)] = &[
    ("agent-clearance", include_str!("findings/agent-clearance.json")),
    ("awards", include_str!("findings/awards.json")),
    ("composite", include_str!("findings/composite.json")),
    ("dispute", include_str!("findings/dispute.json")),
    ("federal-register", include_str!("findings/federal-register.json")),
    ("scan-text", include_str!("findings/scan-text.json")),
    ("scan-url", include_str!("findings/scan-url.json")),
    ("screen-batch", include_str!("findings/screen-batch.json")),
    ("screen-entity", include_str!("findings/screen-entity.json")),
    ("screen-wallet", include_str!("findings/screen-wallet.json")),
    ("trust-score", include_str!("findings/trust-score.json")),
    ("watch", include_str!("findings/watch.json")),
];

/// The receipt of the route's example question; `None` where there is no question, or neither its judge nor the record above
/// has a finding.
pub(super) fn receipt(route: &Route) -> Option<Value> {
    let class = route.terms.class;
    let request = parse(route.example?.as_bytes()).ok()?;
    let question = request.as_object()?;
    let at = SIGNED_AT.parse().expect("the constant is a time");
    let replayed = || route.judge.as_ref()?.open(question).ok()?.replay(&[], at).ok();
    let finding = recorded(class).or_else(replayed)?;
    let agent = AgentName::read(&Fields::root(question)).ok()?;
    signed(class, &agent, sha256(&request.canonical()), finding, at)
}

fn recorded(class: &str) -> Option<Object> {
    let (_, finding) = RECORDED.iter().find(|(recorded, _)| *recorded == class)?;
    match parse(finding.as_bytes()).ok()? {
        Json::Object(finding) => Some(finding),
        _ => None,
    }
}

fn signed(
    class: &str,
    agent: &AgentName,
    request_hash: [u8; 32],
    mut finding: Object,
    signed_at: Timestamp,
) -> Option<Value> {
    let verdict = take_verdict(&mut finding).ok()?;
    let reference = finding.remove("ref").and_then(|hash| hash.as_str()?.parse().ok());
    let key = SigningKey::from_seed(&SEED);
    let kid = key.id(ISS).expect("the constant is a base address");
    let signer = Signer::new(key, kid);
    let envelope = Envelope::<Json> {
        class,
        iss: ISS,
        kid: signer.kid().as_str(),
        agent: agent.as_str(),
        request_hash,
        is_request_redacted: false,
        verdict: &verdict,
        payment: None,
        reference: reference.as_ref(),
        salt: [0; 16],
        log_head: LogHead { size: 0, root: EMPTY_ROOT },
        signed_at,
    };
    let signed = signer.sign(envelope.payload(&Json::Object(finding)).ok()?);
    let entry = log_entry(class, &signed.hash, signer.kid().as_str(), signed_at, reference.as_ref());
    serde_json::from_slice(&signed.to_json(Some(&proof(&entry)))).ok()
}

/// The proof of the only leaf of a log.
fn proof(entry: &[u8]) -> String {
    let origin = log_origin_from_base_url(ISS).expect("the constant is a base address");
    let key = tlog::SigningKey::from_seed(&origin, &SEED).expect("an origin is a key's name");
    let checkpoint = Checkpoint::new(origin, 1, leaf_hash(entry)).and_then(|head| head.sign(&key));
    let checkpoint = checkpoint.expect("the key is the origin's");
    TlogProof { extra: None, index: 0, path: Vec::new(), checkpoint }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use receipt::key::PublishedKey;
    use receipt::verify::{Keys, Verifier};

    #[test]
    fn every_judged_route_has_an_example_that_holds_in_every_check() {
        let key = SigningKey::from_seed(&SEED);
        let published = PublishedKey::active(key.id(ISS).unwrap(), key.public_key());
        let origin = log_origin_from_base_url(ISS).unwrap();
        let log = tlog::SigningKey::from_seed(&origin, &SEED).unwrap().verifier();
        let verifier = Verifier::new(Keys::new(vec![published], vec![log]).unwrap());
        let service = Service::new();
        for route in service.app.route_table.routes().filter(|route| route.judge.is_some()) {
            let example = receipt(route).unwrap_or_else(|| panic!("{} has none", route.terms.class));
            let report = verifier.verify(example.to_string().as_bytes()).unwrap();
            assert!(report.valid(), "{}: {report:?}", route.terms.class);
        }
        for (class, _) in RECORDED {
            let agent = AgentName::anonymous();
            let at = SIGNED_AT.parse().unwrap();
            let example = signed(class, &agent, [0; 32], recorded(class).unwrap(), at).unwrap();
            let report = verifier.verify(example.to_string().as_bytes()).unwrap();
            // The key of a re-run is another one, and of this notary it is not published either.
            let failed: Vec<_> =
                report.checks().filter(|(name, check)| !check.ok && *name != "rerun").collect();
            assert!(failed.is_empty(), "{class}: {failed:?}");
        }
    }
}
