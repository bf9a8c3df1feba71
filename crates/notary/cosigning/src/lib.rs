//! Collects the cosignatures of witnesses over the notary's checkpoints: C2SP tlog-witness, seen from the log.
//!
//! A log that nobody compares can show one history to one reader and another to the next. Witnesses compare: each cosigns
//! only what extends what it cosigned before. With a policy (C2SP tlog-policy) the notary submits its checkpoints to the
//! policy's witnesses, and serves the newest one that a quorum has cosigned.
//!
//! | module | content |
//! |---|---|
//! | [`policy`] | the policy file of a log: what is refused at the start, and what is published |
//! | [`standing`] | the state of each witness, for `/health` |
//! | [`round`] | the cosignatures over one checkpoint, until they are a quorum |
//! | [`collect`] | the loop that submits checkpoints and stores what is cosigned |
//!
//! # Invariants
//!
//! - No verdict waits for a witness: receipts are answered with the proof under the notary's own checkpoint.
//! - Only checkpoints that are durable are submitted, and a cosigned one is durable before it is served.
//! - Each witness has at most one request in flight, and after failures it is asked ever more seldom.
//! - Of several replicas one submits, under a lease of the store.
//! - Nothing of an answer is used but cosignatures that verify over the very checkpoint that was sent.

pub mod collect;
pub mod policy;
pub mod round;
pub mod standing;

pub use collect::{Cosigning, WitnessEndpoint};
pub use policy::{LogPolicy, LogPolicyError, PolicyWitness};
pub use standing::{CosignedStanding, FirstCosigned, WitnessStanding};
