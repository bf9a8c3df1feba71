//! Has the checkpoints of the log stamped: once an hour a time-stamping authority (RFC 3161) is asked for a token over the
//! newest one.
//!
//! The token says by when the tree was there, so all of its receipts were signed by then, whoever keeps the log. Its hash is
//! logged, so a receipt whose `log_head` has that leaf was signed after the token. No verdict waits for either.
//!
//! - [`Stamping`]: asks, checks, stores, and answers from what is stored.
//! - [`StampStanding`]: the state of the newest token, for `/health`.
//!
//! # Invariants
//!
//! - Only a token that was checked is stored: of this request, over this checkpoint, by a certificate that leads to a
//!   configured root, with a time near the notary's own.
//! - The leaf of a token alone has no other token asked for.
//! - One process asks at a time, under the lease `timestamps`, and at most once in [`RETRY_FROM`].
#![forbid(unsafe_code)]

mod keep;
mod log_stamp;
mod stamping;

pub use keep::{EVERY, LATE_AFTER, RETRY_FROM, RETRY_TO};
pub use stamping::{Bound, LowerBound, StampStanding, Stamping, limits};

/// The most milliseconds by which the time of a token may be before the request, or after its answer: the clocks of authority
/// and notary are then too far apart for both to be right.
pub const MAX_APART_MS: i64 = 60_000;
