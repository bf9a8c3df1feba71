//! DNSSEC on a private root: knot's zones, straight and through unbound, and servers that lie. delv's verdict is the
//! oracle.

mod algorithms;
mod meddling;
mod zones;

use std::net::SocketAddr;
use std::sync::OnceLock;

use domain_name::DomainName;
use peers::lab::{Lab, Zone};
use probe::dnssec::{Anchors, DnssecConfig, DnssecObservation, DnssecProbe, SecurityStatus};
use trust::score::{Cap, Status, dnssec};

fn lab() -> Option<&'static Lab> {
    static LAB: OnceLock<Option<Lab>> = OnceLock::new();
    let start = || {
        let zones = [
            Zone::signed("wild.test")
                .with("@ A 127.0.0.1")
                .with("*.any A 127.0.0.1")
                .with("*.alias CNAME wild.test.")
                .with("*.led CNAME some.any"),
            // Its aliases lead out of what is signed, and to what does not hold.
            Zone::signed("bridge.test")
                .with("@ A 127.0.0.1")
                .with("www CNAME plain.test.")
                .with("bogus CNAME mail.bogus.test."),
            Zone::plain("below.plain.test").with("@ A 127.0.0.1"),
            Zone::signed("island.plain.test").with("@ A 127.0.0.1"),
        ];
        Lab::start_with("DNSSEC on real servers", &zones, &[])
    };
    LAB.get_or_init(start).as_ref()
}

fn probe(lab: &Lab, server: SocketAddr, validating_resolver: Option<SocketAddr>) -> DnssecProbe {
    let anchors = Anchors::parse(&format!(". IN DNSKEY {}\n", lab.root_key)).unwrap();
    DnssecProbe::new(DnssecConfig { servers: Some(vec![server]), validating_resolver, anchors })
}

async fn look(probe: &DnssecProbe, name: &str) -> DnssecObservation {
    probe.look(&DomainName::parse(name).unwrap()).await
}

/// Looks again where a machine that is busy with other things left no time for it.
async fn look_patiently(probe: &DnssecProbe, name: &str) -> DnssecObservation {
    let is_late = |seen: &DnssecObservation| serde_json::to_string(seen).unwrap().contains("timed_out");
    for _ in 0..4 {
        let seen = look(probe, name).await;
        if !is_late(&seen) {
            return seen;
        }
    }
    look(probe, name).await
}

fn check(seen: &DnssecObservation) -> (Status, String, Option<Cap>) {
    let (check, cap) = dnssec(seen);
    (check.status, check.reason.into_owned(), cap)
}

fn unknown(reason: &str) -> (Status, String, Option<Cap>) {
    (Status::Unknown, reason.to_owned(), None)
}

/// delv's verdict on one question.
fn verdict(lab: &Lab, name: &str, kind: &str) -> SecurityStatus {
    let output = lab.delv(name, kind);
    // Of an alias, what is said of its target comes after what is said of itself.
    let said = output.lines().find(|line| line.starts_with("; ") || line.starts_with(";; resolution failed"));
    match said {
        _ if output.contains("; negative response, fully validated") => SecurityStatus::Secure,
        Some(line) if line.contains("fully validated") => SecurityStatus::Secure,
        Some(line) if line.contains("unsigned answer") => SecurityStatus::Insecure,
        Some(line) if line.contains("resolution failed") => SecurityStatus::Bogus,
        _ => panic!("delv on {name} {kind}: {output}"),
    }
}

/// What the check must come to where both witnesses were heard.
fn expected(name: &str, proof: SecurityStatus) -> (Status, String, Option<Cap>) {
    match proof {
        _ if name == "algorithm.test" => unknown("unknown_algorithm"),
        SecurityStatus::Secure => (Status::Pass, "signed".to_owned(), None),
        SecurityStatus::Insecure => (Status::Fail, "unsigned".to_owned(), None),
        SecurityStatus::Bogus => (Status::Fail, "bogus".to_owned(), Some(Cap::BogusDnssec)),
        SecurityStatus::Indeterminate | SecurityStatus::Failed(_) => panic!("no zone of the lab is so"),
    }
}
