//! A domain object (RFC 9083, section 5.3), with the members that matter for trust.

use receipt::Timestamp;
use receipt::json::{Json, Object};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::date;
use super::error::{RdapError, document, member};
use crate::DomainName;

/// The most bytes of an answer. Real answers have about 10,000.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;
/// The most elements of a list that are kept, and characters of a text.
const MAX_LISTED: usize = 64;
const MAX_TEXT_CHARS: usize = 256;
const DOMAIN: &str = "a domain object";

/// A registration, as the registry describes it. A member is absent if the registry did not give it, or not in a form
/// that can be read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Registration {
    /// The domain in A-labels, in lower case.
    pub name: Option<String>,
    /// End of the registration; the earliest where several dates are given.
    #[schemars(with = "Option<String>")]
    pub expiration: Option<Timestamp>,
    /// First registration; the latest where several dates are given.
    #[schemars(with = "Option<String>")]
    pub registration: Option<Timestamp>,
    /// Registration after the first, or restoration after a deletion (RFC 9083 section 10.2.3); the latest where
    /// several dates are given.
    #[schemars(with = "Option<String>")]
    #[serde(default)]
    pub reregistration: Option<Timestamp>,
    /// Last transfer to another registrar (RFC 9083 section 10.2.3); the latest where several dates are given. The
    /// holder may or may not have changed with it.
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Timestamp>,
    /// Last change of the registration; the latest where several dates are given.
    #[schemars(with = "Option<String>")]
    pub last_changed: Option<Timestamp>,
    /// The states that the domain is in, as the registry spells them. [`Registration::has_status`] compares them.
    pub status: Vec<String>,
    /// Through whom it was registered.
    pub registrar: Option<Registrar>,
    /// Names of the members that the answer leaves out (RFC 9537).
    pub redacted: Vec<String>,
    /// True if the parent zone holds a DS record.
    pub delegation_signed: Option<bool>,
}

/// The registrar of a domain (RFC 9083 section 5.1).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Registrar {
    /// Name of the registrar, as the registry gives it.
    pub name: Option<String>,
    /// The number that IANA gave it.
    pub iana_id: Option<String>,
}

/// A state that forbids a change of the registration (RFC 5731 section 2.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// The registrar forbids the deletion.
    ClientDelete,
    /// The registrar forbids the transfer to another registrar.
    ClientTransfer,
    /// The registrar forbids other changes.
    ClientUpdate,
    /// The registry forbids the deletion.
    ServerDelete,
    /// The registry forbids the transfer to another registrar.
    ServerTransfer,
    /// The registry forbids other changes.
    ServerUpdate,
}

impl Lock {
    /// All locks.
    pub const ALL: [Self; 6] = [
        Self::ClientDelete,
        Self::ClientTransfer,
        Self::ClientUpdate,
        Self::ServerDelete,
        Self::ServerTransfer,
        Self::ServerUpdate,
    ];

    /// Returns the state in the words of RDAP (RFC 8056).
    #[must_use]
    pub fn status(self) -> &'static str {
        match self {
            Self::ClientDelete => "client delete prohibited",
            Self::ClientTransfer => "client transfer prohibited",
            Self::ClientUpdate => "client update prohibited",
            Self::ServerDelete => "server delete prohibited",
            Self::ServerTransfer => "server transfer prohibited",
            Self::ServerUpdate => "server update prohibited",
        }
    }

    /// Returns true if only the registry can remove the lock, by a procedure outside the registrar's account.
    #[must_use]
    pub fn is_by_registry(self) -> bool {
        matches!(self, Self::ServerDelete | Self::ServerTransfer | Self::ServerUpdate)
    }
}

impl Registration {
    /// Reads an answer.
    ///
    /// # Errors
    /// [`RdapError`]: the answer is not a domain object, or a member that matters occurs twice.
    pub fn parse(bytes: &[u8]) -> Result<Self, RdapError> {
        let document = document(bytes, MAX_ANSWER_BYTES)?;
        let object = document.as_object().ok_or(RdapError::WrongKind(DOMAIN))?;
        if let Some(code) = member(object, "errorCode")? {
            return Err(RdapError::Refused(code.as_number().and_then(|code| code.as_u64()).unwrap_or(0)));
        }
        let class = member(object, "objectClassName")?.and_then(Json::as_str);
        if !class.is_some_and(|class| class.eq_ignore_ascii_case("domain")) {
            return Err(RdapError::WrongKind(DOMAIN));
        }
        let name = member(object, "ldhName")?.and_then(Json::as_str);
        let events = events(object)?;
        let dates =
            |action: &'static str| events.iter().filter(move |(own, _)| own == action).map(|(_, at)| *at);
        Ok(Self {
            name: name.map(|name| short(name.trim_end_matches('.')).to_ascii_lowercase()),
            expiration: dates("expiration").min(),
            registration: dates("registration").max(),
            reregistration: dates("reregistration").chain(dates("reinstantiation")).max(),
            transfer: dates("transfer").max(),
            last_changed: dates("last changed").max(),
            status: list(object, "status").filter_map(Json::as_str).map(short).collect(),
            registrar: registrar(object),
            redacted: list(object, "redacted").filter_map(redacted_name).collect(),
            delegation_signed: object
                .get("secureDNS")
                .and_then(|dns| dns.get("delegationSigned"))
                .and_then(Json::as_bool),
        })
    }

