//! Observations of WHOIS answers, as they are stored as evidence.

use domain_name::DomainName;
use receipt::Timestamp;
use receipt::hash::sha256;
use serde::{Deserialize, Serialize};

use super::record::WhoisRecord;
use super::servers;
use crate::answer_cache::Answer;
use crate::site::ProbeFailure;

/// Maximum size of the text of an answer that is kept, in bytes. Real ones have about 3,000.
pub const MAX_KEPT_BYTES: usize = 16 << 10;

/// Observation of a WHOIS query, as plain data. Every statement about the registration is derived from it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WhoisObservation {
    /// The name of the query.
    pub name: DomainName,
    /// Result of the query.
    pub end: WhoisResult,
    /// Time of the result, which may be minutes before the look because answers are cached.
    pub observed_at: Timestamp,
    /// Duration of the query, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a query over WHOIS.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhoisResult {
    /// The top-level domain has no server that IANA knows.
    NoServer,
    /// The server answered.
    Answered {
        /// Host name of the server.
        server: String,
        /// The text, with replacement characters for what is not UTF-8; at most [`MAX_KEPT_BYTES`].
        text: String,
        /// Number of bytes that were read.
        bytes: u64,
        /// SHA-256 of the bytes that were read, in hex.
        sha256: String,
        /// True if the answer is longer than `text`. Nothing is then derived from it.
        is_cut: bool,
    },
    /// The query failed.
    Failed {
        /// Host name of the server that was asked last.
        server: String,
        /// Reason of the failure.
        unseen: ProbeFailure,
    },
}

/// The date of a registration, or the reason why it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownCreation {
    /// The date.
    At(Timestamp),
    /// The date is unknown, for the reason with this stable code.
    Unknown(&'static str),
}

impl WhoisResult {
    /// Keeps an answer. `has_more` is true if not all of it was read.
    pub(super) fn answered(server: String, answer: &[u8], has_more: bool) -> Self {
        let text = String::from_utf8_lossy(answer);
        let kept = &text[..text.floor_char_boundary(MAX_KEPT_BYTES)];
        Self::Answered {
            server,
            text: kept.to_owned(),
            bytes: answer.len() as u64,
            sha256: hex::encode(sha256(answer)),
            is_cut: has_more || kept.len() < text.len(),
        }
    }
}

impl WhoisObservation {
    /// Returns the record of the answer; `None` without an answer, or if the answer was cut.
    #[must_use]
    pub fn record(&self) -> Option<WhoisRecord> {
        match &self.end {
            WhoisResult::Answered { text, is_cut: false, .. } => {
                Some(WhoisRecord::parse(text.as_bytes(), servers::date_order(&self.name)))
            }
            WhoisResult::Answered { .. } | WhoisResult::NoServer | WhoisResult::Failed { .. } => None,
        }
    }

    /// Returns the date of the registration, or the reason why it is not known. A date after the observation is
    /// unknown.
    #[must_use]
    pub fn created(&self) -> KnownCreation {
        let unknown = KnownCreation::Unknown;
        match (&self.end, self.record()) {
            (WhoisResult::NoServer, _) => unknown("no_whois_server"),
            (WhoisResult::Failed { unseen, .. }, _) => unknown(unseen.code()),
            (WhoisResult::Answered { .. }, None) => unknown("too_large"),
            (WhoisResult::Answered { .. }, Some(record)) if !record.is_about(&self.name) => {
                unknown(if record.name.is_some() { "another_domain" } else { "no_record" })
            }
            (WhoisResult::Answered { .. }, Some(record)) => match record.created {
                None => unknown("no_creation_date"),
                Some(at) if self.observed_at < at => unknown("future_creation_date"),
                Some(at) => KnownCreation::At(at),
            },
        }
    }

    /// Returns true if a repeated query may bring an answer that this one did not.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        matches!(&self.end, WhoisResult::Failed { unseen, .. } if !unseen.is_the_site_s())
    }
}

impl Answer for WhoisObservation {
    /// An answer without a record is often a refusal in words: too many queries.
    fn is_told(&self) -> bool {
        matches!(self.end, WhoisResult::NoServer)
            || self.record().is_some_and(|record| record.is_about(&self.name))
    }
}
