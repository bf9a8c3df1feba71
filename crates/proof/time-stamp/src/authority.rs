//! The authority that is believed, and the check of its answers.

use std::time::Duration;

use der::asn1::ObjectIdentifier;
use der::{Decode as _, Encode as _};
use receipt::time::Timestamp;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, anchor_from_trusted_cert};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::asn1::{TimeStampResp, TstInfo};
use crate::error::{AuthorityError, StampError};
use crate::request::Nonce;
use crate::{MAX_REPLY_BYTES, oid, signer};

/// The extended key usage `timeStamping`, 1.3.6.1.5.5.7.3.8, as the bytes of its DER.
const TIME_STAMPING: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08];
/// The most roots that are read from a file.
const MAX_ROOTS: usize = 64;
/// The most characters of an authority's name that are shown.
const MAX_NAME_CHARS: usize = 128;

/// The authority that is believed: the roots of its certificates, and the policy that its tokens must have.
#[derive(Clone, Debug)]
pub struct Authority {
    roots: Vec<TrustAnchor<'static>>,
    policy: Option<ObjectIdentifier>,
}

/// A token that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The time by which the bytes were there, as the authority says.
    pub at: Timestamp,
    /// The error of the time in milliseconds, as far as the authority states one.
    pub accuracy_ms: i64,
    /// The name in the certificate of the signer: its common name, else the whole subject.
    pub authority: String,
    /// The policy of the token.
    pub policy: String,
    /// The number of the token, in lowercase hex.
    pub serial: String,
}

impl Stamp {
    /// The latest time at which the token can have been made, by what the authority says.
    #[must_use]
    pub fn latest(&self) -> Timestamp {
        self.at.saturating_add_millis(self.accuracy_ms)
    }

    /// The earliest time at which the token can have been made, by what the authority says. A time that is finer than a
    /// millisecond is rounded up, and may have been that much earlier.
    #[must_use]
    pub fn earliest(&self) -> Timestamp {
        self.at.saturating_add_millis(-self.accuracy_ms - 1)
    }
}

