//! The text formats: what is read, what is refused and what verifies.

use crate::common::texts::{ORIGIN, head, key, named, proof};
use tlog::tile::{decode_bundle, decode_hashes, encode_bundle, encode_hashes, partial_width, tile_width};
use tlog::{
    Checkpoint, CheckpointError, Hash, KeyError, KeyKind, Note, NoteError, RightEdge, SigningKey, TileError,
    TilePath, TlogProof, TlogProofError, VerifierKey, leaf_hash,
};

#[test]
fn a_hash_is_read_only_from_canonical_base64() {
    let hash = leaf_hash(b"x");
    let text = hash.to_string();
    assert_eq!(Hash::from_base64(&text), Ok(hash));
    assert_eq!(format!("{hash:?}"), text);
    assert_eq!(leaf_hash(b"").to_hex(), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    for bad in ["", "AAAA", &text[..43], &text.replace('=', ""), &format!(" {text}"), &format!("{text}\n")] {
        assert!(Hash::from_base64(bad).is_err(), "{bad:?}");
    }
    // The last character before the padding carries two bits that must be zero.
    let zero = Hash([0; 32]).to_string();
    assert!(Hash::from_base64(&zero.replace("A=", "B=")).is_err());
}

#[test]
fn tile_paths_are_those_of_the_standard() {
    let path = |kind: &str, index| match kind {
        "entries" => TilePath::entries(index, 256),
        level => TilePath::hashes(level.parse().unwrap(), index, 256),
    };
    for (kind, index, text) in [
        ("0", 0, "tile/0/000"),
        ("0", 999, "tile/0/999"),
        ("1", 1000, "tile/1/x001/000"),
        ("63", 1_234_067, "tile/63/x001/x234/067"),
        ("entries", 1_234_067, "tile/entries/x001/x234/067"),
        ("0", u64::MAX, "tile/0/x018/x446/x744/x073/x709/x551/615"),
    ] {
        assert_eq!(path(kind, index).unwrap().to_string(), text);
        assert_eq!(text.parse(), path(kind, index));
    }
    let partial = TilePath::hashes(2, 5, 1).unwrap();
    assert_eq!(partial.to_string(), "tile/2/005.p/1");
    assert!(partial.is_partial());
    assert_eq!("tile/entries/x001/000.p/255".parse(), TilePath::entries(1000, 255));
}

#[test]
fn a_tile_path_in_any_other_spelling_is_refused() {
    for path in [
        "",
        "tile",
        "tile/",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/0/x000/067",
        "tile/0/001/x067",
        "tile/0/x001",
        "tile/0/001/067",
        "tile/0/x1/067",
        "tile/00/067",
        "tile/64/067",
        "tile/-1/067",
        "tile/+1/067",
        "tile/0/+67",
        "tile/0/067.p/0",
        "tile/0/067.p/256",
        "tile/0/067.p/01",
        "tile/0/067.p/",
        "tile/0/067.p",
        "tile/0/067.p/1/",
        "tile/0/067.p/+1",
        "/tile/0/067",
        "tile/0/067/",
        "tile//067",
        "tile/data/067",
        "tile/Entries/067",
        "tile/0/067.P/1",
        "tile/0/ 67",
        "tile/0/0６7",
        "tile/0/x018/x446/x744/x073/x709/x551/616",
        "tile/0/xx01/067",
        "tile/0/067.p/1.p/1",
    ] {
        assert_eq!(path.parse::<TilePath>(), Err(TileError::Path), "{path:?}");
    }
    assert_eq!(TilePath::hashes(64, 0, 1), Err(TileError::Level(64)));
    assert_eq!(TilePath::hashes(0, 0, 0), Err(TileError::Width(0)));
    assert_eq!(TilePath::entries(0, 257), Err(TileError::Width(257)));
}

#[test]
fn tile_widths_are_those_of_the_standards_example() {
    assert_eq!([0, 1, 2, 3].map(|level| partial_width(70_000, level)), [112, 17, 1, 0]);
    assert_eq!([0, 1, 2].map(|level| partial_width(256, level)), [0, 1, 0]);
    assert_eq!(
        [(0, 272), (0, 273), (0, 274), (1, 0), (1, 1), (2, 0)].map(|(l, n)| tile_width(70_000, l, n)),
        [256, 112, 0, 256, 17, 1]
    );
    assert_eq!(tile_width(u64::MAX, 0, u64::MAX), 0);
    assert_eq!(tile_width(u64::MAX, 7, 0), 255);
    assert_eq!(partial_width(u64::MAX, 63), 0);
}

#[test]
fn an_entry_bundle_has_1_to_256_entries_of_up_to_65535_bytes() {
    let longest = vec![7; 65_535];
    let bundle = encode_bundle(&[&b"one"[..], b"", &longest]).unwrap();
    assert_eq!(bundle[..8], [0, 3, b'o', b'n', b'e', 0, 0, 255]);
    assert_eq!(decode_bundle(&bundle).unwrap(), [&b"one"[..], b"", &longest]);
    assert_eq!(
        encode_bundle(&[&b"one"[..], &[0; 65_536]]),
        Err(TileError::EntryTooLong { position: 1, bytes: 65_536 })
    );
    assert_eq!(encode_bundle::<&[u8]>(&[]), Err(TileError::Width(0)));
    assert_eq!(encode_bundle(&[b""; 257]), Err(TileError::Width(257)));
    assert_eq!(decode_bundle(&[]), Err(TileError::Width(0)));
    assert_eq!(decode_bundle(&[0; 514]), Err(TileError::Width(257)));
    assert_eq!(decode_bundle(&[0; 512]).map(|entries| entries.len()), Ok(256));
    assert_eq!(decode_bundle(&[0, 0, 0]), Err(TileError::Truncated { position: 1 }));
    assert_eq!(decode_bundle(&[0, 2, 1]), Err(TileError::Truncated { position: 0 }));
}

#[test]
fn a_hash_tile_has_1_to_256_hashes() {
    let hashes = vec![leaf_hash(b"a"); 256];
    assert_eq!(decode_hashes(&encode_hashes(&hashes)), Ok(hashes));
    for length in [0, 31, 33, 257 * 32] {
        assert_eq!(decode_hashes(&vec![0; length]), Err(TileError::Length(length)));
    }
}

#[test]
fn the_private_text_of_the_go_note_package_gives_its_public_key_and_back() {
    let text = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let key = SigningKey::from_private_text(text).unwrap();
    let vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert_eq!(key.verifier().to_string(), vkey);
    assert_eq!(*key.to_private_text(), text);
    for bad in [
        &text[8..],
        &text.replace("c74f20a3", "c74f20a4"),
        &text.replace("c74f20a3", "C74F20A3"),
        &text.replace("+AYE", "+BIE"),
        &text.replace("HKDFz", "HKD"),
        &text.replace("Peter", "Peter "),
    ] {
        assert!(SigningKey::from_private_text(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_secret_is_in_no_debug_text() {
    let key = key();
    let secret = key.to_private_text();
    let (_, data) = secret.rsplit_once('+').unwrap();
    assert_eq!(format!("{key:?}"), format!("SigningKey({ORIGIN}+{:08x})", u32::from_be_bytes(key.id())));
    assert!(!format!("{key:#?}").contains(data));
}

#[test]
fn a_vkey_that_is_not_canonical_or_not_its_own_id_is_refused() {
    let vkey = key().verifier().to_string();
    assert_eq!(vkey.parse::<VerifierKey>().unwrap(), key().verifier());
    let (rest, data) = vkey.rsplit_once('+').unwrap();
    let (name, id) = rest.rsplit_once('+').unwrap();
    for bad in [
        String::new(),
        name.to_owned(),
        rest.to_owned(),
        format!("{rest}+"),
        format!("+{id}+{data}"),
        format!("{name} x+{id}+{data}"),
        format!("{name}\u{a0}x+{id}+{data}"),
        format!("{name}\u{1}+{id}+{data}"),
        format!("{name}+{}+{data}", id.to_uppercase()),
        format!("{name}+00{id}+{data}"),
        format!("{name}+00000000+{data}"),
        format!("{name}x+{id}+{data}"),
        format!("{rest}+{data}="),
        format!("{vkey}\n"),
    ] {
        assert!(bad.parse::<VerifierKey>().is_err(), "{bad:?}");
    }
    let unknown = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert!(matches!(unknown.parse::<VerifierKey>(), Err(KeyError::UnknownType { kind: 0x65, .. })));
}

#[test]
fn a_note_is_split_at_its_last_empty_line() {
    let note = Note::sign("one\n\ntwo\n\n", &[&key()]).unwrap();
    let read: Note = note.to_string().parse().unwrap();
    assert_eq!((read.text(), read.signatures().len()), ("one\n\ntwo\n\n", 1));
    assert_eq!(read, note);
    assert!(read.verify(&[key().verifier()]).is_ok());
}

#[test]
fn a_malformed_note_is_refused() {
    let good = Note::sign("text\n", &[&key()]).unwrap().to_string();
    assert!(good.parse::<Note>().is_ok());
    let line = good.split_once("\n\n").unwrap().1;
    for (bad, error) in [
        (String::new(), NoteError::NoSignatures),
        ("text\n".to_owned(), NoteError::NoSignatures),
        ("text\n\n".to_owned(), NoteError::NoSignatures),
        ("text\n\n\n".to_owned(), NoteError::NoSignatures),
        (good.trim_end().to_owned(), NoteError::NoSignatures),
        (good.replace("text", "te\txt"), NoteError::ControlCharacter),
        (good.replace("text\n", "text\r\n"), NoteError::ControlCharacter),
        (good.replace("\n\n", "\n"), NoteError::NoSignatures),
        (format!("{good}{line}\n"), NoteError::NoSignatures),
        (good.replace('\u{2014}', "-"), NoteError::SignatureLine(1)),
        (format!("{good}\u{2014} x \n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014} x AAAAAA==\n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014}  AAAAAAA=\n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014} a+b AAAAAAA=\n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014} a AAAAAAA\n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014} a AAAAAAB=\n"), NoteError::SignatureLine(2)),
        (format!("{good}\u{2014} a\u{2003}b AAAAAAA=\n"), NoteError::SignatureLine(2)),
        (format!("{good}{}", line.repeat(100)), NoteError::TooManySignatures),
        ("x".repeat((1 << 20) + 1), NoteError::TooLong((1 << 20) + 1)),
    ] {
        assert_eq!(bad.parse::<Note>(), Err(error), "{:?}", bad.get(..80));
    }
    assert!(format!("{good}{}", line.repeat(99)).parse::<Note>().is_ok());
    assert_eq!(Note::from_bytes(b"\xff\n\n"), Err(NoteError::NotUtf8));
    assert_eq!(Note::sign("text", &[&key()]), Err(NoteError::NoFinalNewline));
    assert_eq!(Note::sign("text\n", &[]), Err(NoteError::NoSignatures));
}

#[test]
fn unknown_keys_are_ignored_and_a_known_key_must_have_signed() {
    let (one, two, other) = (named("one", 1), named("two", 2), named("one", 3));
    let note = Note::sign("text\n", &[&one, &two]).unwrap();
    let verified = |keys: &[&SigningKey]| {
        let keys: Vec<_> = keys.iter().map(|key| key.verifier()).collect();
        note.verify(&keys).map(|verified| verified.len())
    };
    assert_eq!(verified(&[&one]), Ok(1));
    assert_eq!(verified(&[&two, &one, &other]), Ok(2));
    assert_eq!(verified(&[&other]), Err(NoteError::NoKnownKey));
    assert_eq!(verified(&[]), Err(NoteError::NoKnownKey));
    let changed: Note = note.to_string().replace("text", "test").parse().unwrap();
    assert_eq!(changed.verify(&[two.verifier()]), Err(NoteError::BadSignature("two".to_owned())));
}

#[test]
fn one_bad_signature_of_a_known_key_fails_the_whole_note() {
    let (one, two) = (named("one", 1), named("two", 2));
    let good = Note::sign("text\n", &[&one, &two]).unwrap();
    let elsewhere = Note::sign("other\n", &[&two]).unwrap();
    let swapped =
        good.to_string().replace(&good.signatures()[1].to_string(), &elsewhere.signatures()[0].to_string());
    let swapped: Note = swapped.parse().unwrap();
    assert!(swapped.verify(&[one.verifier()]).is_ok());
    assert_eq!(
        swapped.verify(&[one.verifier(), two.verifier()]),
        Err(NoteError::BadSignature("two".to_owned()))
    );
}

/// Appends a cosignature line made with the Ed25519 key of this seed.
fn cosign(note: &str, seed: u8, time: u64) -> (String, VerifierKey) {
    let witness = aws_lc_rs::signature::Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a seed");
    let public = aws_lc_rs::signature::KeyPair::public_key(&witness).as_ref();
    let key = VerifierKey::new("witness.example/w", KeyKind::CosignatureV1, public).expect("a good key");
    let text = note.rsplit_once("\n\n").expect("a note").0;
    let signature = witness.sign(format!("cosignature/v1\ntime {time}\n{text}\n").as_bytes());
    let bytes = [&key.id()[..], &time.to_be_bytes(), signature.as_ref()].concat();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    (format!("{note}\u{2014} {} {encoded}\n", key.name()), key)
}

#[test]
fn a_cosignature_verifies_with_its_time_and_no_other() {
    let signed = head().sign(&key()).unwrap();
    let (note, witness) = cosign(&signed, 9, 1_679_315_147);
    assert_eq!(witness.to_string().parse::<VerifierKey>().unwrap(), witness);
    let keys = [key().verifier(), witness];
    let (opened, verified) = Checkpoint::open_cosigned(&note, &keys).unwrap();
    assert_eq!(opened, head());
    let times: Vec<_> = verified.iter().map(|signature| signature.timestamp).collect();
    assert_eq!(times, [None, Some(1_679_315_147)]);

    let parsed: Note = note.parse().unwrap();
    let mut bytes = [&parsed.signatures()[1].id()[..], parsed.signatures()[1].bytes()].concat();
    bytes[11] ^= 1;
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let later = format!("{signed}\u{2014} witness.example/w {encoded}\n");
    assert!(matches!(
        Checkpoint::open(&later, &keys),
        Err(CheckpointError::Note(NoteError::BadSignature(_)))
    ));
    let (never, witness) = cosign(&signed, 9, 1 << 63);
    assert!(Checkpoint::open(&never, &[key().verifier(), witness]).is_err());
}

#[test]
fn a_checkpoint_needs_the_signature_of_the_log_and_a_witness_alone_will_not_do() {
    let (note, witness) = cosign(&head().sign(&key()).unwrap(), 9, 1);
    assert!(matches!(Checkpoint::open(&note, &[witness]), Err(CheckpointError::NotByOrigin(_))));
    let other = named("example.com/other", 5);
    let foreign = Note::sign(&head().to_string(), &[&other]).unwrap().to_string();
    assert_eq!(
        Checkpoint::open(&foreign, &[other.verifier()]),
        Err(CheckpointError::NotByOrigin(ORIGIN.to_owned()))
    );
    assert!(matches!(head().sign(&other), Err(CheckpointError::WrongKey { .. })));
}

#[test]
fn the_checkpoint_of_the_standard_is_read() {
    let text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    let checkpoint: Checkpoint = text.parse().unwrap();
    assert_eq!((checkpoint.origin(), checkpoint.size()), ("example.com/behind-the-sofa", 20_852_163));
    assert_eq!(checkpoint.to_string(), text);
    assert!(checkpoint.extensions().is_empty());
}

#[test]
fn a_checkpoint_of_any_other_form_is_refused_by_its_line() {
    let root = leaf_hash(b"root").to_string();
    for (text, error) in [
        (String::new(), CheckpointError::TooFewLines),
        (format!("o\n7\n{root}"), CheckpointError::TooFewLines),
        ("o\n7\n".to_owned(), CheckpointError::TooFewLines),
        (format!("\n7\n{root}\n"), CheckpointError::Origin),
        (format!("o\u{7}\n7\n{root}\n"), CheckpointError::Origin),
        (format!("o\n07\n{root}\n"), CheckpointError::Size),
        (format!("o\n00\n{root}\n"), CheckpointError::Size),
        (format!("o\n+7\n{root}\n"), CheckpointError::Size),
        (format!("o\n-0\n{root}\n"), CheckpointError::Size),
        (format!("o\n\n{root}\n"), CheckpointError::Size),
        (format!("o\n 7\n{root}\n"), CheckpointError::Size),
        (format!("o\n７\n{root}\n"), CheckpointError::Size),
        (format!("o\n18446744073709551616\n{root}\n"), CheckpointError::Size),
        (format!("o\n7\n{}\n", &root[..40]), CheckpointError::Root),
        (format!("o\n7\n{root}=\n"), CheckpointError::Root),
        (format!("o\n7\n{root}\n\n"), CheckpointError::Extension(4)),
        (format!("o\n7\n{root}\next\n\next\n"), CheckpointError::Extension(5)),
        (format!("o\n7\n{root}\next\r\n"), CheckpointError::Extension(4)),
    ] {
        assert_eq!(text.parse::<Checkpoint>(), Err(error), "{text:?}");
    }
    assert!(format!("o\n18446744073709551615\n{root}\next\n").parse::<Checkpoint>().is_ok());
    assert!(Checkpoint::new("a\nb", 0, tlog::EMPTY_ROOT).is_err());
    assert!(head().with_extension("").is_err());
}

#[test]
fn a_proof_verifies_for_its_entry_and_no_other() {
    let (proof, key) = (proof(), key().verifier());
    let head = proof.verify(&[2], &key).unwrap();
    assert_eq!(head.size(), 5);
    assert!(matches!(proof.verify(&[3], &key), Err(TlogProofError::Inclusion(_))));
    let stranger = named(ORIGIN, 2).verifier();
    assert!(matches!(proof.verify(&[2], &stranger), Err(TlogProofError::Checkpoint(_))));
    assert_eq!(proof.verify_against(&[2], &head), Ok(()));
    assert!(matches!(proof.verify_against(&[3], &head), Err(TlogProofError::Inclusion(_))));
    let longer = head.clone().with_extension("more").unwrap();
    assert_eq!(proof.verify_against(&[2], &longer), Err(TlogProofError::OtherCheckpoint));
    let other = Checkpoint::new(ORIGIN, 6, head.root()).unwrap();
    assert_eq!(proof.verify_against(&[2], &other), Err(TlogProofError::OtherCheckpoint));
    let extended = TlogProof { checkpoint: longer.sign(&self::key()).unwrap(), ..proof };
    assert_eq!(extended.verify_against(&[2], &head), Err(TlogProofError::OtherCheckpoint));
}

#[test]
fn a_proof_of_any_other_form_is_refused() {
    let good = proof().to_string();
    assert_eq!(good.parse::<TlogProof>(), Ok(proof()));
    assert!(good.starts_with("c2sp.org/tlog-proof@v1\nextra ZXh0cmE=\nindex 2\n"));
    let hash = leaf_hash(b"x").to_string();
    let note = proof().checkpoint;
    for bad in [
        String::new(),
        good.replace("@v1", "@v2"),
        format!("\n{good}"),
        good.replace('\n', "\r\n"),
        good.replace("index 2", "index 02"),
        good.replace("index 2", "index  2"),
        good.replace("index 2", "index"),
        good.replace("index 2\n", ""),
        good.replace("extra ZXh0cmE=", "extra "),
        good.replace("extra ZXh0cmE=", "extra"),
        good.replace("extra ZXh0cmE=", "extra ZXh0cmE"),
        good.replace("extra ZXh0cmE=", "extra ZXh0cmE=\nextra ZXh0cmE="),
        good.replace("extra ZXh0cmE=\nindex 2\n", "index 2\nextra ZXh0cmE=\n"),
        good.replace("index 2\n", "index 2\nAAAA\n"),
        good.replace("index 2\n", &format!("index 2\n{}", format!("{hash}\n").repeat(62))),
        good.replace(&note, ""),
        good.replace(&note, &format!("\n{note}")),
        good.replace(&note, "o\n5\n"),
        format!("{good}x"),
        format!("{good}\n"),
    ] {
        assert!(bad.parse::<TlogProof>().is_err(), "{bad}");
    }
}

#[test]
fn an_empty_path_and_no_extra_data_leave_their_lines_out() {
    let mut stage = RightEdge::new().stage();
    stage.append(leaf_hash(b"only"));
    let head = Checkpoint::new(ORIGIN, 1, stage.root()).unwrap();
    let note = head.sign(&key()).unwrap();
    let proof = TlogProof { extra: None, index: 0, path: Vec::new(), checkpoint: note.clone() };
    assert_eq!(proof.to_string(), format!("c2sp.org/tlog-proof@v1\nindex 0\n\n{note}"));
    assert_eq!(proof.to_string().parse::<TlogProof>().unwrap().verify(b"only", &key().verifier()), Ok(head));
}
