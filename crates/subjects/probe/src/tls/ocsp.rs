//! Stapled OCSP responses (RFC 6960, RFC 6066 section 8), read without a check of their signature.
//!
//! A server staples a response about its own certificate. One that says "revoked" is to the server's disadvantage, so
//! it is believed. One that says "good" may be anybody's invention, so it must earn nothing.

use der::Decode as _;
use receipt::Timestamp;
use serde::Serialize;
use x509_ocsp::{BasicOcspResponse, CertStatus, OcspGeneralizedTime, OcspResponse, SingleResponse};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

/// The statement of a stapled OCSP response about a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct OcspStaple {
    /// Status of the certificate. If the response makes several statements, it is the worst.
    pub status: RevocationStatus,
    /// Time at which the status was known to be correct.
    pub this_update: Timestamp,
    /// Time at or before which newer information is available; `None` if it always is.
    pub next_update: Option<Timestamp>,
}

/// Revocation status of a certificate (RFC 6960 section 2.2), the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationStatus {
    /// The certificate is not known to be revoked. The signature of the statement was not verified.
    Good,
    /// The responder does not know the certificate.
    Unknown,
    /// The certificate was revoked at this time.
    Revoked(Timestamp),
}

impl OcspStaple {
    /// Reads the statement of a response about `leaf`, both in DER; `None` if either cannot be read, if the response is
    /// an error, or if it is not about the serial number of `leaf`. The signature is not verified.
    #[must_use]
    pub fn read(response: &[u8], leaf: &[u8]) -> Option<Self> {
        let (_, leaf) = X509Certificate::from_der(leaf).ok()?;
        let serial = significant(leaf.raw_serial());
        let response = OcspResponse::from_der(response).ok()?.response_bytes?;
        let basic = BasicOcspResponse::from_der(response.response.as_bytes()).ok()?;
        let statements = basic.tbs_response_data.responses;
        let about_leaf = statements
            .iter()
            .filter(|statement| significant(statement.cert_id.serial_number.as_bytes()) == serial);
        about_leaf.map(Self::of).max_by_key(|statement| statement.status)
    }

    fn of(statement: &SingleResponse) -> Self {
        let status = match statement.cert_status {
            CertStatus::Good(_) => RevocationStatus::Good,
            CertStatus::Revoked(info) => RevocationStatus::Revoked(time(info.revocation_time)),
            CertStatus::Unknown(_) => RevocationStatus::Unknown,
        };
        let next_update = statement.next_update.map(time);
        Self { status, this_update: time(statement.this_update), next_update }
    }
}

/// A number, big-endian, without its leading zeros.
fn significant(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn time(time: OcspGeneralizedTime) -> Timestamp {
    let millis = i64::try_from(time.0.to_unix_duration().as_millis()).unwrap_or(i64::MAX);
    Timestamp::EPOCH.saturating_add_millis(millis)
}
