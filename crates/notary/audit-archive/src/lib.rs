//! Audit archives: all that a notary has of its receipts, in one file that anybody can check offline.
//!
//! An archive is a plain tar. It has, in this order:
//!
//! | member | content |
//! |---|---|
//! | `archive.json` | the log's key and size, and which receipts were asked for |
//! | `keys.jwks`, `prices.json`, `policy.txt` | the keys of receipts and reruns, former ones too; the price table; the policy of witnesses, where there is one |
//! | `log/checkpoint`, `log/tile/...` | the log up to the checkpoint, as C2SP tlog-tiles lays it out: a mirror, once it is unpacked |
//! | `log/timestamps.jsonl` | the checkpoints that a time-stamping authority has stamped, with its tokens; it comes before the tiles |
//! | `receipts/FIRST-END.jsonl` | a receipt a line, each with its proof under the checkpoint |
//! | `blobs/SHA256` | requests and pieces of evidence, each once, before the first chunk that names it ends |
//! | `kept/FIRST-END.jsonl` | which request and evidence belong to each of these receipts |
//! | `SHA256SUMS` | the SHA-256 of all members before |
//!
//! [`export`] writes one beside the running service, and goes on with one that was interrupted. [`export_to`] hands one on while it is
//! written, and holds nothing of the store meanwhile. [`verify`] checks one in one pass.
//!
//! | module | purpose |
//! |---|---|
//! | [`layout`] | the names and documents of the members |
//! | [`tar`] | the container |
//! | `output`, `writer`, `stream` | where members go: into a file that can be continued after an interruption, or to whoever reads them |
//! | `export`, `chunk` | from a store to an archive: the log, then receipts by the chunk |
//! | `proofs` | the proofs of a chunk's receipts, from the log's tiles |
//! | `leaf_set` | sets of leaves |
//! | `verify` | the checks of an archive |
//!
//! # Invariants
//!
//! - The sums come last, so that an archive which was cut anywhere is never taken for a whole one.
//! - Of one store, filter and size there is one archive, byte for byte, also if it was interrupted, as long as nothing is deleted
//!   from the store meanwhile.
//! - Memory is bounded by a chunk, by 64 bytes for each distinct request or piece of evidence, and by 32 for each 256 leaves.

mod chunk;
mod error;
mod export;
pub mod layout;
mod leaf_set;
mod output;
mod proofs;
mod stream;
pub mod tar;
mod verify;
mod writer;

pub use error::ExportError;
pub use export::{Exported, Published, PublishedHead, export, export_to};
pub use layout::Filter;
pub use stream::MAX_STREAMED_BLOBS;
pub use verify::{ArchiveReport, Problem, StampedTrees, is_archive, verify};
