//! The check of DMARC.

use serde_json::{Value, json};

use super::{Check, CheckId, Partial, Points};
use crate::dmarc::{Applied, Discovery, Policy, Role, Standing, rfc7489};
use crate::dns::Name;

const QUARANTINE: Partial = Partial { reason: "quarantine", points: Points::whole(12) };
const MONITORED: Partial = Partial { reason: "only_monitored", points: Points::whole(4) };

/// What earns some of the points.
pub(crate) const DMARC_PARTIALS: &[Partial] = &[QUARANTINE, MONITORED];

/// The check: the more is asked of receivers for mail that fails, the more points. While a policy is only tried out
/// (`t=y`), what is asked is one step less (RFC 9989, 4.7).
#[must_use]
pub fn dmarc(discovery: &Discovery, name: &Name, registrable: &Name) -> Check {
    let id = CheckId::Dmarc;
    let check = match &discovery.standing {
        Standing::Applies(applied) => match applied.enforced {
            Policy::Reject => Check::pass(id, "reject"),
            Policy::Quarantine => Check::partly(id, QUARANTINE),
            Policy::None => Check::partly(id, MONITORED),
        },
        Standing::Absent => Check::fail(id, "no_record"),
        Standing::Invalid { .. } => Check::fail(id, "invalid_record"),
        Standing::Unknown { failure, .. } => Check::unknown(id, failure.code()),
    };
    let check = match remedy(&discovery.standing, registrable) {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    };
    check.with_evidence(evidence(discovery, name, registrable))
}

fn evidence(discovery: &Discovery, name: &Name, registrable: &Name) -> Value {
    let mut evidence = json!({ "asked": discovery.visits });
    match &discovery.standing {
        Standing::Applies(applied) => {
            let Applied { at, role, policy, enforced, record } = &**applied;
            evidence["record_at"] = json!(at);
            evidence["role"] = json!(role);
            evidence["policy"] = json!(policy);
            evidence["enforced"] = json!(enforced);
            evidence["asks_for_reports"] = json!(!record.aggregate_reports.is_empty());
            let legacy = rfc7489(applied, name, Some(registrable));
            if !legacy.differences.is_empty() {
                evidence["rfc7489"] = json!(legacy);
            }
        }
        Standing::Invalid { at, flaw } => {
            evidence["record_at"] = json!(at);
            evidence["problem"] = flaw.to_string().into();
        }
        Standing::Unknown { name, .. } => evidence["failed_at"] = json!(name),
        Standing::Absent => {}
    }
    evidence
}

fn remedy(standing: &Standing, registrable: &Name) -> Option<String> {
    let at = match standing {
        Standing::Unknown { .. } => return None,
        Standing::Applies(applied) if applied.enforced == Policy::Reject => return None,
        Standing::Applies(applied) if applied.role != Role::PublicSuffix => &applied.at,
        Standing::Invalid { at, .. } => at,
        Standing::Applies(_) | Standing::Absent => registrable,
    };
    Some(format!(
        "; in place of the record that is there; begin with p=none, and read the reports before p=reject\n\
         _dmarc.{at}. IN TXT \"v=DMARC1; p=reject; rua=mailto:dmarc@{registrable}\""
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::dmarc::discover;
    use crate::dns::{Record, Zone};

    async fn checked(record: Option<&str>, asked: &str) -> (Status, String, u32) {
        let registrable = Name::parse("example.com").unwrap();
        let mut zone = Zone::default();
        if let Some(record) = record {
            let at = registrable.below("_dmarc").unwrap();
            zone.add(&at, Record::Txt(record.as_bytes().to_vec()));
        }
        zone.add(&Name::parse("www.example.com").unwrap(), Record::A([1, 2, 3, 4].into()));
        let name = Name::parse(asked).unwrap();
        let check = dmarc(&discover(&zone, &name).await, &name, &registrable);
        assert_eq!(check.remedy.is_some(), check.status != Status::Pass);
        (check.status, check.reason.into_owned(), check.points.as_hundredths())
    }

    #[tokio::test]
    async fn the_more_is_asked_for_the_more_points() {
        let expected = |status, reason: &str, points| (status, reason.to_owned(), points);
        for (record, asked, end) in [
            (Some("v=DMARC1; p=reject"), "example.com", expected(Status::Pass, "reject", 1600)),
            (Some("v=DMARC1; p=quarantine"), "example.com", expected(Status::Warn, "quarantine", 1200)),
            (Some("v=DMARC1; p=reject; t=y"), "example.com", expected(Status::Warn, "quarantine", 1200)),
            (Some("v=DMARC1; p=none"), "example.com", expected(Status::Warn, "only_monitored", 400)),
            (
                Some("v=DMARC1; p=reject; sp=none"),
                "www.example.com",
                expected(Status::Warn, "only_monitored", 400),
            ),
            (Some("v=DMARC1; p=nonsense"), "example.com", expected(Status::Fail, "invalid_record", 0)),
            (None, "www.example.com", expected(Status::Fail, "no_record", 0)),
        ] {
            assert_eq!(checked(record, asked).await, end, "{record:?} {asked}");
        }
    }
}
