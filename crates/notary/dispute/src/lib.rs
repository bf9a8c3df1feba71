//! Disputes: a receipt's question judged again by a process apart, for a bond.
//!
//! ```text
//! 404 unknown, 400 a dispute's, 409 not_disputable, window_closed, dispute_limit, dispute_open
//!   -> the bond is claimed, with the request -> the bond settles: now the dispute is open
//!   -> rerun, and a fresh look at the source -> finding -> receipt, and what is owed, in one transaction
//! ```
//!
//! The bond settles first, so nobody holds a receipt's one open dispute with money that is spent elsewhere meanwhile.
//! Whatever happens from then on, the dispute ends: the rerun is made by whoever takes the claim over, again and again
//! for [`RERUN_TRIED_FOR_MS`], and then the bond is given back.
//!
//! What the process finds alone decides (`finding::find`); a fresh look at the source only adds
//! `source_changed`. The disputed receipt is never changed: `/verify` shows it with its disputes.
//!
//! | module | what it holds |
//! |---|---|
//! | `question` | what a disputer says |
//! | `judge` | what is in the way of a dispute, and how it is heard |
//! | `finding` | what follows from what was heard |
//! | [`rerun`] | has a receipt's question judged again by a process of its own |
//! | [`payouts`] | pays what is owed after disputes |
//! | `shown` | what `/verify` says of a receipt's disputes |
//!
//! What never happens: a dispute decided by the notary that signed, or on a source that has changed since; a bond that is
//! kept where nothing was heard; a refund that is paid twice.

mod finding;
mod judge;
pub mod payouts;
mod question;
pub mod rerun;
mod shown;
#[cfg(test)]
mod testing;

use verdict::Objection;

pub use finding::DisputeFinding;
pub use finding::DisputeReason;
pub use judge::SOURCE_TIMEOUT;
pub use judge::unheard;
pub use judge::{Archive, DisputeJudge};
pub use question::DisputeQuestion;
pub use shown::{Dispute, Shown, shown};

/// For how long after it was signed a receipt can be disputed, in hours.
pub const WINDOW_HOURS: u32 = 72;
/// For how long after it was asked a rerun that cannot be made is tried again, in milliseconds.
pub const RERUN_TRIED_FOR_MS: i64 = 3_600_000;
/// The class of disputes.
pub const CLASS: &str = "dispute";
/// A first question. The receipt must be one of this notary's.
pub const EXAMPLE: &str = r#"{"agent":"my-agent","receipt_hash":"0000000000000000000000000000000000000000000000000000000000000000","reason":"the document says otherwise"}"#;

/// Another dispute of the receipt is not ended yet.
pub const OPEN: Objection = Objection::Impossible {
    code: "dispute_open",
    detail: "another dispute of this receipt is open; wait until it has ended",
};

/// The receipt has had its disputes.
pub const LIMIT: Objection = Objection::Impossible {
    code: "dispute_limit",
    detail: "this receipt has been disputed as often as a receipt can be",
};

/// Nothing could be found again: what the receipt was found on is not kept, or never was.
pub const NOT_KEPT: Objection = Objection::Impossible {
    code: "not_disputable",
    detail: "what this receipt was found on is not kept, or never was (a bare hash, a document over 1 MiB): nobody could \
        judge it again",
};

/// A promise is nothing that could be judged again. Nor should a dispute's receipt, which is there to be shown to others,
/// lead to a watch.
pub const A_WATCH: Objection = Objection::Impossible {
    code: "not_disputable",
    detail: "the receipt that opened a watch promises to watch, which cannot be judged again; dispute the receipts of its \
        changes, or one of /screen-entity or /screen-wallet",
};

/// The receipt is too old.
pub const WINDOW_CLOSED: Objection = Objection::Impossible {
    code: "window_closed",
    detail: "a receipt can be disputed within 72 hours of its signing",
};

#[cfg(test)]
mod tests;
