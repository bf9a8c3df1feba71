#![no_main]
//! Notes and keys: any bytes are refused or given back as they were, and verifying them does not panic.

use libfuzzer_sys::fuzz_target;
use tlog::{KeyKind, Note, SigningKey, VerifierKey};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(note) = Note::from_bytes(bytes) {
        assert_eq!(note.to_string().as_bytes(), bytes);
        // The note's own names, so that verification gets past the look-up as often as may be.
        let keys: Vec<_> = note
            .signatures()
            .iter()
            .flat_map(|signature| {
                [KeyKind::Ed25519, KeyKind::CosignatureV1].map(|kind| (signature.name(), kind))
            })
            .filter_map(|(name, kind)| VerifierKey::new(name, kind, &[1; 32]).ok())
            .collect();
        let _verified = note.verify(&keys);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(key) = SigningKey::from_private_text(text) {
        assert_eq!(*key.to_private_text(), text);
    }
});
