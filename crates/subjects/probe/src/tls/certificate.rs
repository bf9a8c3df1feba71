//! Facts from a certificate. Anybody may have made it, so all that is kept is bounded.

use std::collections::BTreeSet;
use std::net::IpAddr;

use receipt::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{
    GeneralName, ParsedExtension, SignedCertificateTimestamp, parse_ct_signed_certificate_timestamp,
};
use x509_parser::objects::{oid_registry, oid2sn};
use x509_parser::oid_registry::{
    OID_EC_P256, OID_NIST_EC_P384, OID_NIST_EC_P521, OID_PKCS1_RSAENCRYPTION, OID_PKCS1_RSASSAPSS,
    OID_SIG_ED448, OID_SIG_ED25519,
};
use x509_parser::prelude::FromDer;
use x509_parser::public_key::{PublicKey, RSAPublicKey};
use x509_parser::time::ASN1Time;
use x509_parser::x509::{AlgorithmIdentifier, SubjectPublicKeyInfo};

/// The most names of a certificate that are listed.
const MAX_NAMES: usize = 32;
/// The most characters of a text that are kept.
const MAX_TEXT_CHARS: usize = 256;
const DAY_SECONDS: i64 = 86_400;
/// Signatures over MD2, MD5 and SHA-1: with RSA (RFC 8017), with DSA and ECDSA (RFC 3279).
const BROKEN_HASHES: &[&str] = &[
    "1.2.840.113549.1.1.2",
    "1.2.840.113549.1.1.4",
    "1.2.840.113549.1.1.5",
    "1.2.840.10040.4.3",
    "1.2.840.10045.4.1",
];

/// The facts that a certificate states about itself (RFC 5280).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CertificateFacts {
    /// Distinguished name of the subject.
    pub subject: String,
    /// Distinguished name of the issuer.
    pub issuer: String,
    /// True if subject and issuer are equal.
    pub is_self_issued: bool,
    /// The host names and addresses of the subject alternative name extension, in its order.
    pub names: Vec<String>,
    /// Number of further names that are not in `names`.
    pub names_omitted: usize,
    /// Start of the validity.
    pub not_before: Timestamp,
    /// End of the validity.
    pub not_after: Timestamp,
    /// The subject's public key.
    pub key: CertificateKey,
    /// Name of the signature algorithm.
    pub signature_algorithm: String,
    /// True if the signature uses a broken hash: SHA-1 or older.
    pub has_broken_hash: bool,
    /// SHA-256 of the certificate's DER, in hex.
    pub sha256: String,
    /// Name of the subject's organisation (`O`); `None` without one. It is vouched for only where `validation` says so
    /// and the chain is valid.
    #[serde(skip)]
    pub organization: Option<String>,
    /// Validation of the subject by the authority; `None` if the certificate states none of the CA/Browser Forum's
    /// policies.
    #[serde(skip)]
    pub validation: Option<SubjectValidation>,
    /// Log ids of the embedded SCTs (RFC 6962), one for each SCT, in order.
    #[serde(skip)]
    pub sct_logs: Vec<[u8; 32]>,
}

/// Validation of a certificate's subject, by the policy that the certificate states (CA/Browser Forum, Baseline
/// Requirements section 7.1.6.1), the least thorough first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectValidation {
    /// Control of the domain only (2.23.140.1.2.1).
    Domain,
    /// The identity of a natural person (2.23.140.1.2.3).
    Individual,
    /// The identity of an organisation (2.23.140.1.2.2).
    Organization,
    /// The identity of an organisation, by the EV guidelines (2.23.140.1.1).
    Extended,
}

impl SubjectValidation {
    fn of_policy(oid: &str) -> Option<Self> {
        match oid {
            "2.23.140.1.2.1" => Some(Self::Domain),
            "2.23.140.1.2.3" => Some(Self::Individual),
            "2.23.140.1.2.2" => Some(Self::Organization),
            "2.23.140.1.1" => Some(Self::Extended),
            _ => None,
        }
    }

