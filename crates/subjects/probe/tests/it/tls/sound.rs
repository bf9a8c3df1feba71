//! Servers that speak TLS as they should, with certificates that hold and others.

use fetch::Roots;
use probe::tls::{
    Acceptance, CertificateFacts, HandshakeOutcome, MAX_CHAIN_CERTIFICATES, TlsObservation, TlsVersion,
    Verification, Versions, verify,
};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;

use super::servers::{MODERN, signing, tls, tls_with};
use super::support::{Authority, HOST, host, leaf, look, look_at, now};

/// A root, an authority below it, and a key for servers.
struct Lab {
    root: Authority,
    intermediate: Authority,
    key: KeyPair,
}

impl Lab {
    fn new() -> Self {
        let root = Authority::root();
        Self { intermediate: root.below(), root, key: KeyPair::generate().unwrap() }
    }

    /// Leaf and intermediate, the leaf made as `change` says.
    fn chain(&self, change: impl FnOnce(&mut CertificateParams)) -> Vec<CertificateDer<'static>> {
        vec![self.intermediate.issue(&self.key, change), self.intermediate.der().clone()]
    }

    async fn look(&self, chain: Vec<CertificateDer<'static>>) -> TlsObservation {
        look(tls(chain, &self.key, MODERN).await, self.root.roots()).await
    }

    /// The verdict on a chain; the evidence must give the same verdict again.
    async fn judged(&self, chain: Vec<CertificateDer<'static>>) -> Verification {
        let seen = self.look(chain).await;
        assert_eq!(seen.outcome, HandshakeOutcome::Answered, "the chain is evidence whatever it is worth");
        let trust = seen.trust.unwrap();
        assert!(trust.key_is_proven && !trust.is_public);
        assert_eq!(verify(&seen.certificates(), &host(), &self.root.roots(), now()), trust.verification);
        trust.verification
    }
}

#[tokio::test]
async fn a_good_server_s_chain_holds_and_all_of_it_is_evidence() {
    let lab = Lab::new();
    let chain = lab.chain(|_| ());
    let seen = lab.look(chain.clone()).await;
    assert_eq!((seen.outcome, seen.version), (HandshakeOutcome::Answered, Some(TlsVersion::Tls13)));
    assert_eq!(seen.cipher_suite.as_deref(), Some("TLS_AES_256_GCM_SHA384"));
    let kept: Vec<_> = seen.certificates().into_iter().map(CertificateDer::from).collect();
    assert_eq!(kept, chain);
    assert_eq!((seen.chain_omitted, seen.ocsp_stapled, seen.roots.is_mozilla), (0, false, false));
    let (accepted, refused) = (Acceptance::Accepted, Acceptance::Refused);
    let versions = Versions { tls10: refused, tls11: refused, tls12: accepted, tls13: accepted };
    assert_eq!(seen.versions, versions);
    assert_eq!(seen.trust.unwrap().verification, Verification::Valid);
    let facts = CertificateFacts::read(&seen.certificates()[0]).unwrap();
    assert_eq!((facts.subject.as_str(), facts.issuer.as_str()), (&*format!("CN={HOST}"), "CN=Intermediate"));
}

#[tokio::test]
async fn two_looks_at_one_server_see_the_same() {
    let lab = Lab::new();
    let port = tls(lab.chain(|_| ()), &lab.key, MODERN).await;
    let (first, second) = (look(port, lab.root.roots()).await, look(port, lab.root.roots()).await);
    assert_eq!(first, second);
    let stored = serde_json::to_string(&first).unwrap();
    assert_eq!(serde_json::from_str::<TlsObservation>(&stored).unwrap(), second);
}

#[tokio::test]
async fn each_way_not_to_hold_is_told_apart() {
    let lab = Lab::new();
    let expired = lab.chain(|params| params.not_after = date_time_ymd(2026, 11, 20));
    let early = lab.chain(|params| params.not_before = date_time_ymd(2026, 11, 22));
    let wrong = lab.chain(|params| {
        params.subject_alt_names = leaf_names("other.example.com");
    });
    let incomplete = lab.chain(|_| ())[..1].to_vec();
    let own_root = Authority::named("Own Root");
    let untrusted = vec![own_root.issue(&lab.key, |_| ()), own_root.der().clone()];
    let alone = vec![leaf().self_signed(&lab.key).unwrap().der().clone()];
    let forged = {
        // Signed by a key that is not the intermediate's, under its name.
        let impostor = Authority::root().below();
        vec![impostor.issue(&lab.key, |_| ()), lab.intermediate.der().clone()]
    };
    for (chain, verification) in [
        (expired, Verification::Expired),
        (early, Verification::NotYetValid),
        (wrong, Verification::WrongHost),
        (incomplete, Verification::UnknownIssuer),
        (untrusted, Verification::UnknownIssuer),
        (alone, Verification::UnknownIssuer),
        (forged, Verification::BadSignature),
    ] {
        assert_eq!(lab.judged(chain).await, verification);
    }
}

