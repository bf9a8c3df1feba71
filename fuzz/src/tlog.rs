//! The log's texts and tiles: any bytes are refused or given back as they were.

use tlog::tile::{decode_bundle, decode_hashes, encode_bundle, encode_hashes};
use tlog::{
    Checkpoint, CosignerKey, KeyKind, Note, NoteSignature, Policy, SigningKey, TilePath, TlogProof,
    VerifierKey,
};

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

/// Policies of witnesses: any bytes are refused, or all witnesses together are enough, and no more are needed where fewer
/// are enough. Holding a checkpoint against one does not panic.
pub fn policy(data: &[u8]) -> bool {
    let Ok(policy) = Policy::from_bytes(data) else { return false };
    assert!(policy.is_quorum(|_| true), "a quorum that cannot be met");
    let halves: Vec<_> = policy.witnesses().iter().step_by(2).map(|witness| &witness.key).collect();
    let is_half = policy.is_quorum(|witness| halves.contains(&&witness.key));
    assert!(is_half || !policy.is_quorum(|_| false), "nobody is enough, and half of them are not");
    let note = crate::witness::signed();
    if let Ok(report) = policy.evaluate(&note) {
        assert!(report.cosignatures.is_empty(), "nobody has cosigned it");
        assert_eq!(report.is_met(), policy.is_quorum(|_| false));
    }
    true
}

/// Cosignature lines and cosigners' keys: any text is refused or given back as it was, and a line that names a witness's key
/// verifies only if that witness has made it.
pub fn cosignature(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let line = text.parse::<NoteSignature>();
    if let Ok(line) = &line {
        assert_eq!(line.to_string(), text);
        let note = crate::witness::signed();
        // The one of Ed25519: its signatures are deterministic (RFC 8032), those of ML-DSA are not.
        let [cosigner, ..] = crate::witness::cosigners();
        let checkpoint = note.text().parse().expect("the text of a checkpoint");
        let made = cosigner.cosign(&checkpoint, crate::witness::AT).expect("a checkpoint can be cosigned");
        let cosigned = Note::new(note.text(), vec![line.clone()]).expect("a line of a note");
        let is_verified = cosigned.verify(&[cosigner.verifier()]).is_ok_and(|verified| !verified.is_empty());
        assert!(!is_verified || *line == made, "a forged cosignature: {text}");
    }
    let key = CosignerKey::from_private_text(text);
    if let Ok(key) = &key {
        assert_eq!(*key.to_private_text(), text);
    }
    line.is_ok() || key.is_ok()
}
