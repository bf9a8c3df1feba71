//! Every algorithm that knot signs with, with NSEC and NSEC3: what is there, what is not, what a wildcard answers, and
//! what is not signed below.

use peers::lab::{Lab, Zone};
use probe::dnssec::SecurityStatus;
use trust::score::Status;

use super::{check, look_patiently, probe, unknown, verdict};

/// A zone, its algorithm as knot names it and by its number, and whether it has NSEC3.
const ZONES: &[(&str, &str, u8, bool)] = &[
    ("sha1.test", "rsasha1", 5, false),
    ("sha1-hashed.test", "rsasha1-nsec3-sha1", 7, true),
    ("rsa.test", "rsasha256", 8, false),
    ("rsa-hashed.test", "rsasha256", 8, true),
    ("rsa512-hashed.test", "rsasha512", 10, true),
    ("p256-hashed.test", "ecdsap256sha256", 13, true),
    ("p384.test", "ecdsap384sha384", 14, false),
    ("p384-hashed.test", "ecdsap384sha384", 14, true),
    ("ed25519.test", "ed25519", 15, false),
    ("ed25519-hashed.test", "ed25519", 15, true),
    ("ed448-hashed.test", "ed448", 16, true),
];

/// Names in each, and whether they are within what is signed.
const NAMES: &[(&str, bool)] = &[
    ("", true),
    ("www.", true),
    ("mail.", true),
    ("nothing.", true),
    ("more.than.nothing.", true),
    // There, with nothing of its own.
    ("inner.", true),
    ("beside.inner.", true),
    ("some.any.", true),
    ("more.than.some.any.", true),
    ("some.alias.", true),
    // Aliases of what has neither SOA nor address.
    ("led.", true),
    ("some.led.to.", true),
    ("plain.", false),
    ("nothing.plain.", false),
];

fn lab() -> Option<Lab> {
    let zones: Vec<Zone> = ZONES
        .iter()
        .flat_map(|&(name, algorithm, _, is_hashed)| {
            let zone = Zone::signed(name).signed_by(algorithm, is_hashed);
            let zone = zone
                .with("@ A 127.0.0.1")
                .with("www CNAME @")
                .with("mail MX 10 @")
                .with("x.inner A 127.0.0.1");
            let zone = zone.with("*.any A 127.0.0.1").with("*.alias CNAME @");
            let zone = zone.with("led CNAME mail").with("*.led.to CNAME mail");
            [zone, Zone::plain(&format!("plain.{name}")).with("@ A 127.0.0.1")]
        })
        .collect();
    Lab::start_with("the algorithms of DNSSEC", &zones, &[])
}

#[tokio::test]
async fn zones_of_every_algorithm_are_what_delv_says_and_none_is_bogus() {
    let Some(lab) = lab() else { return };
    let probe = probe(&lab, lab.resolver, None);
    for &(zone, _, algorithm, _) in ZONES {
        for &(prefix, is_signed) in NAMES {
            let name = format!("{prefix}{zone}");
            let seen = look_patiently(&probe, &name).await;
            let (own, delv) = (
                (seen.validation.zone, seen.validation.address),
                (verdict(&lab, &name, "SOA"), verdict(&lab, &name, "A")),
            );
            let found = check(&seen);
            if algorithm == 16 && is_signed {
                // hickory does not know Ed448; unbound and delv do.
                assert_eq!(
                    (own, delv),
                    (
                        (SecurityStatus::Insecure, SecurityStatus::Insecure),
                        (SecurityStatus::Secure, SecurityStatus::Secure)
                    )
                );
                assert_eq!(found, unknown("signed_by_one_witness"), "{name}");
                continue;
            }
            assert_eq!(own, delv, "{name}: {seen:#?}");
            let expected = match (is_signed, algorithm) {
                (true, 5 | 7) => (Status::Warn, "weak_algorithm"),
                (true, _) => (Status::Pass, "signed"),
                (false, _) => (Status::Fail, "unsigned"),
            };
            assert_eq!(
                (found.0, found.1.as_str(), found.2),
                (expected.0, expected.1, None),
                "{name}: {seen:#?}"
            );
        }
    }
}
