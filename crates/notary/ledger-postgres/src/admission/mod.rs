//! The admission sequencer: rate limits and reservations of quotas, for all requests in flight in one transaction.
//!
//! Its transactions are committed without waiting for the disk or a standby: they hold leases, and no promises. After a
//! failure of the server the newest of them may be lost. A rate limit then admits some hits again, and a receipt whose
//! reservation was lost is refused.
//!
//! What a process gives back lowers the amount that is taken of a quota only where the store says that the process still
//! holds it: it may have lost it to a failover, or to others after it stood still.

mod epoch;
mod hits;
mod job;
mod taken;
mod unreleased;
mod writer;

pub(crate) use job::AdmissionJob;
pub(crate) use taken::Taken;
pub(crate) use unreleased::Unreleased;
pub(crate) use writer::AdmissionWriter;
