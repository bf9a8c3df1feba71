//! A receipt in a log of some entries.

use receipt::envelope::{Envelope, LogHead};
use receipt::key::{KeyId, SigningKey};
use receipt::sign::{SignedPayload, Signer, log_entry};
use receipt_forms::Statement;
use tlog::{Checkpoint, RightEdge, TlogProof, VerifierKey, leaf_hash, node_hash};

pub(crate) const BASE_URL: &str = "https://notary.example";
const SIGNED_AT: &str = "2026-11-21T02:00:00.250Z";

pub(crate) struct Sample {
    pub(crate) signed: SignedPayload,
    pub(crate) entry: Vec<u8>,
    pub(crate) key: Signer,
    pub(crate) log_key: Signer,
    note_key: tlog::SigningKey,
}

fn signer(seed: u8) -> Signer {
    let key = SigningKey::from_seed(&[seed; 32]);
    let kid: KeyId = key.id(BASE_URL).unwrap();
    Signer::new(key, kid)
}

impl Sample {
    pub(crate) fn new(verdict: &str) -> Self {
        let key = signer(7);
        let signed_at = SIGNED_AT.parse().unwrap();
        let finding = serde_json::json!({
            "claim": "EUR/USD closed at 1.10 — \"official\"\n",
            "resolver_confidence": 1,
            "score": 0.123456,
            "evidence": [{"id": "urn:x", "type": "@id", "@context": {}, "status": 200}],
            "scope": "says what was so when it was looked at",
            "method": {"name": "url_json", "version": "1.0.0"},
        });
        let envelope = Envelope {
            class: "claim-verdict",
            iss: BASE_URL,
            kid: key.kid().as_str(),
            agent: "scout-7",
            request_hash: [0xab; 32],
            is_request_redacted: false,
            verdict,
            payment: None::<&()>,
            reference: None,
            salt: [3; 16],
            log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
            signed_at,
        };
        let signed = key.sign(envelope.payload(&finding).unwrap());
        let entry = log_entry("claim-verdict", &signed.hash, key.kid().as_str(), signed_at, None);
        let note_key = tlog::SigningKey::from_seed("notary.example/log", &[9; 32]).unwrap();
        Self { signed, entry, key, log_key: signer(9), note_key }
    }

    pub(crate) fn statement(&self) -> Statement<'_> {
        Statement::read(&self.signed.payload, &self.signed.signature).unwrap()
    }

    pub(crate) fn log_keys(&self) -> [VerifierKey; 1] {
        [self.note_key.verifier()]
    }

    /// The proof of the receipt as leaf 2 in a log of 3 or more leaves; the others are numbers.
    pub(crate) fn proof(&self, size: u64) -> TlogProof {
        let leaf = |index: u64| match index {
            2 => leaf_hash(&self.entry),
            _ => leaf_hash(&index.to_be_bytes()),
        };
        let mut edge = RightEdge::new();
        (0..size).for_each(|index| drop(edge.append(leaf(index))));
        let checkpoint = Checkpoint::new("notary.example/log", size, edge.root()).unwrap();
        let left = node_hash(&leaf(0), &leaf(1));
        let path = match size {
            3 => vec![left],
            4 => vec![leaf(3), left],
            5 => vec![leaf(3), left, leaf(4)],
            6 => vec![leaf(3), left, node_hash(&leaf(4), &leaf(5))],
            _ => unreachable!("no test needs a larger log"),
        };
        TlogProof { extra: None, index: 2, path, checkpoint: checkpoint.sign(&self.note_key).unwrap() }
    }
}
