//! The history of keys: which leaves each may sign, and what is refused.

use crate::common::{BASE_URL, SIGNED_AT};
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::sha256;
use receipt::history::{KEY_CLASS, KeyHistory, KeyRecord, KeyRole, MAX_KEY_RECORDS, NotOfKey, NotedKey};
use receipt::json::{Json, Object};
use receipt::key::{KeyState, LeafRange, OutOfRange, SigningKey, jwks, parse_jwks};
use receipt::sign::Signer;

pub(crate) fn signer(seed: u8) -> Signer {
    let key = SigningKey::from_seed(&[seed; 32]);
    let kid = key.id(BASE_URL).unwrap();
    Signer::new(key, kid)
}

fn name(seed: u8) -> String {
    signer(seed).kid().to_string()
}

fn receipt_key(seed: u8) -> NotedKey {
    let signer = signer(seed);
    NotedKey::receipt(signer.kid(), signer.key().public_key())
}

fn rerun_key(seed: u8) -> NotedKey {
    let signer = signer(seed);
    NotedKey::rerun(signer.kid(), signer.key().public_key())
}

/// The payload and the signature of a record's receipt.
fn signed(finding: Object, by: u8) -> (Vec<u8>, [u8; 64]) {
    let signer = signer(by);
    let mut finding = finding;
    let Some(Json::String(verdict)) = finding.remove("verdict") else { panic!("no verdict") };
    let envelope = Envelope {
        class: KEY_CLASS,
        iss: BASE_URL,
        kid: signer.kid().as_str(),
        agent: "notary",
        request_hash: sha256(b"{}"),
        is_request_redacted: false,
        verdict: &verdict,
        payment: None::<&()>,
        reference: None,
        salt: [0; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: SIGNED_AT.parse().unwrap(),
    };
    let signed = signer.sign(envelope.payload(&Json::Object(finding)).unwrap());
    (signed.payload, signed.signature)
}

pub(crate) fn add(history: &mut KeyHistory, leaf: u64, record: &KeyRecord, by: u8) -> Result<(), String> {
    let (payload, signature) = signed(record.finding(), by);
    history.add(leaf, &payload, &signature).map_err(|error| error.to_string())
}

fn replacing(key: NotedKey, private: u8, replaces: &str, reason: Option<&str>) -> KeyRecord {
    KeyRecord::replacing(key, signer(private).key(), replaces, reason.map(str::to_owned))
}

pub(crate) fn begun() -> KeyHistory {
    let mut history = KeyHistory::default();
    add(&mut history, 0, &KeyRecord::introduced(receipt_key(1), false), 1).unwrap();
    add(&mut history, 1, &KeyRecord::introduced(rerun_key(9), false), 1).unwrap();
    history
}

#[test]
fn the_ranges_of_rotated_and_revoked_keys_meet_without_a_gap_or_an_overlap() {
    let mut history = begun();
    let log_key = tlog::SigningKey::from_seed("localhost:8402/log", &[8; 32]).unwrap();
    let log_key = NotedKey::log(&log_key.verifier()).unwrap();
    add(&mut history, 2, &KeyRecord::introduced(log_key.clone(), false), 1).unwrap();
    let webhook = NotedKey::webhook(signer(10).key().public_key());
    add(&mut history, 3, &KeyRecord::introduced(webhook, false), 1).unwrap();
    add(&mut history, 4, &KeyRecord::introduced(receipt_key(7), true), 1).unwrap();
    add(&mut history, 10, &replacing(receipt_key(2), 2, &name(1), None), 1).unwrap();
    add(&mut history, 20, &replacing(receipt_key(3), 3, &name(2), Some("stolen")), 3).unwrap();
    add(&mut history, 21, &KeyRecord::revoking(receipt_key(3), &name(1), "lost".to_owned()), 3).unwrap();
    add(&mut history, 30, &replacing(rerun_key(11), 11, &name(9), None), 3).unwrap();
    let range = |seed| history.key(&name(seed)).unwrap().range.clone();
    let ended = |from, until, revoked: Option<&str>| LeafRange {
        from,
        until: Some(until),
        revoked: revoked.map(str::to_owned),
    };
    assert_eq!(range(7), ended(0, 4, None));
    assert_eq!(range(1), ended(0, 11, Some("lost")));
    assert_eq!(range(2), ended(11, 20, Some("stolen")));
    assert_eq!(range(3), LeafRange::since(20));
    assert_eq!((range(9), range(11)), (ended(0, 31, None), LeafRange::since(31)));
    for leaf in 0..40 {
        let may_sign: Vec<u8> =
            [1, 2, 3].into_iter().filter(|seed| history.check(&name(*seed), leaf).is_ok()).collect();
        assert_eq!(may_sign.len(), 1, "leaf {leaf}: {may_sign:?}");
    }
    assert_eq!(history.check(&name(1), 11), Err(NotOfKey::Range(OutOfRange::Past { leaf: 11, until: 11 })));
    assert!(matches!(history.check(&name(9), 5), Err(NotOfKey::Unknown(_))), "it signs no receipts");
    assert_eq!(history.current(KeyRole::Receipt).unwrap().key, receipt_key(3));
    assert_eq!(history.current(KeyRole::Log).unwrap().key, log_key);
    assert_eq!((history.len(), history.periods().len()), (9, 8));
}

#[test]
fn a_former_rerun_key_ends_at_its_revocation_and_no_other_former_key_changes_its_range() {
    let mut history = begun();
    add(&mut history, 5, &replacing(rerun_key(11), 11, &name(9), None), 1).unwrap();
    let until = |history: &KeyHistory, seed| history.key(&name(seed)).unwrap().range.until;
    assert_eq!(until(&history, 9), Some(6));
    add(&mut history, 20, &KeyRecord::revoking(rerun_key(11), &name(9), "lost".to_owned()), 1).unwrap();
    assert_eq!(until(&history, 9), Some(20));
    add(&mut history, 21, &replacing(receipt_key(2), 2, &name(1), None), 1).unwrap();
    add(&mut history, 30, &KeyRecord::revoking(receipt_key(2), &name(1), "lost".to_owned()), 2).unwrap();
    assert_eq!(until(&history, 1), Some(22));
}

#[test]
fn the_published_keys_have_their_ranges_and_are_read_back() {
    let mut history = begun();
    add(&mut history, 5, &replacing(receipt_key(2), 2, &name(1), Some("stolen, \"perhaps\"")), 2).unwrap();
    let published = history.published();
    let states: Vec<_> = published.iter().map(|key| (key.kid.to_string(), key.state)).collect();
    let expected = [(name(2), KeyState::Active), (name(1), KeyState::Retired), (name(9), KeyState::Rerun)];
    assert_eq!(states, expected);
    let document = jwks(&published, &[]);
    assert_eq!(document["keys"][0]["leaf_from"], 5);
    assert!(document["keys"][0].get("leaf_until").is_none());
    assert_eq!(
        (&document["keys"][1]["leaf_until"], &document["keys"][1]["leaf_from"]),
        (&5.into(), &0.into())
    );
    assert_eq!(document["keys"][1]["revoked_reason"], "stolen, \"perhaps\"");
    assert_eq!(parse_jwks(document.to_string().as_bytes()).unwrap(), published);
    for (member, value) in
        [("leaf_from", "-1"), ("leaf_until", "\"5\""), ("revoked_reason", "7"), ("leaf_until", "null")]
    {
        let mut broken = document.clone();
        broken["keys"][1][member] = serde_json::from_str(value).unwrap();
        let error = parse_jwks(broken.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("key 1 of the set: leaf_from"), "{error}");
    }
}

#[test]
fn a_record_that_breaks_a_rule_is_refused_and_changes_nothing() {
    let mut history = begun();
    add(&mut history, 10, &replacing(receipt_key(2), 2, &name(1), None), 1).unwrap();
    let known = history.clone();
    let mut without_possession = replacing(receipt_key(3), 3, &name(2), None);
    without_possession.possession = None;
    let no_reason = {
        let mut record = replacing(receipt_key(3), 3, &name(2), Some("stolen"));
        record.reason = None;
        record
    };
    let cases = [
        (10, KeyRecord::introduced(rerun_key(12), true), 2, "a later leaf came before"),
        (11, KeyRecord::introduced(receipt_key(1), true), 2, "known already"),
        (11, KeyRecord::introduced(receipt_key(5), false), 2, "take that one's place"),
        // The old key, once it has ended, says nothing more.
        (11, replacing(receipt_key(3), 3, &name(2), None), 1, "past the key's range, which ended at 11"),
        (11, replacing(receipt_key(3), 3, &name(1), None), 2, "is not the receipt key in use"),
        (11, replacing(receipt_key(1), 1, &name(2), None), 2, "was in use before"),
        (11, replacing(receipt_key(3), 4, &name(2), None), 2, "has not signed that it takes the place"),
        (11, without_possession, 2, "has not signed that it takes the place"),
        // A rotation is the old key's to sign, a revocation the new one's.
        (11, replacing(receipt_key(3), 3, &name(2), None), 3, "before the key's range, which began at 12"),
        (
            11,
            replacing(receipt_key(3), 3, &name(2), Some("stolen")),
            2,
            "past the key's range, which ended at 11",
        ),
        (11, no_reason, 3, "gives no reason"),
        (11, replacing(rerun_key(3), 3, &name(2), None), 2, "is not the rerun key in use"),
        (11, replacing(rerun_key(3), 3, &name(9), None), 3, "is not a known receipt key"),
        (11, KeyRecord::revoking(receipt_key(2), &name(2), "x".to_owned()), 2, "is not a former receipt key"),
        (11, KeyRecord::revoking(rerun_key(9), &name(1), "x".to_owned()), 2, "is not a former rerun key"),
        (11, KeyRecord::introduced(rerun_key(12), true), 12, "is not a known receipt key"),
    ];
    for (leaf, record, by, why) in cases {
        let error = add(&mut history, leaf, &record, by).unwrap_err();
        assert!(error.contains(why), "{error}, not: {why}");
        assert!(error.starts_with(&format!("the record of a key at leaf {leaf}: ")), "{error}");
        assert_eq!(history, known);
    }
    let (payload, mut signature) = signed(KeyRecord::introduced(rerun_key(12), true).finding(), 2);
    signature[40] ^= 1;
    assert!(history.add(11, &payload, &signature).unwrap_err().why.contains("signature"));
    let error =
        add(&mut KeyHistory::default(), 0, &KeyRecord::introduced(rerun_key(1), false), 1).unwrap_err();
    assert!(error.contains("not a known receipt key"), "{error}");
}

#[test]
fn members_of_another_form_are_refused_by_name() {
    let finding = KeyRecord::introduced(rerun_key(12), true).finding();
    let of = |name: &str, value: &str| {
        let mut finding = finding.clone();
        finding.insert(name, receipt::json::parse(value.as_bytes()).unwrap());
        finding
    };
    let other_jwk = {
        let mut key = rerun_key(12).to_json();
        key.insert("jwk", Json::Object(rerun_key(13).to_json()).get("jwk").unwrap().clone());
        let mut finding = finding.clone();
        finding.insert("key", key);
        finding
    };
    let cases = [
        (of("method", "\"key-history/2\""), "method"),
        (of("verdict", "\"LOST\""), "verdict"),
        (of("from_leaf", "3"), "from_leaf"),
        (of("retired", "1"), "retired"),
        (of("replaces", "\"x\""), "replaces"),
        (of("reason", "1"), "reason"),
        (of("key", "{}"), "key is not a public key"),
        (of("key", "{\"role\":\"log\",\"vkey\":\"x+1+2\"}"), "key is not a public key"),
        (of("key", "{\"role\":\"webhook\",\"public_key\":\"whpk_AAAA\"}"), "key is not a public key"),
        (other_jwk, "key is not a public key"),
    ];
    for (finding, why) in cases {
        let (payload, signature) = signed(finding, 1);
        let error = begun().add(5, &payload, &signature).unwrap_err();
        assert!(error.why.contains(why), "{error}");
    }
}

#[test]
fn the_number_of_records_is_bounded() {
    let mut history = KeyHistory::default();
    add(&mut history, 0, &KeyRecord::introduced(receipt_key(1), false), 1).unwrap();
    let mut seed = [0; 32];
    for number in 1..=MAX_KEY_RECORDS as u64 {
        seed[..8].copy_from_slice(&number.to_be_bytes());
        let key = NotedKey::webhook(SigningKey::from_seed(&seed).public_key());
        let added = add(&mut history, number, &KeyRecord::introduced(key, true), 1);
        assert_eq!(added.is_ok(), number < MAX_KEY_RECORDS as u64, "{number}: {added:?}");
    }
}
