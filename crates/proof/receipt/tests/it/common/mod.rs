//! Helpers that several test files share: arbitrary trees and a signed receipt in a small log.
#![allow(dead_code, clippy::unwrap_used)]

use proptest::prelude::*;
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Number, Object};
use receipt::key::{PublishedKey, SigningKey};
use receipt::sign::{Signer, log_entry};
use receipt::verify::{Keys, Verifier};
use tlog::{Checkpoint, RightEdge, TlogProof, leaf_hash};

pub(crate) const BASE_URL: &str = "http://localhost:8402";
pub(crate) const SIGNED_AT: &str = "2026-11-21T02:00:00.250Z";

/// Names and texts with all that sorts or escapes in its own way.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '\u{0}',
        '\u{8}',
        '\u{b}',
        '\u{1f}',
        '"',
        '\\',
        '/',
        '\u{7f}',
        '\u{80}',
        'é',
        '\u{2028}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{fb33}',
        '\u{ffff}',
        '\u{10000}',
        '\u{1f600}',
        '\u{10ffff}',
    ]);
    prop::collection::vec(prop_oneof![odd, any::<char>(), prop::char::range('a', 'c')], 0..6)
        .prop_map(|characters| characters.into_iter().collect())
}

pub(crate) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<u64>().prop_filter_map("finite", |bits| Number::from_f64(f64::from_bits(bits))),
        (-(1_i64 << 53)..=1 << 53).prop_map(Number::from),
        (1_u32..1_000_000, 0_usize..18)
            .prop_map(|(m, zeros)| format!("{m}{}", "0".repeat(zeros)).parse().unwrap()),
        (-1000_i32..1000, -30_i32..30).prop_map(|(m, e)| format!("{m}e{e}").parse().unwrap()),
        prop::sample::select(vec![
            "-0",
            "0.0",
            "1E2",
            "1e+2",
            "0e999",
            "5e-324",
            "1.7976931348623157e308",
            "1e21"
        ])
        .prop_map(|text| text.parse().unwrap()),
    ]
}

/// Trees that the strict parser accepts.
pub(crate) fn tree() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Number),
        text().prop_map(Json::String),
    ];
    leaf.prop_recursive(5, 48, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec((text(), inner), 0..20).prop_map(|members| {
                let mut object = Object::new();
                for (name, value) in members {
                    object.insert(name, value);
                }
                Json::Object(object)
            }),
        ]
    })
}

/// A receipt in a log of a few entries, and all that belongs to it.
pub(crate) struct Sample {
    pub(crate) receipt: Vec<u8>,
    pub(crate) payload: Vec<u8>,
    pub(crate) signer: Signer,
    pub(crate) log_key: tlog::SigningKey,
    pub(crate) published: PublishedKey,
    pub(crate) proof: String,
    pub(crate) hash: ReceiptHash,
    pub(crate) reference: Option<ReceiptHash>,
    class: &'static str,
}

pub(crate) fn finding() -> serde_json::Value {
    serde_json::json!({
        "claim": "EUR/USD closed at 1.10 on 2026-11-20 — \"official\"\n",
        "resolver_confidence": 1,
        "score": 0.123456,
        "evidence": [{"url": "https://example.com/rates", "body_sha256": "ab".repeat(32), "status": 200}],
        "scope": "says that the document held the value when it was fetched, and not that the value is true",
        "method": {"name": "url_json", "version": "1.0.0"},
    })
}

impl Sample {
    pub(crate) fn new() -> Self {
        Self::with(None, LogHead { size: 0, root: tlog::EMPTY_ROOT }, &finding())
    }

    pub(crate) fn with(
        reference: Option<ReceiptHash>,
        log_head: LogHead,
        finding: &serde_json::Value,
    ) -> Self {
        Self::of("claim-verdict", "CONFIRMED", reference, log_head, finding)
    }

    pub(crate) fn of(
        class: &'static str,
        verdict: &str,
        reference: Option<ReceiptHash>,
        log_head: LogHead,
        finding: &serde_json::Value,
    ) -> Self {
        let key = SigningKey::from_seed(&[7; 32]);
        let kid = key.id(BASE_URL).unwrap();
        let published = PublishedKey::active(kid.clone(), key.public_key());
        let envelope = Envelope {
            class,
            iss: BASE_URL,
            kid: kid.as_str(),
            agent: "agent-1",
            request_hash: sha256(b"request"),
            is_request_redacted: false,
            verdict,
            payment: None::<&()>,
            reference: reference.as_ref(),
            salt: [9; 16],
            log_head,
            signed_at: SIGNED_AT.parse().unwrap(),
        };
        let payload = envelope.payload(finding).unwrap();
        let signer = Signer::new(key, kid);
        let log_key = tlog::SigningKey::from_seed("localhost:8402/log", &[8; 32]).unwrap();
        let mut sample = Self {
            receipt: Vec::new(),
            payload,
            signer,
            log_key,
            published,
            proof: String::new(),
            hash: ReceiptHash([0; 32]),
            reference,
            class,
        };
        sample.notarize();
        sample
    }

    /// Signs the payload, logs it between other entries, and builds the receipt.
    pub(crate) fn notarize(&mut self) {
        let signed = self.signer.sign(self.payload.clone());
        let signed_at = SIGNED_AT.parse().unwrap();
        let kid = self.signer.kid().as_str();
        let entry = log_entry(self.class, &signed.hash, kid, signed_at, self.reference.as_ref());
        let mut stage = RightEdge::new().stage();
        for other in [&b"one"[..], b"two", b"three"] {
            stage.append(leaf_hash(other));
        }
        let index = stage.append(leaf_hash(&entry));
        stage.append(leaf_hash(b"five"));
        let head = Checkpoint::new("localhost:8402/log", stage.size(), stage.root()).unwrap();
        let path = stage.inclusion_path(index).unwrap();
        let checkpoint = head.sign(&self.log_key).unwrap();
        self.proof = TlogProof { extra: None, index, path, checkpoint }.to_string();
        self.hash = signed.hash;
        self.receipt = signed.to_json(Some(&self.proof));
    }

    pub(crate) fn verifier(&self) -> Verifier {
        Verifier::new(Keys::new(vec![self.published.clone()], vec![self.log_key.verifier()]).unwrap())
    }
}
