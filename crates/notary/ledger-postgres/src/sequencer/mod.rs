//! Sequencers: tasks that each do what waits in one transaction, under a lock row that all replicas take in turn.
//!
//! A transaction of a sequencer begins by locking its row, so all decisions under one row are serial over all replicas,
//! as if one process had made them. Nothing is answered before its COMMIT was acknowledged.
//!
//! A COMMIT whose answer was lost is resolved: each transaction also writes the next token of its writer, and on a new
//! connection the row is locked again, which waits for the transaction in doubt, and the token is read. This
//! transaction writes and commits as well, since an isolated old primary answers plain reads, but can acknowledge no
//! COMMIT while replication is synchronous. A notice that came with the COMMIT, such as that waiting for the standby was
//! cancelled, makes it one of unknown outcome.

mod doubt;
mod queue;
mod sequence;
mod session;
mod task;

pub(crate) use queue::Weight;
pub(crate) use sequence::{Outcome, Sequence, Written};
pub(crate) use session::Session;
pub(crate) use task::Sequencer;
