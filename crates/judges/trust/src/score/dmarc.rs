//! The check of DMARC.

use dns::Name;
use mail_records::dmarc::{
    ApplicableRecord, Discovery, DmarcPolicy, DmarcRecord, DmarcStatus, QueriedName, Role, rfc7489,
};
use serde_json::{Value, json};

use super::zone_file::{below, txt};
use super::{Check, CheckId, ModelVersion, Partial, Points};

const QUARANTINE: Partial = Partial { reason: "quarantine", points: Points::whole(15) };
/// `quarantine` under `trust-score/1`.
const QUARANTINE_V1: Partial = Partial { reason: "quarantine", points: Points::whole(12) };
const MONITORED: Partial = Partial { reason: "only_monitored", points: Points::whole(4) };

/// Reasons that earn some of the points.
pub(crate) const DMARC_PARTIALS: &[Partial] = &[QUARANTINE, MONITORED];

/// The tags that a stricter record repeats: those of RFC 9989 that are no policy.
const KEPT_TAGS: [&str; 6] = ["psd", "adkim", "aspf", "fo", "rua", "ruf"];
/// The condition of the strictest policy.
const WITH_DKIM: &str = "in place of the record that is there, once reports show that no mail of the domain's own fails, and \
    only where all of it is signed with DKIM and nobody posts to mailing lists (RFC 9989, section 7.4)";
/// The longest record that is written out, in bytes: what others published may be as long as they like.
const MAX_RECORD: usize = 1024;

/// Checks DMARC: a stricter policy for mail that fails earns more points. A policy in test mode (`t=y`) counts as one
/// step weaker (RFC 9989, 4.7). `quarantine` earns nearly as much as `reject`, which receivers must not follow blindly and
/// which harms mail without DKIM (RFC 9989, 7.4).
#[must_use]
pub fn dmarc(discovery: &Discovery, name: &Name, registrable: &Name, model: ModelVersion) -> Check {
    let id = CheckId::Dmarc;
    let check = match &discovery.standing {
        DmarcStatus::Applies(applied) => match applied.enforced {
            DmarcPolicy::Reject => Check::pass(id, "reject"),
            DmarcPolicy::Quarantine => Check::partly(
                id,
                match model {
                    ModelVersion::V1 => QUARANTINE_V1,
                    ModelVersion::V2 => QUARANTINE,
                },
            ),
            DmarcPolicy::None => Check::partly(id, MONITORED),
        },
        DmarcStatus::Absent if several(discovery, registrable).is_some() => {
            Check::fail(id, "several_records")
        }
        DmarcStatus::Absent => Check::fail(id, "no_record"),
        DmarcStatus::Invalid { .. } => Check::fail(id, "invalid_record"),
        DmarcStatus::Unknown { failure, .. } => Check::unknown(id, failure.code()),
    };
    let check = match remedy(discovery, registrable, model) {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    };
    check.with_evidence(evidence(discovery, name, registrable))
}

fn evidence(discovery: &Discovery, name: &Name, registrable: &Name) -> Value {
    let mut evidence = json!({ "asked": discovery.visits });
    match &discovery.standing {
        DmarcStatus::Applies(applied) => {
            let ApplicableRecord { at, role, policy, enforced, record } = &**applied;
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
        DmarcStatus::Invalid { at, flaw } => {
            evidence["record_at"] = json!(at);
            evidence["problem"] = flaw.to_string().into();
        }
        DmarcStatus::Unknown { name, .. } => evidence["failed_at"] = json!(name),
        DmarcStatus::Absent => {}
    }
    evidence
}

/// The first of the domain's own names that has several records, which count as none (RFC 9989, 4.10).
fn several<'d>(discovery: &'d Discovery, registrable: &Name) -> Option<&'d QueriedName> {
    discovery.visits.iter().find(|visit| visit.records > 1 && visit.name.is_within(registrable))
}

/// The next step: from nothing to reports, and from there to one policy stricter.
fn remedy(discovery: &Discovery, registrable: &Name, model: ModelVersion) -> Option<String> {
    let at = match &discovery.standing {
        DmarcStatus::Unknown { .. } => return None,
        DmarcStatus::Applies(applied) if applied.enforced == DmarcPolicy::Reject => return None,
        DmarcStatus::Applies(applied) if applied.role != Role::PublicSuffix => {
            return stricter(applied, model);
        }
        DmarcStatus::Invalid { at, .. } if at.is_within(registrable) => at,
        DmarcStatus::Absent => several(discovery, registrable).map_or(registrable, |visit| &visit.name),
        DmarcStatus::Applies(_) | DmarcStatus::Invalid { .. } => registrable,
    };
    let comment = "in place of all that is at this name; the mailbox has to be there; once its reports show that no mail of \
        the domain's own fails, p=quarantine, then p=reject; that at once where the domain sends no mail";
    below("_dmarc", at, comment, &txt(&format!("v=DMARC1; p=none; rua=mailto:dmarc@{registrable}")))
}

