//! The assessment of a domain's SPF records, without a sender.
//!
//! The record and all that it includes or redirects to are read as they would be for a sender that nothing matches
//! before `all`: the most look-ups that a check can need. Terms whose names macros make for each sender are counted,
//! and not followed; where there are any, the record is evaluated for random senders as well.

use dns::{Dns, Name};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use receipt::Timestamp;

use super::assessment::SpfAssessment;
use super::walk::RecordWalk;

/// Assesses the SPF record of a domain. `at` is the time of the look-up, which seeds the choice of random senders.
pub fn assess<'a>(dns: &'a dyn Dns, domain: &'a Name, at: Timestamp) -> BoxFuture<'a, SpfAssessment> {
    RecordWalk::from(dns, domain).finish(at).boxed()
}
