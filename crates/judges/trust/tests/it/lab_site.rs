//! The probes of the web and of registries in the lab: nginx behind real name servers, and an RDAP service.

use std::time::SystemTime;

use dns::{Answer, Exchange, Mx, Name};
use domain_name::DomainName;
use fetch::{Fetcher, Limits, NameServers, Policy, Roots};
use peers::lab::Lab;
use probe::registry::Registry;
use probe::site::{SiteObservation, SiteProbe, WellKnownTextResult};
use trust::score::Status::{self, Fail, NotApplicable, Pass, Unknown, Warn};
use trust::score::v1::Flags;
use trust::score::{ModelVersion, expiration, hsts_preload, mta_sts, security_txt, site_headers};
use verdict::Timestamp;

fn lab() -> Option<&'static Lab> {
    Lab::shared("the probes of pages and registries against nginx")
}

fn fetcher(lab: &Lab) -> Fetcher {
    let policy = Policy { named: vec!["127.0.0.0/8".parse().unwrap()], ..Policy::dev() };
    let roots = Roots::none().with_pem(lab.authority.as_bytes()).unwrap();
    let limits = Limits { per_host: 8, redirects: 5, ..Limits::default() };
    Fetcher::new(policy, limits, NameServers::at(&[lab.resolver]).unwrap(), roots)
}

fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap()
}

async fn look(lab: &Lab, name: &str) -> SiteObservation {
    let name = DomainName::parse(name).unwrap();
    let seen = SiteProbe::new(fetcher(lab), lab.https, lab.http).look(&name, &name).await;
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<SiteObservation>(&json).unwrap(), seen);
    seen
}

fn headers(seen: &SiteObservation) -> (Status, String) {
    let check = site_headers(seen, &seen.name, &seen.name, ModelVersion::V2);
    (check.status, check.reason.into_owned())
}

#[tokio::test]
async fn pages_are_scored_where_they_can_be_seen() {
    let Some(lab) = lab() else { return };
    for (name, status, reason) in [
        ("perfect.test", Pass, "well_protected"),
        ("headers-good.test", Pass, "well_protected"),
        ("moved.test", Pass, "well_protected"),
        ("headers-none.test", Fail, "unprotected"),
        ("headers-bad.test", Fail, "unprotected"),
        ("no-redirect.test", Fail, "unprotected"),
        ("nohttps.test", Fail, "unprotected"),
        ("expired.test", Unknown, "invalid_certificate"),
        ("future.test", Unknown, "invalid_certificate"),
        ("self.test", Unknown, "invalid_certificate"),
        ("wrong.test", Unknown, "invalid_certificate"),
        ("unknown.test", Unknown, "invalid_certificate"),
        ("old.test", Unknown, "tls_failed"),
        ("redirect-loop.test", Unknown, "too_many_redirects"),
        ("redirect-private.test", Unknown, "redirect_to_http"),
        ("redirect-down.test", Unknown, "redirect_to_http"),
        ("failing.test", Unknown, "error_status"),
        ("refused.test", Unknown, "no_page"),
        ("private.test", Unknown, "address_denied"),
        ("metadata.test", Unknown, "address_denied"),
        ("nobody-has-this-name.test", NotApplicable, "no_address"),
    ] {
        let seen = look(lab, name).await;
        assert_eq!(headers(&seen), (status, reason.to_owned()), "{name}: {seen:?}");
    }
    // A busy machine may reach the bound of the whole look before that of the connection.
    let (status, reason) = headers(&look(lab, "silent.test").await);
    assert!(
        status == Unknown && ["connect_timeout", "timeout"].contains(&reason.as_str()),
        "{status:?} {reason}"
    );
}

#[tokio::test]
async fn two_looks_at_an_unchanged_site_see_the_same_but_for_the_time_taken() {
    let Some(lab) = lab() else { return };
    let timeless = |mut seen: SiteObservation| {
        seen.https.elapsed_ms = 0;
        seen.http.elapsed_ms = 0;
        seen.security_txt.elapsed_ms = 0;
        seen.mta_sts.elapsed_ms = 0;
        seen
    };
    for name in ["perfect.test", "headers-bad.test", "moved.test"] {
        assert_eq!(timeless(look(lab, name).await), timeless(look(lab, name).await), "{name}");
    }
}

#[tokio::test]
async fn the_texts_of_a_careful_domain_pass() {
    let Some(lab) = lab() else { return };
    let seen = look(lab, "perfect.test").await;
    assert_eq!(
        security_txt(&seen, &seen.name, now(), now(), ModelVersion::V2).status,
        Pass,
        "{:?}",
        seen.security_txt
    );
    let record = Answer::Found { records: vec![b"v=STSv1; id=1".to_vec()], ttl: 60 };
    let exchange = Exchange::Host(Name::parse("mail.perfect.test").unwrap());
    let exchangers = Answer::Found { records: vec![Mx { preference: 10, exchange }], ttl: 60 };
    let check = mta_sts(&seen, &record, &exchangers, &Name::parse("perfect.test").unwrap(), true, now());
    assert_eq!((check.status, check.reason.as_ref()), (Pass, "enforced"), "{:?}", seen.mta_sts);
    assert_eq!(hsts_preload(&seen, &seen.name, ModelVersion::V2).status, Warn, "it asks for preloading");
    let bare = look(lab, "headers-none.test").await;
    assert_eq!(security_txt(&bare, &bare.name, now(), now(), ModelVersion::V2).status, Fail);
    assert!(matches!(bare.mta_sts.end, WellKnownTextResult::Failed(_)), "it has no host for policies");
}

#[tokio::test]
async fn registrations_are_asked_for_at_the_lab_s_registry() {
    let Some(lab) = lab() else { return };
    let registry = Registry::new(fetcher(lab));
    registry.adopt(lab.bootstrap().to_string().as_bytes(), now()).unwrap();
    for (name, status, reason) in [
        ("good.test", Pass, "registered"),
        ("rdap-moved.test", Unknown, "another_domain"),
        ("rdap-month.test", Warn, "expires_within_weeks"),
        ("rdap-week.test", Fail, "expires_within_days"),
        ("rdap-expired.test", Fail, "expired"),
        ("rdap-young.test", Pass, "registered"),
        ("rdap-endless.test", Unknown, "no_expiration_date"),
        ("rdap-slow.test", Unknown, "timeout"),
        ("rdap-huge.test", Unknown, "too_large"),
        ("rdap-broken.test", Unknown, "not_json"),
        ("rdap-other.test", Unknown, "another_domain"),
        ("rdap-private.test", Unknown, "redirect_to_http"),
        ("rdap-missing.test", Unknown, "not_registered"),
        ("rdap-busy.test", Unknown, "rate_limited"),
        // From here on it is left alone, but for what it said before.
        ("rdap-inside.test", Unknown, "registry_busy"),
        ("good.test", Pass, "registered"),
    ] {
        let seen = registry.look(&DomainName::parse(name).unwrap(), now()).await;
        let found = seen.found();
        let (check, _) = expiration(found.expiry(), now(), ModelVersion::V2);
        assert_eq!((check.status, check.reason.as_ref()), (status, reason), "{name}: {seen:?}");
        let mut flags = Flags::default();
        flags.look_at_age(found.registered_at(), now());
        assert_eq!(flags.raised.len(), usize::from(name == "rdap-young.test"), "{name}");
    }
}
