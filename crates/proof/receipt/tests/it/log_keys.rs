//! The keys of the log: which trees each may sign, how they are published, and what a verifier takes.

use crate::common::Sample;
use crate::history::{add, begun, signer};
use receipt::history::{KeyHistory, KeyRecord, KeyRole, NotedKey};
use receipt::key::{LeafRange, LogKey, SigningKey, jwks, parse_jwks, parse_log_keys};
use receipt::verify::{Keys, Verifier};
use serde_json::json;
use tlog::{Checkpoint, Note, TlogProof, VerifierKey};

const ORIGIN: &str = "localhost:8402/log";

fn log_key(seed: u8) -> tlog::SigningKey {
    tlog::SigningKey::from_seed(ORIGIN, &[seed; 32]).unwrap()
}

fn vkey(seed: u8) -> String {
    log_key(seed).verifier().to_string()
}

fn noted(seed: u8) -> NotedKey {
    NotedKey::log(&log_key(seed).verifier()).unwrap()
}

fn rotated(seed: u8, replaces: &str) -> KeyRecord {
    KeyRecord::replacing(noted(seed), &SigningKey::from_seed(&[seed; 32]), replaces, None)
}

/// The key 20 from the beginning, 21 beside it from leaf 10 on, and alone from leaf 30 on.
fn replaced() -> KeyHistory {
    let mut history = begun();
    add(&mut history, 2, &KeyRecord::introduced(noted(20), false), 1).unwrap();
    add(&mut history, 10, &rotated(21, &vkey(20)), 1).unwrap();
    add(&mut history, 30, &KeyRecord::ending(noted(21), &vkey(20), None), 1).unwrap();
    history
}

#[test]
fn a_log_key_signs_beside_its_successor_until_it_is_ended() {
    let mut history = begun();
    let in_use = |history: &KeyHistory| {
        history.log_keys_in_use().map(|period| period.key.name().to_owned()).collect::<Vec<_>>()
    };
    add(&mut history, 2, &KeyRecord::introduced(noted(20), false), 1).unwrap();
    assert_eq!(in_use(&history), [vkey(20)]);
    add(&mut history, 10, &rotated(21, &vkey(20)), 1).unwrap();
    assert_eq!(in_use(&history), [vkey(20), vkey(21)]);
    assert_eq!(history.current(KeyRole::Log).unwrap().key, noted(20));
    add(&mut history, 30, &KeyRecord::ending(noted(21), &vkey(20), None), 1).unwrap();
    assert_eq!(in_use(&history), [vkey(21)]);
    add(&mut history, 31, &rotated(22, &vkey(21)), 1).unwrap();
    assert_eq!(in_use(&history), [vkey(21), vkey(22)]);
    let ranges: Vec<_> = history.log_keys_with(&[]).into_iter().map(|key| key.range.unwrap()).collect();
    let first = LeafRange { from: 0, until: Some(30), revoked: None };
    assert_eq!(ranges, [first, LeafRange::since(10), LeafRange::since(31)]);
}