    /// The earliest time from which the present holder may have had the domain: the latest registration or
    /// re-registration. `None` where the answer has neither.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        self.registration.max(self.reregistration)
    }

    /// Returns true if the domain is in this state, given in the words of RDAP (`client hold`, RFC 8056). The registry
    /// may spell it so, or as EPP does (`clientHold`, RFC 5731).
    #[must_use]
    pub fn has_status(&self, state: &str) -> bool {
        self.status.iter().any(|own| letters(own).eq(letters(state)))
    }

    /// Returns true if a transfer to another registrar was asked for and has not ended (`pending transfer`, RFC 8056).
    #[must_use]
    pub fn is_transfer_pending(&self) -> bool {
        self.has_status("pending transfer")
    }

    /// Returns the locks that are set, each once, in the order of [`Lock::ALL`]. Registries outside EPP have states of
    /// their own, so an empty list does not show that changes are permitted.
    #[must_use]
    pub fn locks(&self) -> Vec<Lock> {
        Lock::ALL.into_iter().filter(|lock| self.has_status(lock.status())).collect()
    }

    /// Returns true if the answer is about `domain`. An answer without a name is assumed to be about the requested
    /// domain.
    #[must_use]
    pub fn is_about(&self, domain: &DomainName) -> bool {
        self.name.as_deref().is_none_or(|name| DomainName::parse(name).is_ok_and(|name| name == *domain))
    }
}

/// Events: actions in lower case, and the dates that can be read.
fn events(object: &Object) -> Result<Vec<(String, Timestamp)>, RdapError> {
    let events = member(object, "events")?.and_then(Json::as_array).unwrap_or_default();
    let mut dated = Vec::new();
    for event in events.iter().filter_map(Json::as_object).take(MAX_LISTED) {
        let action = member(event, "eventAction")?.and_then(Json::as_str);
        let at = member(event, "eventDate")?.and_then(Json::as_str).and_then(date::read);
        if let (Some(action), Some(at)) = (action, at) {
            dated.push((action.trim().to_ascii_lowercase(), at));
        }
    }
    Ok(dated)
}

fn registrar(object: &Object) -> Option<Registrar> {
    let is_registrar = |entity: &&Json| {
        let roles = entity.get("roles").and_then(Json::as_array).unwrap_or_default();
        roles.iter().filter_map(Json::as_str).any(|role| role.eq_ignore_ascii_case("registrar"))
    };
    let entity = list(object, "entities").find(is_registrar)?;
    let ids = entity.get("publicIds").and_then(Json::as_array).unwrap_or_default();
    let iana = ids.iter().take(MAX_LISTED).find(|id| {
        id.get("type")
            .and_then(Json::as_str)
            .is_some_and(|kind| kind.eq_ignore_ascii_case("IANA Registrar ID"))
    });
    let number =
        |id: &Json| id.as_number().and_then(|number| number.as_u64()).map(|number| number.to_string());
    let iana_id = iana.and_then(|id| id.get("identifier"));
    let iana_id = iana_id.and_then(|id| id.as_str().map(short).or_else(|| number(id)));
    Some(Registrar { name: card_name(entity), iana_id })
}

/// The `fn` property of a jCard (RFC 7095), else `org`.
fn card_name(entity: &Json) -> Option<String> {
    let card = entity.get("vcardArray").and_then(Json::as_array)?.get(1)?.as_array()?;
    let value = |property: &str| {
        let found = card.iter().take(MAX_LISTED).filter_map(Json::as_array).find(|own| {
            own.first().and_then(Json::as_str).is_some_and(|name| name.eq_ignore_ascii_case(property))
        });
        found?.get(3)?.as_str().filter(|text| !text.is_empty()).map(short)
    };
    value("fn").or_else(|| value("org"))
}

fn redacted_name(entry: &Json) -> Option<String> {
    let name = entry.get("name")?;
    name.get("description").or_else(|| name.get("type")).and_then(Json::as_str).map(short)
}

fn list<'a>(object: &'a Object, name: &str) -> impl Iterator<Item = &'a Json> {
    object.get(name).and_then(Json::as_array).unwrap_or_default().iter().take(MAX_LISTED)
}

