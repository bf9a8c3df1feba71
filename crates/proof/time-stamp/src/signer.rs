//! The signer of a token: its certificate, by the hash in the signed attributes, and its signature (RFC 5652, section 5.4).

use aws_lc_rs::digest;
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode as _, Encode as _, Tag, Tagged as _};
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, aws_lc_rs as algorithms};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::asn1::{AlgorithmIdentifier, Attribute, SignerInfo, SigningCertificate, SigningCertificateV2};
use crate::error::StampError;
use crate::oid;

/// Checks the signed attributes against the content, and finds the certificate that they name.
pub(crate) fn find<'a>(
    signer: &SignerInfo,
    content: &[u8],
    certificates: &'a [CertificateDer<'static>],
) -> Result<&'a CertificateDer<'static>, StampError> {
    let attribute = |oid, name| one(signer, oid)?.ok_or(StampError::Attribute(name));
    let content_type = attribute(oid::CONTENT_TYPE, "content-type")?;
    if content_type.decode_as::<ObjectIdentifier>() != Ok(oid::TST_INFO) {
        return Err(StampError::Attribute("content-type"));
    }
    let hash = digest::digest(hash_function(&signer.digest_algorithm)?, content);
    let stated = attribute(oid::MESSAGE_DIGEST, "message-digest")?.decode_as::<OctetString>()?;
    if stated.as_bytes() != hash.as_ref() {
        return Err(StampError::Attribute("message-digest"));
    }
    let (function, hash) = certificate_hash(signer)?;
    let is_own = |certificate: &&CertificateDer<'_>| digest::digest(function, certificate).as_ref() == hash;
    let own = certificates.iter().find(is_own).ok_or(StampError::NoCertificate)?;
    if is_named(&signer.sid, own)? { Ok(own) } else { Err(StampError::NoCertificate) }
}

/// Checks the signature over the signed attributes, under the key of a certificate.
pub(crate) fn check_signature(signer: &SignerInfo, entity: &EndEntityCert<'_>) -> Result<(), StampError> {
    let attributes = signer.signed_attributes.as_ref().ok_or(StampError::Attribute("content-type"))?;
    // Signed as a SET OF in DER, and not with the tag that it has in the token.
    let message = attributes.to_der()?;
    let unsupported = || StampError::Algorithm(signer.signature_algorithm.oid.to_string());
    let candidates = candidates(signer)?;
    let mut refused = unsupported();
    for algorithm in candidates {
        match entity.verify_signature(algorithm, &message, signer.signature.as_bytes()) {
            Ok(()) => return Ok(()),
            Err(webpki::Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_)) => {}
            Err(_) => refused = StampError::Signature,
        }
    }
    Err(refused)
}

/// The algorithms that a signature may be of. Several differ in the curve of the key alone, and one fits the certificate.
fn candidates(signer: &SignerInfo) -> Result<Vec<&'static dyn SignatureVerificationAlgorithm>, StampError> {
    let named = &signer.signature_algorithm;
    if named.oid == oid::RSA_ENCRYPTION {
        // The hash function is that of the digest (RFC 3370, section 3.2).
        return match signer.digest_algorithm.oid {
            oid::SHA_256 => Ok(vec![algorithms::RSA_PKCS1_2048_8192_SHA256]),
            oid::SHA_384 => Ok(vec![algorithms::RSA_PKCS1_2048_8192_SHA384]),
            oid::SHA_512 => Ok(vec![algorithms::RSA_PKCS1_2048_8192_SHA512]),
            other => Err(StampError::Algorithm(other.to_string())),
        };
    }
    // The identifier of an algorithm here is without the header of its sequence.
    let mut identifier = named.oid.to_der()?;
    if let Some(parameters) = &named.parameters {
        identifier.extend(parameters.to_der()?);
    }
    let is_named = |algorithm: &&&dyn SignatureVerificationAlgorithm| {
        algorithm.signature_alg_id().as_ref() == identifier.as_slice()
    };
    Ok(ALL_VERIFICATION_ALGS.iter().filter(is_named).copied().collect())
}

/// The single value of a signed attribute; `None` where it is not there.
fn one(signer: &SignerInfo, oid: ObjectIdentifier) -> Result<Option<&Any>, StampError> {
    let attributes = signer.signed_attributes.iter().flat_map(|attributes| attributes.iter());
    let mut named = attributes.filter(|attribute: &&Attribute| attribute.oid == oid);
    let (first, second) = (named.next(), named.next());
    match (first.map(|attribute| attribute.values.as_slice()), second) {
        (None, _) => Ok(None),
        (Some([value]), None) => Ok(Some(value)),
        _ => Err(StampError::Attribute("twice there")),
    }
}

/// The hash of the signer's certificate in the signed attributes, and its function.
fn certificate_hash(signer: &SignerInfo) -> Result<(&'static digest::Algorithm, Vec<u8>), StampError> {
    const NAME: &str = "signing-certificate";
    if let Some(value) = one(signer, oid::SIGNING_CERTIFICATE_V2)? {
        let named = SigningCertificateV2::from_der(&value.to_der()?)?;
        let first = named.certificates.into_iter().next().ok_or(StampError::Attribute(NAME))?;
        let function = first.hash_algorithm.as_ref().map_or(Ok(&digest::SHA256), hash_function)?;
        return Ok((function, first.hash.into_bytes()));
    }
    let value = one(signer, oid::SIGNING_CERTIFICATE)?.ok_or(StampError::Attribute(NAME))?;
    let named = SigningCertificate::from_der(&value.to_der()?)?;
    let first = named.certificates.into_iter().next().ok_or(StampError::Attribute(NAME))?;
    // The hash only chooses among certificates, each of which must lead to a root and verify the signature.
    Ok((&digest::SHA1_FOR_LEGACY_USE_ONLY, first.hash.into_bytes()))
}

/// Returns true if a signer identifier names a certificate. By the identifier of its key it is taken as it is: the hash has
/// named the certificate.
fn is_named(sid: &Any, certificate: &CertificateDer<'_>) -> Result<bool, StampError> {
    if sid.tag() != Tag::Sequence {
        return Ok(true);
    }
    let (_, read) =
        X509Certificate::from_der(certificate).map_err(|error| StampError::Untrusted(error.to_string()))?;
    let mut named = read.tbs_certificate.issuer.as_raw().to_vec();
    named.extend(Any::new(Tag::Integer, read.tbs_certificate.raw_serial())?.to_der()?);
    Ok(sid.value() == named)
}

fn hash_function(algorithm: &AlgorithmIdentifier) -> Result<&'static digest::Algorithm, StampError> {
    match algorithm.oid {
        oid::SHA_256 => Ok(&digest::SHA256),
        oid::SHA_384 => Ok(&digest::SHA384),
        oid::SHA_512 => Ok(&digest::SHA512),
        other => Err(StampError::Algorithm(other.to_string())),
    }
}
