use proptest::prelude::*;
use serde_json::json;

use super::assess::*;
use super::*;
use crate::score::hygiene::CAUTION_FROM;
use crate::score::samples::status;
use crate::score::{Cap, Check, CheckId, Points, Status, TrustVerdict};

type Checks = Vec<Check>;

fn all(status: Status) -> Checks {
    CHECKS.map(|id| Check::new(id, status, id.weight(), "")).into()
}

fn with(changed: Check) -> Checks {
    let each = all(Status::Pass).into_iter();
    each.map(|check| if check.id == changed.id { changed.clone() } else { check }).collect()
}

/// Of a domain that is a hundred days old, and of nothing else.
fn aged() -> Flags {
    let mut flags = Flags::default();
    let registered = verdict::Timestamp::EPOCH;
    flags.look_at_age(Some(registered), registered.saturating_add_millis(100 * 86_400_000));
    flags
}

fn flagged() -> Flags {
    let mut flags = aged();
    flags.raised.push(Flag { id: FlagId::FeedHit, evidence: json!({}) });
    flags
}

fn plain(checks: Checks) -> TrustAssessment {
    assess(checks, [], aged())
}

#[test]
fn the_weights_are_100_and_the_bonus_group_6() {
    let sum = |ids: &dyn Fn(CheckId) -> bool| -> Points {
        CHECKS.into_iter().filter(|id| ids(*id)).map(CheckId::weight).sum()
    };
    assert_eq!(sum(&|_| true), Points::whole(100));
    assert_eq!(sum(&CheckId::is_bonus), Points::whole(6));
}

#[test]
fn all_good_is_trusted_and_a_flag_makes_it_caution() {
    let good = plain(all(Status::Pass));
    assert_eq!(
        (good.verdict, good.score, good.coverage, good.grade),
        (TrustVerdict::Trusted, 100, 1.0, Some("A+"))
    );
    // Nobody gains by a registry that does not answer; where there is none, there is nothing to be known.
    let unaged = |checks| assess(checks, [], Flags::default()).verdict;
    assert_eq!(unaged(all(Status::Pass)), TrustVerdict::Caution);
    assert_eq!(unaged(with(Check::unknown(CheckId::Expiration, "timed_out"))), TrustVerdict::Caution);
    let without_registry = with(Check::not_applicable(CheckId::Expiration, "no_rdap_service"));
    assert_eq!(unaged(without_registry.clone()), TrustVerdict::Trusted);
    // A platform's name is anybody's in a moment.
    let tenant = Flags { is_tenant: true, ..Flags::default() };
    assert_eq!(assess(without_registry, [], tenant).verdict, TrustVerdict::Caution);
    let flagged = assess(all(Status::Pass), [], flagged());
    assert_eq!((flagged.verdict, flagged.score), (TrustVerdict::Caution, 100));
}

#[test]
fn nothing_seen_is_incomplete_and_never_a_grade() {
    for checks in [all(Status::Unknown), all(Status::NotApplicable)] {
        let found = plain(checks);
        assert_eq!((found.verdict, found.score, found.grade), (TrustVerdict::Incomplete, 0, None));
        assert_eq!((found.score_max_possible, found.coverage), (100, 0.0));
    }
}

#[test]
fn an_unknown_check_stays_in_the_denominator_and_one_that_does_not_apply_leaves_it() {
    let unknown = plain(with(Check::unknown(CheckId::Expiration, "timed_out")));
    assert_eq!((unknown.score, unknown.score_max_possible, unknown.coverage), (90, 100, 0.9));
    assert_eq!(unknown.unknown, [CheckId::Expiration]);
    let absent = plain(with(Check::not_applicable(CheckId::Expiration, "no_rdap_service")));
    assert_eq!((absent.score, absent.score_max_possible, absent.coverage), (100, 100, 1.0));
}

#[test]
fn a_check_that_always_applies_is_unknown_where_it_says_otherwise() {
    let found = plain(with(Check::not_applicable(CheckId::Dnssec, "")));
    assert_eq!((found.score, found.unknown.as_slice()), (88, &[CheckId::Dnssec][..]));
}

