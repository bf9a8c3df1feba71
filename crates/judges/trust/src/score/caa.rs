//! The check of CAA.

use mail_records::caa::{Property, RelevantSet};
use serde_json::json;

use super::zone_file::{RecordOwner, commented, line};
use super::{Check, CheckId, Partial, Points};
use crate::records::Alias;

const CRITICAL: Partial = Partial { reason: "unknown_critical", points: Points::whole(4) };
const ANY_ISSUER: Partial = Partial { reason: "any_issuer", points: Points::whole(2) };

/// Reasons that earn some of the points.
pub(crate) const CAA_PARTIALS: &[Partial] = &[CRITICAL, ANY_ISSUER];

/// Checks CAA (RFC 8659): the record set restricts the issuers of certificates, and permits `issuer`, the issuer of the
/// observed certificate. `None` if that issuer is not known.
#[must_use]
pub fn caa(relevant: &RelevantSet, place: &RecordOwner<'_>, issuer: Option<&str>) -> Check {
    let id = CheckId::Caa;
    match relevant {
        RelevantSet::At { name, properties } => {
            let properties: Vec<Property> = properties.iter().map(Property::read).collect();
            let restricts = properties.iter().any(|property| matches!(property, Property::Issue(_)));
            let evidence = json!({ "found_at": name, "properties": properties });
            // `issuewild` restricts wildcards alone (RFC 8659, 4.3). An unknown critical property stops every issuer.
            let is_critical =
                properties.iter().any(|property| matches!(property, Property::Other { critical: true, .. }));
            let check = match (restricts, is_critical) {
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
        let check =
            caa(&RelevantSet::At { name: name.clone(), properties: properties.collect() }, &place, None);
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
        assert_eq!(caa(&RelevantSet::Nowhere, &place, None).status, Status::Fail);
        let unknown = RelevantSet::Unknown { name: name.clone(), failure: Failure::ServFail };
        assert_eq!(caa(&unknown, &place, None).status, Status::Unknown);
    }
}
