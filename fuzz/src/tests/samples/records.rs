//! What is kept of a log for years: archives, states, records of keys, and the texts of witnesses.

use audit_archive::Filter;
use audit_archive::layout::{About, FORMAT, Kept, Name, StampedLine};
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::sha256;
use receipt::history::{KEY_CLASS, KeyRecord, NotedKey};
use receipt::json::Json;
use receipt::key::{KeyId, PublishedKey, jwks};
use receipt::sign::{SignedPayload, Signer, log_entry};
use receipt::time::Timestamp;
use serde_json::{Value, json};
use tlog::tile::{encode_bundle, encode_hashes};
use tlog::{Checkpoint, KeyKind, Note, SigningKey, TilePath, TlogProof, leaf_hash};
use witness::AddCheckpoint;

use crate::archive::{BASE_URL, log_key, receipt_key, with_sums};
use crate::witness::{AT, cosigners, signed};

const REQUEST: &[u8] = b"{\"content\":1}";

fn signer() -> Signer {
    let key = receipt_key();
    let kid = KeyId::new(BASE_URL, &key.public_key()).expect("a base address");
    Signer::new(key, kid)
}

fn at() -> Timestamp {
    "2026-11-27T12:00:00.000Z".parse().expect("a time")
}

fn sign(class: &str, verdict: &str, finding: &Json) -> SignedPayload {
    let signer = signer();
    let envelope = Envelope {
        class,
        iss: BASE_URL,
        kid: signer.kid().as_str(),
        agent: "scout-7",
        request_hash: sha256(REQUEST),
        is_request_redacted: false,
        verdict,
        payment: None::<&()>,
        reference: None,
        salt: [7; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: at(),
    };
    signer.sign(envelope.payload(finding).expect("a finding"))
}

fn commit() -> SignedPayload {
    let finding = json!({"evidence": {}, "scope": "All.", "method": "commit/1", "explanation": "So it is."});
    sign("commit", "COMMITTED", &receipt::json::from_serialize(&finding).expect("JSON"))
}

fn entry() -> Vec<u8> {
    log_entry("commit", &commit().hash, signer().kid().as_str(), at(), None)
}

/// The signed tree with the entry alone.
fn checkpoint() -> String {
    let head = Checkpoint::new(log_key().name(), 1, leaf_hash(&entry())).expect("a good origin");
    head.sign(&log_key()).expect("its own log's key")
}

/// An archive of one receipt.
pub fn archive_tar() -> Vec<Vec<u8>> {
    let about = About {
        format: FORMAT.to_owned(),
        log_key: log_key().verifier().to_string(),
        size: 1,
        filter: Filter::default(),
    };
    let public = receipt_key().public_key();
    let published = PublishedKey::active(signer().kid().clone(), public);
    let proof = TlogProof { extra: None, index: 0, path: Vec::new(), checkpoint: checkpoint() };
    let line = |json: Vec<u8>| [json, b"\n".to_vec()].concat();
    let address = sha256(REQUEST);
    let kept = Kept {
        leaf: 0,
        is_erased: false,
        judged_at: Some(at().as_millis()),
        request: Some(hex::encode(address)),
        evidence: Vec::new(),
    };
    let stamped = StampedLine { size: 1, checkpoint: checkpoint(), answer: "MAA=".to_owned() };
    let json = |value: &About| serde_json::to_vec(value).expect("a document");
    let members = vec![
        (Name::About, json(&about)),
        (Name::Keys, jwks(&[published], &[]).to_string().into_bytes()),
        (Name::Prices, b"[{\"class\":\"commit\",\"since\":0,\"amount\":100000}]".to_vec()),
        (Name::Policy, tlog_policy().remove(0)),
        (Name::Checkpoint, checkpoint().into_bytes()),
        (Name::Timestamps, line(serde_json::to_vec(&stamped).expect("a line"))),
        (Name::Tile(TilePath::entries(0, 1).expect("a tile")), encode_bundle(&[entry()]).expect("a bundle")),
        (Name::Tile(TilePath::hashes(0, 0, 1).expect("a tile")), encode_hashes(&[leaf_hash(&entry())])),
        (Name::Receipts(0..1), line(commit().to_json(Some(&proof.to_string())))),
        (Name::Blob(address), REQUEST.to_vec()),
        (Name::Kept(0..1), line(serde_json::to_vec(&kept).expect("a line"))),
    ];
    vec![with_sums(members.into_iter().map(|(name, content)| (name.to_string(), content)).collect())]
}

pub fn archive_verify() -> Vec<Vec<u8>> {
    archive_tar()
}

pub fn follower_contradiction() -> Vec<Vec<u8>> {
    let forked = SigningKey::from_seed("forked.example/log", &[5; 32]).expect("a key name");
    let head = |size, leaf: &[u8]| {
        Checkpoint::new(forked.name(), size, leaf_hash(leaf))
            .and_then(|head| head.sign(&forked))
            .expect("a note")
    };
    let document = |key: String, smaller: String, larger: String, more: Value| {
        let mut document = json!({
            "format": "touchstone-log-contradiction/1", "log_key": key, "smaller": smaller, "larger": larger,
        });
        document.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        document.to_string().into_bytes()
    };
    let forked_key = forked.verifier().to_string();
    let path = json!({"start": leaf_hash(b"one").to_string(), "path": [leaf_hash(b"two").to_string()]});
    vec![
        document(forked_key.clone(), head(1, b"one"), head(1, b"two"), json!({})),
        document(forked_key, head(1, b"one"), head(2, b"two"), path),
        document(log_key().verifier().to_string(), checkpoint(), checkpoint(), json!({"path": []})),
    ]
}

pub fn follower_state() -> Vec<Vec<u8>> {
    let tile = hex::encode(encode_hashes(&[leaf_hash(&entry())]));
    let state = |checkpoint: Value, verified: Value, goal: Value, ahead: Value| {
        let state = json!({
            "format": "touchstone-log-state/1", "log_key": log_key().verifier().to_string(), "checkpoint": checkpoint,
            "verified": verified, "goal": goal, "ahead": ahead,
        });
        state.to_string().into_bytes()
    };
    let empty = json!({"size": 0, "tiles": [], "observer": null});
    let whole = json!({"size": 1, "tiles": [tile], "observer": {"classes": ["commit"]}});
    vec![
        state(Value::Null, empty.clone(), Value::Null, Value::Null),
        state(checkpoint().into(), whole, Value::Null, Value::Null),
        state(Value::Null, empty.clone(), checkpoint().into(), empty),
    ]
}

pub fn forms_statement() -> Vec<Vec<u8>> {
    let escaped = json!({"evidence": [], "scope": "\u{e9}\n\"", "method": "x/1", "score": 0.5});
    let escaped = receipt::json::from_serialize(&escaped).expect("JSON");
    vec![commit().payload, sign("claim-verdict", "CONFIRMED", &escaped).payload]
}

pub fn receipt_key_record() -> Vec<Vec<u8>> {
    let signer = signer();
    let record = KeyRecord::introduced(NotedKey::receipt(signer.kid(), signer.key().public_key()), false);
    let mut finding = record.finding();
    finding.remove("verdict");
    vec![sign(KEY_CLASS, record.change.verdict(), &Json::Object(finding)).payload]
}

pub fn tlog_cosignature() -> Vec<Vec<u8>> {
    let head = signed().text().parse().expect("the text of a checkpoint");
    let lines =
        cosigners().map(|key| key.cosign(&head, AT).expect("a checkpoint can be cosigned").to_string());
    let keys = cosigners().map(|key| key.to_private_text().to_string());
    lines.into_iter().chain(keys).map(String::into_bytes).collect()
}

pub fn tlog_policy() -> Vec<Vec<u8>> {
    let key = |number: u8, kind| {
        let key = tlog::CosignerKey::from_seed(&format!("w{number}.example"), kind, &[number; 32]);
        key.expect("a key name").verifier().to_string()
    };
    let [one, other, third] =
        [key(1, KeyKind::CosignatureV1), key(2, KeyKind::CosignatureV1), key(3, KeyKind::MlDsa44)];
    let log = crate::witness::log_key().verifier();
    let witnesses = format!(
        "witness w1 {one} https://w1.example/w\nwitness w2 {other}\nwitness w3 {third} http://[2001:db8::1]:8080\n"
    );
    [
        format!("# who\nlog {log} https://example.com/log\n{witnesses}group q 2 w1 w2 w3\nquorum q\n"),
        format!("log {log}\n{witnesses}group a any w1 w2\ngroup b all a w3\nquorum b\n"),
        format!("log {log}\n\nquorum none\n"),
    ]
    .map(String::into_bytes)
    .to_vec()
}

pub fn witness_answer() -> Vec<Vec<u8>> {
    let head = signed().text().parse().expect("the text of a checkpoint");
    let lines =
        cosigners().map(|key| key.cosign(&head, AT).expect("a checkpoint can be cosigned").to_string());
    let [one, both] = [format!("{}\n", lines[0]), format!("{}\n{}\n", lines[0], lines[1])];
    vec![[b"\0", one.as_bytes()].concat(), [b"\0", both.as_bytes()].concat(), b"\x011\n".to_vec()]
}

pub fn witness_request() -> Vec<Vec<u8>> {
    let first = AddCheckpoint::new(0, Vec::new(), signed()).expect("a request");
    let head = Checkpoint::new("example.com/log", 3, leaf_hash(b"three")).expect("a good origin");
    let grown: Note =
        head.sign(&crate::witness::log_key()).expect("its own log's key").parse().expect("a note");
    let path = vec![leaf_hash(b"two"), leaf_hash(b"three")];
    let grown = AddCheckpoint::new(1, path, grown).expect("a request");
    vec![first.to_string().into_bytes(), grown.to_string().into_bytes()]
}