#[test]
fn the_thresholds_are_those_that_are_published() {
    let failed = |ids: &[CheckId]| {
        let each = all(Status::Pass).into_iter();
        let fail = |check: Check| if ids.contains(&check.id) { Check::fail(check.id, "") } else { check };
        let found = plain(each.map(fail).collect());
        (found.verdict, found.score)
    };
    use CheckId::{Caa, Dmarc, Dnssec, Expiration, Headers, Spf, Tls};
    assert_eq!(failed(&[Dnssec, Caa]), (TrustVerdict::Trusted, 80));
    assert_eq!(failed(&[Tls]), (TrustVerdict::Caution, 78));
    assert_eq!(failed(&[Tls, Dnssec, Dmarc]), (TrustVerdict::Caution, 50));
    assert_eq!(failed(&[Tls, Dnssec, Headers, Caa]), (TrustVerdict::Risky, 42));
    assert_eq!(failed(&[Tls, Dnssec, Headers, Caa, Spf, Expiration, Dmarc]), (TrustVerdict::Risky, 6));
}

#[test]
fn a_domain_is_risky_only_where_what_is_missing_could_not_lift_it() {
    // 46 points failed, 12 unknown: 42 earned, 54 possible.
    let mut checks = all(Status::Pass);
    for check in &mut checks {
        if matches!(check.id, CheckId::Tls | CheckId::Headers | CheckId::Caa) {
            *check = Check::fail(check.id, "");
        }
        if check.id == CheckId::Dnssec {
            *check = Check::unknown(check.id, "");
        }
    }
    let found = plain(checks.clone());
    assert_eq!((found.verdict, found.score, found.score_max_possible), (TrustVerdict::Incomplete, 42, 54));
    let capped = assess(checks, [Cap::NoHttps], Flags::default());
    assert_eq!((capped.verdict, capped.score_max_possible), (TrustVerdict::Risky, 49));
}

#[test]
fn what_a_check_did_not_see_could_still_be_earned_and_is_not_covered() {
    let half = Check::warn(CheckId::Tls, Points::whole(17), "").with_unseen(Points::whole(5));
    let found = plain(with(half));
    assert_eq!((found.score, found.score_max_possible, found.coverage), (95, 100, 0.95));
    assert_eq!(found.unknown, [], "it was looked at");
    // Nothing more than is missing can be unseen, and all of what is unknown is.
    let greedy = Check::warn(CheckId::Tls, Points::whole(17), "").with_unseen(Points::whole(99));
    assert_eq!(plain(with(greedy)).score_max_possible, 100);
    let found = plain(with(Check::unknown(CheckId::Tls, "").with_unseen(Points::ZERO)));
    assert_eq!((found.score, found.score_max_possible, found.coverage), (78, 100, 0.78));
}

#[test]
fn a_domain_is_risky_only_where_what_was_half_seen_could_not_lift_it() {
    // 46 earned beside TLS, of which 5 of 22 points could not be seen.
    let of = |tls: Check| {
        let failed = [CheckId::Headers, CheckId::Dmarc];
        let mut checks = all(Status::Pass);
        for check in &mut checks {
            if failed.contains(&check.id) {
                *check = Check::fail(check.id, "");
            }
            if check.id == CheckId::Tls {
                *check = tls.clone();
            }
        }
        let found = plain(checks);
        (found.verdict, found.score, found.score_max_possible)
    };
    let tls = Check::warn(CheckId::Tls, Points::ZERO, "");
    assert_eq!(of(tls.clone()), (TrustVerdict::Risky, 46, 46));
    assert_eq!(of(tls.clone().with_unseen(Points::hundredths(399))), (TrustVerdict::Risky, 46, 49));
    assert_eq!(of(tls.with_unseen(Points::whole(4))), (TrustVerdict::Incomplete, 46, 50));
}

