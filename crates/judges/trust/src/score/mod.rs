//! The rules: from observations to hygiene and risk.
//!
//! Each look is a [`Check`] with its points out of a weight, which the [`Purpose`] sets. A check that could not be made is
//! `unknown`: it earns nothing and stays in the denominator, so that a look that failed is never taken for a good one. One
//! that makes no sense for the domain is `not_applicable` and leaves the denominator. [`Cap`]s hold the score down. All
//! together are the [`Hygiene`].
//!
//! [`Risk`] is apart: [`weigh`] finds its reasons and the verdict, and no hygiene makes up for one. [`v1`] is the rule of
//! before, for the receipts of its time. [`crate::model`] publishes the constants.
//!
//! Points are counted in hundredths and scores rounded down to whole numbers, so no verdict hangs on a float.

mod bonus;
mod caa;
mod cap;
mod check;
mod dane;
mod dmarc;
mod dnssec;
mod expiration;
mod headers;
mod hsts_preload;
mod https;
mod hygiene;
mod issuer;
mod mta_sts;
mod partials;
mod points;
mod purpose;
mod risk;
#[cfg(test)]
mod samples;
mod security_txt;
mod shown;
mod spf;
mod tls;
pub mod v1;
mod version;
mod zone_file;

pub use bonus::{bimi, ipv6, name_servers, tls_rpt};
pub use caa::caa;
pub use cap::Cap;
pub use check::{Check, CheckId, Partial, Status};
pub use dane::dane;
pub use dmarc::dmarc;
pub use dnssec::dnssec;
pub use expiration::{FAIL_DAYS, WARN_DAYS, expiration, has_ended, is_on_hold};
pub use headers::{HEADERS_PASS_FROM, HEADERS_WARN_FROM, headers, is_within, site_headers};
pub use hsts_preload::{PRELOAD_SECONDS, hsts_preload};
pub use https::{HSTS_SECONDS, https};
pub use hygiene::{CAUTION_FROM, GRADES, Hygiene, MIN_COVERAGE_PERCENT, grade};
pub use issuer::{CaaIssuer, caa_issuer};
pub use mta_sts::mta_sts;
pub use points::Points;
pub use purpose::Purpose;
pub use risk::{
    Age, AgeSource, CertificateState, DanglingTarget, Destination, MIN_PROOFS, OLD_DAYS, PayeeBinding, Proof,
    ProofId, RegistrationState, Risk, RiskFacts, RiskId, RiskReason, TRANSFER_DAYS, TrustVerdict,
    UNCHANGED_DAYS, YOUNG_DAYS, proofs, weigh,
};
pub use security_txt::security_txt;
pub use shown::MAX_EVIDENCE_BYTES;
pub use spf::spf;
pub use tls::{
    LIFETIMES, LONG_LIVED_DAYS, MIN_EC_BITS, MIN_RSA_BITS, MIN_SCT_LOGS, MIN_SCT_LOGS_LONG_LIVED, REVOKED,
    TLS_URGENT_DAYS, TLS_URGENT_PART, TLS_WARN_DAYS, TLS_WARN_PART, TlsFault, tls,
};
pub use version::ModelVersion;
pub use zone_file::RecordOwner;
