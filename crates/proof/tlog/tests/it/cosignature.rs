//! Cosignatures of both types: what is signed, what verifies and what is refused.

use aws_lc_rs::signature::{ML_DSA_44, UnparsedPublicKey};
use tlog::cosignature::{MAX_ML_DSA_NAME_BYTES, MAX_TIME};
use tlog::{
    Checkpoint, CosignError, CosignerKey, Hash, KeyError, KeyKind, Note, NoteError, NoteSignature,
    SigningKey, VerifierKey, leaf_hash,
};

use crate::common::texts::{ORIGIN, head, key};

const NAME: &str = "witness.example/w";
const TIME: u64 = 1_679_315_147;

fn cosigner(kind: KeyKind) -> CosignerKey {
    CosignerKey::from_seed(NAME, kind, &[9; 32]).unwrap()
}

fn note(text: &str, signature: NoteSignature) -> Note {
    Note::new(text, vec![signature]).unwrap()
}

/// The signature with its bytes changed, read from its line again.
fn changed(signature: &NoteSignature, change: impl FnOnce(&mut Vec<u8>)) -> NoteSignature {
    let mut bytes = [&signature.id()[..], signature.bytes()].concat();
    change(&mut bytes);
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    format!("\u{2014} {} {encoded}", signature.name()).parse().unwrap()
}

#[test]
fn a_cosignature_of_either_type_verifies_with_its_time() {
    for kind in [KeyKind::CosignatureV1, KeyKind::MlDsa44] {
        let cosigner = cosigner(kind);
        let signature = cosigner.cosign(&head(), TIME).unwrap();
        let note = note(&head().to_string(), signature);
        let keys = [cosigner.verifier()];
        let verified = note.verify(&keys).unwrap();
        assert_eq!((verified[0].timestamp, verified[0].key), (Some(TIME), &keys[0]));
        let read: Note = note.to_string().parse().unwrap();
        assert_eq!(read, note);
    }
}

#[test]
fn the_cosignature_in_the_standard_has_the_form_that_is_read() {
    let line = "\u{2014} witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==";
    let signature: NoteSignature = line.parse().unwrap();
    assert_eq!(signature.id(), [0x8d, 0x66, 0xcf, 0x3f]);
    assert_eq!(signature.bytes().len(), 8 + 64);
    assert_eq!(signature.bytes()[..8], 0x6418_50cb_u64.to_be_bytes());
    assert_eq!(signature.to_string(), line);
}

#[test]
fn ml_dsa_signs_exactly_the_structure_of_the_standard() {
    let cosigner = cosigner(KeyKind::MlDsa44);
    let signature = cosigner.cosign(&head(), TIME).unwrap();
    let (time, signed) = signature.bytes().split_at(8);
    assert_eq!((time, signed.len()), (&TIME.to_be_bytes()[..], 2420));
    let mut message = b"subtree/v1\n\0".to_vec();
    message.push(17);
    message.extend(b"witness.example/w");
    message.extend([0, 0, 0, 0, 0x64, 0x18, 0x50, 0xcb]);
    message.push(15);
    message.extend(b"example.com/log");
    message.extend([0; 8]);
    message.extend([0, 0, 0, 0, 0, 0, 0, 7]);
    message.extend(leaf_hash(b"root").0);
    let verifier = cosigner.verifier();
    let public = UnparsedPublicKey::new(&ML_DSA_44, verifier.public_key());
    assert!(public.verify(&message, signed).is_ok());
}

#[test]
fn the_key_ids_are_those_of_the_standard() {
    for (kind, byte) in [(KeyKind::Ed25519, 1_u8), (KeyKind::CosignatureV1, 4), (KeyKind::MlDsa44, 6)] {
        let public = match kind {
            KeyKind::Ed25519 => key().verifier().public_key().to_vec(),
            kind => cosigner(kind).verifier().public_key().to_vec(),
        };
        let verifier = VerifierKey::new(NAME, kind, &public).unwrap();
        let hashed = [NAME.as_bytes(), b"\n", &[byte], &public].concat();
        let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &hashed);
        assert_eq!(verifier.id(), hash.as_ref()[..4]);
        assert_eq!(verifier.to_string().parse::<VerifierKey>().unwrap(), verifier);
    }
}

