//! The check of the registration's end.

use domain_name::rdap::{Expiry, Registration};
use serde_json::json;
use verdict::Timestamp;

use super::{Cap, Check, CheckId, ModelVersion, Partial, Points, Status};

/// A registration that ends in fewer days than this is a warning.
pub const WARN_DAYS: i64 = 30;
/// A registration that ends in fewer days than this is a failure.
pub const FAIL_DAYS: i64 = 7;

const DAY_MILLIS: i64 = 86_400_000;
/// States of RFC 8056 in which a registration has ended, whatever its date says: it is being deleted, or was deleted and is
/// asked back.
const ENDED: &[&str] = &["redemption period", "pending restore", "pending delete"];
/// States in which the domain is kept out of the zone above it.
const HELD: &[&str] = &["client hold", "server hold"];
/// State after an expired registration was renewed by the registry for the registrar, which may still give it back:
/// nobody knows yet if the owner wants it (RFC 3915 section 3.1).
const AUTO_RENEWED: &[&str] = &["auto renew period"];

const WITHIN_WEEKS: Partial = Partial { reason: "expires_within_weeks", points: Points::whole(5) };
const AUTO_RENEW_PERIOD: Partial = Partial { reason: "auto_renew_period", points: Points::whole(5) };
const ON_HOLD: Partial = Partial { reason: "on_hold", points: Points::whole(2) };

const REMEDY: &str = "Renew the domain with its registrar, and have it renewed automatically.";
const HOLD_REMEDY: &str = "Ask the registrar why the domain is on hold, and see to it: until then the zone above does not \
    name it, and nobody finds it. A bill or an address that was not confirmed is the usual reason.";

/// Reasons that earn some of the points.
pub(crate) const EXPIRATION_PARTIALS: &[Partial] = &[WITHIN_WEEKS, AUTO_RENEW_PERIOD, ON_HOLD];

/// Returns true if the domain is kept out of the zone above it.
#[must_use]
pub fn is_on_hold(registration: &Registration) -> bool {
    HELD.iter().any(|state| registration.has_status(state))
}

/// Returns true if the registration has ended, whatever its date says.
#[must_use]
pub fn has_ended(registration: &Registration) -> bool {
    ENDED.iter().any(|state| registration.has_status(state))
}

/// Checks the end of the registration at `now`, and caps the score if the registration has ended.
#[must_use]
pub fn expiration(expiry: Expiry<'_>, now: Timestamp, model: ModelVersion) -> (Check, Option<Cap>) {
    let id = CheckId::Expiration;
    let registration = match expiry {
        Expiry::Answered(registration) => registration,
        Expiry::NoService => return (Check::not_applicable(id, "no_rdap_service"), None),
        Expiry::Failed(reason) => return (Check::unknown(id, reason), None),
    };
    let mut evidence = json!(registration);
    if model == ModelVersion::V1
        && let Some(members) = evidence.as_object_mut()
    {
        // Findings of that version have no such member.
        members.remove("transfer");
    }
    let is_in = |states: &[&str]| states.iter().any(|state| registration.has_status(state));
    let left = registration.expiration.map(|at| at.millis_since(now));
    let (check, cap) = match left {
        _ if is_in(ENDED) => (Check::fail(id, "deleted"), Some(Cap::ExpiredDomain)),
        None => (Check::unknown(id, "no_expiration_date"), None),
        Some(left) if left <= 0 => (Check::fail(id, "expired"), Some(Cap::ExpiredDomain)),
        Some(left) if left < FAIL_DAYS * DAY_MILLIS => (Check::fail(id, "expires_within_days"), None),
        Some(_) if is_in(HELD) => (Check::partly(id, ON_HOLD), None),
        Some(left) if left < WARN_DAYS * DAY_MILLIS => (Check::partly(id, WITHIN_WEEKS), None),
        Some(_) if is_in(AUTO_RENEWED) => (Check::partly(id, AUTO_RENEW_PERIOD), None),
        Some(_) => (Check::pass(id, "registered"), None),
    };
    let check = match check.status {
        Status::Warn if check.reason == ON_HOLD.reason => check.with_remedy(HOLD_REMEDY),
        Status::Warn | Status::Fail => check.with_remedy(REMEDY),
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
        let (check, cap) = expiration(Expiry::Answered(&registration), now, ModelVersion::V2);
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
    fn a_state_holds_down_what_the_date_alone_would_earn() {
        let warned = |reason: &str, points| (Status::Warn, reason.to_owned(), points, None);
        let ended = (Status::Fail, "deleted".to_owned(), 0, Some(Cap::ExpiredDomain));
        for (days, status, expected) in [
            (99, "client hold", warned("on_hold", 200)),
            (99, "server hold", warned("on_hold", 200)),
            (99, "serverHold", warned("on_hold", 200)),
            (29, "client hold", warned("on_hold", 200)),
            (6, "client hold", (Status::Fail, "expires_within_days".into(), 0, None)),
            (0, "client hold", (Status::Fail, "expired".into(), 0, Some(Cap::ExpiredDomain))),
            (400, "auto renew period", warned("auto_renew_period", 500)),
            (400, "autoRenewPeriod", warned("auto_renew_period", 500)),
            (29, "auto renew period", warned("expires_within_weeks", 500)),
            (6, "auto renew period", (Status::Fail, "expires_within_days".into(), 0, None)),
            (99, "Pending Restore", ended.clone()),
            (99, "redemptionPeriod", ended.clone()),
        ] {
            assert_eq!(at(days, &["active", status]), expected, "{days} {status}");
        }
        assert_eq!(at(99, &["auto renew period", "client hold"]), warned("on_hold", 200));
        assert_eq!(at(99, &["client hold", "pending restore"]), ended);
        // Such a state is usual of domains that are kept well.
        for status in ["client transfer prohibited", "server delete prohibited", "renew period", "add period"]
        {
            assert_eq!(at(99, &[status]), (Status::Pass, "registered".into(), 1000, None), "{status}");
        }
    }

    #[test]
    fn what_is_to_be_done_about_a_hold_is_no_renewal() {
        let now = Timestamp::EPOCH;
        let remedy = |status: &str, days: i64| {
            let registration = Registration {
                expiration: Some(now.saturating_add_millis(days * DAY_MILLIS)),
                status: vec![status.to_owned()],
                ..Registration::default()
            };
            expiration(Expiry::Answered(&registration), now, ModelVersion::V2).0.remedy
        };
        assert_eq!(remedy("client hold", 99).as_deref(), Some(HOLD_REMEDY));
        assert_eq!(remedy("client hold", 1).as_deref(), Some(REMEDY));
        assert_eq!(remedy("auto renew period", 99).as_deref(), Some(REMEDY));
        assert_eq!(remedy("active", 99), None);
    }

    #[test]
    fn what_cannot_be_told_is_unknown_and_what_nobody_can_tell_does_not_apply() {
        let now = Timestamp::EPOCH;
        let silent = Registration::default();
        let status = |expiry| expiration(expiry, now, ModelVersion::V2).0.status;
        assert_eq!(status(Expiry::Answered(&silent)), Status::Unknown);
        assert_eq!(status(Expiry::Failed("timed_out")), Status::Unknown);
        assert_eq!(status(Expiry::NoService), Status::NotApplicable);
    }
}
