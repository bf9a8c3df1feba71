//! No bytes make verification panic, and none but a signed receipt is valid.

#![no_main]

use libfuzzer_sys::fuzz_target;
use receipt::key::{KeyId, PublishedKey, SigningKey, VerifyingKey};
use receipt::verify::{Keys, Verifier};
use std::sync::LazyLock;

static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| {
    let key = SigningKey::from_seed(&[7; 32]).public_key();
    let kid = KeyId::new("http://localhost:8402", &key).expect("a base address");
    let log = tlog::SigningKey::from_seed("localhost:8402/log", &[8; 32]).expect("a key name").verifier();
    Verifier::new(Keys::new(vec![PublishedKey::active(kid, key)], vec![log]).expect("good keys"))
});

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = VERIFIER.verify(bytes) {
        assert!(!report.valid(), "the keys have signed no receipt");
    }
    let key = VerifyingKey::new(SigningKey::from_seed(&[7; 32]).public_key()).expect("a good key");
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(receipt::jws::verify(text, &key).is_err());
    }
    let _ = receipt::key::parse_jwks(bytes);
});
