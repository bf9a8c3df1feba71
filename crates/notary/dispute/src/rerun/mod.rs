//! The rerun: a receipt's question judged again, on what was preserved, by a process that does nothing else.
//!
//! A dispute is decided by neither the notary that signed nor the process that it runs in. `touchstone rerun` has a key
//! of its own and no network: it reads one [`Case`] from its standard input, lets the class's judge
//! [replay](verdict::Judge::replay) it, and writes what it found, signed, to its standard output. [`Reruns`] starts it
//! for a dispute and believes nothing that its key did not sign over the very case that was sent.
//!
//! | module | what it holds | used by |
//! |---|---|---|
//! | [`case`] | what is replayed, as it goes over the pipe | both |
//! | [`replay`] | what the process finds | the process |
//! | [`signed`] | what is signed, and how it is checked | both |
//! | [`process`] | starting it, within bounds of time, number and length | the notary |
//!
//! What never happens: the process reads a receipt key; it finds on evidence that is not what its address says; a case
//! that is not in its receipt decides a dispute.

pub mod case;
pub mod process;
pub mod replay;
pub mod signed;

pub use case::{Case, CaseError, MAX_CASE_BYTES, MAX_FOLLOWING_BYTES};
pub use process::{MAX_ANSWER_BYTES, MAX_AT_ONCE, MAX_IN_HAND, RerunError, Reruns, TIMEOUT, Turn, WAIT};
pub use replay::answer;
pub use signed::{Outcome, Rerun, SignedError, verify};

#[cfg(test)]
mod tests;
