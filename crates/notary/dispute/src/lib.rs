//! Disputes: for a bond, a separate process judges a receipt's question again.
//!
//! ```text
//! 404 unknown, 400 a dispute's, 409 not_disputable, window_closed, dispute_limit, dispute_open
//!   -> the bond is claimed, with the request -> the bond settles: now the dispute is open
//!   -> rerun, and a fresh look at the source -> finding -> receipt, and what is owed, in one transaction
//! ```
//!
//! The bond settles first, so nobody holds a receipt's one open dispute with money that is spent elsewhere meanwhile.
//! From then on, the dispute always ends: the process that holds the claim repeats a failed rerun for
//! [`RERUN_TRIED_FOR_MS`], and then the bond is given back.
//!
//! Only the finding of the process decides (`finding::find`); a fresh look at the source only adds `source_changed`.
//! The disputed receipt is never changed: `/verify` shows it with its disputes.
//!
//! # Invariants
//!
//! - A dispute is decided by the separate process, and not by the notary that signed the receipt.
//! - A dispute is decided on the stored evidence, and not on a source that has changed since.
//! - A bond is kept only if the dispute was heard.
//! - A refund is paid at most once.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `question` | the question of a dispute |
//! | `judge` | the checks before a dispute, and its judging |
//! | `page` | a dispute's receipt in words |
//! | `finding` | the finding that follows from the hearing |
//! | [`rerun`] | judges a receipt's question again in a process of its own |
//! | [`payouts`] | pays the amounts that disputes leave owed |
//! | `shown` | a receipt's disputes, as `/verify` shows them |

mod finding;
mod judge;
mod page;
pub mod payouts;
mod question;
pub mod rerun;
mod shown;
#[cfg(test)]
mod testing;

use verdict::{EffectKind, Objection, Timestamp};

pub use finding::DisputeFinding;
pub use finding::DisputeReason;
pub use judge::SOURCE_TIMEOUT;
pub use judge::unheard;
pub use judge::{Archive, DisputeJudge};
pub use question::DisputeQuestion;
pub use shown::{DisputeStatus, ReceiptStatus, shown};

/// The number of hours after its signing for which a receipt can be disputed.
pub const WINDOW_HOURS: u32 = 72;
/// The number of hours after its signing for which a receipt whose ruling had such an effect can be disputed; 0 for that of a
/// watch or a dispute, which cannot.
#[must_use]
pub fn window_hours(effect: EffectKind) -> u32 {
    match effect {
        EffectKind::EndDispute | EffectKind::OpenWatch => 0,
        EffectKind::None | EffectKind::Count | EffectKind::Remember => WINDOW_HOURS,
    }
}

/// The last time at which a receipt can be disputed; `None` where it cannot. See [`window_hours`].
#[must_use]
pub fn disputable_until(effect: EffectKind, signed_at: Timestamp) -> Option<Timestamp> {
    let hours = window_hours(effect);
    (hours > 0).then(|| signed_at.saturating_add_millis(i64::from(hours) * 3_600_000))
}

/// Time for which a failed rerun is repeated, in milliseconds since the request for the dispute.
pub const RERUN_TRIED_FOR_MS: i64 = 3_600_000;
/// The receipt class of disputes.
pub const CLASS: &str = "dispute";
/// An example of a first question. The receipt must be of this notary.
pub const EXAMPLE: &str = r#"{"agent":"my-agent","receipt_hash":"0000000000000000000000000000000000000000000000000000000000000000","reason":"the document says otherwise"}"#;

/// Another dispute of the receipt has not ended yet.
pub const OPEN: Objection = Objection::Impossible {
    code: "dispute_open",
    detail: "another dispute of this receipt is open; wait until it has ended",
};

/// The receipt has had the greatest number of disputes.
pub const LIMIT: Objection = Objection::Impossible {
    code: "dispute_limit",
    detail: "this receipt has been disputed as often as a receipt can be",
};

/// The receipt cannot be judged again: its evidence is not kept, or never was.
pub const NOT_KEPT: Objection = Objection::Impossible {
    code: "not_disputable",
    detail: "what this receipt was found on is not kept, or never was (a bare hash, a document over 1 MiB): nobody could \
        judge it again",
};

/// The request of the receipt is stored without its secrets, and the disputer has not brought it.
pub const REQUEST_REDACTED: Objection = Objection::Impossible {
    code: "request_redacted",
    detail: "the request of this receipt held a secret and is stored without it: bring it as it was sent, in `request`",
};

/// The receipt is a watch or a dispute. A watch's receipt is a promise, which cannot be judged again; a dispute's
/// receipt, which is public, must not lead to a watch.
pub const A_WATCH: Objection = Objection::Impossible {
    code: "not_disputable",
    detail: "the receipt that opened a watch promises to watch, which cannot be judged again; dispute the receipts of its \
        changes, or one of /screen-entity or /screen-wallet",
};

/// The receipt is older than [`WINDOW_HOURS`].
pub const WINDOW_CLOSED: Objection = Objection::Impossible {
    code: "window_closed",
    detail: "a receipt can be disputed within 72 hours of its signing",
};

#[cfg(test)]
mod tests;
