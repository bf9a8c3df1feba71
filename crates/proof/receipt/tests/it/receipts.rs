//! The rules of receipts: what is signed, what is logged, and what verification refuses.

use crate::common::{BASE_URL, SIGNED_AT, Sample, finding};
use proptest::prelude::*;
use receipt::envelope::{ENVELOPE_MEMBERS, Envelope, EnvelopeError, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::parse;
use receipt::key::{KeyId, PublishedKey, SigningKey};
use receipt::sign::{OUTSIDE_PAYLOAD, log_entry};
use receipt::time::Timestamp;
use receipt::verify::{Keys, Report, Verifier, VerifyErrorKind};
use receipt::{jws, key::VerifyingKey};
use serde_json::{Value, json};

fn failed(report: &Report) -> Vec<&'static str> {
    report.failed().collect()
}

fn changed(sample: &Sample, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut receipt: Value = serde_json::from_slice(&sample.receipt).unwrap();
    change(&mut receipt);
    receipt.to_string().into_bytes()
}

#[test]
fn a_receipt_holds_in_every_check() {
    let sample = Sample::new();
    let report = sample.verifier().verify(&sample.receipt).unwrap();
    assert!(report.valid(), "{report:?}");
    assert_eq!(report.receipt_hash, sample.hash);
    assert_eq!(serde_json::to_value(&report).unwrap()["hash"]["ok"], true);
}

#[test]
fn a_receipt_is_the_payload_with_three_members_more() {
    let sample = Sample::new();
    let receipt = parse(&sample.receipt).unwrap();
    let object = receipt.as_object().unwrap();
    assert_eq!(object.canonical_without(&OUTSIDE_PAYLOAD), sample.payload);
    assert_eq!(parse(&sample.payload).unwrap().canonical(), sample.payload);
    assert_eq!(object.get("receipt_hash").unwrap().as_str().unwrap(), hex::encode(sha256(&sample.payload)));
    assert_eq!(object.get("proof").unwrap().as_str().unwrap(), sample.proof);
}

#[test]
fn white_space_and_order_do_not_matter_to_verification() {
    let sample = Sample::new();
    let value: Value = serde_json::from_slice(&sample.receipt).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert!(sample.verifier().verify(pretty.as_bytes()).unwrap().valid());
}

#[test]
fn a_receipt_with_any_byte_changed_is_not_valid() {
    let sample = Sample::new();
    let verifier = sample.verifier();
    for at in 0..sample.receipt.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut receipt = sample.receipt.clone();
            receipt[at] ^= flip;
            let valid = verifier.verify(&receipt).is_ok_and(|report| report.valid());
            assert!(!valid, "byte {at} ^ {flip:#x}: {}", String::from_utf8_lossy(&receipt));
        }
    }
}

#[test]
fn each_check_fails_alone_where_only_its_matter_is_wrong() {
    let sample = Sample::new();
    let verify =
        |change: fn(&mut Value)| failed(&sample.verifier().verify(&changed(&sample, change)).unwrap());
    assert_eq!(verify(|r| r["receipt_hash"] = json!("0".repeat(64))), ["hash"]);
    assert_eq!(
        verify(|r| r["receipt_hash"] = json!(r["receipt_hash"].as_str().unwrap().to_uppercase())),
        ["hash"]
    );
    assert_eq!(verify(|r| r["signature"] = json!("A".repeat(86))), ["signature"]);
    assert_eq!(
        verify(|r| r["signature"] = json!(format!("{}=", r["signature"].as_str().unwrap()))),
        ["signature"]
    );
    assert_eq!(verify(|r| r["verdict"] = json!("REFUTED")), ["hash", "signature", "inclusion"]);
    assert_eq!(verify(|r| r["extra"] = json!(1)), ["hash", "signature", "inclusion"]);
    assert_eq!(verify(|r| r["proof"] = json!("c2sp.org/tlog-proof@v1\n")), ["inclusion", "timestamp"]);
    assert_eq!(
        verify(|r| {
            r.as_object_mut().unwrap().remove("proof");
        }),
        ["inclusion", "timestamp"]
    );
    assert_eq!(
        verify(|r| r["signed_at"] = json!("2026-11-21T02:00:00Z")),
        ["hash", "signature", "inclusion", "timestamp"]
    );
}

