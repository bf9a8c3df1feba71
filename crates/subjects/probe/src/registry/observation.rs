//! Observations of registrations, as they are stored as evidence.

use domain_name::DomainName;
use domain_name::rdap::{Expiry, RdapError, Registration};
use receipt::Timestamp;
use receipt::hash::sha256;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::answer_cache::Answer;
use crate::site::ProbeFailure;

/// Maximum size of an answer that is kept verbatim, in bytes.
pub const MAX_KEPT_BYTES: usize = 64 << 10;

/// Observation of a registration, as plain data. Every statement about the registration is derived from it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RegistryObservation {
    /// The name of the query.
    pub name: DomainName,
    /// Publication date of the list of services, as the list states it; `None` if it states none.
    pub list: Option<String>,
    /// Result of the query.
    pub end: RegistryResult,
    /// Time of the result, which may be minutes before the look because answers are cached. `None` if no query was
    /// sent, and in evidence from before answers were cached.
    pub observed_at: Option<Timestamp>,
    /// Duration of the query, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a query to a registry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegistryResult {
    /// The top-level domain has no service, by a complete and recent list.
    NoService,
    /// The service of the top-level domain is unknown; it may exist.
    ServiceUnknown,
    /// No query was sent, because the service had asked for a pause.
    Busy {
        /// The URL that would have been asked.
        url: Url,
        /// End of the pause.
        until: Timestamp,
    },
    /// The service answered.
    Answered {
        /// The URL that answered.
        url: Url,
        /// The status.
        status: u16,
        /// The answer; absent where the status is no success.
        answer: Option<RdapAnswer>,
    },
    /// The query failed.
    Failed {
        /// The URL that was asked last.
        url: Url,
        /// Reason of the failure.
        unseen: ProbeFailure,
    },
}

/// A registry's answer, as it is kept in evidence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RdapAnswer {
    /// The answer verbatim.
    Text(String),
    /// The parsed content of an answer of more than [`MAX_KEPT_BYTES`], and the SHA-256 of the whole answer in hex.
    Read {
        /// The registration that was read from it.
        registration: Box<Registration>,
        /// The hash.
        sha256: String,
    },
    /// An answer that cannot be parsed: the reason, and the SHA-256 of the whole answer in hex.
    Unreadable {
        /// The code of the [`RdapError`].
        code: String,
        /// The hash.
        sha256: String,
    },
}

/// The registration, or the reason why it is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KnownRegistration {
    /// The registration that the registry gave.
    Registration(Box<Registration>),
    /// The top-level domain has no service.
    NoService,
    /// The registration is unknown, for the reason with this stable code.
    Unknown(&'static str),
}

impl RdapAnswer {
    pub(crate) fn keep(bytes: &[u8]) -> Self {
        let hash = || hex::encode(sha256(bytes));
        match (std::str::from_utf8(bytes), Registration::parse(bytes)) {
            (Ok(text), Ok(_)) if bytes.len() <= MAX_KEPT_BYTES => Self::Text(text.to_owned()),
            (_, Ok(registration)) => Self::Read { registration: Box::new(registration), sha256: hash() },
            (_, Err(error)) => Self::Unreadable { code: error.code().to_owned(), sha256: hash() },
        }
    }
}

impl Answer for RegistryObservation {
    /// 404 is an answer, too.
    fn is_told(&self) -> bool {
        matches!(self.end, RegistryResult::Answered { status: 404, .. })
            || matches!(self.found(), KnownRegistration::Registration(_))
    }
}

impl RegistryObservation {
    /// Returns true if a repeated query may bring an answer that this one did not.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        match &self.end {
            RegistryResult::NoService | RegistryResult::ServiceUnknown => false,
            RegistryResult::Busy { .. } => true,
            RegistryResult::Answered { status, .. } => *status == 429 || *status >= 500,
            RegistryResult::Failed { unseen, .. } => !unseen.is_the_site_s(),
        }
    }

    /// Returns the registration, or the reason why it is not known.
    #[must_use]
    pub fn found(&self) -> KnownRegistration {
        let answer = match &self.end {
            RegistryResult::NoService => return KnownRegistration::NoService,
            RegistryResult::ServiceUnknown => return KnownRegistration::Unknown("service_unknown"),
            RegistryResult::Busy { .. } => return KnownRegistration::Unknown("registry_busy"),
            RegistryResult::Failed { unseen, .. } => return KnownRegistration::Unknown(unseen.code()),
            RegistryResult::Answered { answer: Some(answer), .. } => answer,
            // RFC 7480 section 5.3: the registry has nothing about it.
            RegistryResult::Answered { status: 404, .. } => {
                return KnownRegistration::Unknown("not_registered");
            }
            RegistryResult::Answered { status: 429, .. } => {
                return KnownRegistration::Unknown("rate_limited");
            }
            RegistryResult::Answered { status: 500.., .. } => {
                return KnownRegistration::Unknown("server_error");
            }
            RegistryResult::Answered { .. } => return KnownRegistration::Unknown("error_status"),
        };
        let registration = match answer {
            RdapAnswer::Text(text) => match Registration::parse(text.as_bytes()) {
                Ok(registration) => registration,
                Err(error) => return KnownRegistration::Unknown(error.code()),
            },
            RdapAnswer::Read { registration, .. } => (**registration).clone(),
            RdapAnswer::Unreadable { code, .. } => return KnownRegistration::Unknown(known(code)),
        };
        if registration.is_about(&self.name) {
            KnownRegistration::Registration(Box::new(registration))
        } else {
            KnownRegistration::Unknown("another_domain")
        }
    }
}

/// The code as the rules know it.
fn known(code: &str) -> &'static str {
    let codes = RdapError::CODES.iter().copied();
    codes.into_iter().find(|known| *known == code).unwrap_or("unreadable")
}

impl KnownRegistration {
    /// Returns the facts from which the end of the registration is checked.
    #[must_use]
    pub fn expiry(&self) -> Expiry<'_> {
        match self {
            Self::Registration(registration) => Expiry::Answered(registration),
            Self::NoService => Expiry::NoService,
            Self::Unknown(reason) => Expiry::Failed(reason),
        }
    }

    /// Returns the time of the domain's latest registration; `None` if it is not known.
    #[must_use]
    pub fn registered_at(&self) -> Option<Timestamp> {
        match self {
            Self::Registration(registration) => registration.since(),
            Self::NoService | Self::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_from_before_transfers_were_read_is_still_read_and_written_the_same() {
        let stored = concat!(
            r#"{"name":"example.com","list":null,"end":{"answered":{"url":"https://rdap.example/","status":200,"#,
            r#""answer":{"read":{"registration":{"name":"example.com","expiration":null,"registration":null,"#,
            r#""reregistration":null,"last_changed":"2026-11-01T00:00:00.000Z","status":["active"],"#,
            r#""registrar":null,"redacted":[],"delegation_signed":null},"sha256":"00"}}}},"#,
            r#""observed_at":null,"elapsed_ms":7}"#,
        );
        let seen: RegistryObservation = serde_json::from_str(stored).unwrap();
        let KnownRegistration::Registration(registration) = seen.found() else { panic!("{seen:?}") };
        assert_eq!(registration.transfer, None);
        assert_eq!(serde_json::to_string(&seen).unwrap(), stored);
    }
}
