//! The TLS probe in the lab: nginx behind real name servers, with the certificates and versions of badssl.com's
//! dashboard, whose hosts a test cannot reach.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use Acceptance::{Accepted, Refused};
use domain_name::DomainName;
use fetch::{Fetcher, Limits, NameServers, Policy, Roots};
use peers::lab::Lab;
use probe::tls::{Acceptance, TlsObservation, TlsProbe};
use serde_json::Value;
use trust::score::{Cap, ModelVersion, Status, tls};
use verdict::Timestamp;

/// What a look at a site of the lab comes to.
struct Look {
    seen: TlsObservation,
    status: Status,
    reason: String,
    cap: Option<Cap>,
}

async fn look(lab: &Lab, name: &str) -> Look {
    let policy = Policy { named: vec!["127.0.0.0/8".parse().unwrap()], ..Policy::dev() };
    let resolver = NameServers::at(&[lab.resolver]).unwrap();
    let roots = Roots::none().with_pem(lab.authority.as_bytes()).unwrap();
    let probe =
        TlsProbe::new(Fetcher::new(policy, Limits::default(), resolver, Roots::none()), roots, lab.https);
    let (name, now) = (DomainName::parse(name).unwrap(), Timestamp::try_from(SystemTime::now()).unwrap());
    let seen = probe.look(&name, now).await;
    let (check, cap) = tls(&seen, &name, now, ModelVersion::V2);
    Look { seen, status: check.status, reason: check.reason.into_owned(), cap }
}

fn lab() -> Option<&'static Lab> {
    Lab::shared("the TLS probe against nginx")
}

/// A site of the lab and what its check must be.
struct Site {
    name: &'static str,
    found: (Status, &'static str, Option<Cap>),
    /// The hosts of badssl.com's dashboard that it stands for.
    stands_for: &'static [&'static str],
}

const fn site(
    name: &'static str,
    found: (Status, &'static str, Option<Cap>),
    stands_for: &'static [&'static str],
) -> Site {
    Site { name, found, stands_for }
}

const VALID: (Status, &str, Option<Cap>) = (Status::Pass, "valid", None);

const fn warns(reason: &'static str) -> (Status, &'static str, Option<Cap>) {
    (Status::Warn, reason, None)
}

const fn invalid(reason: &'static str) -> (Status, &'static str, Option<Cap>) {
    (Status::Fail, reason, Some(Cap::InvalidCertificate))
}

const fn no_https(reason: &'static str) -> (Status, &'static str, Option<Cap>) {
    (Status::Fail, reason, Some(Cap::NoHttps))
}

const SITES: &[Site] = &[
    site("good.test", VALID, &[]),
    site("rsa2048.test", VALID, &["rsa2048.badssl.com"]),
    site("ecc384.test", VALID, &["ecc384.badssl.com"]),
    site("many-names.test", VALID, &["1000-sans.badssl.com"]),
    // The lab's root is nobody's but its own, so that nobody asks its certificates to be logged.
    site("no-sct.test", VALID, &["no-sct.badssl.com"]),
    site("tls13.test", VALID, &[]),
    site("month.test", VALID, &[]),
    site("tls12.test", warns("no_tls13"), &["tls-v1-2.badssl.com"]),
    site("everything.test", warns("old_versions_accepted"), &[]),
    site("soon.test", warns("expires_within_weeks"), &[]),
    site("old.test", (Status::Fail, "old_versions_only", None), &["tls-v1-0.badssl.com"]),
    site("expired.test", invalid("certificate_expired"), &["expired.badssl.com"]),
    site("future.test", invalid("certificate_not_yet_valid"), &[]),
    site("wrong.test", invalid("certificate_wrong_host"), &["wrong.host.badssl.com"]),
    site("self.test", invalid("certificate_self_signed"), &["self-signed.badssl.com"]),
    // The root itself is not served, as it seldom is. An interception product's is one that nobody else trusts.
    site(
        "unknown.test",
        invalid("certificate_unknown_issuer"),
        &["untrusted-root.badssl.com", "superfish.badssl.com", "preact-cli.badssl.com"],
    ),
    site("incomplete.test", invalid("certificate_unknown_issuer"), &[]),
    site("nohttps.test", no_https("connection_refused"), &[]),
    site("no-such-name.test", (Status::NotApplicable, "no_address", None), &[]),
    site("silent.test", (Status::Unknown, "never_spoke", None), &[]),
];

#[tokio::test]
async fn every_site_is_found_to_be_what_it_is() {
    let Some(lab) = lab() else { return };
    for Site { name, found, .. } in SITES {
        let look = look(lab, name).await;
        assert_eq!((look.status, &*look.reason, look.cap), *found, "{name}: {:?}", look.seen);
    }
}

#[tokio::test]
async fn versions_are_those_that_nginx_is_configured_with() {
    let Some(lab) = lab() else { return };
    for (name, expected) in [
        ("old.test", [Accepted, Accepted, Refused, Refused]),
        ("tls12.test", [Refused, Refused, Accepted, Refused]),
        ("tls13.test", [Refused, Refused, Refused, Accepted]),
        ("everything.test", [Accepted; 4]),
    ] {
        let versions = look(lab, name).await.seen.versions;
        let own = [versions.tls10, versions.tls11, versions.tls12, versions.tls13];
        assert_eq!(own, expected, "{name}");
    }
}

/// The dashboard's rows about certificates and versions are each reproduced by a site of the lab.
#[test]
fn every_row_of_the_dashboard_is_reproduced_or_named() {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/trust/badssl_matrix.jsonl");
    let Ok(rows) = std::fs::read_to_string(&file) else {
        println!("skipped: no badssl_matrix.jsonl");
        return;
    };
    // Suites that no server of today can be made to speak; a key that takes half a minute to make; what a look at TLS
    // does not see: revocation, and pins.
    let elsewhere = ["rc4", "rc4-md5", "3des", "rsa8192", "revoked", "pinning-test"];
    let reproduced: BTreeSet<&str> = SITES.iter().flat_map(|site| site.stands_for).copied().collect();
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let host = row["host"].as_str().unwrap();
        let label = host.strip_suffix(".badssl.com").unwrap();
        assert!(reproduced.contains(host) != elsewhere.contains(&label), "{host}");
        // What must not connect, must not pass.
        if let Some(site) = SITES.iter().find(|site| site.stands_for.contains(&host)) {
            assert!(row["connect_expected"] != "no" || site.found.0 == Status::Fail, "{}", site.name);
        }
    }
}
