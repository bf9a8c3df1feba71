use probe::dnssec::{
    Dnskey, Ds, LookFailure, LookTimes, PairedReplies, ReplySummary, ResolverAnswers, ResolverReply,
    Validation,
};

use super::*;
use crate::score::Status;

/// Response codes (RFC 1035 section 4.1.1).
const NOERROR: u16 = 0;
const SERVFAIL: u16 = 2;

const GOOD: Ds = Ds { key_tag: 7, algorithm: 13, digest_type: 2 };
const GOOD_KEY: Dnskey = Dnskey { key_tag: 7, algorithm: 13, flags: 257 };
const LATE: SecurityStatus = SecurityStatus::Failed(LookFailure::TimedOut);

fn heard(rcode: u16, authentic: bool, errors: &[u16]) -> ResolverReply {
    ResolverReply::Answered(ReplySummary { rcode, authentic, signed: true, errors: errors.to_vec() })
}

/// NOERROR, with AD or without.
fn says(authentic: bool) -> PairedReplies {
    PairedReplies { checked: heard(NOERROR, authentic, &[]), unchecked: heard(NOERROR, false, &[]) }
}

/// SERVFAIL with these extended errors when it checks, NOERROR when it does not.
fn refuses(errors: &[u16]) -> PairedReplies {
    PairedReplies { checked: heard(SERVFAIL, false, errors), unchecked: heard(NOERROR, false, &[]) }
}

fn silent() -> PairedReplies {
    let failed = ResolverReply::Failed(LookFailure::TimedOut);
    PairedReplies { checked: failed.clone(), unchecked: failed }
}

/// A resolver that says the same of both questions.
fn resolver(configured: bool, checks: bool, pair: &PairedReplies) -> ResolverAnswers {
    ResolverAnswers {
        configured,
        root: heard(NOERROR, checks, &[]),
        zone: pair.clone(),
        address: pair.clone(),
    }
}

fn seen(proof: SecurityStatus, resolver: ResolverAnswers, parent: Parent) -> DnssecObservation {
    let ds = if matches!(parent, Parent::Found | Parent::FoundUnproven) { vec![GOOD] } else { Vec::new() };
    DnssecObservation {
        name: "example.test".to_owned(),
        zone: Some("example.test".to_owned()),
        validation: Validation { zone: proof, address: proof },
        resolver,
        delegation: Delegation { parent, ds, keys: vec![GOOD_KEY] },
        took: LookTimes::default(),
    }
}

fn found(seen: &DnssecObservation) -> (Status, String, u32, Option<Cap>) {
    let (check, cap) = dnssec(seen);
    assert_eq!(check.max.as_hundredths(), 1200);
    assert_eq!(check.evidence["took"], Value::Null);
    (check.status, check.reason.into_owned(), check.points.as_hundredths(), cap)
}

fn unknown(reason: &str) -> (Status, String, u32, Option<Cap>) {
    (Status::Unknown, reason.to_owned(), 0, None)
}

fn unsigned() -> (Status, String, u32, Option<Cap>) {
    (Status::Fail, "unsigned".to_owned(), 0, None)
}

fn bogus_finding() -> (Status, String, u32, Option<Cap>) {
    (Status::Fail, "bogus".to_owned(), 0, Some(Cap::BogusDnssec))
}

#[test]
fn what_our_own_validation_proves_signed_passes_whoever_is_silent() {
    for resolver in [
        resolver(false, false, &silent()),
        resolver(true, true, &says(true)),
        resolver(true, false, &says(false)),
    ] {
        let found = found(&seen(SecurityStatus::Secure, resolver, Parent::Found));
        assert_eq!(found, (Status::Pass, "signed".into(), 1200, None));
    }
}

#[test]
fn signed_without_its_ds_is_unknown() {
    for parent in [Parent::None, Parent::NoneUnproven, Parent::Failed(LookFailure::TimedOut)] {
        let seen = seen(SecurityStatus::Secure, resolver(true, true, &says(true)), parent);
        assert_eq!(found(&seen), unknown("ds_not_seen"));
    }
}

#[test]
fn the_flag_of_a_resolver_that_nobody_chose_to_trust_proves_nothing_good() {
    let of = |configured| found(&seen(LATE, resolver(configured, true, &says(true)), Parent::FoundUnproven));
    assert_eq!(of(false), unknown("signed_by_one_witness"));
    assert_eq!(of(true), (Status::Pass, "signed_says_resolver".into(), 1200, None));
}

#[test]
fn bogus_needs_both_witnesses_on_the_same_question() {
    let of = |proof, pair: &PairedReplies| found(&seen(proof, resolver(false, true, pair), Parent::Found));
    for code in 6..=12 {
        assert_eq!(of(SecurityStatus::Bogus, &refuses(&[code])), bogus_finding());
    }
    // One alone.
    assert_eq!(of(SecurityStatus::Bogus, &silent()), unknown("bogus_by_one_witness"));
    assert_eq!(of(LATE, &refuses(&[6])), unknown("bogus_by_one_witness"));
    // A resolver that fails for another reason, or for none.
    for errors in [&[][..], &[5], &[13], &[22], &[9, 22], &[6, 23]] {
        assert_eq!(
            of(SecurityStatus::Bogus, &refuses(errors)),
            unknown("bogus_by_one_witness"),
            "{errors:?}"
        );
    }
    // One that fails whether it checks or not.
    let dead =
        PairedReplies { checked: heard(SERVFAIL, false, &[6]), unchecked: heard(SERVFAIL, false, &[]) };
    assert_eq!(of(SecurityStatus::Bogus, &dead), unknown("bogus_by_one_witness"));
    // Each of another question.
    let mut crossed = seen(SecurityStatus::Bogus, resolver(false, true, &refuses(&[6])), Parent::Found);
    (crossed.validation.address, crossed.resolver.zone) = (SecurityStatus::Secure, says(true));
    assert_eq!(found(&crossed), unknown("bogus_by_one_witness"));
}

