use std::collections::BTreeSet;

use brand_names::{LookAlike, Resemblance};
use proptest::prelude::*;
use threat_feeds::{FeedEntry, FeedLookUp};
use verdict::Timestamp;

use super::*;
use crate::score::{Check, CheckId, Points, Purpose, Status};

const DAY_MILLIS: i64 = 86_400_000;

fn now() -> Timestamp {
    "2026-11-26T00:00:00.000Z".parse().unwrap()
}

fn days_ago(days: i64) -> Timestamp {
    now().saturating_add_millis(-days * DAY_MILLIS)
}

fn feed(entry: Option<FeedEntry>, stale: Option<bool>) -> FeedLookUp {
    FeedLookUp { name: "bad.txt".to_owned(), entry, stale, ..FeedLookUp::default() }
}

/// A domain against which nothing speaks.
fn honest() -> RiskFacts {
    RiskFacts {
        unseen: BTreeSet::new(),
        purpose: Purpose::Pay,
        now: now(),
        age: Some(Age { since: days_ago(4000), source: AgeSource::Rdap }),
        transferred: None,
        reregistered: None,
        registrar_changed: None,
        registration: RegistrationState::Holds,
        is_tenant: false,
        look_alike: None,
        feeds: vec![feed(None, Some(false))],
        certificate: CertificateState::Holds,
        is_bogus: false,
        destination: None,
        has_https: true,
        page_failure: None,
        spf_is_open: Some(false),
        dmarc_is_enforced: Some(true),
        dangling: None,
        payee: None,
        first_certificate: Some(days_ago(3000)),
        popularity: None,
        unchanged_since: None,
        organisation: None,
    }
}

fn hygiene(status: Status) -> Hygiene {
    let points = |id: CheckId| if status == Status::Pass { id.weight() } else { Points::ZERO };
    let checks = CheckId::ALL.map(|id| Check::new(id, status, points(id), ""));
    Hygiene::for_purpose(checks.into(), [], Purpose::Pay)
}

fn found(change: impl FnOnce(&mut RiskFacts)) -> (TrustVerdict, Vec<RiskId>) {
    let mut facts = honest();
    change(&mut facts);
    let (verdict, risk) = weigh(&facts, &hygiene(Status::Pass));
    (verdict, risk.reasons.into_iter().map(|reason| reason.id).collect())
}

/// A change of the facts, and the reason that it gives.
type Change = (fn(&mut RiskFacts), RiskId);

