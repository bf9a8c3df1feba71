//! The check of the registration's end.

use serde_json::json;
use verdict::Timestamp;

use super::{Cap, Check, CheckId, Partial, Points, Status};
use crate::rdap::Registration;

/// Fewer days than this are a warning.
pub const WARN_DAYS: i64 = 30;
/// Fewer days than this are a failure.
pub const FAIL_DAYS: i64 = 7;

const DAY_MILLIS: i64 = 86_400_000;
/// States of RFC 8056 in which a registration has ended, whatever its date says.
const ENDED: &[&str] = &["redemption period", "pending delete"];

const WITHIN_WEEKS: Partial = Partial { reason: "expires_within_weeks", points: Points::whole(5) };

/// What earns some of the points.
pub(crate) const EXPIRATION_PARTIALS: &[Partial] = &[WITHIN_WEEKS];

/// What became of asking the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expiry<'a> {
    /// It answered.
    Answered(&'a Registration),
    /// The whole top-level domain has no RDAP service.
    NoService,
    /// It could not be asked, for this reason.
    Failed(&'static str),
}

/// The check, and the cap where the registration has ended.
#[must_use]
pub fn expiration(expiry: Expiry<'_>, now: Timestamp) -> (Check, Option<Cap>) {
    let id = CheckId::Expiration;
    let registration = match expiry {
        Expiry::Answered(registration) => registration,
        Expiry::NoService => return (Check::not_applicable(id, "no_rdap_service"), None),
        Expiry::Failed(reason) => return (Check::unknown(id, reason), None),
    };
    let evidence = json!(registration);
    let has_ended =
        registration.status.iter().any(|own| ENDED.iter().any(|end| own.eq_ignore_ascii_case(end)));
    let left = registration.expiration.map(|at| at.millis_since(now));
    let (check, cap) = match left {
        _ if has_ended => (Check::fail(id, "deleted"), Some(Cap::ExpiredDomain)),
        None => (Check::unknown(id, "no_expiration_date"), None),
        Some(left) if left <= 0 => (Check::fail(id, "expired"), Some(Cap::ExpiredDomain)),
        Some(left) if left < FAIL_DAYS * DAY_MILLIS => (Check::fail(id, "expires_within_days"), None),
        Some(left) if left < WARN_DAYS * DAY_MILLIS => (Check::partly(id, WITHIN_WEEKS), None),
        Some(_) => (Check::pass(id, "registered"), None),
    };
    let check = match check.status {
        Status::Warn | Status::Fail => {
            check.with_remedy("Renew the domain with its registrar, and have it renewed automatically.")
        }
        Status::Pass | Status::Unknown | Status::NotApplicable => check,
    };
    (check.with_evidence(evidence), cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: i64, status: &[&str]) -> (Status, String, u32, Option<Cap>) {
        let now: Timestamp = "2026-11-21T02:00:00.000Z".parse().unwrap();
        let registration = Registration {
            expiration: Some(now.saturating_add_millis(days * DAY_MILLIS)),
            status: status.iter().map(|&own| own.to_owned()).collect(),
            ..Registration::default()
        };
        let (check, cap) = expiration(Expiry::Answered(&registration), now);
        (check.status, check.reason.into_owned(), check.points.as_hundredths(), cap)
    }

    #[test]
    fn the_days_that_are_left_decide() {
        assert_eq!(at(30, &["active"]), (Status::Pass, "registered".into(), 1000, None));
        assert_eq!(at(29, &[]), (Status::Warn, "expires_within_weeks".into(), 500, None));
        assert_eq!(at(7, &[]), (Status::Warn, "expires_within_weeks".into(), 500, None));
        assert_eq!(at(6, &[]), (Status::Fail, "expires_within_days".into(), 0, None));
        assert_eq!(at(0, &[]), (Status::Fail, "expired".into(), 0, Some(Cap::ExpiredDomain)));
        assert_eq!(
            at(99, &["Pending Delete"]),
            (Status::Fail, "deleted".into(), 0, Some(Cap::ExpiredDomain))
        );
    }

    #[test]
    fn what_cannot_be_told_is_unknown_and_what_nobody_can_tell_does_not_apply() {
        let now = Timestamp::EPOCH;
        let silent = Registration::default();
        let status = |expiry| expiration(expiry, now).0.status;
        assert_eq!(status(Expiry::Answered(&silent)), Status::Unknown);
        assert_eq!(status(Expiry::Failed("timed_out")), Status::Unknown);
        assert_eq!(status(Expiry::NoService), Status::NotApplicable);
    }
}