impl Authority {
    /// Reads the roots, certificates in PEM, and the policy as digits with points.
    ///
    /// # Errors
    /// [`AuthorityError`]: no certificate, more than 64, or one that is none; a policy that is none.
    pub fn new(pem: &[u8], policy: Option<&str>) -> Result<Self, AuthorityError> {
        let certificates = CertificateDer::pem_slice_iter(pem).take(MAX_ROOTS + 1);
        let certificates = certificates.collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|error| AuthorityError::Pem(error.to_string()))?;
        if certificates.is_empty() || certificates.len() > MAX_ROOTS {
            return Err(AuthorityError::Pem(format!("the file has {} certificates", certificates.len())));
        }
        let root = |(number, certificate): (usize, &CertificateDer<'_>)| {
            let anchor = anchor_from_trusted_cert(certificate).map(|anchor| anchor.to_owned());
            anchor.map_err(|error| AuthorityError::Root { number, why: error.to_string() })
        };
        let roots = (1..).zip(&certificates).map(root).collect::<Result<_, _>>()?;
        let policy = policy.map(ObjectIdentifier::new).transpose().map_err(|_| AuthorityError::Policy)?;
        Ok(Self { roots, policy })
    }

    /// The policy that tokens must have; `None` where any will do.
    #[must_use]
    pub fn policy(&self) -> Option<ObjectIdentifier> {
        self.policy
    }

    /// Checks an answer, a `TimeStampResp` in DER, over bytes with this SHA-256. With a nonce the token must have it; without
    /// one, as where a stored token is checked later, any will do.
    ///
    /// # Errors
    /// [`StampError`], which names the first check that fails.
    pub fn check(&self, answer: &[u8], sha256: &[u8; 32], nonce: Option<Nonce>) -> Result<Stamp, StampError> {
        if answer.len() > MAX_REPLY_BYTES {
            return Err(StampError::TooLong);
        }
        let signed = granted(answer)?.content;
        if signed.encap_content_info.content_type != oid::TST_INFO {
            return Err(StampError::Malformed("the token's content is no TSTInfo".to_owned()));
        }
        let content = signed.encap_content_info.content.as_ref();
        let content = content.ok_or(StampError::Malformed("the token has no content".to_owned()))?;
        let info = TstInfo::from_der(content.as_bytes())?;
        self.check_info(&info, sha256, nonce)?;
        let signer = match signed.signer_infos.as_slice() {
            [signer] => signer,
            signers => return Err(StampError::Signers(signers.len())),
        };
        let certificates = signed.certificates.iter().flat_map(|set| set.iter());
        let certificates = certificates.map(|any| any.to_der().map(CertificateDer::from));
        let certificates: Vec<CertificateDer<'static>> = certificates.collect::<Result<_, _>>()?;
        let own = signer::find(signer, content.as_bytes(), &certificates)?;
        let authority = self.check_certificate(own, &certificates, info.gen_time.0)?;
        let entity =
            EndEntityCert::try_from(own).map_err(|error| StampError::Untrusted(error.to_string()))?;
        signer::check_signature(signer, &entity)?;
        Ok(Stamp {
            at: info.gen_time.0,
            accuracy_ms: info.accuracy.unwrap_or_default().as_millis(),
            authority,
            policy: info.policy.to_string(),
            serial: hex::encode(info.serial_number.as_bytes()),
        })
    }

    /// Checks what the token says.
    fn check_info(&self, info: &TstInfo, sha256: &[u8; 32], nonce: Option<Nonce>) -> Result<(), StampError> {
        if info.version != 1 {
            return Err(StampError::Malformed(format!("the token has version {}", info.version)));
        }
        let imprint = &info.message_imprint;
        if imprint.hash_algorithm.oid != oid::SHA_256 || imprint.hashed_message.as_bytes() != sha256 {
            return Err(StampError::OtherMessage);
        }
        if nonce.is_some_and(|nonce| info.nonce != nonce.to_int()) {
            return Err(StampError::OtherNonce);
        }
        if self.policy.is_some_and(|policy| policy != info.policy) {
            return Err(StampError::OtherPolicy(info.policy.to_string()));
        }
        match info.extensions.iter().flatten().find(|extension| extension.critical) {
            Some(unknown) => Err(StampError::UnknownExtension(unknown.oid.to_string())),
            None => Ok(()),
        }
    }

    /// Checks the signer's certificate, and gives the name in it.
    fn check_certificate(
        &self,
        own: &CertificateDer<'_>,
        all: &[CertificateDer<'_>],
        at: Timestamp,
    ) -> Result<String, StampError> {
        let malformed = |error: &dyn std::fmt::Display| StampError::Untrusted(error.to_string());
        let (_, read) = X509Certificate::from_der(own).map_err(|error| malformed(&error))?;
        let usage = read.extended_key_usage().map_err(|error| malformed(&error))?;
        // RFC 3161, section 2.3: the extension is critical, and has this usage alone.
        let is_for_stamping = usage.is_some_and(|usage| {
            let of = usage.value;
            let is_other = of.any
                || of.server_auth
                || of.client_auth
                || of.code_signing
                || of.email_protection
                || of.ocsp_signing
                || !of.other.is_empty();
            usage.critical && of.time_stamping && !is_other
        });
        if !is_for_stamping {
            return Err(StampError::NotForStamping);
        }
        let entity = EndEntityCert::try_from(own).map_err(|error| malformed(&error))?;
        let others: Vec<_> = all.iter().filter(|certificate| *certificate != own).cloned().collect();
        let at = UnixTime::since_unix_epoch(Duration::from_secs(at.unix_seconds()));
        let usage = KeyUsage::required(TIME_STAMPING);
        entity
            .verify_for_usage(ALL_VERIFICATION_ALGS, &self.roots, &others, at, usage, None, None)
            .map_err(|error| malformed(&error))?;
        let common = read.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
        Ok(shown(&common.map_or_else(|| read.subject().to_string(), str::to_owned)))
    }
}

/// The token of an answer that grants one.
fn granted(answer: &[u8]) -> Result<crate::asn1::ContentInfo, StampError> {
    let TimeStampResp { status, time_stamp_token } = TimeStampResp::from_der(answer)?;
    if status.status > 1 {
        let text = shown(&status.status_string.unwrap_or_default().join(" "));
        return Err(StampError::Refused { status: status.status, text });
    }
    let token = time_stamp_token.ok_or(StampError::Malformed("it has no token".to_owned()))?;
    if token.content_type != oid::SIGNED_DATA {
        return Err(StampError::Malformed("the token is no signed data".to_owned()));
    }
    Ok(token)
}

/// Words of others, cut, without characters that steer a terminal or turn the direction of writing.
fn shown(text: &str) -> String {
    let is_plain = |sign: &char| {
        !sign.is_control()
            && !matches!(sign, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(is_plain).take(MAX_NAME_CHARS).collect()
}