    /// Returns true if the authority validated the organisation in the subject.
    #[must_use]
    pub fn is_of_organization(self) -> bool {
        matches!(self, Self::Organization | Self::Extended)
    }
}

/// Public key of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CertificateKey {
    /// Algorithm of the key.
    pub kind: KeyAlgorithm,
    /// Size in bits: of an RSA modulus, or of an elliptic curve's field. 0 if it is not known.
    pub bits: usize,
}

/// Algorithm of a public key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyAlgorithm {
    /// RSA.
    Rsa,
    /// An elliptic curve, for ECDSA.
    Ec,
    /// Ed25519 or Ed448 (RFC 8410).
    Eddsa,
    /// Any other kind.
    Other,
}

impl CertificateFacts {
    /// Parses a certificate in DER; `None` if it cannot be parsed.
    #[must_use]
    pub fn read(der: &[u8]) -> Option<Self> {
        let (rest, certificate) = X509Certificate::from_der(der).ok()?;
        if !rest.is_empty() {
            return None;
        }
        let (names, names_omitted) = names(&certificate);
        Some(Self {
            subject: short(&certificate.subject().to_string()),
            issuer: short(&certificate.issuer().to_string()),
            is_self_issued: certificate.subject().as_raw() == certificate.issuer().as_raw(),
            names,
            names_omitted,
            not_before: time(certificate.validity().not_before),
            not_after: time(certificate.validity().not_after),
            key: key(certificate.public_key()),
            signature_algorithm: algorithm(&certificate.signature_algorithm),
            has_broken_hash: BROKEN_HASHES
                .contains(&certificate.signature_algorithm.algorithm.to_id_string().as_str()),
            sha256: hex::encode(Sha256::digest(der)),
            organization: organization(&certificate),
            validation: validation(&certificate),
            sct_logs: embedded_logs(&certificate),
        })
    }

    /// Returns the length of the validity in days, both ends included, rounded up (Baseline Requirements section
    /// 6.3.2); 0 or less if it ends before it starts.
    #[must_use]
    pub fn lifetime_days(&self) -> i64 {
        let seconds = self.not_after.millis_since(self.not_before) / 1000 + 1;
        seconds.div_euclid(DAY_SECONDS) + i64::from(seconds.rem_euclid(DAY_SECONDS) > 0)
    }
}

/// Returns the log ids of an SCT list as in a TLS extension (RFC 6962, section 3.3), one for each SCT; empty if the
/// list cannot be parsed.
#[must_use]
pub fn sct_logs(list: &[u8]) -> Vec<[u8; 32]> {
    let Some((length, mut rest)) = list.split_first_chunk() else { return Vec::new() };
    if usize::from(u16::from_be_bytes(*length)) != rest.len() {
        return Vec::new();
    }
    let mut logs = Vec::new();
    while !rest.is_empty() {
        let Ok((after, sct)) = parse_ct_signed_certificate_timestamp(rest) else { return Vec::new() };
        logs.push(log(&sct));
        rest = after;
    }
    logs
}

fn organization(certificate: &X509Certificate<'_>) -> Option<String> {
    let name = certificate.subject().iter_organization().find_map(|name| name.as_str().ok())?;
    Some(short(name.trim())).filter(|name| !name.is_empty())
}

/// The least thorough of the validations that the certificate states: contradicting policies earn nothing.
fn validation(certificate: &X509Certificate<'_>) -> Option<SubjectValidation> {
    let policies =
        certificate.extensions().iter().filter_map(|extension| match extension.parsed_extension() {
            ParsedExtension::CertificatePolicies(policies) => Some(policies),
            _ => None,
        });
    policies
        .flatten()
        .filter_map(|policy| SubjectValidation::of_policy(&policy.policy_id.to_id_string()))
        .min()
}