#[test]
fn a_key_that_is_not_known_or_not_of_the_issuer_fails() {
    let sample = Sample::new();
    let log = || vec![sample.log_key.verifier()];
    let report = Verifier::new(Keys::new(Vec::new(), log()).unwrap()).verify(&sample.receipt).unwrap();
    assert_eq!(failed(&report), ["signature", "key"]);

    // The same key under another notary's name.
    let key = SigningKey::from_seed(&[7; 32]).public_key();
    let other = PublishedKey::active(KeyId::new("https://other.example", &key).unwrap(), key);
    let keys = Keys::new(vec![sample.published.clone(), other], log()).unwrap();
    let receipt = changed(&sample, |r| r["iss"] = json!("https://other.example"));
    assert_eq!(
        failed(&Verifier::new(keys).verify(&receipt).unwrap()),
        ["hash", "signature", "key", "inclusion"]
    );
}

#[test]
fn a_retired_key_still_verifies_what_it_signed() {
    let sample = Sample::new();
    let PublishedKey { kid, key, .. } = sample.published.clone();
    let keys = Keys::new(vec![PublishedKey::retired(kid, key)], vec![sample.log_key.verifier()]).unwrap();
    let report = Verifier::new(keys).verify(&sample.receipt).unwrap();
    assert!(report.valid() && report.key.detail.contains("retired"));
}

#[test]
fn a_receipt_that_the_key_of_reruns_signed_does_not_verify() {
    let sample = Sample::new();
    let PublishedKey { kid, key, .. } = sample.published.clone();
    let keys = Keys::new(vec![PublishedKey::rerun(kid, key)], vec![sample.log_key.verifier()]).unwrap();
    assert_eq!(failed(&Verifier::new(keys).verify(&sample.receipt).unwrap()), ["signature", "key"]);
}

#[test]
fn a_checkpoint_of_another_log_or_another_key_proves_nothing() {
    let mut sample = Sample::new();
    let other_key = tlog::SigningKey::from_seed("localhost:8402/log", &[1; 32]).unwrap();
    let other_log = tlog::SigningKey::from_seed("other.example/log", &[8; 32]).unwrap();
    for keys in [vec![], vec![other_key.verifier()], vec![other_log.verifier()]] {
        let verifier = Verifier::new(Keys::new(vec![sample.published.clone()], keys).unwrap());
        assert_eq!(failed(&verifier.verify(&sample.receipt).unwrap()), ["inclusion"]);
    }
    // A log that is known, but is not the issuer's.
    let known = sample.log_key.verifier();
    let proof = sample.proof.replace("localhost:8402/log", "other.example/log");
    let mut parsed: tlog::TlogProof = sample.proof.parse().unwrap();
    let head = tlog::Checkpoint::open(&parsed.checkpoint, &[known]).unwrap();
    parsed.checkpoint = tlog::Checkpoint::new("other.example/log", head.size(), head.root())
        .unwrap()
        .sign(&other_log)
        .unwrap();
    sample.receipt = changed(&sample, |r| r["proof"] = json!(parsed.to_string()));
    let verifier =
        Verifier::new(Keys::new(vec![sample.published.clone()], vec![other_log.verifier()]).unwrap());
    let report = verifier.verify(&sample.receipt).unwrap();
    assert!(failed(&report) == ["inclusion"] && report.inclusion.detail.contains("not of iss"), "{report:?}");
    sample.receipt = changed(&sample, |r| r["proof"] = json!(proof));
    assert!(!sample.verifier().verify(&sample.receipt).unwrap().inclusion.ok);
}

#[test]
fn signatures_of_unknown_witnesses_neither_help_nor_hurt() {
    let sample = Sample::new();
    let verifier = sample.verifier();
    for lines in [1, 90] {
        let foreign = "\u{2014} witness.example AAAAAAAAAAAAAAAA\n".repeat(lines);
        let proof = format!("{}{foreign}", sample.proof);
        for _ in 0..2 {
            let report = verifier.verify(&changed(&sample, |r| r["proof"] = json!(proof))).unwrap();
            assert!(report.valid(), "{report:?}");
        }
    }
}

#[test]
fn a_proof_of_another_leaf_does_not_prove_this_receipt() {
    let sample = Sample::new();
    for index in ["index 0", "index 2", "index 4", "index 5", "index 18446744073709551615"] {
        let proof = sample.proof.replace("index 3", index);
        let report = sample.verifier().verify(&changed(&sample, |r| r["proof"] = json!(proof))).unwrap();
        assert!(!report.inclusion.ok, "{index}");
    }
}

