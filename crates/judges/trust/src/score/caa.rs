//! The check of CAA.

use mail_records::caa::{Property, RelevantSet};
use serde_json::json;

use super::zone_file::{RecordOwner, commented, line};
use super::{CaaIssuer, Check, CheckId, ModelVersion, Partial, Points};
use crate::records::Alias;

const CRITICAL: Partial = Partial { reason: "unknown_critical", points: Points::whole(4) };
const NOT_AUTHORIZED: Partial = Partial { reason: "issuer_not_authorized", points: Points::whole(4) };
const ANY_ISSUER: Partial = Partial { reason: "any_issuer", points: Points::whole(2) };

/// Reasons that earn some of the points.
pub(crate) const CAA_PARTIALS: &[Partial] = &[CRITICAL, NOT_AUTHORIZED, ANY_ISSUER];

/// Checks CAA (RFC 8659): the record set restricts the issuers of certificates, and permits `issuer`, the issuer of the
/// observed certificate; `None` if that issuer is not known. A certificate from before a change of the records is no
/// misissue, so an issuer that is not permitted is a warning. The parameters of RFC 8657 are in the evidence.
#[must_use]
pub fn caa(
    relevant: &RelevantSet,
    place: &RecordOwner<'_>,
    issuer: Option<&CaaIssuer>,
    model: ModelVersion,
) -> Check {
    let id = CheckId::Caa;
    let is_refused = |properties: &[Property]| {
        model != ModelVersion::V1 && issuer.is_some_and(|issuer| !permits(properties, issuer))
    };
    let issuer = issuer.map(CaaIssuer::domain);
    match relevant {
        RelevantSet::At { name, properties } => {
            let properties: Vec<Property> = properties.iter().map(Property::read).collect();
            let restricts = properties.iter().any(|property| matches!(property, Property::Issue(_)));
            let evidence = json!({ "found_at": name, "properties": properties });
            // `issuewild` restricts wildcards alone (RFC 8659, 4.3). An unknown critical property stops every issuer.
            let is_critical =
                properties.iter().any(|property| matches!(property, Property::Other { critical: true, .. }));
            let check = match (restricts, is_critical) {
                (true, _) if is_refused(&properties) => {
                    Check::partly(id, NOT_AUTHORIZED).with_remedy(remedy(relevant, place, issuer))
                }
                (true, _) => Check::pass(id, "issuers_restricted"),
                (false, true) => Check::partly(id, CRITICAL).with_remedy(remedy(relevant, place, issuer)),
                (false, false) => Check::partly(id, ANY_ISSUER).with_remedy(remedy(relevant, place, issuer)),
            };
            check.with_evidence(evidence)
        }
        RelevantSet::Nowhere => Check::fail(id, "no_record").with_remedy(remedy(relevant, place, issuer)),
        RelevantSet::Unknown { name, failure } => {
            Check::unknown(id, failure.code()).with_evidence(json!({ "failed_at": name }))
        }
    }
}

/// True if a record set with `issue` permits the issuer: by `issuewild` for wildcards where there is one, else by `issue`
/// (RFC 8659, 4.3).
fn permits(properties: &[Property], issuer: &CaaIssuer) -> bool {
    let named = |wild: bool| {
        properties.iter().filter_map(move |property| match property {
            Property::IssueWild(authority) if wild => Some(authority),
            Property::Issue(authority) if !wild => Some(authority),
            _ => None,
        })
    };
    let by_wildcard = issuer.is_wildcard && named(true).next().is_some();
    let is_its = |own: &str| issuer.domains.iter().any(|domain| domain == own);
    named(by_wildcard)
        .filter(|authority| authority.error.is_none())
        .any(|authority| authority.issuer.as_deref().is_some_and(is_its))
}