#[test]
fn an_address_whose_signature_does_not_hold_is_bogus_in_a_zone_that_is_sound() {
    let mut seen = seen(SecurityStatus::Secure, resolver(false, true, &says(true)), Parent::Found);
    (seen.validation.address, seen.resolver.address) = (SecurityStatus::Bogus, refuses(&[6]));
    assert_eq!(found(&seen), bogus_finding());
}

#[test]
fn witnesses_that_disagree_prove_nothing() {
    let of = |proof, pair: &PairedReplies, parent| found(&seen(proof, resolver(true, true, pair), parent));
    for finding in [
        of(SecurityStatus::Secure, &refuses(&[6]), Parent::Found),
        of(SecurityStatus::Bogus, &says(true), Parent::Found),
        of(SecurityStatus::Insecure, &says(true), Parent::None),
        of(SecurityStatus::Insecure, &refuses(&[6]), Parent::None),
        of(SecurityStatus::Insecure, &says(false), Parent::Found),
    ] {
        assert_eq!(finding, unknown("witnesses_disagree"));
    }
}

#[test]
fn unsigned_is_proven_or_said_by_a_resolver_that_checks() {
    let of = |proof, checks, pair: &PairedReplies, parent| {
        found(&seen(proof, resolver(false, checks, pair), parent))
    };
    assert_eq!(of(SecurityStatus::Insecure, false, &silent(), Parent::None), unsigned());
    assert_eq!(of(SecurityStatus::Insecure, false, &silent(), Parent::FoundInsecure), unsigned());
    // hickory takes some unsigned zones for bogus.
    assert_eq!(of(SecurityStatus::Bogus, true, &says(false), Parent::NoneUnproven), unsigned());
    assert_eq!(of(LATE, true, &says(false), Parent::NoneUnproven), unsigned());
    // One that never sets the flag has not checked.
    assert_eq!(of(LATE, false, &says(false), Parent::NoneUnproven), unknown("dns_timed_out"));
    let stripped = SecurityStatus::Failed(LookFailure::Stripped);
    assert_eq!(of(stripped, false, &says(false), Parent::NoneUnproven), unknown("signatures_stripped"));
    // One that checks, of a zone with a DS record, or whose parent was silent.
    assert_eq!(of(LATE, true, &says(false), Parent::FoundUnproven), unknown("dns_timed_out"));
    assert_eq!(of(LATE, true, &says(false), Parent::Failed(LookFailure::ServFail)), unknown("dns_timed_out"));
}

#[test]
fn a_zone_of_algorithms_that_are_not_known_here_is_unknown() {
    let mut seen = seen(SecurityStatus::Insecure, resolver(false, true, &says(false)), Parent::Found);
    seen.delegation.ds = vec![Ds { algorithm: 16, ..GOOD }];
    assert_eq!(found(&seen), unknown("unknown_algorithm"));
    seen.resolver = resolver(false, true, &says(true));
    assert_eq!(found(&seen), unknown("signed_by_one_witness"));
    seen.resolver = resolver(true, true, &says(true));
    assert_eq!(found(&seen), (Status::Pass, "signed_says_resolver".to_owned(), 1200, None));
}

#[test]
fn weak_algorithms_and_digests_are_half_of_the_points() {
    let of = |ds: &[Ds]| {
        let mut seen = seen(SecurityStatus::Secure, resolver(false, true, &says(true)), Parent::Found);
        seen.delegation.ds = ds.to_vec();
        let (status, reason, points, _) = found(&seen);
        (status, reason, points)
    };
    let warned = |reason: &str| (Status::Warn, reason.to_owned(), 600);
    assert_eq!(of(&[Ds { algorithm: 5, ..GOOD }]), warned("weak_algorithm"));
    assert_eq!(of(&[Ds { algorithm: 7, ..GOOD }, GOOD]), warned("weak_algorithm"));
    assert_eq!(of(&[Ds { digest_type: 1, ..GOOD }]), warned("weak_digest"));
    assert_eq!(of(&[Ds { digest_type: 1, ..GOOD }, GOOD]), (Status::Pass, "signed".to_owned(), 1200));
}

#[test]
fn a_remedy_says_what_is_missing() {
    let remedy = |seen: &DnssecObservation| dnssec(seen).0.remedy.unwrap_or_default();
    let mut bogus = seen(SecurityStatus::Bogus, resolver(false, true, &refuses(&[9])), Parent::Found);
    assert!(remedy(&bogus).starts_with("Have example.test signed anew"));
    bogus.delegation.ds = vec![Ds { key_tag: 8, ..GOOD }];
    assert!(remedy(&bogus).contains("name the keys 8, but the zone has the keys 7"));
    bogus.delegation.keys.clear();
    assert!(remedy(&bogus).contains("is not signed"));
    let mut unsigned = seen(SecurityStatus::Insecure, resolver(false, true, &says(false)), Parent::None);
    assert!(remedy(&unsigned).contains("has keys, but its parent has no DS record"));
    unsigned.delegation.keys.clear();
    assert!(remedy(&unsigned).starts_with("Sign example.test"));
}