#[test]
fn a_receipt_about_a_receipt_is_logged_with_its_reference() {
    let reference = ReceiptHash(sha256(b"another"));
    let head = LogHead { size: 0, root: tlog::EMPTY_ROOT };
    let sample = Sample::with(Some(reference), head, &finding());
    assert!(sample.verifier().verify(&sample.receipt).unwrap().valid());
    let entry = log_entry("c", &sample.hash, "k", SIGNED_AT.parse().unwrap(), Some(&reference));
    let entry = parse(&entry).unwrap();
    assert_eq!(entry.get("ref").unwrap().as_str().unwrap(), hex::encode(sha256(reference.as_bytes())));
    assert_eq!(entry.get("h").unwrap().as_str().unwrap(), hex::encode(sha256(sample.hash.as_bytes())));
}

#[test]
fn a_log_entry_is_canonical_and_does_not_give_the_hash_away() {
    let sample = Sample::new();
    for reference in [None, Some(&sample.hash)] {
        let entry = log_entry("a\"b", &sample.hash, "did:web:a#b", Timestamp::EPOCH, reference);
        assert_eq!(parse(&entry).unwrap().canonical(), entry);
        assert!(!String::from_utf8(entry).unwrap().contains(&sample.hash.to_string()));
    }
}

#[test]
fn a_log_head_behind_the_leaf_or_with_a_wrong_empty_root_fails_the_timestamp() {
    let root = tlog::leaf_hash(b"x");
    let cases = [(3, root, true), (4, root, false), (0, root, false), (2, tlog::EMPTY_ROOT, false)];
    for (size, root, ok) in cases {
        let sample = Sample::with(None, LogHead { size, root }, &finding());
        let report = sample.verifier().verify(&sample.receipt).unwrap();
        assert_eq!(failed(&report), if ok { vec![] } else { vec!["timestamp"] }, "{size}");
    }
}

#[test]
fn a_log_head_fails_the_timestamp_where_the_log_never_had_it() {
    let (root, other) = (tlog::leaf_hash(b"x"), tlog::leaf_hash(b"y"));
    let sample = Sample::with(None, LogHead { size: 3, root }, &finding());
    let offline = sample.verifier().verify(&sample.receipt).unwrap();
    assert!(offline.timestamp.ok && offline.timestamp.detail.contains("not compared with the log"));
    assert_eq!(offline.log_head, Some(LogHead { size: 3, root }));
    for (logged, ok) in [(Some(root), true), (Some(other), false), (None, false)] {
        let mut report = offline.clone();
        report.compare_head(logged);
        assert_eq!(failed(&report), if ok { vec![] } else { vec!["timestamp"] });
        assert_eq!(report.timestamp.detail.contains("never had"), !ok, "{}", report.timestamp.detail);
    }
    // A check that fails by itself has no head to compare, and goes on failing.
    let sample = Sample::with(None, LogHead { size: 4, root }, &finding());
    let mut behind = sample.verifier().verify(&sample.receipt).unwrap();
    behind.compare_head(Some(root));
    assert_eq!(failed(&behind), ["timestamp"]);
}

#[test]
fn a_checkpoint_that_the_log_never_had_fails_the_inclusion() {
    let sample = Sample::new();
    let offline = sample.verifier().verify(&sample.receipt).unwrap();
    let LogHead { size, root } = offline.checkpoint.unwrap();
    assert_eq!(size, 5);
    let other = tlog::leaf_hash(b"y");
    for (logged, ok, said) in [
        (Some(root), true, "the log's own"),
        (Some(other), false, "at size 5"),
        (None, false, "fewer than 5"),
    ] {
        let mut report = offline.clone();
        report.compare_checkpoint(logged);
        assert_eq!(failed(&report), if ok { vec![] } else { vec!["inclusion"] });
        assert!(report.inclusion.detail.contains(said), "{}", report.inclusion.detail);
    }
    // A receipt that is proved to be in no tree has none to compare, and goes on failing.
    let proof = sample.proof.replace("index 3", "index 4");
    let mut elsewhere = sample.verifier().verify(&changed(&sample, |r| r["proof"] = json!(proof))).unwrap();
    assert_eq!(elsewhere.checkpoint, None);
    elsewhere.compare_checkpoint(Some(root));
    assert_eq!(failed(&elsewhere), ["inclusion"]);
}

