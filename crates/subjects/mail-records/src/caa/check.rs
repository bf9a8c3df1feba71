//! The relevant record set of a name, and the decision on a request by it (RFC 8659, 3 and 4).

use dns::{Caa, Dns, Failure, Kind, Name};
use futures_util::future::join_all;
use serde::Serialize;

use super::property::{Authority, Property};

/// Number of names that are asked at a time on the way up; most names need no second turn.
const AT_ONCE: usize = 8;

/// A request to issue a certificate.
#[derive(Clone, Copy, Debug)]
pub struct IssuanceRequest<'a> {
    /// The name; a wildcard where its first label is `*`.
    pub domain: &'a Name,
    /// Domain by which CAA records name the issuer.
    pub issuer: &'a str,
    /// Method by which control of the name is proven, as ACME names it (`http-01`).
    pub method: Option<&'a str>,
    /// The account that asks.
    pub account_uri: Option<&'a str>,
}

/// The relevant resource record set of a name (RFC 8659, 3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RelevantSet {
    /// The properties at the nearest name upwards that has any.
    At {
        /// The name.
        name: Name,
        /// The properties there.
        properties: Vec<Caa>,
    },
    /// Nowhere: every issuer may issue.
    Nowhere,
    /// A look-up failed before any were found, and may hide some.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// Reason of the failure.
        failure: Failure,
    },
}

/// Decision on a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaaDecision {
    /// The request is permitted.
    Permitted,
    /// The request is not permitted.
    Refused(CaaRefusal),
    /// The decision is unknown, since a look-up failed.
    Unknown(Failure),
}

/// Reason why a request is not permitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CaaRefusal {
    /// A critical property that issuers do not know.
    #[error("a critical property is not known")]
    UnknownCritical,
    /// There is no property that permits this issuer, account and method.
    #[error("no property permits this issuer, account and method")]
    NotNamed,
}

/// A decision on a request, and the record set that it is made on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaaCheck {
    /// Decision on the request.
    pub decision: CaaDecision,
    /// The name whose properties decided it; `None` where there are none.
    pub found_at: Option<Name>,
    /// These properties, in the order in which they came.
    pub properties: Vec<Property>,
}

/// Looks up the relevant record set of a name, and decides on a request by it.
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

/// Decides on a request by the relevant properties.
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