/// The letters of a state in lower case: `client hold` and `clientHold` have the same.
fn letters(state: &str) -> impl Iterator<Item = u8> + '_ {
    state.bytes().filter(u8::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase())
}

fn short(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANSWER: &str = r#"{"objectClassName":"domain","ldhName":"EXAMPLE.com.","status":["active","client hold"],
        "events":[{"eventAction":"Expiration","eventDate":"2031-01-01T00:00:00Z"},{"eventAction":"registration",
        "eventDate":"1997-06-03"},{"eventAction":"expiration","eventDate":"2030-01-01T02:00:00+02:00"},
        {"eventAction":"last changed","eventDate":"never"},{"eventAction":"registrar expiration",
        "eventDate":"2020-01-01T00:00:00Z"},7],"secureDNS":{"delegationSigned":true},
        "entities":[{"roles":["registrant"]},{"roles":["registrar"],"publicIds":[{"type":"IANA Registrar ID",
        "identifier":"1606"}],"vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Reg & Co"]]]}],
        "redacted":[{"name":{"description":"Registrant Name"}},{"name":{"type":"Tech Email"}},{}]}"#;

    #[test]
    fn an_answer_says_when_and_through_whom() {
        let read = Registration::parse(ANSWER.as_bytes()).unwrap();
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        assert_eq!(read.name.as_deref(), Some("example.com"));
        assert_eq!(text(read.expiration).as_deref(), Some("2030-01-01T00:00:00.000Z"), "the earliest");
        assert_eq!(text(read.registration).as_deref(), Some("1997-06-03T00:00:00.000Z"));
        assert_eq!(read.last_changed, None);
        assert_eq!(read.status, ["active", "client hold"]);
        let registrar = Registrar { name: Some("Reg & Co".to_owned()), iana_id: Some("1606".to_owned()) };
        assert_eq!(read.registrar, Some(registrar));
        assert_eq!(read.redacted, ["Registrant Name", "Tech Email"]);
        assert_eq!(read.delegation_signed, Some(true));
        assert!(read.is_about(&DomainName::parse("example.com").unwrap()));
        assert!(!read.is_about(&DomainName::parse("example.net").unwrap()));
    }

    #[test]
    fn a_domain_that_was_registered_again_is_as_young_as_that() {
        let of = |events: &[(&str, &str)]| {
            let events = events.iter().map(|(action, date)| {
                format!(r#"{{"eventAction":"{action}","eventDate":"{date}T00:00:00Z"}}"#)
            });
            let events = events.collect::<Vec<_>>().join(",");
            let text = format!(r#"{{"objectClassName":"domain","events":[{events}]}}"#);
            let read = Registration::parse(text.as_bytes()).unwrap();
            read.since().map(|at| at.to_string()[..10].to_owned())
        };
        let first = ("registration", "1997-06-03");
        assert_eq!(of(&[first]).as_deref(), Some("1997-06-03"));
        assert_eq!(of(&[first, ("reregistration", "2026-11-20")]).as_deref(), Some("2026-11-20"));
        assert_eq!(of(&[("Reregistration", "2026-11-20")]).as_deref(), Some("2026-11-20"));
        assert_eq!(of(&[first, ("reinstantiation", "2026-11-19")]).as_deref(), Some("2026-11-19"));
        assert_eq!(of(&[first, ("reregistration", "1990-01-01")]).as_deref(), Some("1997-06-03"));
        assert_eq!(
            of(&[first, ("transfer", "2026-11-20"), ("last changed", "2026-11-20")]).as_deref(),
            Some("1997-06-03")
        );
        assert_eq!(of(&[("transfer", "2026-11-20")]), None);
    }

    fn date(at: Option<Timestamp>) -> Option<String> {
        at.map(|at| at.to_string()[..10].to_owned())
    }

    #[test]
    fn a_thin_registry_s_answer_gives_each_event_on_its_own() {
        // The shape of Verisign's registry: RDAP states, a registrar as an entity with a number.
        let text = r#"{"objectClassName":"domain","handle":"1_DOMAIN_COM-VRSN","ldhName":"SHOP.EXAMPLE",
            "status":["client transfer prohibited","server delete prohibited","client transfer prohibited"],
            "entities":[{"objectClassName":"entity","handle":"292","roles":["registrar"],"publicIds":[{"type":
            "IANA Registrar ID","identifier":"292"}],"vcardArray":["vcard",[["version",{},"text","4.0"],
            ["fn",{},"text","Registrar Inc."]]],"entities":[{"objectClassName":"entity","roles":["abuse"]}]}],
            "events":[{"eventAction":"registration","eventDate":"2004-01-02T03:04:05Z"},{"eventAction":"expiration",
            "eventDate":"2030-01-02T03:04:05Z"},{"eventAction":"last changed","eventDate":"2025-12-01T09:00:00Z"},
            {"eventAction":"last update of RDAP database","eventDate":"2026-11-21T00:00:00Z"}]}"#;
        let read = Registration::parse(text.as_bytes()).unwrap();
        assert_eq!(read.locks(), [Lock::ClientTransfer, Lock::ServerDelete]);
        assert_eq!((read.transfer, read.reregistration), (None, None));
        assert_eq!(date(read.last_changed).as_deref(), Some("2025-12-01"), "and not that of the database");
        assert_eq!(read.registrar.unwrap().iana_id.as_deref(), Some("292"));
    }

    #[test]
    fn a_transfer_and_a_second_registration_are_dates_of_their_own() {
        // The shape of Identity Digital's and of Nominet's registries: both kinds of spelling of states.
        let text = r#"{"objectClassName":"domain","ldhName":"shop.example","status":["pendingTransfer","Server Update Prohibited",
            "clientUpdateProhibited"],"events":[{"eventAction":"registration","eventDate":"2004-01-02"},
            {"eventAction":"transfer","eventDate":"2019-05-06T00:00:00.5Z"},{"eventAction":"Transfer","eventDate":
            "2026-10-30T00:00:00Z"},{"eventAction":"reregistration","eventDate":"2018-01-01"},{"eventAction":"last changed",
            "eventDate":"2026-11-01T10:00:00+01:00"}],"entities":[{"roles":["Registrar"],"publicIds":[{"type":
            "iana registrar id","identifier":1606}],"vcardArray":["vcard",[["org",{},"text","Reg Ltd"]]]}]}"#;
        let read = Registration::parse(text.as_bytes()).unwrap();
        assert_eq!(date(read.transfer).as_deref(), Some("2026-10-30"), "the latest");
        assert_eq!(date(read.reregistration).as_deref(), Some("2018-01-01"));
        assert_eq!(date(read.last_changed).as_deref(), Some("2026-11-01"));
        assert_eq!(
            date(read.since()).as_deref(),
            Some("2018-01-01"),
            "a transfer alone makes nothing younger"
        );
        assert!(read.is_transfer_pending() && read.has_status("pending transfer"));
        assert_eq!(read.locks(), [Lock::ClientUpdate, Lock::ServerUpdate]);
        assert!(Lock::ServerUpdate.is_by_registry() && !Lock::ClientUpdate.is_by_registry());
        let registrar = Registrar { name: Some("Reg Ltd".to_owned()), iana_id: Some("1606".to_owned()) };
        assert_eq!(read.registrar, Some(registrar));
    }

    #[test]
    fn an_answer_with_little_in_it_gives_what_it_has() {
        // The shape of some national registries: words of their own, no numbers, a registrar without a card.
        let text = r#"{"objectClassName":"domain","ldhName":"shop.example","status":["active"],"events":[
            {"eventAction":"registration"},{"eventAction":"transfer","eventDate":"yesterday"}],
            "entities":[{"roles":["registrar"],"publicIds":[{"type":"Local ID","identifier":"7"}]}]}"#;
        let read = Registration::parse(text.as_bytes()).unwrap();
        assert_eq!((read.since(), read.transfer, read.last_changed), (None, None, None));
        assert!(read.locks().is_empty() && !read.is_transfer_pending());
        assert_eq!(read.registrar, Some(Registrar::default()));
    }

    #[test]
    fn what_is_no_answer_about_a_domain_is_refused_by_its_code() {
        let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
        for (text, code) in [
            ("", "not_json"),
            ("<html>", "not_json"),
            ("[]", "wrong_kind"),
            ("{}", "wrong_kind"),
            (r#"{"objectClassName":"entity"}"#, "wrong_kind"),
            (r#"{"errorCode":404,"objectClassName":"domain"}"#, "server_error"),
            (r#"{"objectClassName":"domain","events":[],"events":[]}"#, "duplicate_member"),
            (
                r#"{"objectClassName":"domain","events":[{"eventAction":"expiration","eventDate":"2020-01-01","eventDate":"2030-01-01"}]}"#,
                "duplicate_member",
            ),
            (deep.as_str(), "too_deep"),
        ] {
            assert_eq!(Registration::parse(text.as_bytes()).unwrap_err().code(), code, "{text}");
        }
        let large = vec![b' '; 10 << 20];
        assert_eq!(Registration::parse(&large), Err(RdapError::TooLarge(MAX_ANSWER_BYTES)));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..ANSWER.len()) {
            let _ = Registration::parse(&bytes);
            let mut torn = ANSWER.as_bytes().to_vec();
            torn.splice(at..at, bytes);
            let _ = Registration::parse(&torn);
            let _ = Registration::parse(&ANSWER.as_bytes()[..at]);
        }
    }
}
