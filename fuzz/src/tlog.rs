//! The log's texts and tiles: any bytes are refused or given back as they were.

use tlog::tile::{decode_bundle, decode_hashes, encode_bundle, encode_hashes};
use tlog::{Checkpoint, KeyKind, Note, SigningKey, TilePath, TlogProof, VerifierKey};

/// Checkpoints: any text is refused or given back as it was.
pub fn checkpoint(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let _opened = Checkpoint::open(text, &[]);
    let Ok(checkpoint) = text.parse::<Checkpoint>() else { return false };
    assert_eq!(checkpoint.to_string(), text);
    true
}

/// Entry bundles and hash tiles: any bytes are refused or given back as they were.
pub fn entry_bundle(data: &[u8]) -> bool {
    let entries = decode_bundle(data);
    if let Ok(entries) = &entries {
        assert_eq!(encode_bundle(entries).as_deref(), Ok(data));
    }
    let hashes = decode_hashes(data);
    if let Ok(hashes) = &hashes {
        assert_eq!(encode_hashes(hashes), data);
    }
    entries.is_ok() || hashes.is_ok()
}

/// Notes and keys: any bytes are refused or given back as they were, and verifying them does not panic.
pub fn note(data: &[u8]) -> bool {
    let note = Note::from_bytes(data);
    if let Ok(note) = &note {
        assert_eq!(note.to_string().as_bytes(), data);
        // The note's own names, so that verification gets past the look-up as often as may be.
        let keys: Vec<_> = note
            .signatures()
            .iter()
            .flat_map(|signature| {
                [KeyKind::Ed25519, KeyKind::CosignatureV1, KeyKind::MlDsa44]
                    .map(|kind| (signature.name(), kind))
            })
            .filter_map(|(name, kind)| VerifierKey::new(name, kind, &vec![1; kind.public_key_bytes()]).ok())
            .collect();
        let _verified = note.verify(&keys);
    }
    let Ok(text) = str::from_utf8(data) else { return note.is_ok() };
    let verifier = text.parse::<VerifierKey>();
    if let Ok(key) = &verifier {
        assert_eq!(key.to_string(), text);
    }
    let signer = SigningKey::from_private_text(text);
    if let Ok(key) = &signer {
        assert_eq!(*key.to_private_text(), text);
    }
    note.is_ok() || verifier.is_ok() || signer.is_ok()
}

/// Proofs: any text is refused or given back as it was, and judging it against its own checkpoint does not panic.
pub fn proof(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let Ok(proof) = text.parse::<TlogProof>() else { return false };
    assert_eq!(proof.to_string(), text);
    let note: Note = proof.checkpoint.parse().expect("the proof was accepted with this note");
    let checkpoint: Checkpoint = note.text().parse().expect("the proof was accepted with this checkpoint");
    let _judged = proof.verify_against(b"entry", &checkpoint);
    true
}

/// Tile paths: any text is refused or given back as it was.
pub fn tile_path(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let Ok(path) = text.parse::<TilePath>() else { return false };
    assert_eq!(path.to_string(), text);
    true
}
