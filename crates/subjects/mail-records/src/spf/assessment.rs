//! The assessment of a domain's SPF record: its status, and the records that were read for it.

use dns::{Failure, Name};
use serde::Serialize;

use super::check::Problem;
use super::reach::OpenTo;
use super::record::Qualifier;

/// The most records that are read. Ten look-ups need no more; further ones only show how far a record exceeds the
/// limit.
pub const MAX_WALKED: usize = 16;

/// The assessment of a domain's SPF record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpfAssessment {
    /// The SPF status of the domain.
    pub standing: SpfStatus,
    /// The result that terms other than `all` give to everybody, if it is weaker than the result of `all`. It then is
    /// the effective result. `None` otherwise.
    pub open_to: Option<OpenTo>,
    /// The records that were read, beginning with that of the domain.
    pub visits: Vec<VisitedRecord>,
    /// The number of terms that can cause look-ups for one sender. It is a lower bound where `standing` is not
    /// [`SpfStatus::Valid`].
    pub look_ups: u32,
    /// The number of terms that cause a void look-up for every sender. It is a lower bound where `standing` is not
    /// [`SpfStatus::Valid`].
    pub void_look_ups: u32,
}

/// The SPF status of a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpfStatus {
    /// There is no record.
    Absent,
    /// The record can be evaluated completely within the limits.
    Valid {
        /// The result for senders that no other term matches: the qualifier of `all`, also in a record to which
        /// `redirect` leads; [`Qualifier::Neutral`] where there is no `all` (4.7). If other terms match everybody too
        /// (an included `+all`, `ip4:0.0.0.0/1` with `ip4:128.0.0.0/1`, or an `exists` of a name that always exists or
        /// exists for random senders), the weaker result is [`SpfAssessment::open_to`].
        all: Qualifier,
    },
    /// Every evaluation gives a permanent error, for this reason.
    Invalid(Problem),
    /// A look-up failed, and the rest of the record has no permanent error.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// The reason of the failure.
        failure: Failure,
    },
}

/// A record that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct VisitedRecord {
    /// The domain that has the record.
    pub name: Name,
    /// The text of the record, shortened if it is long; `None` where there is no record.
    pub record: Option<String>,
    /// The number of look-ups that its own terms cause.
    pub look_ups: u32,
    /// The number of void look-ups among them.
    pub void_look_ups: u32,
}
