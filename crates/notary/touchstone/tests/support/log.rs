//! RFC 6962 by its recursive definition, and C2SP signed notes: written again here, so that the product's own
//! code never vouches for itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};

pub type Hash = [u8; 32];

pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

pub fn leaf_hash(entry: &[u8]) -> Hash {
    sha256(&[&[0], entry].concat())
}

pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[1][..], left, right].concat())
}

/// MTH of RFC 6962, section 2.1.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => sha256(b""),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().div_ceil(2).next_power_of_two());
            node_hash(&root(left), &root(right))
        }
    }
}

/// The root that an inclusion path leads to (RFC 9162, section 2.1.3.2).
pub fn root_from(index: u64, size: u64, leaf: Hash, path: &[Hash]) -> Option<Hash> {
    let (mut number, mut last) = (index, size.checked_sub(1)?);
    if number > last {
        return None;
    }
    let mut hash = leaf;
    for sibling in path {
        if last == 0 {
            return None;
        }
        if number % 2 == 1 || number == last {
            hash = node_hash(sibling, &hash);
            while number % 2 == 0 && number != 0 {
                (number, last) = (number >> 1, last >> 1);
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        (number, last) = (number >> 1, last >> 1);
    }
    (last == 0).then_some(hash)
}

pub fn hash_from(base64: &str) -> Hash {
    STANDARD.decode(base64).unwrap().try_into().unwrap()
}

/// A signed tree head whose signature holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    pub origin: String,
    pub size: u64,
    pub root: Hash,
}

impl Checkpoint {
    /// Opens a checkpoint with a log's verifier key (C2SP signed-note: `NAME+ID+BASE64`).
    pub fn open(note: &str, vkey: &str) -> Self {
        let [name, id, key] = vkey.splitn(3, '+').collect::<Vec<_>>().try_into().unwrap();
        let key = STANDARD.decode(key).unwrap();
        assert_eq!(key[0], 1, "the type of Ed25519");
        let expected = sha256(&[name.as_bytes(), b"\n", &key].concat());
        assert_eq!(id, hex::encode(&expected[..4]), "the key's id");
        let (text, signatures) = note.split_once("\n\n").unwrap();
        let text = format!("{text}\n");
        let line = signatures.lines().find_map(|line| line.strip_prefix(&format!("— {name} "))).unwrap();
        let signature = STANDARD.decode(line).unwrap();
        assert_eq!(signature[..4], expected[..4], "the signature names the key");
        let verifying = VerifyingKey::from_bytes(key[1..].try_into().unwrap()).unwrap();
        let signature = Signature::from_slice(&signature[4..]).unwrap();
        verifying.verify_strict(text.as_bytes(), &signature).unwrap();
        let [origin, size, root] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert_eq!(origin, name);
        Self { origin: origin.to_owned(), size: size.parse().unwrap(), root: hash_from(root) }
    }
}

/// A C2SP tlog-proof.
pub struct Proof {
    pub index: u64,
    pub path: Vec<Hash>,
    pub checkpoint: String,
}

impl Proof {
    pub fn read(text: &str) -> Self {
        let (head, checkpoint) = text.split_once("\n\n").unwrap();
        let mut lines = head.lines();
        assert_eq!(lines.next(), Some("c2sp.org/tlog-proof@v1"));
        let index = lines.next().unwrap().strip_prefix("index ").unwrap().parse().unwrap();
        Self { index, path: lines.map(hash_from).collect(), checkpoint: checkpoint.to_owned() }
    }
}
