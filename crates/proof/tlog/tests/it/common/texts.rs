//! A key, a checkpoint and a proof to take apart.

use tlog::{Checkpoint, RightEdge, SigningKey, TlogProof, leaf_hash};

pub(crate) const ORIGIN: &str = "example.com/log";

pub(crate) fn key() -> SigningKey {
    SigningKey::from_seed(ORIGIN, &[1; 32]).expect("a good name")
}

pub(crate) fn named(name: &str, seed: u8) -> SigningKey {
    SigningKey::from_seed(name, &[seed; 32]).expect("a good name")
}

pub(crate) fn head() -> Checkpoint {
    Checkpoint::new(ORIGIN, 7, leaf_hash(b"root")).expect("a good origin")
}

/// A proof of the third of five entries.
pub(crate) fn proof() -> TlogProof {
    let mut stage = RightEdge::new().stage();
    for entry in 0..5_u8 {
        stage.append(leaf_hash(&[entry]));
    }
    let head = Checkpoint::new(ORIGIN, 5, stage.root()).expect("a good origin");
    TlogProof {
        extra: Some(b"extra".to_vec()),
        index: 2,
        path: stage.inclusion_path(2).expect("staged"),
        checkpoint: head.sign(&key()).expect("the log's key"),
    }
}
