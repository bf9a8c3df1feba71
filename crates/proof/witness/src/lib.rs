//! The witness protocol: C2SP tlog-witness 1.0.0, the call `add-checkpoint`. No network, no clock, no files.
//!
//! A log submits each checkpoint to witnesses. A witness cosigns it if it is consistent with the last checkpoint that
//! it cosigned for this log, so that a log cannot show two histories to two readers. Both sides are here:
//!
//! | module | content |
//! |---|---|
//! | [`request`] | the body of a request, read and written |
//! | [`server`] | a witness: what it checks, and what it answers |
//! | [`store`] | the record of a witness: the last checkpoint of each log |
//! | [`answer`] | the answers of a witness, with their status codes |
//! | [`client`] | a log's view of one witness: what to send next, and what to make of the answer |
//!
//! # Invariants
//!
//! - A witness answers with a cosignature only after its record is durable. The record of a log only grows, and has one
//!   root for one size.
//! - A client takes from an answer only cosignatures that verify, by the configured keys, over exactly the checkpoint
//!   that it sent, with a time near its own.
//! - Every body has a bound, and any bytes are read or refused without a panic.
//!
//! # Where the standard leaves a choice
//!
//! - A note with an invalid signature that names a trusted key is refused (403), even if another signature verifies
//!   (C2SP signed-note, "Signatures"; so does the draft after 1.0.0).
//! - A checkpoint of size 0 must have the root of the empty tree (422; so does the draft after 1.0.0).
//! - Equal sizes with a proof that is not empty are refused by the proof (422), before the roots are compared (409).
//! - The answer to another root of the same size (409) has no size in it: it is not a matter of the old size.
#![forbid(unsafe_code)]

pub mod answer;
pub mod client;
pub mod request;
pub mod server;
pub mod store;

pub use answer::{Answer, SIZE_CONTENT_TYPE};
pub use client::{ClientError, Received, Reply, Submission, WitnessClient};
pub use request::{AddCheckpoint, MAX_REQUEST_BYTES, RequestError};
pub use server::{TrustedKey, Witness, WitnessError};
pub use store::{Latest, MemoryStore, StoreError, TreeHead, WitnessStore};