#[test]
fn a_public_key_of_another_length_is_refused() {
    let ml_dsa = cosigner(KeyKind::MlDsa44).verifier();
    let refused = |kind, public: &[u8]| {
        assert_eq!(
            VerifierKey::new(NAME, kind, public).unwrap_err(),
            KeyError::PublicKey(NAME.to_owned()),
            "{kind:?} of {} bytes",
            public.len()
        );
    };
    refused(KeyKind::MlDsa44, &ml_dsa.public_key()[..1311]);
    refused(KeyKind::MlDsa44, &[ml_dsa.public_key(), &[0]].concat());
    refused(KeyKind::MlDsa44, key().verifier().public_key());
    refused(KeyKind::CosignatureV1, ml_dsa.public_key());
    refused(KeyKind::Ed25519, &[]);
    // The same key as a SubjectPublicKeyInfo (RFC 8410), which the parser of the library would read.
    let info =
        [&[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0][..], key().verifier().public_key()]
            .concat();
    refused(KeyKind::Ed25519, &info);
}

#[test]
fn no_cosignature_survives_a_change_of_what_it_is_over() {
    for kind in [KeyKind::CosignatureV1, KeyKind::MlDsa44] {
        let cosigner = cosigner(kind);
        let keys = [cosigner.verifier()];
        let signature = cosigner.cosign(&head(), TIME).unwrap();
        let refused = |text: &str, signature: NoteSignature| {
            let error = note(text, signature).verify(&keys).unwrap_err();
            assert_eq!(error, NoteError::BadSignature(NAME.to_owned()), "{kind:?}: {text}");
        };
        for text in [
            Checkpoint::new("example.com/other", 7, head().root()).unwrap().to_string(),
            Checkpoint::new(ORIGIN, 8, head().root()).unwrap().to_string(),
            Checkpoint::new(ORIGIN, 7, Hash([0; 32])).unwrap().to_string(),
            "no checkpoint\n".to_owned(),
        ] {
            refused(&text, signature.clone());
        }
        let text = head().to_string();
        for change in [
            |bytes: &mut Vec<u8>| bytes[11] ^= 1,
            |bytes: &mut Vec<u8>| bytes[4] |= 0x80,
            |bytes: &mut Vec<u8>| bytes[12] ^= 1,
            |bytes: &mut Vec<u8>| *bytes.last_mut().unwrap() ^= 1,
            |bytes: &mut Vec<u8>| bytes.push(0),
            |bytes: &mut Vec<u8>| bytes.truncate(40),
            |bytes: &mut Vec<u8>| bytes.truncate(11),
        ] {
            refused(&text, changed(&signature, change));
        }
    }
}

#[test]
fn the_extension_lines_are_signed_by_ed25519_alone() {
    let extended = head().with_extension("extension").unwrap().to_string();
    for (kind, accepted) in [(KeyKind::CosignatureV1, false), (KeyKind::MlDsa44, true)] {
        let signature = cosigner(kind).cosign(&head(), TIME).unwrap();
        assert_eq!(note(&extended, signature).verify(&[cosigner(kind).verifier()]).is_ok(), accepted);
    }
}

#[test]
fn an_ml_dsa_cosignature_holds_for_its_cosigners_name_alone() {
    let signature = cosigner(KeyKind::MlDsa44).cosign(&head(), TIME).unwrap();
    let renamed =
        VerifierKey::new("other", KeyKind::MlDsa44, cosigner(KeyKind::MlDsa44).verifier().public_key());
    let renamed = renamed.unwrap();
    let line = signature.to_string().replace(NAME, "other");
    let line = changed(&line.parse().unwrap(), |bytes| bytes[..4].copy_from_slice(&renamed.id()));
    assert!(line.names(&renamed));
    assert_eq!(
        note(&head().to_string(), line).verify(&[renamed]),
        Err(NoteError::BadSignature("other".to_owned()))
    );
}

