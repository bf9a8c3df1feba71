//! The crate against other people's: ct-merkle for the tree, signed_note and tlog_tiles for the formats.

use crate::common::{Reference, Store};
use ct_merkle::mem_backed_tree::MemoryBackedTree;
use ct_merkle::{ConsistencyProof, InclusionProof, RootHash};
use proptest::prelude::*;
use signed_note::{StandardSigner, StandardVerifier, VerifierList};
use tlog::{Checkpoint, Hash, Note, SigningKey, TilePath, VerifierKey};

type Sha256 = sha2::Sha256;

fn entry(number: usize) -> [u8; 8] {
    (number as u64).to_be_bytes()
}

fn bytes(hashes: &[Hash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.0).collect()
}

fn their_root(tree: &Reference, size: usize) -> RootHash<Sha256> {
    RootHash::new(tree.root(size).0.into(), size as u64)
}

#[test]
fn roots_paths_and_consistency_proofs_are_those_of_ct_merkle() {
    let size = 1100;
    let ours = Reference::new(size);
    let store = Store::of(&ours, size);
    let mut theirs = MemoryBackedTree::<Sha256, [u8; 8]>::new();
    for new in 1..=size {
        theirs.push(entry(new - 1));
        if !(new < 40 || new % 37 == 0 || new % 256 < 2) {
            continue;
        }
        let root = tlog::root_at(new as u64, &store).unwrap();
        assert_eq!(theirs.root().as_bytes().as_slice(), root.as_ref());
        for old in (1..=new).step_by(1 + new / 50) {
            let path = tlog::inclusion_path(new as u64, old as u64 - 1, &store).unwrap();
            assert_eq!(theirs.prove_inclusion(old - 1).as_bytes(), bytes(&path), "leaf {} of {new}", old - 1);
            let proof = tlog::consistency_proof(old as u64, new as u64, &store).unwrap();
            assert_eq!(theirs.prove_consistency(new - old).as_bytes(), bytes(&proof), "{old} to {new}");
        }
    }
}

