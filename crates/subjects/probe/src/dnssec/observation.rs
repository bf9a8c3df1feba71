//! Observations of DNSSEC: plain data, stored as evidence.

use dns::Failure;
use serde::{Deserialize, Serialize};

/// Maximum number of DS records, and of keys, in an observation.
pub const MAX_RECORDS: usize = 16;
/// Maximum number of extended errors (RFC 8914) of one answer in an observation.
pub const MAX_ERRORS: usize = 8;

/// An observation of DNSSEC for a name, from three sources. Its JSON is always shorter than 8 KiB.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DnssecObservation {
    /// The name of the look-up.
    pub name: String,
    /// The zone of the name; `None` if no answer showed it.
    pub zone: Option<String>,
    /// The results of the validation by this crate.
    pub validation: Validation,
    /// The answers of one recursive resolver.
    pub resolver: ResolverAnswers,
    /// The DS records of the zone in its parent, and the keys of the zone.
    pub delegation: Delegation,
    /// The durations of the look-ups, the only part in which two observations of the same state differ.
    pub took: LookTimes,
}

/// The results of the validation by this crate, for two questions about the name.
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
    /// The reply without validation (CD=1).
    pub unchecked: ResolverReply,
}

/// The reply of a resolver to one question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolverReply {
    /// An answer.
    Answered(ReplySummary),
    /// There was no reply, or it is unusable.
    Failed(LookFailure),
}

/// The parts of a reply from which the status is derived.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplySummary {
    /// Response code (RFC 6895).
    pub rcode: u16,
    /// The flag AD: the server states that it validated the answer (RFC 4035, section 3.2.3).
    pub authentic: bool,
    /// True if the answer carried a signature.
    pub signed: bool,
    /// Codes of the extended errors (RFC 8914), ascending, at most [`MAX_ERRORS`].
    pub errors: Vec<u16>,
}

/// The DS records of the zone in its parent, and the zone's keys.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// Result of the DS query to the parent.
    pub parent: Parent,
    /// The DS records, ascending, at most [`MAX_RECORDS`].
    pub ds: Vec<Ds>,
    /// The zone's keys, ascending, at most [`MAX_RECORDS`].
    pub keys: Vec<Dnskey>,
}

/// Result of a DS query to the parent zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// The records exist, and their signatures are valid.
    Found,
    /// The records exist, but the parent is proven to be unsigned, so they have no effect.
    FoundInsecure,
    /// The answer has the records, without proof.
    FoundUnproven,
    /// The records are proven not to exist.
    None,
    /// The answer has no records, without proof.
    NoneUnproven,
    /// The query to the parent failed.
    Failed(LookFailure),
}

/// A DS record (RFC 4034, section 5), without its digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ds {
    /// Key tag (RFC 4034, appendix B).
    pub key_tag: u16,
    /// Number of the key's algorithm, as registered at IANA.
    pub algorithm: u8,
    /// Number of the digest's type, as registered at IANA.
    pub digest_type: u8,
}

/// A DNSKEY record (RFC 4034, section 2), without its public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dnskey {
    /// Key tag (RFC 4034, appendix B).
    pub key_tag: u16,
    /// Number of the key's algorithm, as registered at IANA.
    pub algorithm: u8,
    /// Flags: 257 for a key signing key (SEP), to which a DS record refers, 256 for a zone signing key.
    pub flags: u16,
}

/// Durations of the parts of a look, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookTimes {
    /// Duration of the validation and of the parent's records, which it requires, in milliseconds.
    pub validation_ms: u32,
    /// Duration of the resolver's replies, in milliseconds.
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