#[test]
fn a_record_of_a_log_key_that_breaks_a_rule_is_refused() {
    let mut overlap = begun();
    add(&mut overlap, 2, &KeyRecord::introduced(noted(20), false), 1).unwrap();
    add(&mut overlap, 10, &rotated(21, &vkey(20)), 1).unwrap();
    let mut without_possession = rotated(22, &vkey(21));
    without_possession.possession = None;
    let stolen = Some("stolen".to_owned());
    let private = SigningKey::from_seed(&[22; 32]);
    let rerun = NotedKey::rerun(signer(9).kid(), signer(9).key().public_key());
    let cases = [
        (overlap.clone(), rotated(22, &vkey(20)), "is not ended yet"),
        (overlap.clone(), rotated(22, &vkey(21)), "is not the log key in use"),
        (overlap.clone(), KeyRecord::ending(noted(20), &vkey(21), None), "does not sign beside"),
        (overlap.clone(), KeyRecord::ending(noted(22), &vkey(20), None), "does not sign beside"),
        (replaced(), KeyRecord::ending(noted(21), &vkey(20), None), "does not sign beside"),
        (replaced(), rotated(20, &vkey(21)), "was in use before"),
        (replaced(), rotated(22, &vkey(20)), "is not the log key in use"),
        (replaced(), without_possession, "has not signed"),
        (replaced(), KeyRecord::replacing(noted(22), &private, &vkey(21), stolen), "is not revoked"),
        (replaced(), KeyRecord::revoking(noted(21), &vkey(20), "lost".to_owned()), "is not revoked"),
        (replaced(), KeyRecord::ending(rerun, "x", None), "only a log's key is ended"),
    ];
    for (mut history, record, why) in cases {
        let before = history.clone();
        let error = add(&mut history, 50, &record, 1).unwrap_err();
        assert!(error.contains(why), "{error}, not: {why}");
        assert_eq!(history, before);
    }
}

/// A checkpoint over so many leaves that these log keys have signed.
fn checkpoint(size: u64, seeds: &[u8]) -> String {
    let text = Checkpoint::new(ORIGIN, size, tlog::EMPTY_ROOT).unwrap().to_string();
    let keys: Vec<_> = seeds.iter().map(|seed| log_key(*seed)).collect();
    Note::sign(&text, &keys.iter().collect::<Vec<_>>()).unwrap().to_string()
}

#[test]
fn the_checkpoint_of_a_log_keys_end_is_one_of_both_keys_and_of_the_time_when_both_signed() {
    let mut overlap = begun();
    add(&mut overlap, 2, &KeyRecord::introduced(noted(20), false), 1).unwrap();
    add(&mut overlap, 10, &rotated(21, &vkey(20)), 1).unwrap();
    let ended = |note: &str| KeyRecord::ending(noted(21), &vkey(20), Some(note.to_owned()));
    for size in [11, 30] {
        let (mut history, note) = (overlap.clone(), checkpoint(size, &[20, 21]));
        assert!(history.is_handover(&note) && !begun().is_handover(&note));
        add(&mut history, 30, &ended(&note), 1).unwrap();
        assert_eq!(history.handovers(), [note]);
    }
    for (note, why) in [
        (checkpoint(11, &[20]), "is not one of"),
        (checkpoint(11, &[21]), "is not one of"),
        (checkpoint(11, &[20, 22]), "is not one of"),
        (checkpoint(10, &[20, 21]), "is over 10 leaves"),
        (checkpoint(31, &[20, 21]), "is over 31 leaves"),
        ("x".to_owned(), "is not one of"),
        ("x".repeat(4097), "more than 4096 bytes"),
    ] {
        let mut history = overlap.clone();
        let error = add(&mut history, 30, &ended(&note), 1).unwrap_err();
        assert!(error.contains(why), "{error}, not: {why}");
        assert_eq!(history, overlap);
    }
    let mut elsewhere = rotated(22, &vkey(21));
    elsewhere.checkpoint = Some(checkpoint(31, &[21]));
    let error = add(&mut replaced(), 50, &elsewhere, 1).unwrap_err();
    assert!(error.contains("checkpoint is there for"), "{error}");
}

