//! Every zone of the lab, straight at knot and through unbound.

use std::time::Instant;

use futures_util::future::join_all;
use probe::dnssec::{DnssecObservation, LookFailure, Parent, SecurityStatus};
use trust::score::{Status, dnssec};

use super::{check, expected, lab, look, look_patiently, probe, unknown, verdict};

/// What a name's own zone is, at every end and turn of the lab.
const NAMES: &[(&str, SecurityStatus)] = &[
    ("test", SecurityStatus::Secure),
    ("signed.test", SecurityStatus::Secure),
    ("mail.signed.test", SecurityStatus::Secure),
    // An alias, a name that is not there, and one below it.
    ("www.signed.test", SecurityStatus::Secure),
    ("nothing.signed.test", SecurityStatus::Secure),
    ("more.than.nothing.signed.test", SecurityStatus::Secure),
    ("wild.test", SecurityStatus::Secure),
    ("some.any.wild.test", SecurityStatus::Secure),
    ("some.alias.wild.test", SecurityStatus::Secure),
    // Aliases of what has no SOA of its own, and of what is not there.
    ("alias.test", SecurityStatus::Secure),
    ("chain.test", SecurityStatus::Secure),
    ("nowhere.test", SecurityStatus::Secure),
    ("some.led.wild.test", SecurityStatus::Secure),
    ("www.bridge.test", SecurityStatus::Secure),
    ("plain.test", SecurityStatus::Insecure),
    ("www.plain.test", SecurityStatus::Insecure),
    ("nothing.plain.test", SecurityStatus::Insecure),
    // Unsigned below signed, unsigned below unsigned, signed below unsigned, of an unknown algorithm.
    ("plain.signed.test", SecurityStatus::Insecure),
    ("www.plain.signed.test", SecurityStatus::Insecure),
    ("below.plain.test", SecurityStatus::Insecure),
    ("island.plain.test", SecurityStatus::Insecure),
    ("algorithm.test", SecurityStatus::Insecure),
    ("bogus.test", SecurityStatus::Bogus),
    ("mail.bogus.test", SecurityStatus::Bogus),
    ("nothing.bogus.test", SecurityStatus::Bogus),
    ("broken.test", SecurityStatus::Bogus),
    ("nothing.broken.test", SecurityStatus::Bogus),
    ("lapsed.test", SecurityStatus::Bogus),
];

#[tokio::test]
async fn our_own_validation_agrees_with_delv_on_every_name() {
    let Some(lab) = lab() else { return };
    for (server, over) in [(lab.dns, "knot"), (lab.resolver, "unbound")] {
        let probe = probe(lab, server, None);
        for (name, proof) in NAMES {
            let seen = look_patiently(&probe, name).await;
            let own = (seen.validation.zone, seen.validation.address);
            assert_eq!(
                own,
                (verdict(lab, name, "SOA"), verdict(lab, name, "A")),
                "{name} over {over}: {seen:#?}"
            );
            assert_eq!(own.0, *proof, "{name} over {over}");
        }
    }
}

#[tokio::test]
async fn each_name_is_found_what_it_is_where_a_resolver_is_heard_too() {
    let Some(lab) = lab() else { return };
    for probe in [probe(lab, lab.resolver, None), probe(lab, lab.dns, Some(lab.resolver))] {
        for (name, proof) in NAMES {
            let seen = look_patiently(&probe, name).await;
            assert_eq!(check(&seen), expected(name, *proof), "{name}: {seen:#?}");
        }
    }
}

#[tokio::test]
async fn nothing_is_bogus_by_our_own_word_alone() {
    let Some(lab) = lab() else { return };
    let probe = probe(lab, lab.dns, None);
    for (name, proof) in NAMES {
        let found = check(&look_patiently(&probe, name).await);
        let expected = if *proof == SecurityStatus::Bogus {
            unknown("bogus_by_one_witness")
        } else {
            expected(name, *proof)
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[tokio::test]
async fn an_alias_is_as_secure_as_its_own_zone_unless_a_resolver_objects() {
    let Some(lab) = lab() else { return };
    let name = "bogus.bridge.test";
    let seen = look_patiently(&probe(lab, lab.dns, None), name).await;
    assert_eq!(check(&seen), expected(name, SecurityStatus::Secure), "{seen:#?}");
    let seen = look_patiently(&probe(lab, lab.resolver, None), name).await;
    assert_eq!(check(&seen), unknown("witnesses_disagree"), "{seen:#?}");
}

#[tokio::test]
async fn what_the_parent_says_is_put_down() {
    let Some(lab) = lab() else { return };
    let probe = probe(lab, lab.resolver, None);
    for (name, parent, algorithms, has_keys) in [
        ("www.signed.test", Parent::Found, &[(13, 2)][..], true),
        ("plain.test", Parent::None, &[], false),
        ("plain.signed.test", Parent::None, &[], false),
        ("island.plain.test", Parent::FoundInsecure, &[(13, 2)], true),
        ("below.plain.test", Parent::NoneUnproven, &[], false),
        ("broken.test", Parent::Found, &[(13, 2)], false),
        ("bogus.test", Parent::Found, &[(13, 2)], true),
    ] {
        let seen = look_patiently(&probe, name).await;
        let delegation = &seen.delegation;
        let found: Vec<_> = delegation.ds.iter().map(|ds| (ds.algorithm, ds.digest_type)).collect();
        assert_eq!((delegation.parent, found.as_slice()), (parent, algorithms), "{name}");
        assert_eq!(!delegation.keys.is_empty(), has_keys, "{name}");
        let zone = name.strip_prefix("www.").unwrap_or(name);
        assert_eq!(seen.zone.as_deref(), Some(zone), "{name}");
    }
}

#[tokio::test]
async fn two_looks_at_the_same_see_the_same() {
    let Some(lab) = lab() else { return };
    let probe = probe(lab, lab.resolver, None);
    for (name, _) in NAMES {
        let (one, other) = (look_patiently(&probe, name).await, look_patiently(&probe, name).await);
        assert_eq!(dnssec(&one), dnssec(&other), "{name}");
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<DnssecObservation>(&text).unwrap(), one);
    }
}

#[tokio::test]
async fn two_hundred_looks_at_once_see_what_one_does() {
    let Some(lab) = lab() else { return };
    let probe = probe(lab, lab.resolver, None);
    let names: Vec<_> = NAMES.iter().cycle().take(200).collect();
    let started = Instant::now();
    let seen = join_all(names.iter().map(|(name, _)| look(&probe, name))).await;
    println!("200 looks at once: {} ms", started.elapsed().as_millis());
    for ((name, proof), seen) in names.into_iter().zip(&seen) {
        let found = check(seen);
        // On a machine that is busy with other things one may run out of time, which is never bogus and never good.
        assert!(found == expected(name, *proof) || found.0 == Status::Unknown, "{name}: {found:?}");
    }
    let failed =
        seen.iter().filter(|seen| seen.validation.zone == SecurityStatus::Failed(LookFailure::Unreachable));
    assert_eq!(failed.count(), 0, "a socket was refused");
}
