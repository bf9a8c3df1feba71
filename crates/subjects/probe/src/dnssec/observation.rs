//! What was seen: plain data, stored as evidence, from which a replay finds.

use dns::Failure;
use serde::{Deserialize, Serialize};

/// The most DS records, and the most keys, that are put down.
pub const MAX_RECORDS: usize = 16;
/// The most extended errors (RFC 8914) of one answer that are put down.
pub const MAX_ERRORS: usize = 8;

/// What the witnesses said of a name. Under 8 KiB as JSON, whatever a zone holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DnssecObservation {
    /// The name that was asked about.
    pub name: String,
    /// The zone that it is in; absent where no answer told.
    pub zone: Option<String>,
    /// Our own validation.
    pub validation: Validation,
    /// A resolver's word.
    pub resolver: ResolverAnswers,
    /// What the parent says of the zone, and the zone's keys.
    pub delegation: Delegation,
    /// How long it took: the only part that differs between two looks at the same.
    pub took: LookTimes,
}

/// Our own validation of two questions about the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Of SOA: the zone's own record, where the name is its apex; else the proof that the name is within the zone.
    pub zone: Proof,
    /// Of A: the name's addresses, or the proof that it has none.
    pub address: Proof,
}

/// What a validation came to (RFC 4033, section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The signatures hold, from the trust anchor down.
    Secure,
    /// It is proven that nothing is signed here.
    Insecure,
    /// It ought to be signed, and the signatures do not hold.
    Bogus,
    /// Nothing can be said.
    Indeterminate,
    /// It could not be carried out.
    Failed(LookFailure),
}

/// Why something could not be found out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum LookFailure {
    /// No answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// No server could be asked.
    #[error("no server could be asked")]
    Unreachable,
    /// SERVFAIL.
    #[error("the server failed")]
    ServFail,
    /// Another response code than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// An answer that cannot be used: malformed, or truncated for good.
    #[error("the answer cannot be used")]
    Unusable,
    /// More questions than one look may ask.
    #[error("too many questions")]
    TooManyQuestions,
    /// No answer carried a signature: whoever answers leaves them out.
    #[error("signatures are left out")]
    Stripped,
    /// The validation gave up, as hickory does at its maximum depth.
    #[error("the validation gave up")]
    GaveUp,
}

impl LookFailure {
    /// A stable code.
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

/// What a resolver says: one server, the same for all questions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolverAnswers {
    /// Whether it was configured as one that validates, over a path that can be trusted.
    pub configured: bool,
    /// Of the root's SOA: a resolver that validates says AD of it.
    pub root: ResolverReply,
    /// Of the name's SOA.
    pub zone: PairedReplies,
    /// Of the name's A.
    pub address: PairedReplies,
}

/// The same question, asked in two ways.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedReplies {
    /// The resolver was to check (CD=0).
    pub checked: ResolverReply,
    /// It was not to check (CD=1).
    pub unchecked: ResolverReply,
}

/// What came back on a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolverReply {
    /// An answer.
    Answered(ReplySummary),
    /// None that can be used.
    Failed(LookFailure),
}

/// What counts of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplySummary {
    /// The response code.
    pub rcode: u16,
    /// The flag AD: the server has checked it, or says so.
    pub authentic: bool,
    /// Whether it carried a signature.
    pub signed: bool,
    /// The extended errors' codes (RFC 8914), ascending.
    pub errors: Vec<u16>,
}

/// What the parent says of the zone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// Whether it has DS records of the zone.
    pub parent: Parent,
    /// Those records, ascending.
    pub ds: Vec<Ds>,
    /// The zone's keys, ascending.
    pub keys: Vec<Dnskey>,
}

/// Whether the parent has DS records of the zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// Yes, and their signatures hold.
    Found,
    /// Yes, but the parent is proven to be unsigned itself, so that they count for nothing.
    FoundInsecure,
    /// Yes, as the answer says.
    FoundUnproven,
    /// No: that is proven.
    None,
    /// No, as the answer says.
    NoneUnproven,
    /// It could not be asked.
    Failed(LookFailure),
}

/// A DS record (RFC 4034, section 5), without its digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ds {
    /// The key's tag.
    pub key_tag: u16,
    /// The key's algorithm.
    pub algorithm: u8,
    /// The digest's type.
    pub digest_type: u8,
}

/// A key (RFC 4034, section 2), without what it is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dnskey {
    /// Its tag.
    pub key_tag: u16,
    /// Its algorithm.
    pub algorithm: u8,
    /// Its flags: 257 for one that a DS record points at, 256 for one that signs the zone.
    pub flags: u16,
}

/// How long the parts took, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookTimes {
    /// Our own validation, and the parent's records, which it needs as well.
    pub validation_ms: u32,
    /// The resolver's word.
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
                zone: Proof::Failed(LookFailure::TooManyQuestions),
                address: Proof::Failed(LookFailure::TooManyQuestions),
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
