//! The assessment of a domain's SPF record: its status, and the records that were read for it.

use dns::{Failure, Name};
use serde::Serialize;

use super::check::Problem;
use super::reach::OpenTo;
use super::record::Qualifier;

/// The most records that are read. Ten look-ups need no more; what is over shows how far over the limit a record is.
pub const MAX_WALKED: usize = 16;

/// Assessment of the SPF record that a domain published.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpfAssessment {
    /// Status of the domain's SPF.
    pub standing: SpfStatus,
    /// Result that other terms than `all` give to everybody, where that is weaker than the one of `all`. It is then the
    /// last word.
    pub open_to: Option<OpenTo>,
    /// The records that were read, the domain's own first.
    pub visits: Vec<VisitedRecord>,
    /// The terms that can cause look-ups for one sender; at least so many where `standing` is not
    /// [`SpfStatus::Valid`].
    pub look_ups: u32,
    /// Terms that cause a void look-up for any sender; a lower bound, as above.
    pub void_look_ups: u32,
}

/// Status of a domain's SPF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpfStatus {
    /// There is no record.
    Absent,
    /// A record whose every part can be evaluated within the limits.
    Valid {
        /// Result for senders that no other term matches: the qualifier of `all`, or of that of the record that it
        /// redirects to; [`Qualifier::Neutral`] where there is none (4.7). Where others match everybody, too (an
        /// included `+all`, `ip4:0.0.0.0/1` beside `ip4:128.0.0.0/1`, an `exists` of a name that is always there, or
        /// there for random senders), the weaker of what they say: [`SpfAssessment::open_to`].
        all: Qualifier,
    },
    /// Senders get a permanent error.
    Invalid(Problem),
    /// A look-up failed, and what could be looked up shows no permanent error.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// Reason of the failure.
        failure: Failure,
    },
}

/// A record that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VisitedRecord {
    /// The domain whose record it is.
    pub name: Name,
    /// Text of the record, shortened where it is long; none where there is no record.
    pub record: Option<String>,
    /// The look-ups that its own terms cause.
    pub look_ups: u32,
    /// Void look-ups among them.
    pub void_look_ups: u32,
}
