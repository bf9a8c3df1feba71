//! What is kept of a look: within bounds, the same each time, and enough to find the same again.

use super::*;
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::receipt::{canonical, hash};
use crate::support::store::Store;

/// A bond.
const BOND: u64 = 1_000_000;
/// The most bytes of a body that `/verify` takes.
const BODY_BYTES: usize = 256 << 10;

#[track_caller]
pub(super) fn disputed(service: &Service, receipt: &Value) -> Value {
    let dispute = json!({"agent": "b", "receipt_hash": hash(receipt), "reason": "it is not so"});
    service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND))).expect(200).json()
}

/// The finding as it was signed, less what development adds to it.
pub(super) fn finding(receipt: &Value) -> Value {
    let mut finding = receipt.clone();
    let members = finding.as_object_mut().unwrap();
    let envelope = ["v", "class", "iss", "kid", "agent", "request_hash", "salt", "log_head", "signed_at"];
    for name in envelope.iter().chain(&["receipt_hash", "signature", "proof"]) {
        members.remove(*name).unwrap();
    }
    let scope = text(receipt, "scope").strip_prefix(server::DEV_NOTICE).unwrap().trim_start();
    members.insert("scope".to_owned(), scope.into());
    finding
}

/// Takes out what differs between two looks at the same: when things were seen, how long that took, and the resolver's choice
/// of the extended error (RFC 8914) with which it explains a bogus name. The first to ask is told the reason, whoever asks
/// later may be told only that the name is bogus.
fn forget_circumstances(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members
                .retain(|name, _| !matches!(name.as_str(), "observed_at" | "elapsed_ms" | "took" | "as_of"));
            if let Some(Value::Array(errors)) = members.get_mut("errors") {
                errors.fill(Value::Null);
            }
            // A question without validation is answered with AD where the resolver has validated the name before.
            if let Some(authentic) = members.get_mut("unchecked").and_then(|reply| reply.get_mut("answered"))
            {
                authentic["authentic"] = Value::Null;
            }
            members.values_mut().for_each(forget_circumstances);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_circumstances),
        // The policy's name that a remedy proposes is the time of the look.
        Value::String(text) => {
            if let Some((before, after)) = text.split_once("v=STSv1; id=") {
                let rest = after.split_once('"').map_or("", |(_, rest)| rest);
                *text = format!("{before}v=STSv1{rest}");
            }
        }
        _ => {}
    }
}

#[test]
fn two_services_say_the_same_of_an_unchanged_internet() {
    let Some(lab) = Lab::shared("whether two looks say the same") else { return };
    let (one, other) = (Sight::of(lab).start(), Sight::of(lab).start());
    let without_circumstances = |service: &Service, domain: &str| {
        let mut found = finding(&score(service, domain));
        // The hash is of what was seen with its times.
        found["evidence"].as_object_mut().unwrap().remove("observations_sha256").unwrap();
        forget_circumstances(&mut found);
        found
    };
    for domain in ["perfect.test", "expired.test", "plain.test", "bogus.test", "nomail.test", "swollen.test"]
    {
        assert_eq!(without_circumstances(&one, domain), without_circumstances(&other, domain), "{domain}");
    }
}

#[test]
fn a_dispute_replays_what_was_seen_to_the_byte() {
    let Some(lab) = Lab::shared("replays of /trust-score") else { return };
    let service = Sight::of(lab).start();
    for domain in ["perfect.test", "expired.test", "bogus.test", "truncated.test", "rdap-week.test"] {
        let first = score(&service, domain);
        // Of what was kept of the first look, judged at a time of its own.
        let second = score(&service, domain);
        let observations = |receipt: &Value| receipt["evidence"]["observations_sha256"].clone();
        assert_eq!(observations(&first), observations(&second), "{domain}");
        for receipt in [first, second] {
            let dispute = disputed(&service, &receipt);
            assert_eq!(text(&dispute, "verdict"), "UPHELD", "{domain}: {dispute:#}");
            let replayed = &dispute["replay"]["finding"];
            assert_eq!(canonical(replayed), canonical(&finding(&receipt)), "{domain}");
        }
    }
}