#[test]
fn without_a_key_of_the_log_the_inclusion_fails_and_says_why() {
    let sample = Sample::new();
    let keys = Keys::new(vec![sample.published.clone()], Vec::new()).unwrap();
    let report = Verifier::new(keys).verify(&sample.receipt).unwrap();
    assert!(
        failed(&report) == ["inclusion"] && report.inclusion.detail.contains("no key of the log is known")
    );
}

#[test]
fn a_receipt_from_the_future_fails_past_five_seconds() {
    let sample = Sample::new();
    let signed_at: Timestamp = SIGNED_AT.parse().unwrap();
    for (ahead, ok) in [(0, true), (5_000, true), (5_001, false), (-9_999_999, true)] {
        let now = signed_at.saturating_add_millis(-ahead);
        let report = sample.verifier().at(now).verify(&sample.receipt).unwrap();
        assert_eq!(report.timestamp.ok, ok, "{ahead}");
    }
}

#[test]
fn what_is_no_receipt_is_an_error_that_names_the_member() {
    let sample = Sample::new();
    let verifier = sample.verifier();
    let error = |text: &[u8]| {
        let error = verifier.verify(text).unwrap_err();
        (error.field.clone(), error.pointer.clone(), error.code())
    };
    let body = |code| ("body".to_owned(), String::new(), code);
    assert_eq!(error(b"{"), body("malformed"));
    assert_eq!(error(b"[]"), body("malformed"));
    assert_eq!(error(b"\"\xff\""), body("invalid_utf8"));
    assert_eq!(error("[".repeat(65).as_bytes()), body("too_deep"));
    let duplicate = [&sample.receipt[..sample.receipt.len() - 1], br#","verdict":"REFUTED"}"#].concat();
    assert_eq!(error(&duplicate), ("verdict".into(), "/verdict".into(), "duplicate_key"));
    let without = |name: &str| error(&changed(&sample, |r| drop(r.as_object_mut().unwrap().remove(name))));
    for name in ENVELOPE_MEMBERS.into_iter().chain(["receipt_hash", "signature"]) {
        if !["payment", "ref", "request_kept"].contains(&name) {
            let expected = if name == "log_head" { "log_head" } else { name };
            assert!(without(name).0.starts_with(expected) && without(name).2 == "missing", "{name}");
        }
    }
    for name in [
        "class",
        "iss",
        "kid",
        "signed_at",
        "receipt_hash",
        "signature",
        "proof",
        "ref",
        "v",
        "log_head",
        "request_kept",
    ] {
        let wrong = changed(&sample, |r| r[name] = json!([]));
        assert_eq!((error(&wrong).0.as_str(), error(&wrong).2), (name, "malformed"));
    }
    assert_eq!(error(&changed(&sample, |r| r["log_head"]["size"] = json!(-1))).1, "/log_head/size");
    let newer = verifier.verify(&changed(&sample, |r| r["v"] = json!(2))).unwrap_err();
    assert_eq!((newer.kind, newer.code()), (VerifyErrorKind::UnsupportedVersion, "unsupported_version"));
}

#[test]
fn a_finding_cannot_speak_for_the_notary() {
    let envelope = Envelope {
        class: "commit",
        iss: BASE_URL,
        kid: "k",
        agent: "a",
        request_hash: [0; 32],
        is_request_redacted: false,
        verdict: "COMMITTED",
        payment: Some(&json!({"network": "base", "amount": "0.10"})),
        reference: None,
        salt: [0; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: Timestamp::EPOCH,
    };
    for name in ENVELOPE_MEMBERS.into_iter().chain(OUTSIDE_PAYLOAD) {
        let error = envelope.payload(&json!({ name: 1 })).unwrap_err();
        assert!(matches!(error, EnvelopeError::Collision(member) if member == name));
    }
    assert!(matches!(envelope.payload(&[1]).unwrap_err(), EnvelopeError::NotAnObject("array")));
    assert!(matches!(
        envelope.payload(&std::collections::BTreeMap::from([("x", f64::NAN)])),
        Err(EnvelopeError::Serialize(_))
    ));
    let payload = parse(&envelope.payload(&json!({})).unwrap()).unwrap();
    assert_eq!(payload.get("payment").unwrap().get("amount").unwrap().as_str(), Some("0.10"));
    assert!(payload.get("ref").is_none() && payload.get("request_kept").is_none());
    let redacted = Envelope { is_request_redacted: true, ..envelope };
    let payload = parse(&redacted.payload(&json!({})).unwrap()).unwrap();
    assert_eq!(payload.get("request_kept").unwrap().as_str(), Some("redacted"));
}

#[test]
fn the_compact_jws_verifies_and_carries_the_payload() {
    let sample = Sample::new();
    let key = VerifyingKey::new(sample.published.key).unwrap();
    let compact = sample.signer.sign(sample.payload.clone()).jws(sample.signer.kid().as_str());
    let jws = jws::verify(&compact, &key).unwrap();
    assert_eq!(jws.payload, sample.payload);
    assert_eq!(jws.header.get("typ").unwrap().as_str(), Some("verdict-receipt+jws"));
    assert_eq!(jws.header.get("kid").unwrap().as_str(), Some(sample.signer.kid().as_str()));
    let one_by_one =
        receipt::sign::sign(sample.payload.clone(), sample.signer.key(), sample.signer.kid().as_str());
    assert_eq!(one_by_one, sample.signer.sign(sample.payload.clone()));
    for at in 0..compact.len() {
        let mut bytes = compact.clone().into_bytes();
        bytes[at] ^= 1;
        let refused = String::from_utf8(bytes).map_or(true, |text| jws::verify(&text, &key).is_err());
        assert!(refused, "byte {at}");
    }
}

#[test]
fn a_months_first_day_is_known_in_leap_years_and_others() {
    for (time, first_day) in [
        ("1970-01-31T23:59:59.999Z", 0),
        ("2023-02-28T23:59:59.999Z", 19_389),
        ("2023-03-01T00:00:00.000Z", 19_417),
        ("2024-02-29T12:00:00.000Z", 19_754),
        ("2024-03-01T00:00:00.000Z", 19_783),
        ("2100-03-01T00:00:00.000Z", 47_541),
    ] {
        assert_eq!(time.parse::<Timestamp>().unwrap().unix_days_of_month_start(), first_day, "{time}");
    }
}

#[test]
fn times_are_written_one_way_and_read_no_other() {
    for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "9999-12-30T21:59:59.999Z"] {
        assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
    }
    let refused = [
        "",
        "2026-11-21T02:00:00Z",
        "2026-11-21T02:00:00.25Z",
        "2026-11-21 02:00:00.250Z",
        "2026-11-21T02:00:00.250+00:00",
        "2026-11-21t02:00:00.250z",
        "2026-02-29T00:00:00.000Z",
        "2026-13-01T00:00:00.000Z",
        "2026-11-21T24:00:00.000Z",
        "2026-11-21T23:59:60.000Z",
        "1969-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59.999Z",
        "+026-11-21T02:00:00.250Z",
        // Forms of ISO 8601 that the calendar's library reads, of the same length.
        "2026-11-21T02:00:00,250Z",
        "2026-11-21T02:00:00.2+00",
        "2026-11-21T02:00:00Z[UTC",
        "+002026-11-21T02:00:00Z",
        "20261121T020000.2500000Z",
        "2026-11-21T020000.25000Z",
        "２026-11-21T02:00:00.2Z",
    ];
    for text in refused {
        assert!(text.parse::<Timestamp>().is_err(), "{text}");
    }
    assert_eq!("2026-11-21T02:00:00.250Z".parse::<Timestamp>().unwrap().day(), "2026-11-21");
}

proptest! {
    #[test]
    fn a_month_starts_on_a_first_day_of_the_same_month(millis in 0..=Timestamp::MAX.as_millis()) {
        let time = Timestamp::from_millis(millis).unwrap();
        let start = Timestamp::from_millis(i64::from(time.unix_days_of_month_start()) * 86_400_000).unwrap();
        prop_assert!(start <= time);
        prop_assert_eq!(start.to_string(), format!("{}-01T00:00:00.000Z", &time.to_string()[..7]));
    }

    #[test]
    fn every_time_is_read_back(millis in 0..=Timestamp::MAX.as_millis()) {
        let time = Timestamp::from_millis(millis).unwrap();
        prop_assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
    }

    #[test]
    fn verification_of_arbitrary_texts_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Sample::new().verifier().verify(&bytes);
    }

    #[test]
    fn a_receipt_of_any_finding_holds(members in prop::collection::vec(("[a-z]{8,9}", crate::common::tree()), 0..5)) {
        let mut finding = finding();
        for (name, value) in members {
            finding[name] = value.into();
        }
        let sample = Sample::with(None, LogHead { size: 1, root: tlog::leaf_hash(b"one") }, &finding);
        prop_assert!(sample.verifier().verify(&sample.receipt).unwrap().valid());
    }
}