#[test]
fn coverage_counts_from_70_percent_on() {
    let unknown = |ids: &[CheckId]| {
        let each = all(Status::Pass).into_iter();
        let miss = |check: Check| if ids.contains(&check.id) { Check::unknown(check.id, "") } else { check };
        let found = plain(each.map(miss).collect());
        (found.verdict, found.coverage)
    };
    use CheckId::{Caa, Expiration, Ipv6, Spf, Tls};
    assert_eq!(unknown(&[Tls, Caa]), (TrustVerdict::Caution, 0.7));
    assert_eq!(unknown(&[Tls, Caa, Ipv6]), (TrustVerdict::Incomplete, 0.69));
    assert_eq!(unknown(&[Expiration, Spf]), (TrustVerdict::Trusted, 0.8));
}

#[test]
fn the_lowest_cap_holds_the_score_down() {
    let capped = |caps: &[Cap]| {
        let found = assess(all(Status::Pass), caps.iter().copied(), Flags::default());
        (found.verdict, found.score, found.score_max_possible)
    };
    assert_eq!(capped(&[Cap::NoHttps]), (TrustVerdict::Risky, 49, 49));
    assert_eq!(capped(&[Cap::NoHttps, Cap::BogusDnssec]), (TrustVerdict::Risky, 39, 39));
    assert_eq!(capped(&[Cap::InvalidCertificate]), (TrustVerdict::Risky, 39, 39));
    assert_eq!(capped(&Cap::ALL), (TrustVerdict::Risky, 20, 20));
}

prop_compose! {
    fn every_check()(drawn in prop::collection::vec((status(), 0u32..2300, 0u32..2300), CHECKS.len())) -> Checks {
        let mut drawn = drawn.into_iter();
        CHECKS.into_iter().map(|id| {
            let (status, points, unseen) = drawn.next().unwrap();
            Check::new(id, status, Points::hundredths(points), "").with_unseen(Points::hundredths(unseen))
        }).collect()
    }
}

fn some_caps() -> impl Strategy<Value = Vec<Cap>> {
    prop::sample::subsequence(Cap::ALL.to_vec(), 0..=Cap::ALL.len())
}

proptest! {
    #[test]
    fn a_look_that_failed_never_raises_a_score_or_the_share_that_was_seen(
        checks in every_check(), caps in some_caps(), at in 0..CHECKS.len(),
    ) {
        let before = assess(checks.clone(), caps.clone(), Flags::default());
        let mut without = checks.clone();
        without[at] = Check::unknown(checks[at].id, "timed_out");
        let after = assess(without, caps, Flags::default());
        prop_assert!(after.score <= before.score);
        prop_assert!(after.coverage <= before.coverage);
        prop_assert!(after.score_max_possible >= after.score);
        if after.verdict == TrustVerdict::Trusted {
            prop_assert_eq!(before.verdict, TrustVerdict::Trusted);
        }
        if after.verdict == TrustVerdict::Risky {
            prop_assert!(after.score_max_possible < CAUTION_FROM);
        }
    }

    #[test]
    fn a_cap_never_raises_anything(checks in every_check(), caps in some_caps(), cap in prop::sample::select(Cap::ALL.to_vec())) {
        let before = assess(checks.clone(), caps.clone(), Flags::default());
        let after = assess(checks, caps.into_iter().chain([cap]), Flags::default());
        prop_assert!(after.score <= before.score.min(cap.limit()));
        prop_assert!(after.score_max_possible <= cap.limit());
        prop_assert_ne!(after.verdict, TrustVerdict::Trusted);
    }

    #[test]
    fn whatever_was_found_the_figures_stay_in_their_range(checks in every_check(), caps in some_caps(), raised in any::<bool>()) {
        let flags = if raised { flagged() } else { Flags::default() };
        let found = assess(checks, caps, flags);
        prop_assert!(found.score <= found.score_max_possible && found.score_max_possible <= 100);
        prop_assert!((0.0..=1.0).contains(&found.coverage));
        prop_assert_eq!(found.checks.iter().map(|check| check.id).collect::<Vec<_>>(), CHECKS);
        prop_assert!(found.checks.iter().all(|check| check.points + check.unseen <= check.max));
        prop_assert_eq!(found.grade.is_none(), found.verdict == TrustVerdict::Incomplete);
        if found.verdict == TrustVerdict::Trusted {
            prop_assert!(!raised && found.score >= TRUSTED_FROM && found.coverage >= 0.7);
        }
    }
}