fn look_alike() -> Option<LookAlike> {
    serde_json::from_str(r#"{"brand":"paypal","resemblance":"skeleton"}"#).unwrap()
}

#[test]
fn a_domain_with_two_signs_and_no_reason_is_trusted() {
    assert_eq!(found(|_| {}), (TrustVerdict::Trusted, vec![]));
}

#[test]
fn a_grave_reason_is_risky_whatever_else_is_good() {
    let hit = || vec![feed(Some(FeedEntry::Name("evil.example".to_owned())), Some(false))];
    let end = |look_alike, feeds| Some(Destination { host: "other.example".to_owned(), look_alike, feeds });
    let grave: [Change; 5] = [
        (|facts| facts.registration = RegistrationState::Ended, RiskId::RegistrationEnded),
        (|facts| facts.registration = RegistrationState::OnHold, RiskId::OnHold),
        (|facts| facts.certificate = CertificateState::Revoked, RiskId::CertificateRevoked),
        (|facts| facts.certificate = CertificateState::Invalid(String::new()), RiskId::CertificateInvalid),
        (|facts| facts.is_bogus = true, RiskId::DnssecBogus),
    ];
    for (change, id) in grave {
        assert_eq!(found(change), (TrustVerdict::Risky, vec![id]));
    }
    assert_eq!(found(|facts| facts.feeds = hit()), (TrustVerdict::Risky, vec![RiskId::FeedHit]));
    let ends = |destination| found(|facts| facts.destination = destination);
    assert_eq!(ends(end(None, hit())), (TrustVerdict::Risky, vec![RiskId::EndsOnOtherSite]));
    assert_eq!(ends(end(look_alike(), vec![])), (TrustVerdict::Risky, vec![RiskId::EndsOnOtherSite]));
    assert_eq!(ends(end(None, vec![])), (TrustVerdict::Caution, vec![RiskId::EndsOnOtherSite]));
}

#[test]
fn a_look_alike_is_graver_the_younger_it_is() {
    let of = |age: Option<i64>| {
        found(|facts| {
            facts.look_alike = look_alike();
            facts.age = age.map(|days| Age { since: days_ago(days), source: AgeSource::Rdap });
        })
        .0
    };
    assert_eq!([of(Some(2)), of(Some(364)), of(None)], [TrustVerdict::Risky; 3]);
    assert_eq!([of(Some(365)), of(Some(4000))], [TrustVerdict::Caution; 2]);
    let tenant = found(|facts| {
        facts.look_alike = look_alike();
        facts.is_tenant = true;
    });
    assert_eq!(tenant.0, TrustVerdict::Risky, "the age is the platform's");
}

#[test]
fn whatever_could_be_a_stranger_of_yesterday_is_no_more_than_caution() {
    let young = |days| {
        found(|facts| {
            facts.age = Some(Age { since: days_ago(days), source: AgeSource::Rdap });
            facts.popularity = Some(("top.csv".to_owned(), 1));
            facts.organisation = Some("Example Ltd".to_owned());
        })
    };
    assert_eq!(young(179), (TrustVerdict::Caution, vec![RiskId::YoungDomain]));
    assert_eq!(young(180), (TrustVerdict::Trusted, vec![]));
    assert_eq!(found(|facts| facts.transferred = Some(days_ago(59))).1, [RiskId::Transferred]);
    assert_eq!(found(|facts| facts.transferred = Some(days_ago(60))).0, TrustVerdict::Trusted);
    assert_eq!(found(|facts| facts.registrar_changed = Some(days_ago(1))).1, [RiskId::Transferred]);
    assert_eq!(found(|facts| facts.reregistered = Some(days_ago(300))).1, [RiskId::Reregistered]);
    assert_eq!(found(|facts| facts.feeds = vec![]).1, [RiskId::NoFreshFeed]);
    assert_eq!(found(|facts| facts.feeds = vec![feed(None, Some(true))]).1, [RiskId::NoFreshFeed]);
    assert_eq!(
        found(|facts| facts.feeds = vec![feed(None, None)]).1,
        [RiskId::NoFreshFeed],
        "nobody knows its age"
    );
    assert_eq!(found(|facts| facts.payee = Some(PayeeBinding::No)).1, [RiskId::PayeeNotNamed]);
    assert_eq!(found(|facts| facts.has_https = false).1, [RiskId::NoHttps]);
}

#[test]
fn an_age_that_nobody_tells_is_unknown_and_one_by_certificates_is_no_registration() {
    let (verdict, ids) = found(|facts| {
        (facts.age, facts.first_certificate) = (None, None);
        facts.popularity = Some(("top.csv".to_owned(), 1));
        facts.organisation = Some("Example Ltd".to_owned());
    });
    assert_eq!((verdict, ids), (TrustVerdict::Caution, vec![RiskId::AgeUnknown]));
    let by_certificate = |change: fn(&mut RiskFacts)| {
        found(|facts| {
            facts.age = Some(Age { since: days_ago(3000), source: AgeSource::CertificateTransparency });
            change(facts);
        })
    };
    assert_eq!(by_certificate(|_| {}), (TrustVerdict::Caution, vec![RiskId::TooFewProofs]));
    let popular = by_certificate(|facts| facts.popularity = Some(("top.csv".to_owned(), 1)));
    assert_eq!(popular.0, TrustVerdict::Trusted);
}

#[test]
fn certificates_of_an_earlier_holder_prove_nothing() {
    let (verdict, ids) = found(|facts| {
        facts.age = Some(Age { since: days_ago(400), source: AgeSource::Rdap });
        facts.first_certificate = Some(days_ago(3000));
    });
    assert_eq!((verdict, ids), (TrustVerdict::Caution, vec![RiskId::TooFewProofs]));
}

#[test]
fn mail_has_risks_of_its_own() {
    let open = |purpose| {
        found(|facts| {
            facts.purpose = purpose;
            facts.spf_is_open = Some(true);
            facts.dmarc_is_enforced = Some(false);
            facts.has_https = false;
        })
    };
    assert_eq!(open(Purpose::Mail).1, [RiskId::SpfOpen, RiskId::DmarcUnenforced]);
    assert_eq!(open(Purpose::Pay).1, [RiskId::NoHttps]);
}

#[test]
fn what_was_not_seen_is_incomplete_unless_a_grave_reason_holds() {
    let of = |facts: &RiskFacts| weigh(facts, &hygiene(Status::Unknown)).0;
    assert_eq!(of(&honest()), TrustVerdict::Incomplete);
    assert_eq!(of(&RiskFacts { is_bogus: true, ..honest() }), TrustVerdict::Risky);
    let poor = weigh(&honest(), &hygiene(Status::Fail));
    assert_eq!((poor.0, poor.1.reasons[0].id), (TrustVerdict::Caution, RiskId::PoorHygiene));
}

/// A copy of the facts without one that could be good.
fn forgotten(facts: &RiskFacts, which: usize) -> RiskFacts {
    let mut less = facts.clone();
    match which {
        0 => less.age = None,
        1 => less.first_certificate = None,
        2 => less.feeds = Vec::new(),
        3 => less.popularity = None,
        4 => less.unchanged_since = None,
        _ => less.organisation = None,
    }
    less
}

proptest! {
    #[test]
    fn a_fact_that_is_not_known_never_makes_a_domain_trusted(
        age in prop::option::of(0_i64..5000), first in prop::option::of(0_i64..5000),
        looks in prop::option::of(0_i64..100), is_fresh in any::<bool>(), is_popular in any::<bool>(),
        is_organisation in any::<bool>(), which in 0_usize..6,
    ) {
        let mut facts = honest();
        facts.age = age.map(|days| Age { since: days_ago(days), source: AgeSource::Rdap });
        facts.first_certificate = first.map(days_ago);
        facts.unchanged_since = looks.map(days_ago);
        facts.feeds = vec![feed(None, Some(!is_fresh))];
        facts.popularity = is_popular.then(|| ("top.csv".to_owned(), 9));
        facts.organisation = is_organisation.then(|| "Example Ltd".to_owned());
        let (verdict, risk) = weigh(&facts, &hygiene(Status::Pass));
        let (without, _) = weigh(&forgotten(&facts, which), &hygiene(Status::Pass));
        // Certificates that are older than the registration are of another holder: without the age, nobody knows.
        if without == TrustVerdict::Trusted {
            prop_assert!(verdict == TrustVerdict::Trusted);
        }
        let held = risk.continuity.iter().filter(|proof| proof.holds).count();
        prop_assert_eq!(verdict == TrustVerdict::Trusted, risk.reasons.is_empty());
        prop_assert!(verdict != TrustVerdict::Trusted || held >= MIN_PROOFS);
    }
}

#[test]
fn what_could_not_be_observed_is_listed_and_a_reason_that_was_found_all_the_same_is_not() {
    let facts = RiskFacts {
        unseen: [RiskId::Transferred, RiskId::OnHold].into(),
        registrar_changed: Some(days_ago(1)),
        ..honest()
    };
    let (_, risk) = weigh(&facts, &hygiene(Status::Pass));
    assert_eq!(risk.unchecked, [RiskId::OnHold]);
    assert_eq!(risk.reasons.iter().map(|reason| reason.id).collect::<Vec<_>>(), [RiskId::Transferred]);
}

#[test]
fn a_server_whose_page_was_not_seen_is_not_trusted_to_be_paid_or_read() {
    let unseen = |purpose| found(|facts| (facts.page_failure, facts.purpose) = (Some("timeout"), purpose));
    assert_eq!(unseen(Purpose::Pay), (TrustVerdict::Caution, vec![RiskId::PageUnseen]));
    assert_eq!(unseen(Purpose::Web).1, [RiskId::PageUnseen]);
    assert_eq!(unseen(Purpose::Mail), (TrustVerdict::Trusted, vec![]));
}

#[test]
fn every_resemblance_counts() {
    for resemblance in [Resemblance::Skeleton, Resemblance::Distance, Resemblance::SameLabel] {
        let found = found(|facts| {
            facts.look_alike = look_alike().map(|found| LookAlike { resemblance, ..found });
        });
        assert_eq!(found.1, [RiskId::LookAlike]);
    }
}
