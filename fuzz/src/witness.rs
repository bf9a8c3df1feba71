//! Both ends of tlog-witness: what a witness is sent, and what a log is answered.

use ::witness::{AddCheckpoint, MemoryStore, Received, Reply, SIZE_CONTENT_TYPE, Witness, WitnessClient};
use futures_util::FutureExt as _;
use tlog::{Checkpoint, CosignerKey, KeyKind, Note, SigningKey, leaf_hash};

/// The time at which all is cosigned, in seconds since 1970.
pub const AT: u64 = 1_800_000_000;

/// The key of the log.
///
/// # Panics
/// Never: the name is that of a key.
#[must_use]
pub fn log_key() -> SigningKey {
    SigningKey::from_seed("example.com/log", &[1; 32]).expect("a key name")
}

/// The keys of the witness, one of each type.
#[must_use]
pub fn cosigners() -> [CosignerKey; 2] {
    [KeyKind::CosignatureV1, KeyKind::MlDsa44]
        .map(|kind| CosignerKey::from_seed("w.example", kind, &[2; 32]).expect("a key name"))
}

/// The checkpoint over one leaf, signed by the log.
///
/// # Panics
/// Never: the log signs its own checkpoint.
#[must_use]
pub fn signed() -> Note {
    let head = Checkpoint::new(log_key().name(), 1, leaf_hash(b"entry")).expect("a good origin");
    head.sign(&log_key()).expect("its own log's key").parse().expect("a note")
}

/// Requests: any bytes are refused or given back as they were. A witness answers each with a status of the standard, and
/// cosigns only what the log has signed.
pub fn request(data: &[u8]) -> bool {
    let read = AddCheckpoint::from_bytes(data);
    if let Ok(request) = &read {
        assert_eq!(request.to_string().as_bytes(), data);
    }
    let log = log_key().verifier();
    let witness = Witness::new(cosigners().into())
        .and_then(|witness| witness.with_log(log_key().name(), vec![log.clone()]));
    let (witness, store) = (witness.expect("good keys"), MemoryStore::default());
    let answer = witness.add_checkpoint(&store, data, &|| AT).now_or_never().expect("memory does not wait");
    assert!([200, 400, 403, 404, 409, 422].contains(&answer.status()), "{answer:?}");
    if answer.status() == 200 {
        let request = read.as_ref().expect("it was read");
        let by_log = request.note().verify(std::slice::from_ref(&log));
        assert!(by_log.is_ok_and(|signatures| !signatures.is_empty()));
        let text = request.note().text();
        let cosigned =
            Note::from_bytes(format!("{text}\n{}", answer.body()).as_bytes()).expect("signature lines");
        let keys = witness.verifiers();
        assert_eq!(cosigned.verify(&keys).map(|verified| verified.len()), Ok(2));
    }
    read.is_ok()
}

/// Answers: the first byte picks the status, the rest is the body. Cosignatures that are taken are over the checkpoint that
/// was sent, and a size that is taken is not beyond it.
pub fn answer(data: &[u8]) -> bool {
    let Some((status, body)) = data.split_first() else { return false };
    let (status, content_type) = match status {
        0 => (200, "text/plain"),
        1 => (409, SIZE_CONTENT_TYPE),
        2 => (409, "text/plain"),
        other => (u16::from(*other) + 300, ""),
    };
    let keys = cosigners().map(|key| key.verifier());
    let mut client = WitnessClient::new(keys.to_vec()).expect("cosigning keys");
    let submission = client.begin(signed(), Vec::new(), AT).expect("the first request");
    let received = client.finish(submission, Reply { status, content_type, body }, AT);
    assert!(client.old_size() <= 1);
    match received {
        Ok(Received::Cosigned(lines)) => {
            assert!(status == 200 && !lines.is_empty());
            let note = Note::new(signed().text(), lines.clone()).expect("lines of a note");
            assert_eq!(note.verify(&keys).map(|verified| verified.len()), Ok(lines.len()));
            true
        }
        Ok(Received::SendAgain) => status == 409,
        Err(_) => false,
    }
}
