//! One text for one value: what is written is read back, and any other bytes are refused without a panic.

use crate::common::texts::{head, key, named, proof};
use proptest::collection::vec;
use proptest::prelude::*;
use tlog::tile::{decode_bundle, decode_hashes, encode_bundle, encode_hashes};
use tlog::{
    Checkpoint, CosignerKey, Hash, KeyKind, Note, SigningKey, TileKind, TilePath, TlogProof, VerifierKey,
};

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9./:é木-]{1,20}"
}

fn hash() -> impl Strategy<Value = Hash> {
    any::<[u8; 32]>().prop_map(Hash)
}

/// Texts made of what the formats are made of, so that some of them get far into the parsers.
fn almost() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\u{2014} ".to_owned()),
        Just("c2sp.org/tlog-proof@v1\n".to_owned()),
        Just("extra ".to_owned()),
        Just("index ".to_owned()),
        Just("AAAAAAA=".to_owned()),
        Just("tile/".to_owned()),
        Just("entries/".to_owned()),
        Just(".p/".to_owned()),
        Just("x001/".to_owned()),
        Just("+".to_owned()),
        Just(" ".to_owned()),
        hash().prop_map(|hash| hash.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        "[0-9]{1,3}",
        "\\PC{0,5}",
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Checks what every parser must do with any text: refuse it, or return it unchanged.
fn judge(text: &str) {
    if let Ok(hash) = text.parse::<Hash>() {
        assert_eq!(hash.to_string(), text);
    }
    if let Ok(path) = text.parse::<TilePath>() {
        assert_eq!(path.to_string(), text);
    }
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(key) = SigningKey::from_private_text(text) {
        assert_eq!(*key.to_private_text(), text);
    }
    if let Ok(key) = CosignerKey::from_private_text(text) {
        assert_eq!(*key.to_private_text(), text);
    }
    if let Ok(note) = text.parse::<Note>() {
        assert_eq!(note.to_string(), text);
    }
    if let Ok(checkpoint) = text.parse::<Checkpoint>() {
        assert_eq!(checkpoint.to_string(), text);
    }
    if let Ok(proof) = text.parse::<TlogProof>() {
        assert_eq!(proof.to_string(), text);
    }
}

proptest! {
    #[test]
    fn every_key_is_read_back_from_its_texts(name in name(), seed in any::<[u8; 32]>(), cosigner in any::<bool>()) {
        let key = SigningKey::from_seed(&name, &seed).unwrap();
        prop_assert_eq!(SigningKey::from_private_text(&key.to_private_text()).unwrap().verifier(), key.verifier());
        let kind = if cosigner { KeyKind::CosignatureV1 } else { KeyKind::Ed25519 };
        let verifier = VerifierKey::new(&name, kind, key.verifier().public_key()).unwrap();
        prop_assert_eq!(verifier.to_string().parse::<VerifierKey>().unwrap(), verifier);
    }

    #[test]
    fn every_note_is_read_back_from_its_text(text in "([^\\x00-\\x1f]{0,20}\n){1,6}", seeds in vec((name(), any::<u8>()), 1..5)) {
        let keys: Vec<_> = seeds.iter().map(|(name, seed)| named(name, *seed)).collect();
        let note = Note::sign(&text, &keys.iter().collect::<Vec<_>>()).unwrap();
        let read: Note = note.to_string().parse().unwrap();
        prop_assert_eq!(&read, &note);
        prop_assert_eq!(Note::from_bytes(note.to_string().as_bytes()), Ok(note));
        let known: Vec<_> = keys.iter().map(SigningKey::verifier).collect();
        prop_assert_eq!(read.verify(&known).unwrap().len(), keys.len());
    }

    #[test]
    fn every_checkpoint_is_read_back_and_opened(
        origin in name(), size in any::<u64>(), root in hash(), extensions in vec("[^\\x00-\\x1f]{1,20}", 0..4),
    ) {
        let mut checkpoint = Checkpoint::new(origin.as_str(), size, root).unwrap();
        for line in extensions {
            checkpoint = checkpoint.with_extension(line).unwrap();
        }
        prop_assert_eq!(&checkpoint.to_string().parse::<Checkpoint>().unwrap(), &checkpoint);
        let key = named(&origin, 4);
        let note = checkpoint.sign(&key).unwrap();
        prop_assert_eq!(Checkpoint::open(&note, &[key.verifier()]), Ok(checkpoint));
        prop_assert_eq!(note.parse::<Note>().unwrap().to_string(), note);
    }

    #[test]
    fn every_proof_is_read_back_from_its_text(
        extra in proptest::option::of(vec(any::<u8>(), 1..50)), index in any::<u64>(), path in vec(hash(), 0..=64),
    ) {
        let proof = TlogProof { extra, index, path, checkpoint: head().sign(&key()).unwrap() };
        prop_assert_eq!(proof.to_string().parse::<TlogProof>(), Ok(proof));
    }

    #[test]
    fn every_tile_path_is_read_back_from_its_text(
        level in proptest::option::of(0_u8..64), index in any::<u64>(), shift in 0..64, width in 1_u16..=256,
    ) {
        let index = index >> shift;
        let path = match level {
            Some(level) => TilePath::hashes(level, index, width).unwrap(),
            None => TilePath::entries(index, width).unwrap(),
        };
        prop_assert_eq!(path.to_string().parse(), Ok(path));
        prop_assert_eq!(path.kind(), level.map_or(TileKind::Entries, TileKind::Hashes));
    }

    #[test]
    fn every_bundle_is_read_back_from_its_bytes(entries in vec(vec(any::<u8>(), 0..300), 1..=256)) {
        let bundle = encode_bundle(&entries).unwrap();
        prop_assert_eq!(decode_bundle(&bundle).unwrap(), entries);
    }

    #[test]
    fn any_bytes_are_refused_or_given_back(bytes in vec(any::<u8>(), 0..200)) {
        judge(&String::from_utf8_lossy(&bytes));
        if let Ok(note) = Note::from_bytes(&bytes) {
            prop_assert_eq!(note.to_string().into_bytes(), bytes.clone());
        }
        if let Ok(entries) = decode_bundle(&bytes) {
            prop_assert_eq!(encode_bundle(&entries).unwrap(), bytes.clone());
        }
        if let Ok(hashes) = decode_hashes(&bytes) {
            prop_assert_eq!(encode_hashes(&hashes), bytes);
        }
    }

    #[test]
    fn any_text_is_refused_or_given_back(text in almost()) {
        judge(&text);
    }

    #[test]
    fn a_good_text_with_one_changed_byte_is_refused_or_given_back(at in any::<prop::sample::Index>(), byte in 0_u8..128) {
        let vkey = key().verifier().to_string();
        for text in [proof().to_string(), proof().checkpoint, head().to_string(), vkey] {
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            judge(&String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn no_checkpoint_survives_a_changed_bit(bit in any::<prop::sample::Index>()) {
        let mut bytes = head().sign(&key()).unwrap().into_bytes();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(Checkpoint::open(&text, &[key().verifier()]).is_err());
        }
    }
}
