//! The score: from observations to a verdict.
//!
//! Each look is a [`Check`] with its points out of a weight. A check that could not be made is `unknown`: it earns
//! nothing and stays in the denominator, so that a look that failed is never taken for a good one; what the score could
//! have become is told beside it. One that makes no sense for the domain is `not_applicable` and leaves the
//! denominator. [`Cap`]s hold the score down whatever else was found, and [`Flags`] keep a domain from `TRUSTED`
//! without touching its score. [`assess`] puts them together; [`crate::model`] publishes the constants.
//!
//! Points are counted in hundredths and scores rounded down to whole numbers, so no verdict hangs on a float.

mod assess;
mod bonus;
mod caa;
mod cap;
mod check;
mod dane;
mod dmarc;
mod dnssec;
mod expiration;
mod flags;
mod headers;
mod hsts_preload;
mod issuer;
mod mta_sts;
mod partials;
mod points;
#[cfg(test)]
mod samples;
mod security_txt;
mod shown;
mod spf;
mod tls;
mod zone_file;

pub use assess::{
    CAUTION_FROM, GRADES, MIN_COVERAGE_PERCENT, TRUSTED_FROM, TrustAssessment, TrustVerdict, assess, grade,
};
pub use bonus::{bimi, ipv6, name_servers, tls_rpt};
pub use caa::caa;
pub use cap::Cap;
pub use check::{Check, CheckId, Partial, Status};
pub use dane::dane;
pub use dmarc::dmarc;
pub use dnssec::dnssec;
pub use expiration::{FAIL_DAYS, WARN_DAYS, expiration};
pub use flags::{Flag, FlagId, Flags, YOUNG_DAYS};
pub use headers::{HEADERS_PASS_FROM, HEADERS_WARN_FROM, headers, site_headers};
pub use hsts_preload::{PRELOAD_SECONDS, hsts_preload};
pub use issuer::caa_issuer;
pub use mta_sts::mta_sts;
pub use points::Points;
pub use security_txt::security_txt;
pub use shown::MAX_EVIDENCE_BYTES;
pub use spf::spf;
pub use tls::{MIN_EC_BITS, MIN_RSA_BITS, MIN_SCT_LOGS, TLS_URGENT_DAYS, TLS_WARN_DAYS, TlsFault, tls};
pub use zone_file::RecordOwner;