/// A property that belongs to the set that counts, since the nearest set hides all above it (RFC 8659, 3); where there is
/// none, or it is not the owner's, to the name that is.
fn remedy(relevant: &RelevantSet, place: &RecordOwner<'_>, issuer: Option<&str>) -> String {
    let owner = match relevant {
        RelevantSet::At { name, .. } if name.is_within(place.registrable) => name,
        _ => place.registrable,
    };
    let Some(issuer) = issuer else {
        return commented(&format!(
            "with the domain by which the issuer of the certificates is named; with \";\" where none may issue\n\
             {owner}. IN CAA 0 issue \"<issuer>\""
        ));
    };
    let comment = format!(
        "the issuer of the certificate that {} shows; with a line for every other one in use at {owner} and below it",
        place.name
    );
    let data = format!("CAA 0 issue \"{issuer}\"");
    if owner == place.name {
        place.record(&comment, &data)
    } else if owner == place.registrable {
        line(owner, &comment, &data)
    } else {
        // Whether a name between the two is an alias was not looked at.
        RecordOwner { name: owner, alias: &Alias::Unknown, ..*place }.record(&comment, &data)
    }
}

#[cfg(test)]
mod tests {
    use dns::{Caa, Failure, Name};

    use super::super::Status;
    use super::*;

    fn checked(properties: &[(u8, &str, &str)]) -> (Status, u32) {
        let name = Name::parse("example.com").unwrap();
        let properties = properties.iter().map(|&(flags, tag, value)| Caa {
            flags,
            tag: tag.as_bytes().to_vec(),
            value: value.as_bytes().to_vec(),
        });
        let place = RecordOwner { name: &name, registrable: &name, alias: &Alias::None };
        let check = caa(
            &RelevantSet::At { name: name.clone(), properties: properties.collect() },
            &place,
            None,
            ModelVersion::V2,
        );
        (check.status, check.points.as_hundredths())
    }

    #[test]
    fn only_what_restricts_every_issuer_passes() {
        assert_eq!(checked(&[(0, "issue", "letsencrypt.org")]), (Status::Pass, 800));
        assert_eq!(checked(&[(0, "issue", ";")]), (Status::Pass, 800));
        assert_eq!(checked(&[(0, "issuewild", ";")]), (Status::Warn, 200));
        assert_eq!(checked(&[(0, "iodef", "mailto:a@example.com")]), (Status::Warn, 200));
        assert_eq!(checked(&[(128, "unheard", "of")]), (Status::Warn, 400));
        let name = Name::parse("example.com").unwrap();
        let place = RecordOwner { name: &name, registrable: &name, alias: &Alias::None };
        assert_eq!(caa(&RelevantSet::Nowhere, &place, None, ModelVersion::V2).status, Status::Fail);
        let unknown = RelevantSet::Unknown { name: name.clone(), failure: Failure::ServFail };
        assert_eq!(caa(&unknown, &place, None, ModelVersion::V2).status, Status::Unknown);
    }

    #[test]
    fn the_issuer_of_the_certificate_is_held_against_the_records() {
        let name = Name::parse("example.com").unwrap();
        let place = RecordOwner { name: &name, registrable: &name, alias: &Alias::None };
        let checked = |properties: &[(&str, &str)], is_wildcard, model| {
            let properties = properties.iter().map(|&(tag, value)| Caa {
                flags: 0,
                tag: tag.as_bytes().to_vec(),
                value: value.as_bytes().to_vec(),
            });
            let set = RelevantSet::At { name: name.clone(), properties: properties.collect() };
            let domains = ["sectigo.com", "comodoca.com"].map(str::to_owned).to_vec();
            caa(&set, &place, Some(&CaaIssuer { domains, is_wildcard }), model).reason.into_owned()
        };
        let (restricted, refused) = ("issuers_restricted", "issuer_not_authorized");
        for (properties, is_wildcard, reason) in [
            (&[("issue", "sectigo.com")][..], false, restricted),
            (
                &[("issue", "letsencrypt.org"), ("issue", "comodoca.com; accounturi=https://a/1")],
                false,
                restricted,
            ),
            (&[("issue", ";")], false, refused),
            (&[("issue", "letsencrypt.org")], false, refused),
            (&[("issue", "letsencrypt.org"), ("issuewild", "sectigo.com")], true, restricted),
            (&[("issue", "letsencrypt.org"), ("issuewild", "sectigo.com")], false, refused),
            (&[("issue", "sectigo.com"), ("issuewild", ";")], true, refused),
        ] {
            assert_eq!(checked(properties, is_wildcard, ModelVersion::V2), reason, "{properties:?}");
            assert_eq!(checked(properties, is_wildcard, ModelVersion::V1), restricted, "{properties:?}");
        }
    }
}
