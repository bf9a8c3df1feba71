//! Observations of DNSSEC: plain data, stored as evidence.

use dns::Failure;
use serde::{Deserialize, Serialize};

/// The most DS records, and the most keys, that are put down.
pub const MAX_RECORDS: usize = 16;
/// The most extended errors (RFC 8914) of one answer that are put down.
pub const MAX_ERRORS: usize = 8;

/// Statements of the three witnesses on a name. Under 8 KiB as JSON, whatever a zone holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DnssecObservation {
    /// The name that was asked about.
    pub name: String,
    /// The zone that it is in; absent where no answer told.
    pub zone: Option<String>,
    /// Results of our own validation.
    pub validation: Validation,
    /// Answers of a resolver.
    pub resolver: ResolverAnswers,
    /// The parent's records of the zone, and the zone's keys.
    pub delegation: Delegation,
    /// Times taken: the only part that differs between two looks at the same.
    pub took: LookTimes,
}

/// Our own validation of two questions about the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Status of the SOA record, where the name is the zone's apex; else of the proof that the name is within the zone.
    pub zone: SecurityStatus,
    /// Status of the A records: of the name's addresses, or of the proof that it has none.
    pub address: SecurityStatus,
}

/// Result of a validation (RFC 4033, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityStatus {
    /// The signatures hold, from the trust anchor down.
    Secure,
    /// The zone is proven to be unsigned.
    Insecure,
    /// The zone ought to be signed, and the signatures do not hold.
    Bogus,
    /// The validation proves nothing.
    Indeterminate,
    /// The validation could not be carried out.
    Failed(LookFailure),
}

/// Reason why a part of a look failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum LookFailure {
    /// The answer did not come in time.
    #[error("no answer in time")]
    TimedOut,
    /// There was no server that could be asked.
    #[error("no server could be asked")]
    Unreachable,
    /// SERVFAIL.
    #[error("the server failed")]
    ServFail,
    /// The server gave a response code other than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// An answer that cannot be used: malformed, or truncated for good.
    #[error("the answer cannot be used")]
    Unusable,
    /// More questions than one look may ask.
    #[error("too many questions")]
    TooManyQuestions,
    /// The answers carried no signature: a server on the way leaves them out.
    #[error("signatures are left out")]
    Stripped,
    /// The validation gave up, as hickory does at its maximum depth.
    #[error("the validation gave up")]
    GaveUp,
}

impl LookFailure {
    /// Stable code of the failure.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::TimedOut => "dns_timed_out",
            Self::Unreachable => "dns_unreachable",
            Self::ServFail => "dns_servfail",
            Self::Refused => "dns_refused",
            Self::Unusable => "dns_unusable",
            Self::TooManyQuestions => "too_many_questions",
            Self::Stripped => "signatures_stripped",
            Self::GaveUp => "validation_gave_up",
        }
    }
}

impl From<Failure> for LookFailure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::TimedOut => Self::TimedOut,
            Failure::Unreachable => Self::Unreachable,
            Failure::ServFail => Self::ServFail,
            Failure::Refused => Self::Refused,
            Failure::Unusable => Self::Unusable,
        }
    }
}

/// Answers of one resolver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolverAnswers {
    /// True if it was configured as a validating one, over a path that can be trusted.
    pub configured: bool,
    /// Reply to the root's SOA: a resolver that validates sets AD.
    pub root: ResolverReply,
    /// Replies to the name's SOA.
    pub zone: PairedReplies,
    /// Replies to the name's A.
    pub address: PairedReplies,
}

/// Replies to the same question, asked in two ways.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedReplies {
    /// The resolver was to check (CD=0).
    pub checked: ResolverReply,
    /// Reply where the resolver was not to check (CD=1).
    pub unchecked: ResolverReply,
}

/// Reply to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolverReply {
    /// An answer.
    Answered(ReplySummary),
    /// The reply cannot be used, or there was none.
    Failed(LookFailure),
}

/// The parts of an answer that count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplySummary {
    /// Response code (RFC 6895).
    pub rcode: u16,
    /// The flag AD: the server has checked it, or says so.
    pub authentic: bool,
    /// True if the answer carried a signature.
    pub signed: bool,
    /// The extended errors' codes (RFC 8914), ascending.
    pub errors: Vec<u16>,
}

/// The parent's records of the zone, and the zone's keys.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// Result of asking the parent for DS records.
    pub parent: Parent,
    /// The DS records, ascending.
    pub ds: Vec<Ds>,
    /// The zone's keys, ascending.
    pub keys: Vec<Dnskey>,
}

/// Result of asking the parent for DS records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// The records exist, and their signatures hold.
    Found,
    /// The records exist, but the parent is proven to be unsigned itself, so that they count for nothing.
    FoundInsecure,
    /// The records exist, as the answer says.
    FoundUnproven,
    /// The records are proven not to exist.
    None,
    /// The records do not exist, as the answer says.
    NoneUnproven,
    /// The parent could not be asked.
    Failed(LookFailure),
}

/// A DS record (RFC 4034, section 5), without its digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ds {
    /// Tag of the key.
    pub key_tag: u16,
    /// Algorithm of the key.
    pub algorithm: u8,
    /// Type of the digest.
    pub digest_type: u8,
}

/// A key (RFC 4034, section 2), without what it is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dnskey {
    /// Tag of the key.
    pub key_tag: u16,
    /// Algorithm of the key.
    pub algorithm: u8,
    /// Flags of the key: 257 for one that a DS record refers to, 256 for one that signs the zone.
    pub flags: u16,
}

/// Times that the parts took, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookTimes {
    /// Our own validation, and the parent's records, which it needs as well.
    pub validation_ms: u32,
    /// Time that the resolver's answers took.
    pub resolver_ms: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most that there can be of everything.
    fn fullest() -> DnssecObservation {
        let heard = || {
            ResolverReply::Answered(ReplySummary {
                rcode: u16::MAX,
                authentic: false,
                signed: false,
                errors: vec![u16::MAX; MAX_ERRORS],
            })
        };
        let pair = || PairedReplies { checked: heard(), unchecked: heard() };
        DnssecObservation {
            name: "x".repeat(253),
            zone: Some("\"".repeat(1004)),
            validation: Validation {
                zone: SecurityStatus::Failed(LookFailure::TooManyQuestions),
                address: SecurityStatus::Failed(LookFailure::TooManyQuestions),
            },
            resolver: ResolverAnswers { configured: false, root: heard(), zone: pair(), address: pair() },
            delegation: Delegation {
                parent: Parent::Failed(LookFailure::TooManyQuestions),
                ds: vec![Ds { key_tag: u16::MAX, algorithm: u8::MAX, digest_type: u8::MAX }; MAX_RECORDS],
                keys: vec![Dnskey { key_tag: u16::MAX, algorithm: u8::MAX, flags: u16::MAX }; MAX_RECORDS],
            },
            took: LookTimes { validation_ms: u32::MAX, resolver_ms: u32::MAX },
        }
    }

    #[test]
    fn the_fullest_evidence_is_below_eight_kibibytes_and_comes_back_as_it_was() {
        let seen = fullest();
        let text = serde_json::to_string(&seen).unwrap();
        assert!(text.len() < 8 << 10, "{}", text.len());
        assert_eq!(serde_json::from_str::<DnssecObservation>(&text).unwrap(), seen);
    }

    #[test]
    fn evidence_with_more_than_it_can_have_is_not_read() {
        let mut value = serde_json::to_value(fullest()).unwrap();
        value["validation"]["more"] = true.into();
        assert!(serde_json::from_value::<DnssecObservation>(value).is_err());
    }
}