#[test]
fn the_published_set_has_the_log_keys_with_their_trees_and_older_readers_do_not_see_them() {
    let history = replaced();
    let unknown: VerifierKey = vkey(23).parse().unwrap();
    let keys = history.log_keys_with(&[log_key(21).verifier(), unknown.clone()]);
    assert_eq!(keys.len(), 3);
    assert_eq!(keys[2], LogKey::from(unknown));
    let published = history.published();
    let set = jwks(&published, &keys);
    assert_eq!(parse_jwks(set.to_string().as_bytes()).unwrap(), published);
    assert_eq!(parse_log_keys(set.to_string().as_bytes()).unwrap(), keys);
    let first = &set["keys"][published.len()];
    assert_eq!((&first["vkey"], &first["leaf_until"]), (&json!(vkey(20)), &json!(30)));
    assert_eq!(first["kid"], json!(format!("did:web:localhost%3A8402#{}", noted(20).public().thumbprint())));
    for (member, value) in [
        ("vkey", json!(vkey(21))),
        ("vkey", json!("x")),
        ("x", json!("AAAA")),
        ("leaf_from", json!("0")),
        ("vkey", json!(null)),
    ] {
        let mut broken = set.clone();
        broken["keys"][published.len()][member] = value;
        assert!(parse_log_keys(broken.to_string().as_bytes()).is_err(), "{member}");
    }
}

/// The receipt of a sample, under its checkpoint signed by these keys.
fn under(sample: &Sample, seeds: &[u8]) -> Vec<u8> {
    let mut proof: TlogProof = sample.proof.parse().unwrap();
    let text = Checkpoint::open(&proof.checkpoint, &[sample.log_key.verifier()]).unwrap().to_string();
    let keys: Vec<_> = seeds.iter().map(|seed| log_key(*seed)).collect();
    proof.checkpoint = Note::sign(&text, &keys.iter().collect::<Vec<_>>()).unwrap().to_string();
    let mut receipt: serde_json::Value = serde_json::from_slice(&sample.receipt).unwrap();
    receipt["proof"] = json!(proof.to_string());
    receipt.to_string().into_bytes()
}

#[test]
fn a_checkpoint_counts_if_one_of_its_keys_may_sign_a_tree_of_its_size() {
    let sample = Sample::new();
    let range = |from, until| Some(LeafRange { from, until, revoked: None });
    // The tree of the sample has five leaves, so its last leaf is 4.
    for (old, new, by, holds) in [
        (range(0, None), range(2, None), &[20, 21][..], true),
        (range(0, None), range(2, None), &[20], true),
        (range(0, None), range(2, None), &[21], true),
        (range(0, Some(5)), range(2, None), &[20], true),
        (range(0, Some(4)), range(2, None), &[20], false),
        (range(0, Some(4)), range(2, None), &[21], true),
        (range(0, Some(4)), range(2, None), &[20, 21], true),
        (range(0, None), range(4, None), &[21], true),
        (range(0, None), range(5, None), &[21], false),
        (range(0, None), range(5, None), &[22, 20], true),
        (range(0, Some(3)), range(5, None), &[20, 21], false),
        (None, range(5, None), &[20], true),
        (None, None, &[22], false),
    ] {
        let log = [(20, old), (21, new)].map(|(seed, range)| LogKey { key: log_key(seed).verifier(), range });
        let keys = Keys::new(vec![sample.published.clone()], Vec::new()).unwrap();
        let report = Verifier::new(keys.with_log_keys(log.to_vec())).verify(&under(&sample, by)).unwrap();
        let failed: Vec<_> = report.failed().collect();
        assert_eq!(failed.is_empty(), holds, "{log:?} {by:?} {report:?}");
        assert!(holds || failed == ["inclusion"], "{failed:?}");
    }
    let ended = LogKey { key: log_key(20).verifier(), range: range(0, Some(4)) };
    let keys = Keys::new(vec![sample.published.clone()], Vec::new()).unwrap().with_log_keys(vec![ended]);
    let report = Verifier::new(keys).verify(&under(&sample, &[20])).unwrap();
    let detail = &report.inclusion.detail;
    assert!(detail.contains("5 leaves") && detail.contains("which ended at 4"), "{detail}");
}

#[test]
fn the_empty_tree_is_the_first_keys() {
    let key = |from| LogKey { key: log_key(20).verifier(), range: Some(LeafRange::since(from)) };
    assert!(key(0).check_tree(0).is_ok());
    assert!(key(1).check_tree(0).is_err() && key(1).check_tree(1).is_err() && key(1).check_tree(2).is_ok());
}
