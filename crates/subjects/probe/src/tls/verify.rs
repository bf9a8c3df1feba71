//! Verification of a certificate chain: pure, so that it can be repeated.

use std::time::Duration;

use domain_name::DomainName;
use fetch::Roots;
use receipt::Timestamp;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};

use super::certificate::CertificateFacts;
use super::observation::Verification;

/// Verifies `chain` for `name` with `roots` at a time (RFC 5280, RFC 9525). The chain is in DER, the leaf first, the
/// rest in any order. Revocation is not checked.
#[must_use]
pub fn verify(chain: &[impl AsRef<[u8]>], name: &DomainName, roots: &Roots, at: Timestamp) -> Verification {
    let chain: Vec<CertificateDer<'_>> = chain.iter().map(|der| CertificateDer::from(der.as_ref())).collect();
    let Some((leaf, others)) = chain.split_first() else { return Verification::Other };
    match holds(leaf, others, name, roots, at) {
        Ok(()) => Verification::Valid,
        Err(error) => match meaning(&error) {
            // A self-signed certificate is often marked as an authority's, which a server's must not be.
            Verification::Other if CertificateFacts::read(leaf).is_some_and(|facts| facts.is_self_issued) => {
                Verification::UnknownIssuer
            }
            meaning => meaning,
        },
    }
}

fn holds(
    leaf: &CertificateDer<'_>,
    others: &[CertificateDer<'_>],
    name: &DomainName,
    roots: &Roots,
    at: Timestamp,
) -> Result<(), Error> {
    let leaf = ParsedCertificate::try_from(leaf)?;
    let at = UnixTime::since_unix_epoch(Duration::from_secs(at.unix_seconds()));
    let algorithms = aws_lc_rs::default_provider().signature_verification_algorithms;
    verify_server_cert_signed_by_trust_anchor(&leaf, roots.store(), others, at, algorithms.all)?;
    let name = ServerName::try_from(name.as_str()).map_err(|_| CertificateError::NotValidForName)?;
    verify_server_name(&leaf, &name)
}

fn meaning(error: &Error) -> Verification {
    let Error::InvalidCertificate(error) = error else { return Verification::Other };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => Verification::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            Verification::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Verification::WrongHost
        }
        CertificateError::UnknownIssuer => Verification::UnknownIssuer,
        CertificateError::BadSignature => Verification::BadSignature,
        _ => Verification::Other,
    }
}