/// The record as it is, with the next policy at least for everybody.
fn stricter(applied: &ApplicableRecord, model: ModelVersion) -> Option<String> {
    let DmarcRecord { policy, subdomains, nonexistent, tags, .. } = &applied.record;
    let next =
        if applied.enforced == DmarcPolicy::None { DmarcPolicy::Quarantine } else { DmarcPolicy::Reject };
    let raised = |name: &str, policy: DmarcPolicy| format!("; {name}={}", policy.max(next).word());
    let mut text = format!("v=DMARC1{}", raised("p", policy.unwrap_or(DmarcPolicy::None)));
    for (name, policy) in [("sp", subdomains), ("np", nonexistent)] {
        text.extend(policy.map(|policy| raised(name, policy)));
    }
    for (name, value) in tags.pairs.iter().filter(|(name, _)| KEPT_TAGS.contains(&name.as_str())) {
        text.extend(["; ", name, "=", value]);
    }
    if text.len() > MAX_RECORD {
        let (at, next) = (&applied.at, next.word());
        return Some(format!(
            "Once reports show that no mail of the domain's own fails, have the record of {at} ask for p={next}."
        ));
    }
    let comment = match (model, next) {
        (ModelVersion::V2, DmarcPolicy::Reject) => WITH_DKIM,
        _ => "in place of the record that is there, once reports show that no mail of the domain's own fails",
    };
    below("_dmarc", &applied.at, comment, &txt(&text))
}

#[cfg(test)]
mod tests {
    use dns::{Record, Zone};
    use mail_records::dmarc::discover;

    use super::super::Status;
    use super::*;

    async fn checked(record: Option<&str>, asked: &str) -> (Status, String, u32) {
        let registrable = Name::parse("example.com").unwrap();
        let mut zone = Zone::default();
        if let Some(record) = record {
            let at = registrable.below("_dmarc").unwrap();
            zone.add(&at, Record::Txt(record.as_bytes().to_vec()));
        }
        zone.add(&Name::parse("www.example.com").unwrap(), Record::A([1, 2, 3, 4].into()));
        let name = Name::parse(asked).unwrap();
        let check = dmarc(&discover(&zone, &name).await, &name, &registrable, ModelVersion::V2);
        assert_eq!(check.remedy.is_some(), check.status != Status::Pass);
        (check.status, check.reason.into_owned(), check.points.as_hundredths())
    }

    #[tokio::test]
    async fn the_more_is_asked_for_the_more_points() {
        let expected = |status, reason: &str, points| (status, reason.to_owned(), points);
        for (record, asked, end) in [
            (Some("v=DMARC1; p=reject"), "example.com", expected(Status::Pass, "reject", 1600)),
            (Some("v=DMARC1; p=quarantine"), "example.com", expected(Status::Warn, "quarantine", 1500)),
            (Some("v=DMARC1; p=reject; t=y"), "example.com", expected(Status::Warn, "quarantine", 1500)),
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

    #[tokio::test]
    async fn the_strictest_policy_is_proposed_with_its_condition_only() {
        let name = Name::parse("example.com").unwrap();
        let mut zone = Zone::default();
        zone.add(&name.below("_dmarc").unwrap(), Record::Txt(b"v=DMARC1; p=quarantine".to_vec()));
        let found = discover(&zone, &name).await;
        let of = |model| dmarc(&found, &name, &name, model);
        let (first, second) = (of(ModelVersion::V1), of(ModelVersion::V2));
        assert_eq!((first.points, second.points), (Points::whole(12), Points::whole(15)));
        let has_condition = |check: Check| check.remedy.unwrap().contains("DKIM");
        assert_eq!((has_condition(first), has_condition(second)), (false, true));
    }

    #[tokio::test]
    async fn several_records_are_told_from_none() {
        let of = async |at: &str, asked: &str| {
            let mut zone = Zone::default();
            for record in ["v=DMARC1; p=reject", "v=DMARC1; p=none"] {
                zone.add(&Name::parse(at).unwrap(), Record::Txt(record.as_bytes().to_vec()));
            }
            let (name, registrable) = (Name::parse(asked).unwrap(), Name::parse("example.com").unwrap());
            let check = dmarc(&discover(&zone, &name).await, &name, &registrable, ModelVersion::V2);
            (check.status, check.reason.into_owned())
        };
        let several = (Status::Fail, "several_records".to_owned());
        assert_eq!(of("_dmarc.example.com", "example.com").await, several);
        assert_eq!(of("_dmarc.example.com", "www.example.com").await, several);
        // Those of the registry are not the domain's to mend.
        assert_eq!(of("_dmarc.com", "example.com").await, (Status::Fail, "no_record".to_owned()));
    }
}
