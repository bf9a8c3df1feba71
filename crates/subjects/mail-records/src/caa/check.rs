//! The relevant record set of a name, and the decision on a request by it (RFC 8659, 3 and 4).

use dns::{Caa, Dns, Failure, Kind, Name};
use futures_util::future::join_all;
use serde::Serialize;

use super::property::{Authority, Property};

/// Number of names that are asked at a time on the way up; most names need no second turn.
const AT_ONCE: usize = 8;

/// A request to issue a certificate for a name.
#[derive(Clone, Copy, Debug)]
pub struct IssuanceRequest<'a> {
    /// The name; its first label is `*` for a wildcard certificate.
    pub domain: &'a Name,
    /// The domain that names the issuer in CAA records.
    pub issuer: &'a str,
    /// The ACME method that proves control of the name, such as `http-01`; `None` where it is unknown.
    pub method: Option<&'a str>,
    /// The URI of the ACME account of the request; `None` where it is unknown.
    pub account_uri: Option<&'a str>,
}

/// The relevant resource record set of a name (RFC 8659, 3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RelevantSet {
    /// The properties at the nearest name that has any, from the name upwards.
    At {
        /// The name that has the properties.
        name: Name,
        /// The properties there.
        properties: Vec<Caa>,
    },
    /// No name has properties, so every issuer may issue.
    Nowhere,
    /// A look-up failed before any properties were found, and there may be some.
    Unknown {
        /// The name that was looked up.
        name: Name,
        /// The reason of the failure.
        failure: Failure,
    },
}

/// The decision on a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaaDecision {
    /// The request is permitted.
    Permitted,
    /// The request is not permitted, for this reason.
    Refused(CaaRefusal),
    /// The decision is unknown, because a look-up failed.
    Unknown(Failure),
}

/// Reason why a request is not permitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum CaaRefusal {
    /// The set has a critical property that issuers do not know.
    #[error("a critical property is not known")]
    UnknownCritical,
    /// No property permits this issuer, account and method.
    #[error("no property permits this issuer, account and method")]
    NotNamed,
}

/// A decision on a request, and the record set on which it is based.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaaCheck {
    /// Decision on the request.
    pub decision: CaaDecision,
    /// The name whose properties decided; `None` where there are no properties.
    pub found_at: Option<Name>,
    /// The properties that decided, in the order of the answer.
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

/// Finds the relevant properties of a name: its own, or otherwise those of the nearest name above. A wildcard has those
/// of the name below which it is.
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