fn embedded_logs(certificate: &X509Certificate<'_>) -> Vec<[u8; 32]> {
    let lists = certificate.extensions().iter().filter_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SCT(scts) => Some(scts),
        _ => None,
    });
    lists.flatten().map(log).collect()
}

fn log(sct: &SignedCertificateTimestamp<'_>) -> [u8; 32] {
    *sct.id.key_id
}

/// Number of distinct logs.
pub(super) fn distinct(logs: &[[u8; 32]]) -> usize {
    logs.iter().collect::<BTreeSet<_>>().len()
}

fn names(certificate: &X509Certificate<'_>) -> (Vec<String>, usize) {
    let listed = certificate.extensions().iter().filter_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectAlternativeName(names) => Some(&names.general_names),
        _ => None,
    });
    let all = listed.flatten().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(short(name)),
        GeneralName::IPAddress(octets) => address(octets).map(|address| address.to_string()),
        _ => None,
    });
    let mut names: Vec<String> = all.collect();
    let omitted = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    (names, omitted)
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let v4 = || <[u8; 4]>::try_from(octets).map(IpAddr::from);
    v4().or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from)).ok()
}

fn key(info: &SubjectPublicKeyInfo<'_>) -> CertificateKey {
    let oid = &info.algorithm.algorithm;
    match info.parsed() {
        Ok(PublicKey::RSA(key)) => CertificateKey { kind: KeyAlgorithm::Rsa, bits: bits(key.modulus) },
        Ok(PublicKey::EC(point)) => {
            let bits = curve_bits(&info.algorithm).unwrap_or_else(|| point.key_size());
            CertificateKey { kind: KeyAlgorithm::Ec, bits }
        }
        _ if *oid == OID_SIG_ED25519 => CertificateKey { kind: KeyAlgorithm::Eddsa, bits: 256 },
        _ if *oid == OID_SIG_ED448 => CertificateKey { kind: KeyAlgorithm::Eddsa, bits: 448 },
        // A key that cannot be read, or is for PSS alone (RFC 4055).
        _ if *oid == OID_PKCS1_RSAENCRYPTION => CertificateKey { kind: KeyAlgorithm::Rsa, bits: 0 },
        _ if *oid == OID_PKCS1_RSASSAPSS => {
            let key = RSAPublicKey::from_der(&info.subject_public_key.data);
            CertificateKey { kind: KeyAlgorithm::Rsa, bits: key.map_or(0, |(_, key)| bits(key.modulus)) }
        }
        _ => CertificateKey { kind: KeyAlgorithm::Other, bits: 0 },
    }
}

/// The length of a number, big-endian, without its leading zeros.
fn bits(number: &[u8]) -> usize {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let first = number.get(zeros).map_or(0, |byte| byte.leading_zeros() as usize);
    (number.len() - zeros) * 8 - first
}

fn curve_bits(algorithm: &AlgorithmIdentifier<'_>) -> Option<usize> {
    let curve = algorithm.parameters.as_ref()?.as_oid().ok()?;
    [(OID_EC_P256, 256), (OID_NIST_EC_P384, 384), (OID_NIST_EC_P521, 521)]
        .into_iter()
        .find_map(|(oid, bits)| (oid == curve).then_some(bits))
}

fn algorithm(identifier: &AlgorithmIdentifier<'_>) -> String {
    let oid = &identifier.algorithm;
    oid2sn(oid, oid_registry()).map_or_else(|_| short(&oid.to_id_string()), str::to_owned)
}

/// A time, held within those that a [`Timestamp`] can be: a certificate may claim any year.
fn time(time: ASN1Time) -> Timestamp {
    Timestamp::EPOCH.saturating_add_millis(time.timestamp().saturating_mul(1000))
}

/// A text as it may be shown: what it begins with, without control characters.
fn short(text: &str) -> String {
    let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).take(MAX_TEXT_CHARS).collect()
}
