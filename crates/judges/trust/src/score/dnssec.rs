//! The check of DNSSEC.

use probe::dnssec::{Delegation, DnssecObservation, Parent, SecurityStatus};
use serde_json::{Value, json};

use super::{Cap, Check, CheckId, Partial, Points};

/// Algorithms that must not be signed with (the IANA registry of algorithms by RFC 9904; RFC 9905, RFC 9906): RSA/MD5, DSA,
/// those with SHA-1, ECC-GOST.
const WEAK_ALGORITHMS: [u8; 6] = [1, 3, 5, 6, 7, 12];
/// Digests that must not be made (the IANA registry of digests by RFC 9904; RFC 9905, RFC 9906): SHA-1, GOST R
/// 34.11-94.
const WEAK_DIGESTS: [u8; 2] = [1, 3];

const WEAK_ALGORITHM: Partial = Partial { reason: "weak_algorithm", points: Points::whole(6) };
const WEAK_DIGEST: Partial = Partial { reason: "weak_digest", points: Points::whole(6) };

/// Reasons that earn some of the points.
pub(crate) const DNSSEC_PARTIALS: &[Partial] = &[WEAK_ALGORITHM, WEAK_DIGEST];

/// Checks DNSSEC, and caps the score if the signatures are bogus.
///
/// - Bogus requires two witnesses on the same question: the validation of this crate, and a resolver that fails with
///   checking enabled, names the signatures as the cause, and answers with checking disabled.
/// - Signed requires the validation of this crate, or the AD flag of a resolver that is configured for it. The flag of
///   any other resolver may have been set by anybody on the path.
/// - Unsigned requires a proof, or the answer of a resolver that sets the AD flag for the root.
/// - A disagreement of these is unknown.
#[must_use]
pub fn dnssec(seen: &DnssecObservation) -> (Check, Option<Cap>) {
    let id = CheckId::Dnssec;
    let (check, cap) = match find(seen) {
        DnssecFinding::Signed(by) => (signed(seen, by), None),
        DnssecFinding::Unsigned => (Check::fail(id, "unsigned").with_remedy(unsigned_remedy(seen)), None),
        DnssecFinding::Bogus => {
            (Check::fail(id, "bogus").with_remedy(bogus_remedy(seen)), Some(Cap::BogusDnssec))
        }
        DnssecFinding::Unknown(reason) => (Check::unknown(id, reason), None),
    };
    (check.with_evidence(evidence(seen)), cap)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DnssecFinding {
    /// Signed, with the reason that a pass is given.
    Signed(&'static str),
    Unsigned,
    Bogus,
    Unknown(&'static str),
}

fn find(seen: &DnssecObservation) -> DnssecFinding {
    let DnssecObservation { validation, resolver, delegation, .. } = seen;
    let vouches = resolver.vouches();
    let objects = resolver.zone.is_refused_as_bogus() || resolver.address.is_refused_as_bogus();
    match validation.of_name() {
        SecurityStatus::Secure if objects => DnssecFinding::Unknown("witnesses_disagree"),
        SecurityStatus::Secure => with_ds(delegation, "signed"),
        // hickory treats a zone whose algorithms it does not know as unsigned (RFC 4035, section 5.2). Here it is not.
        SecurityStatus::Insecure if delegation.is_of_unknown_algorithm() => {
            otherwise(seen, vouches, objects, "unknown_algorithm")
        }
        SecurityStatus::Insecure if objects || vouches => DnssecFinding::Unknown("witnesses_disagree"),
        SecurityStatus::Insecure if delegation.parent == Parent::Found => {
            DnssecFinding::Unknown("witnesses_disagree")
        }
        SecurityStatus::Insecure => DnssecFinding::Unsigned,
        SecurityStatus::Bogus => bogus(seen, vouches, objects),
        SecurityStatus::Indeterminate => otherwise(seen, vouches, objects, "indeterminate"),
        SecurityStatus::Failed(trouble) => otherwise(seen, vouches, objects, trouble.code()),
    }
}

fn bogus(seen: &DnssecObservation, vouches: bool, objects: bool) -> DnssecFinding {
    let DnssecObservation { validation, resolver, .. } = seen;
    let both = [(validation.zone, &resolver.zone), (validation.address, &resolver.address)];
    if both.iter().any(|(proof, pair)| *proof == SecurityStatus::Bogus && pair.is_refused_as_bogus()) {
        DnssecFinding::Bogus
    } else if vouches {
        DnssecFinding::Unknown("witnesses_disagree")
    } else {
        otherwise(seen, vouches, objects, "bogus_by_one_witness")
    }
}

/// Finding where our own validation proves nothing, for this reason.
fn otherwise(seen: &DnssecObservation, vouches: bool, objects: bool, reason: &'static str) -> DnssecFinding {
    let DnssecObservation { resolver, delegation, .. } = seen;
    if objects {
        DnssecFinding::Unknown("bogus_by_one_witness")
    } else if vouches && resolver.configured {
        with_ds(delegation, "signed_says_resolver")
    } else if vouches {
        DnssecFinding::Unknown("signed_by_one_witness")
    } else if resolver.denies() && matches!(delegation.parent, Parent::None | Parent::NoneUnproven) {
        DnssecFinding::Unsigned
    } else {
        DnssecFinding::Unknown(reason)
    }
}

/// Signed, if what the parent vouches with was seen: else nobody can say whether it is weak.
fn with_ds(delegation: &Delegation, by: &'static str) -> DnssecFinding {
    match delegation.parent {
        Parent::Found | Parent::FoundUnproven if !delegation.ds.is_empty() => DnssecFinding::Signed(by),
        _ => DnssecFinding::Unknown("ds_not_seen"),
    }
}

fn signed(seen: &DnssecObservation, by: &'static str) -> Check {
    let id = CheckId::Dnssec;
    let ds = &seen.delegation.ds;
    // Breaking any of the algorithms breaks the zone; of the digests, resolvers take the strongest (RFC 4509, section 3).
    if ds.iter().any(|own| WEAK_ALGORITHMS.contains(&own.algorithm)) {
        let remedy = "Roll the zone's keys over to algorithm 13 (ECDSAP256SHA256).";
        Check::partly(id, WEAK_ALGORITHM).with_remedy(remedy)
    } else if ds.iter().all(|own| WEAK_DIGESTS.contains(&own.digest_type)) {
        let remedy = "Have the registrar publish a DS record with digest type 2 (SHA-256) of the same key.";
        Check::partly(id, WEAK_DIGEST).with_remedy(remedy)
    } else {
        Check::pass(id, by)
    }
}

fn zone(seen: &DnssecObservation) -> &str {
    seen.zone.as_deref().unwrap_or(&seen.name)
}

fn unsigned_remedy(seen: &DnssecObservation) -> String {
    let zone = zone(seen);
    if seen.delegation.keys.is_empty() {
        format!(
            "Sign {zone} at its DNS provider with algorithm 13 (ECDSAP256SHA256), then have the registrar publish the DS \
             record that the provider shows, with digest type 2 (SHA-256)."
        )
    } else {
        format!(
            "{zone} has keys, but its parent has no DS record that leads to them: have the registrar publish the DS \
             record that the DNS provider shows, with digest type 2 (SHA-256)."
        )
    }
}

fn bogus_remedy(seen: &DnssecObservation) -> String {
    let zone = zone(seen);
    let Delegation { ds, keys, .. } = &seen.delegation;
    let tags = |tags: Vec<u16>| tags.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    if keys.is_empty() {
        return format!(
            "{zone} is not signed, but its parent has a DS record: have the registrar take it away, or sign the zone \
             again with the key that it names."
        );
    }
    if !ds
        .iter()
        .any(|own| keys.iter().any(|key| key.key_tag == own.key_tag && key.algorithm == own.algorithm))
    {
        let (ds, keys) = (
            tags(ds.iter().map(|own| own.key_tag).collect()),
            tags(keys.iter().map(|key| key.key_tag).collect()),
        );
        return format!(
            "The DS records of {zone} name the keys {ds}, but the zone has the keys {keys}: have the registrar publish \
             the DS record that the DNS provider shows."
        );
    }
    format!(
        "Have {zone} signed anew at its DNS provider: its signatures have ended or do not fit its records."
    )
}

/// The observation without the times taken, in which no two looks are the same.
fn evidence(seen: &DnssecObservation) -> Value {
    let mut evidence = json!(seen);
    if let Some(evidence) = evidence.as_object_mut() {
        evidence.remove("took");
    }
    evidence
}

#[cfg(test)]
mod tests;
