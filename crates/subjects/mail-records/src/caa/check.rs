//! The climb to the properties that count, and whether they permit a request (RFC 8659, 3 and 4).

use dns::{Caa, Dns, Failure, Kind, Name};
use futures_util::future::join_all;
use serde::Serialize;

use super::property::{Authority, Property};

/// How many names are asked at a time on the way up; most names need no second turn.
const AT_ONCE: usize = 8;

/// Who asks to issue for what.
#[derive(Clone, Copy, Debug)]
pub struct IssuanceRequest<'a> {
    /// The name; a wildcard where its first label is `*`.
    pub domain: &'a Name,
    /// The issuer's domain.
    pub issuer: &'a str,
    /// How control of the name is proven, as ACME calls it (`http-01`).
    pub method: Option<&'a str>,
    /// The account that asks.
    pub account_uri: Option<&'a str>,
}

/// Where the properties that count are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RelevantSet {
    /// At the nearest name upwards that has any.
    At {
        /// The name.
        name: Name,
        /// Its properties.
        properties: Vec<Caa>,
    },
    /// Nowhere: every issuer may issue.
    Nowhere,
    /// A look-up failed before any were found, and may hide some.
    Unknown {
        /// What was looked up.
        name: Name,
        /// How it failed.
        failure: Failure,
    },
}

/// Whether a request is permitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaaDecision {
    /// It is.
    Permitted,
    /// It is not.
    Refused(CaaRefusal),
    /// It cannot be told.
    Unknown(Failure),
}

/// Why a request is not permitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CaaRefusal {
    /// A critical property that issuers do not know.
    #[error("a critical property is not known")]
    UnknownCritical,
    /// No property permits this issuer, account and method.
    #[error("no property permits this issuer, account and method")]
    NotNamed,
}

/// What a request came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaaCheck {
    /// Whether it is permitted.
    pub decision: CaaDecision,
    /// Where the properties are that decided it.
    pub found_at: Option<Name>,
    /// These properties, in the order in which they came.
    pub properties: Vec<Property>,
}

/// Checks a request.
pub async fn check(dns: &dyn Dns, request: &IssuanceRequest<'_>) -> CaaCheck {
    match relevant_set(dns, request.domain).await {
        RelevantSet::At { name, properties } => {
            let properties: Vec<Property> = properties.iter().map(Property::read).collect();
            let decision = permits(&properties, request);
            CaaCheck { decision, found_at: Some(name), properties }
        }
        RelevantSet::Nowhere => {
            CaaCheck { decision: CaaDecision::Permitted, found_at: None, properties: Vec::new() }
        }
        RelevantSet::Unknown { failure, .. } => {
            CaaCheck { decision: CaaDecision::Unknown(failure), found_at: None, properties: Vec::new() }
        }
    }
}

/// Finds the properties that count for a name: its own, else those of the nearest name above. A wildcard's are those of
/// the name that it stands below.
pub async fn relevant_set(dns: &dyn Dns, domain: &Name) -> RelevantSet {
    let names: Vec<Name> = std::iter::successors(Some(domain.clone()), Name::parent)
        .filter(|name| name.labels().next() != Some("*"))
        .collect();
    for names in names.chunks(AT_ONCE) {
        let answers = join_all(names.iter().map(|name| dns.look_up(name, Kind::Caa))).await;
        for (name, answer) in names.iter().zip(answers) {
            match answer.properties().records() {
                Ok(properties) if properties.is_empty() => {}
                Ok(properties) => return RelevantSet::At { name: name.clone(), properties },
                Err(failure) => return RelevantSet::Unknown { name: name.clone(), failure },
            }
        }
    }
    RelevantSet::Nowhere
}

/// Whether the properties that count permit a request.
#[must_use]
pub fn permits(properties: &[Property], request: &IssuanceRequest<'_>) -> CaaDecision {
    if properties.iter().any(|property| matches!(property, Property::Other { critical: true, .. })) {
        return CaaDecision::Refused(CaaRefusal::UnknownCritical);
    }
    let of_issue: Vec<&Authority> = properties
        .iter()
        .filter_map(|property| if let Property::Issue(authority) = property { Some(authority) } else { None })
        .collect();
    let of_issuewild: Vec<&Authority> = properties
        .iter()
        .filter_map(
            |property| if let Property::IssueWild(authority) = property { Some(authority) } else { None },
        )
        .collect();
    let wildcard = request.domain.labels().next() == Some("*");
    let authorities = if wildcard && !of_issuewild.is_empty() { of_issuewild } else { of_issue };
    let IssuanceRequest { issuer, method, account_uri, .. } = *request;
    let named = authorities.iter().any(|authority| authority.permits(issuer, method, account_uri));
    if named || authorities.is_empty() {
        CaaDecision::Permitted
    } else {
        CaaDecision::Refused(CaaRefusal::NotNamed)
    }
}
