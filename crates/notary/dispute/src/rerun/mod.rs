//! The rerun: a receipt's question judged again, on what was preserved, by a process that does nothing else.
//!
//! A dispute is decided by neither the notary that signed nor the process that it runs in. `touchstone rerun` has a key
//! of its own and no network: it reads one [`RerunCase`] from its standard input, lets the class's judge
//! [replay](verdict::Judge::replay) it, and writes what it found, signed, to its standard output. [`Reruns`] starts it
//! for a dispute and accepts only answers that its key signed over the very case that was sent.
//!
//! | module | contents | used by |
//! |---|---|---|
//! | [`case`] | cases, as they go over the pipe | both |
//! | [`replay`] | replays a case | the process |
//! | [`signed`] | signs and checks the answer | both |
//! | [`process`] | starts the process, within bounds of time, number and length | the notary |
//!
//! Invariants: the process never reads a receipt key; it uses no evidence that does not match its address; a case that
//! is not of its receipt decides no dispute.

pub mod case;
pub mod process;
pub mod replay;
pub mod signed;

pub use case::{CaseError, MAX_CASE_BYTES, MAX_FOLLOWING_BYTES, RerunCase};
pub use process::{
    MAX_ANSWER_BYTES, MAX_AT_ONCE, MAX_IN_HAND, RerunError, RerunKeys, RerunPermit, Reruns, TIMEOUT, WAIT,
};
pub use replay::answer;
pub use signed::{ReplayOutcome, Rerun, SignedError, verify};

#[cfg(test)]
mod tests;
