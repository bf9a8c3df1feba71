//! Observations of DNSSEC: plain data, stored as evidence.

use dns::Failure;
use serde::{Deserialize, Serialize};

/// The most DS records, and the most keys, that an observation has.
pub const MAX_RECORDS: usize = 16;
/// The most extended errors (RFC 8914) of one answer that an observation has.
pub const MAX_ERRORS: usize = 8;

/// An observation of DNSSEC for a name, from three sources. Its JSON is always shorter than 8 KiB.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DnssecObservation {
    /// The name of the look-up.
    pub name: String,
    /// The zone of the name; `None` where no answer showed it.
    pub zone: Option<String>,
    /// The results of our own validation.
    pub validation: Validation,
    /// The answers of a resolver.
    pub resolver: ResolverAnswers,
    /// The DS records of the zone in its parent, and the keys of the zone.
    pub delegation: Delegation,
    /// The durations of the look-ups. Only they differ between two observations of the same state.
    pub took: LookTimes,
}

/// The results of our own validation for two questions about the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// The proof of the SOA record if the name is the apex of the zone, and otherwise the proof that the name is within
    /// the zone.
    pub zone: SecurityStatus,
    /// The proof of the A records: the addresses of the name, or that it has none.
    pub address: SecurityStatus,
}

/// The result of a validation (RFC 4033, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityStatus {
    /// The signatures are valid, from the trust anchor down.
    Secure,
    /// The zone is proven to be unsigned.
    Insecure,
    /// The zone should be signed, and its signatures are not valid.
    Bogus,
    /// The validation proves nothing.
    Indeterminate,
    /// The validation could not be carried out.
    Failed(LookFailure),
}

/// The reason why a look-up failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum LookFailure {
    /// The answer did not come in time.
    #[error("no answer in time")]
    TimedOut,
    /// No name server could be reached.
    #[error("no server could be asked")]
    Unreachable,
    /// The response code SERVFAIL.
    #[error("the server failed")]
    ServFail,
    /// The server gave a response code other than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// The answer cannot be used: it is malformed, or truncated over TCP too.
    #[error("the answer cannot be used")]
    Unusable,
    /// The look-up needs more questions than the bound.
    #[error("too many questions")]
    TooManyQuestions,
    /// No answer had a signature: a server on the way removes them.
    #[error("signatures are left out")]
    Stripped,
    /// The validator gave up at its maximum depth.
    #[error("the validation gave up")]
    GaveUp,
}

impl LookFailure {
    /// The stable code of the failure.
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

/// The answers of one resolver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolverAnswers {
    /// True if it was configured as a validating resolver over a trusted path.
    pub configured: bool,
    /// The reply to the SOA query for the root. A validating resolver sets AD.
    pub root: ResolverReply,
    /// The replies to the SOA query for the name.
    pub zone: PairedReplies,
    /// The replies to the A query for the name.
    pub address: PairedReplies,
}

/// The replies to one question, with and without validation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedReplies {
    /// The reply with validation (CD=0).
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
