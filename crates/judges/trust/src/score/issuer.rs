//! The issuer of a certificate, as CAA names issuers.

use probe::tls::{CertificateFacts, TlsObservation, Verification};
use serde::{Deserialize, Serialize};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

/// Prefixes of the names of issuing organizations, and the domains by which CAA names them: the usual one first. By the
/// authorities' disclosures in the Common CA Database.
const ISSUERS: &[(&str, &[&str])] = &[
    ("Actalis", &["actalis.it"]),
    ("Amazon", &["amazon.com", "amazontrust.com", "awstrust.com", "amazonaws.com", "aws.amazon.com"]),
    ("Buypass", &["buypass.com", "buypass.no"]),
    (
        "DigiCert",
        &[
            "digicert.com",
            "www.digicert.com",
            "digicert.ne.jp",
            "cybertrust.ne.jp",
            "symantec.com",
            "thawte.com",
            "geotrust.com",
            "rapidssl.com",
            "volusion.digitalcertvalidation.com",
            "stratossl.digitalcertvalidation.com",
            "intermediatecertificate.digitalcertvalidation.com",
            "1and1.digitalcertvalidation.com",
            "quovadisglobal.com",
        ],
    ),
    ("GlobalSign", &["globalsign.com", "globalsign.net"]),
    ("GoDaddy.com", &["godaddy.com", "starfieldtech.com"]),
    ("Google Trust Services", &["pki.goog", "google.com"]),
    ("Let's Encrypt", &["letsencrypt.org"]),
    ("Microsoft Corporation", &["microsoft.com"]),
    ("SSL Corp", &["ssl.com"]),
    ("Sectigo", &["sectigo.com", "comodo.com", "comodoca.com", "usertrust.com", "trust-provider.com"]),
    ("SwissSign", &["swisssign.com", "swisssign.ch", "swisssign.net"]),
];

/// The issuer of a host's certificate, as CAA names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CaaIssuer {
    /// The domains by which CAA names the issuer, the usual one first.
    pub domains: Vec<String>,
    /// True if the certificate is for a wildcard only, so that `issuewild` decides (RFC 8659, 4.3).
    pub is_wildcard: bool,
}

impl CaaIssuer {
    /// Returns the usual domain of the issuer.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.domains.first().map(String::as_str).unwrap_or_default()
    }
}

/// Returns the issuer of the host's certificate as CAA names it; `None` if it is not known. The issuer's name is trusted
/// only in a publicly trusted certificate.
#[must_use]
pub fn caa_issuer(seen: &TlsObservation) -> Option<CaaIssuer> {
    seen.trust.filter(|trust| trust.is_public && trust.verification == Verification::Valid)?;
    let leaf = seen.certificates().into_iter().next()?;
    let (_, certificate) = X509Certificate::from_der(&leaf).ok()?;
    let organization = certificate.issuer().iter_organization().next()?.as_str().ok()?;
    let (_, domains) = ISSUERS.iter().find(|(begin, _)| organization.starts_with(begin))?;
    let names = CertificateFacts::read(&leaf).map(|facts| facts.names).unwrap_or_default();
    let is_wildcard = !names.is_empty() && names.iter().all(|name| name.starts_with("*."));
    Some(CaaIssuer { domains: domains.iter().map(|&domain| domain.to_owned()).collect(), is_wildcard })
}

#[cfg(test)]
mod tests {
    use probe::tls::{Acceptance, ChainTrust, HandshakeOutcome, RootsUsed, Scts, Versions};
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    fn issuer(organization: &str, verification: Verification, is_public: bool) -> Option<String> {
        let refused = Acceptance::Refused;
        let mut seen = TlsObservation {
            observed_at: verdict::Timestamp::EPOCH,
            outcome: HandshakeOutcome::Answered,
            alert: None,
            version: None,
            cipher_suite: None,
            key_exchange_group: None,
            chain: Vec::new(),
            chain_omitted: 0,
            trust: Some(ChainTrust { verification, is_public, key_is_proven: true }),
            ocsp_stapled: false,
            ocsp_response: None,
            scts: Scts::default(),
            versions: Versions { tls10: refused, tls11: refused, tls12: refused, tls13: refused },
            roots: RootsUsed { is_mozilla: true, sha256: String::new() },
        };
        let mut params = CertificateParams::new(["example.com".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::OrganizationName, organization);
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        seen.keep(&[certificate.der().to_vec()]);
        caa_issuer(&seen).map(|issuer| issuer.domain().to_owned())
    }

    #[test]
    fn only_a_certificate_that_holds_for_the_public_tells_its_issuer() {
        assert_eq!(issuer("Let's Encrypt", Verification::Valid, true), Some("letsencrypt.org".to_owned()));
        assert_eq!(issuer("DigiCert, Inc.", Verification::Valid, true), Some("digicert.com".to_owned()));
        assert_eq!(issuer("Unheard Of", Verification::Valid, true), None);
        assert_eq!(issuer("Let's Encrypt", Verification::Valid, false), None);
        assert_eq!(issuer("Let's Encrypt", Verification::Expired, true), None);
    }
}
