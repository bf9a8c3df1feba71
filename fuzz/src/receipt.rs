//! Receipts: their JSON, its canonical form, and offline verification.

use std::sync::LazyLock;

use receipt::history::KeyHistory;
use receipt::json::{Number, parse, parse_lenient};
use receipt::key::{KeyId, PublishedKey, SigningKey, VerifyingKey};
use receipt::sign::Signer;
use receipt::verify::{Keys, Verifier};

/// The canonical form is byte for byte that of serde_json_canonicalizer and of serde_jcs.
pub fn canonical(data: &[u8]) -> bool {
    let Ok(tree) = parse(data) else { return false };
    let canonical = tree.canonical();
    assert_eq!(
        canonical,
        serde_json_canonicalizer::to_vec(&tree).expect("a strict tree has a canonical form")
    );
    assert_eq!(canonical, serde_jcs::to_vec(&tree).expect("a strict tree has a canonical form"));
    assert_eq!(canonical, receipt::canonical::to_vec(&tree).expect("a strict tree has a canonical form"));
    true
}

/// No bytes make the parsers panic, and what the strict one reads has one canonical form.
pub fn json(data: &[u8]) -> bool {
    if let Ok(tree) = parse_lenient(data) {
        assert_eq!(parse_lenient(tree.to_string().as_bytes()).as_ref(), Ok(&tree));
    }
    let Ok(tree) = parse(data) else { return false };
    let canonical = tree.canonical();
    let again = parse(&canonical).expect("a canonical form is I-JSON");
    assert_eq!(again.canonical(), canonical);
    assert_eq!(parse_lenient(data), Ok(tree), "the lenient parser accepts whatever the strict one does");
    true
}

/// Exactness and canonical decimals agree with each other and with the canonical form.
pub fn number(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let json = serde_json::from_str::<serde_json::Number>(text);
    let Ok(number) = text.parse::<Number>() else {
        assert!(json.is_err() || text.trim() != text, "{text}");
        return false;
    };
    let plain = number.canonical_decimal();
    if let Some(plain) = &plain {
        let again: Number = plain.parse().expect("a canonical decimal is a JSON number");
        assert_eq!(again.canonical_decimal().as_ref(), Some(plain));
        assert_eq!(again.is_exact(), number.is_exact());
    }
    let Some(nearest) = Number::from_f64(number.as_f64()) else {
        assert!(!number.is_exact());
        return true;
    };
    assert!(nearest.is_exact());
    assert_eq!(number.is_exact(), plain.is_some() && plain == nearest.canonical_decimal());
    true
}

static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| {
    let key = SigningKey::from_seed(&[7; 32]).public_key();
    let kid = KeyId::new("http://localhost:8402", &key).expect("a base address");
    let log = tlog::SigningKey::from_seed("localhost:8402/log", &[8; 32]).expect("a key name").verifier();
    Verifier::new(Keys::new(vec![PublishedKey::active(kid, key)], vec![log]).expect("good keys"))
});

/// No bytes make verification panic, and none but a signed receipt is valid.
pub fn verify(data: &[u8]) -> bool {
    let report = VERIFIER.verify(data);
    if let Ok(report) = &report {
        assert!(!report.valid(), "the keys have signed no receipt");
    }
    let key = VerifyingKey::new(SigningKey::from_seed(&[7; 32]).public_key()).expect("a good key");
    if let Ok(text) = str::from_utf8(data) {
        assert!(receipt::jws::verify(text, &key).is_err());
    }
    report.is_ok() | receipt::key::parse_jwks(data).is_ok()
}

/// Records of keys: a payload is refused, or its key is in the history from then on, which is the same when it is read again.
pub fn key_record(data: &[u8]) -> bool {
    let key = SigningKey::from_seed(&[7; 32]);
    let kid = KeyId::new("http://localhost:8402", &key.public_key()).expect("a base address");
    let signature = Signer::new(key, kid).sign(data.to_vec()).signature;
    let mut history = KeyHistory::default();
    if let Err(error) = history.add(3, data, &signature) {
        assert_eq!((error.leaf, history), (3, KeyHistory::default()));
        return false;
    }
    assert_eq!((history.len(), history.periods().len()), (1, 1));
    let published = history.published();
    assert!(published.iter().all(|key| history.key(key.kid.as_str()).is_some()));
    assert!(history.add(3, data, &signature).is_err() && history.add(4, data, &signature).is_err());
    true
}