proptest! {
    #[test]
    fn proofs_good_or_bad_are_judged_as_ct_merkle_judges_them(
        size in 1_usize..400, index in 0_usize..400, claimed in 1_usize..400, damage in 0_usize..4,
    ) {
        let tree = Reference::new(400);
        let index = index % size;
        let mut path = tree.path(index, size);
        match (damage, path.len()) {
            (1, 1..) => path[0].0[31] ^= 1,
            (2, 1..) => drop(path.pop()),
            (3, _) => path.push(tree.root(1)),
            _ => {}
        }
        let theirs = their_root(&tree, claimed)
            .verify_inclusion(&entry(index), index as u64, &InclusionProof::from_bytes(bytes(&path)))
            .is_ok();
        let leaf = tree.leaves[index];
        let ours = tlog::verify_inclusion(index as u64, claimed as u64, &leaf, &path, &tree.root(claimed)).is_ok();
        prop_assert_eq!(ours, theirs);

        let mut proof = tree.consistency(index + 1, size);
        if let (1, Some(first)) = (damage, proof.first_mut()) {
            first.0[0] ^= 128;
        }
        let old = their_root(&tree, index + 1);
        let theirs = ConsistencyProof::try_from_bytes(bytes(&proof))
            .is_ok_and(|proof| their_root(&tree, claimed).verify_consistency(&old, &proof).is_ok());
        let ours = tlog::verify_consistency(
            index as u64 + 1, claimed as u64, &tree.root(index + 1), &tree.root(claimed), &proof,
        );
        prop_assert_eq!(ours.is_ok(), theirs);
    }

    #[test]
    fn keys_and_signatures_are_those_of_signed_note(name in "[a-z./]{1,12}", seed in any::<[u8; 32]>(), text in "([a-z ]{0,9}\n){1,4}") {
        let ours = SigningKey::from_seed(&name, &seed).unwrap();
        let theirs = StandardSigner::new(&ours.to_private_text()).unwrap();
        let mut note = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
        note.add_sigs(&[&theirs]).unwrap();
        prop_assert_eq!(Note::sign(&text, &[&ours]).unwrap().to_string().into_bytes(), note.to_bytes());

        let vkey = ours.verifier().to_string();
        let known = VerifierList::new(vec![Box::new(StandardVerifier::new(&vkey).unwrap())]);
        let read = signed_note::Note::from_bytes(Note::sign(&text, &[&ours]).unwrap().to_string().as_bytes()).unwrap();
        prop_assert!(read.verify(&known).is_ok());
    }

    #[test]
    fn damaged_notes_are_judged_as_signed_note_judges_them(
        at in any::<prop::sample::Index>(), byte in prop_oneof![Just(b'\n'), Just(b' '), Just(b'='), 0_u8..128],
    ) {
        let key = SigningKey::from_seed("example.com/log", &[3; 32]).unwrap();
        let mut damaged = Note::sign("one\n\ntwo\n", &[&key, &key]).unwrap().to_string().into_bytes();
        let at = at.index(damaged.len());
        damaged[at] = byte;
        let vkey = key.verifier().to_string();
        let known = VerifierList::new(vec![Box::new(StandardVerifier::new(&vkey).unwrap())]);
        let theirs = signed_note::Note::from_bytes(&damaged);
        let ours = Note::from_bytes(&damaged);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}", String::from_utf8_lossy(&damaged));
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            prop_assert_eq!(ours.text().as_bytes(), theirs.text());
            // Other verifiers look at the first signature of a key only; a note that passes here passes there.
            prop_assert!(ours.verify(&[key.verifier()]).is_err() || theirs.verify(&known).is_ok());
        }
    }

    #[test]
    fn vkeys_are_judged_as_signed_note_judges_them(at in any::<prop::sample::Index>(), byte in 32_u8..127) {
        let mut vkey = SigningKey::from_seed("log", &[3; 32]).unwrap().verifier().to_string().into_bytes();
        let at = at.index(vkey.len());
        vkey[at] = byte;
        let vkey = String::from_utf8(vkey).unwrap();
        // Other verifiers also take a key ID in capitals. Here a key has one text.
        let canonical = vkey.split('+').nth(1).is_some_and(|id| *id == id.to_lowercase());
        let theirs = canonical && StandardVerifier::new(&vkey).is_ok();
        prop_assert_eq!(vkey.parse::<VerifierKey>().is_ok(), theirs, "{}", vkey);
    }

    #[test]
    fn checkpoints_are_judged_as_tlog_tiles_judges_them(
        at in any::<prop::sample::Index>(), byte in prop_oneof![Just(b'\n'), Just(b'0'), Just(b'='), 32_u8..127], extension in "(e\n){0,2}",
    ) {
        let root = Reference::new(3).root(3);
        let mut text = format!("example.com/log\n105\n{root}\n{extension}").into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        let theirs = tlog_tiles::Checkpoint::from_bytes(&text);
        let ours = std::str::from_utf8(&text).unwrap().parse::<Checkpoint>();
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}", String::from_utf8_lossy(&text));
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            prop_assert_eq!(ours.to_string().into_bytes(), theirs.to_bytes());
            prop_assert_eq!((ours.size(), &ours.root().0), (theirs.size(), &theirs.hash().0));
        }
    }

    #[test]
    fn tile_paths_are_those_of_tlog_tiles_less_the_height(level in 0_u8..64, index in any::<u64>(), shift in 0..64, width in 1_u16..=256) {
        let index = index >> shift;
        let theirs = tlog_tiles::Tile::new(8, level, index, u32::from(width), false).path();
        let ours = TilePath::hashes(level, index, width).unwrap().to_string();
        prop_assert_eq!(ours, theirs.replacen("tile/8/", "tile/", 1));
    }
}