#[test]
fn a_time_of_zero_or_above_the_bound_is_not_signed() {
    for kind in [KeyKind::CosignatureV1, KeyKind::MlDsa44] {
        for time in [0, MAX_TIME + 1, u64::MAX] {
            assert_eq!(cosigner(kind).cosign(&head(), time), Err(CosignError::Time(time)));
        }
        assert!(cosigner(kind).cosign(&head(), 1).is_ok());
        assert!(cosigner(kind).cosign(&head(), MAX_TIME).is_ok());
    }
}

#[test]
fn ml_dsa_signs_names_of_up_to_255_bytes() {
    let origin = |bytes: usize| Checkpoint::new("o".repeat(bytes), 0, tlog::EMPTY_ROOT).unwrap();
    let longest = "n".repeat(MAX_ML_DSA_NAME_BYTES);
    let cosigner = CosignerKey::from_seed(&longest, KeyKind::MlDsa44, &[1; 32]).unwrap();
    let signature = cosigner.cosign(&origin(255), TIME).unwrap();
    assert!(note(&origin(255).to_string(), signature).verify(&[cosigner.verifier()]).is_ok());
    assert_eq!(cosigner.cosign(&origin(256), TIME), Err(CosignError::OriginTooLong(256)));
    let named = |bytes| CosignerKey::from_seed(&"n".repeat(bytes), KeyKind::MlDsa44, &[1; 32]);
    assert!(matches!(named(256), Err(KeyError::Name(_))));
    assert!(CosignerKey::from_seed(&"n".repeat(256), KeyKind::CosignatureV1, &[1; 32]).is_ok());
}

#[test]
fn a_cosigner_is_read_back_from_its_private_text_and_shows_no_secret() {
    for kind in [KeyKind::CosignatureV1, KeyKind::MlDsa44] {
        let key = cosigner(kind);
        let text = key.to_private_text();
        assert_eq!(CosignerKey::from_private_text(&text).unwrap().verifier(), key.verifier());
        assert_eq!((key.name(), key.kind()), (NAME, kind));
        let (_, secret) = text.rsplit_once('+').unwrap();
        assert!(!format!("{key:?}").contains(secret));
        for bad in [&text[8..], &text.replace(NAME, "other"), &text[..text.len() - 4], &format!("{}+", *text)]
        {
            assert!(CosignerKey::from_private_text(bad).is_err(), "{bad:?}");
        }
        assert!(matches!(SigningKey::from_private_text(&text), Err(KeyError::UnknownType { .. })));
    }
    let log = key().to_private_text();
    assert!(matches!(CosignerKey::from_private_text(&log), Err(KeyError::UnknownType { kind: 1, .. })));
}

#[test]
fn a_signature_line_is_one_line() {
    let line = cosigner(KeyKind::CosignatureV1).cosign(&head(), TIME).unwrap().to_string();
    assert!(line.parse::<NoteSignature>().is_ok());
    for bad in [format!("{line}\n"), format!("{line}\n{line}"), format!("{line}\r"), line.replace(' ', "  ")]
    {
        assert!(bad.parse::<NoteSignature>().is_err(), "{bad:?}");
    }
    assert_eq!(Note::new("text\n", Vec::new()), Err(NoteError::NoSignatures));
    assert_eq!(Note::new("text", vec![line.parse().unwrap()]), Err(NoteError::NoFinalNewline));
    assert_eq!(Note::new("text\n", vec![line.parse().unwrap(); 101]), Err(NoteError::TooManySignatures));
}