fn leaf_names(name: &str) -> Vec<rcgen::SanType> {
    vec![rcgen::SanType::DnsName(name.try_into().unwrap())]
}

#[tokio::test]
async fn a_self_signed_certificate_of_an_authority_is_self_signed_all_the_same() {
    let lab = Lab::new();
    let mut params = leaf();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let chain = vec![params.self_signed(&lab.key).unwrap().der().clone()];
    assert_eq!(lab.judged(chain).await, Verification::UnknownIssuer);
}

#[tokio::test]
async fn a_wildcard_holds_for_one_label() {
    let lab = Lab::new();
    let port =
        tls(lab.chain(|params| params.subject_alt_names = leaf_names("*.example.com")), &lab.key, MODERN)
            .await;
    let one = look(port, lab.root.roots()).await;
    assert_eq!(one.trust.unwrap().verification, Verification::Valid);
    let two = look_at("a.shop.example.com", port, lab.root.roots()).await;
    assert_eq!(two.trust.unwrap().verification, Verification::WrongHost);
}

#[tokio::test]
async fn no_roots_trust_nothing_and_mozillas_do_not_trust_the_tests() {
    let lab = Lab::new();
    let port = tls(lab.chain(|_| ()), &lab.key, MODERN).await;
    for roots in [Roots::none(), Roots::webpki()] {
        let seen = look(port, roots).await;
        assert_eq!(seen.trust.unwrap().verification, Verification::UnknownIssuer);
    }
    assert!(look(port, Roots::webpki()).await.roots.is_mozilla);
}

#[tokio::test]
async fn a_server_of_one_version_is_seen_to_be() {
    let lab = Lab::new();
    let (accepted, refused) = (Acceptance::Accepted, Acceptance::Refused);
    let port = tls(lab.chain(|_| ()), &lab.key, &[&rustls::version::TLS12]).await;
    let seen = look(port, lab.root.roots()).await;
    assert_eq!(seen.version, Some(TlsVersion::Tls12));
    assert_eq!(seen.cipher_suite.as_deref(), Some("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"));
    assert_eq!((seen.versions.tls12, seen.versions.tls13), (accepted, refused));
    let port = tls(lab.chain(|_| ()), &lab.key, &[&rustls::version::TLS13]).await;
    let seen = look(port, lab.root.roots()).await;
    assert_eq!((seen.versions.tls12, seen.versions.tls13), (refused, accepted));
}

#[tokio::test]
async fn a_server_without_the_certificate_s_key_is_an_impostor() {
    let lab = Lab::new();
    for versions in [MODERN, &[&rustls::version::TLS12]] {
        let port = tls(lab.chain(|_| ()), &KeyPair::generate().unwrap(), versions).await;
        let seen = look(port, lab.root.roots()).await;
        assert!(!seen.trust.unwrap().key_is_proven);
    }
}

#[tokio::test]
async fn a_stapled_response_is_seen() {
    let lab = Lab::new();
    let mut certified = CertifiedKey::new(lab.chain(|_| ()), signing(&lab.key));
    certified.ocsp = Some(b"not looked into".to_vec());
    let seen = look(tls_with(certified, MODERN).await, lab.root.roots()).await;
    assert!(seen.ocsp_stapled);
}

#[tokio::test]
async fn a_long_chain_is_kept_from_the_leaf_on_and_judged_whole() {
    let lab = Lab::new();
    let others = (0..12).map(|_| Authority::root().der().clone());
    // What makes it whole comes after what is kept.
    let chain: Vec<_> = [lab.chain(|_| ()).remove(0)]
        .into_iter()
        .chain(others)
        .chain([lab.intermediate.der().clone()])
        .collect();
    let served = chain.len();
    let seen = lab.look(chain).await;
    assert_eq!(seen.trust.unwrap().verification, Verification::Valid);
    assert_eq!(
        (seen.chain.len(), seen.chain_omitted),
        (MAX_CHAIN_CERTIFICATES, served - MAX_CHAIN_CERTIFICATES)
    );
}

#[tokio::test]
async fn a_certificate_of_a_thousand_names_is_kept_within_the_bounds() {
    let lab = Lab::new();
    let chain = lab.chain(|params| {
        let names = (0..1000).map(|n| format!("name-{n}.example.com"));
        params.subject_alt_names.extend(names.flat_map(|name| leaf_names(&name)));
    });
    let seen = lab.look(chain).await;
    assert_eq!((seen.trust.unwrap().verification, seen.chain_omitted), (Verification::Valid, 0));
    assert!(serde_json::to_string(&seen).unwrap().len() < 64 << 10);
    let facts = serde_json::to_value(CertificateFacts::read(&seen.certificates()[0]).unwrap()).unwrap();
    assert_eq!(facts["names"].as_array().unwrap().len(), 32);
    assert_eq!(facts["names_omitted"], 1001 - 32);
}