#[test]
fn what_a_registry_said_is_told_of_every_name_below_with_the_time_at_which_it_said_so() {
    let Some(lab) = Lab::shared("one answer of a registry for many names") else { return };
    let service = Sight::of(lab).start();
    let (first, second) = (score(&service, "perfect.test"), score(&service, "www.perfect.test"));
    assert_eq!(outcome(&first, "expiration"), ("pass", "registered"), "{first:#}");
    assert_eq!(check(&first, "expiration"), check(&second, "expiration"), "one answer, at one time");
    assert_ne!(first["evidence"]["observed_at"], second["evidence"]["observed_at"], "of two looks");
    assert_eq!(check(&second, "spf")["observed_at"], second["evidence"]["observed_at"]);
    let dispute = disputed(&service, &second);
    assert_eq!(text(&dispute, "verdict"), "UPHELD", "{dispute:#}");
    assert_eq!(canonical(&dispute["replay"]["finding"]), canonical(&finding(&second)));
}

/// The JSON of a client that escapes all but ASCII.
fn in_ascii(value: &Value) -> String {
    let escaped = |character: char| match character {
        '\0'..='~' => character.to_string(),
        other => other.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    value.to_string().chars().map(escaped).collect()
}

#[test]
fn the_largest_receipt_is_within_what_verify_takes() {
    let Some(lab) = Lab::shared("the bounds of evidence") else { return };
    let service = Sight::of(lab).start();
    let receipt = score(&service, "swollen.test");
    for id in ["tls", "caa", "spf", "expiration", "mta_sts"] {
        assert_eq!(outcome(&receipt, id).0, "pass", "{id}: {:#}", check(&receipt, id));
    }
    for id in ["tls_rpt", "bimi"] {
        assert_eq!(outcome(&receipt, id), ("fail", "several_records"));
    }
    // Both have more to show than there is room for.
    let bounds = &service.get("/catalog").expect(200).json()["bounds"]["trust"];
    let most = usize::try_from(bounds["check_evidence_bytes"].as_u64().unwrap()).unwrap();
    for id in ["caa", "expiration"] {
        let size = in_ascii(&check(&receipt, id)["evidence"]).len();
        assert!((most * 3 / 4..=most).contains(&size), "{id} shows {size} bytes");
    }
    let dispute = disputed(&service, &receipt);
    assert_eq!(text(&dispute, "verdict"), "UPHELD", "{:#}", dispute["reason"]);
    for receipt in [receipt, dispute] {
        let body = in_ascii(&receipt);
        assert!(body.len() < BODY_BYTES / 2, "{} bytes", body.len());
        let report = service.post("/verify", body).expect(200).json();
        assert_eq!(report["valid"], true, "{report:#}");
        service.get(&format!("/r/{}", hash(&receipt))).expect(200);
    }
}

#[test]
fn the_largest_evidence_is_within_its_bounds() {
    let Some(lab) = Lab::shared("the bounds of what is kept") else { return };
    let service = Sight::of(lab).start();
    let receipt = score(&service, "swollen.test");
    let observations = Store::of(service.data.path()).evidence(&receipt, "observations");
    let seen: Value = serde_json::from_slice(&observations).unwrap();
    let bounds = &service.get("/catalog").expect(200).json()["bounds"]["trust"];
    let size = |bound: &Value| usize::try_from(bound.as_u64().unwrap()).unwrap();
    let bound = |name: &str| size(&bounds[name]);
    let parts = [
        // Beside its records, each look-up has a name and what became of it.
        ("dns", bound("records_bytes") + bound("look_ups") * (bound("name_bytes") + 64)),
        ("dnssec", 8 << 10),
        ("tls", bound("chain_bytes") * 4 / 3 + 4096),
        ("site", 64 << 10),
        ("registry", usize::try_from(bounds["registry"]["bytes"].as_u64().unwrap()).unwrap()),
    ];
    for (part, most) in parts {
        let size = seen[part].to_string().len();
        assert!(size < most, "{part} has {size} bytes of at most {most}");
        assert!(!seen[part]["seen"].is_null(), "{part} was not seen");
    }
    assert!(observations.len() < parts.iter().map(|(_, most)| most).sum(), "{}", observations.len());
}
