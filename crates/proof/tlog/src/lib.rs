//! The algorithms and text formats of the transparency log. Pure: no storage, no clock, no network, no async.
//!
//! A notary must not be able to rewrite its own past. Every receipt that it signs becomes a leaf of one append-only
//! Merkle tree, and anybody can check that with this crate, SHA-256 and Ed25519 (or ML-DSA-44):
//!
//! | module | content | standard |
//! |---|---|---|
//! | [`hash`] | leaf and node hashes | RFC 6962, section 2.1 |
//! | [`merkle`] | checking inclusion and consistency proofs | RFC 6962, sections 2.1.1 and 2.1.2 |
//! | [`tree`] | the right edge of a growing tree, staged and committed in batches | RFC 6962, C2SP tlog-tiles |
//! | [`reader`] | building proofs and roots from stored tiles | RFC 6962, C2SP tlog-tiles |
//! | [`tile`] | tile paths, hash tiles, entry bundles | C2SP tlog-tiles |
//! | [`key`] | signing and verifying keys | C2SP signed-note, tlog-cosignature |
//! | [`signer`] | keys that sign elsewhere, and the keys of a log | C2SP signed-note |
//! | [`cosignature`] | the statements of witnesses | C2SP tlog-cosignature |
//! | [`note`] | signed notes | C2SP signed-note |
//! | [`checkpoint`] | signed tree heads | C2SP tlog-checkpoint |
//! | [`policy`] | which witnesses must have cosigned | C2SP tlog-policy |
//! | [`proof`] | proofs that stand on their own | C2SP tlog-proof |
//!
//! # Invariants
//!
//! - Every parser is strict: where it accepts a text, `Display` gives back the same bytes. There is one text for
//!   one value, so a hash over the text is a hash over the value.
//! - Every parser returns an error or a value for all bytes, without a panic, and has a bound on the length of its
//!   input.
//! - A [`Stage`] leaves the [`RightEdge`] that it came from unchanged: dropping the stage undoes it.
//!
//! # Example
//!
//! ```
//! use tlog::{Checkpoint, RightEdge, SigningKey, TlogProof, leaf_hash};
//!
//! let key = SigningKey::from_seed("example.com/log", &[7; 32])?;
//! let mut stage = RightEdge::new().stage();
//! let index = stage.append(leaf_hash(b"an entry"));
//! let head = Checkpoint::new("example.com/log", stage.size(), stage.root())?;
//! let proof = TlogProof {
//!     extra: None,
//!     index,
//!     path: stage.inclusion_path(index)?,
//!     checkpoint: head.sign(&key)?,
//! };
//! let edge = stage.commit();
//! assert_eq!(edge.size(), 1);
//!
//! let received: TlogProof = proof.to_string().parse()?;
//! assert_eq!(received.verify(b"an entry", &key.verifier())?, head);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod cosignature;
pub mod hash;
pub mod key;
pub mod merkle;
pub mod note;
pub mod policy;
pub mod proof;
pub mod reader;
pub mod signer;
pub mod tile;
pub mod tree;
mod tree_error;

mod nodes;
mod policy_lines;
mod text;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use cosignature::{CosignError, CosignerKey};
pub use hash::{EMPTY_ROOT, Hash, HashError, leaf_hash, node_hash};
pub use key::{KeyError, KeyKind, SIGNATURE_BYTES, SigningKey, VerifierKey};
pub use merkle::{
    ProofError, last_leaf_path, root_from_inclusion, roots_from_consistency, verify_consistency,
    verify_inclusion,
};
pub use note::{Note, NoteError, NoteSignature, VerifiedSignature};
pub use policy::{Policy, PolicyCosignature, PolicyError, PolicyLineError, PolicyMember, PolicyReport};
pub use proof::{TlogProof, TlogProofError};
pub use reader::{ReadError, TileReader, consistency_nodes, consistency_proof, inclusion_path, root_at};
pub use signer::{LogSigners, NoteSigner, SignError};
pub use tile::{TileError, TileKind, TilePath};
pub use tree::{FullTile, RightEdge, Stage, Tile};
pub use tree_error::TreeError;
