//! The check of CAA.

use serde_json::json;

use super::{Check, CheckId, Partial, Points};
use crate::caa::{Property, Relevant};
use crate::dns::Name;

const CRITICAL: Partial = Partial { reason: "unknown_critical", points: Points::whole(4) };
const ANY_ISSUER: Partial = Partial { reason: "any_issuer", points: Points::whole(2) };

/// What earns some of the points.
pub(crate) const CAA_PARTIALS: &[Partial] = &[CRITICAL, ANY_ISSUER];

/// The check: whether the issuers of certificates are restricted.
#[must_use]
pub fn caa(relevant: &Relevant, registrable: &Name) -> Check {
    let id = CheckId::Caa;
    let remedy = format!(
        "; names the issuer that the domain uses; \";\" in its place where none may issue\n\
         {registrable}. IN CAA 0 issue \"letsencrypt.org\""
    );
    match relevant {
        Relevant::At { name, properties } => {
            let properties: Vec<Property> = properties.iter().map(Property::read).collect();
            let restricts = properties.iter().any(|property| matches!(property, Property::Issue(_)));
            let evidence = json!({ "found_at": name, "properties": properties });
            // `issuewild` restricts wildcards alone (RFC 8659, 4.3). An unknown critical property stops every issuer.
            let is_critical =
                properties.iter().any(|property| matches!(property, Property::Other { critical: true, .. }));
            let check = match (restricts, is_critical) {
                (true, _) => Check::pass(id, "issuers_restricted"),
                (false, true) => Check::partly(id, CRITICAL).with_remedy(remedy),
                (false, false) => Check::partly(id, ANY_ISSUER).with_remedy(remedy),
            };
            check.with_evidence(evidence)
        }
        Relevant::Nowhere => Check::fail(id, "no_record").with_remedy(remedy),
        Relevant::Unknown { name, failure } => {
            Check::unknown(id, failure.code()).with_evidence(json!({ "failed_at": name }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::dns::{Caa, Failure};

    fn checked(properties: &[(u8, &str, &str)]) -> (Status, u32) {
        let name = Name::parse("example.com").unwrap();
        let properties = properties.iter().map(|&(flags, tag, value)| Caa {
            flags,
            tag: tag.as_bytes().to_vec(),
            value: value.as_bytes().to_vec(),
        });
        let check = caa(&Relevant::At { name: name.clone(), properties: properties.collect() }, &name);
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
        assert_eq!(caa(&Relevant::Nowhere, &name).status, Status::Fail);
        let unknown = Relevant::Unknown { name: name.clone(), failure: Failure::ServFail };
        assert_eq!(caa(&unknown, &name).status, Status::Unknown);
    }
}
