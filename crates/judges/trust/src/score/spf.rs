//! The check of SPF.

use dns::{Answer, Mx};
use mail_records::spf::{
    MAX_LOOK_UPS, MAX_VOID_LOOK_UPS, OpenTo, Problem, Qualifier, SpfAssessment, SpfStatus,
};
use serde_json::{Value, json};

use super::zone_file::{RecordOwner, txt};
use super::{Check, CheckId, Partial, Points, Status};

const SOFTFAIL: Partial = Partial { reason: "softfail_all", points: Points::whole(7) };
const NEUTRAL: Partial = Partial { reason: "neutral_all", points: Points::whole(3) };

/// Reasons that earn some of the points.
pub(crate) const SPF_PARTIALS: &[Partial] = &[SOFTFAIL, NEUTRAL];

/// Checks SPF (RFC 7208): one valid record; a record that permits fewer other senders earns more points.
///
/// With `rejects_by_dmarc`, mail that fails is refused or set apart by an enforced DMARC policy. Then `~all` earns as much
/// as `-all`: a receiver that refuses by `-all` alone never sees the DKIM signature of forwarded mail (RFC 7489, 10.1).
#[must_use]
pub fn spf(
    assessment: &SpfAssessment,
    exchangers: &Answer<Mx>,
    place: &RecordOwner<'_>,
    rejects_by_dmarc: bool,
) -> Check {
    let id = CheckId::Spf;
    let check = match &assessment.standing {
        SpfStatus::Valid { all: Qualifier::Fail } => Check::pass(id, "fail_all"),
        SpfStatus::Valid { all: Qualifier::SoftFail } if rejects_by_dmarc => Check::pass(id, SOFTFAIL.reason),
        SpfStatus::Valid { all: Qualifier::SoftFail } => Check::partly(id, SOFTFAIL),
        SpfStatus::Valid { all: Qualifier::Neutral } => Check::partly(id, NEUTRAL),
        SpfStatus::Valid { all: Qualifier::Pass } if assessment.open_to.is_some() => {
            Check::fail(id, "open_to_everybody")
        }
        SpfStatus::Valid { all: Qualifier::Pass } => Check::fail(id, "pass_all"),
        SpfStatus::Absent => Check::fail(id, "no_record"),
        SpfStatus::Invalid(problem) => Check::fail(id, problem.code()),
        SpfStatus::Unknown { failure, .. } => Check::unknown(id, failure.code()),
    };
    let remedy = match assessment.open_to {
        _ if check.status == Status::Pass => None,
        Some(open) if matches!(assessment.standing, SpfStatus::Valid { .. }) => Some(close(open)),
        _ => remedy(&assessment.standing, exchangers, place),
    };
    let check = match remedy {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    };
    check.with_evidence(evidence(assessment))
}

fn evidence(assessment: &SpfAssessment) -> Value {
    let mut evidence = json!({
        "records": assessment.visits,
        "look_ups": assessment.look_ups,
        "void_look_ups": assessment.void_look_ups,
    });
    if let Some(open) = &assessment.open_to {
        evidence["open_to"] = json!(open);
    }
    let (what, text) = match &assessment.standing {
        SpfStatus::Invalid(problem) => ("problem", problem.to_string()),
        SpfStatus::Unknown { name, .. } => ("failed_at", name.to_string()),
        SpfStatus::Absent | SpfStatus::Valid { .. } => return evidence,
    };
    evidence[what] = text.into();
    evidence
}

/// Remedy where other terms than `all` let everybody in. Which others name senders is the owner's to know.
fn close(open: OpenTo) -> String {
    let OpenTo { ipv4_percent, ipv6_percent, .. } = open;
    format!(
        "Take out the terms that match whoever sends, {ipv4_percent} percent of all IPv4 and {ipv6_percent} percent of all \
         IPv6 addresses: networks of that size, an include of such a record, a name that a wildcard makes. Leave those of \
         your senders."
    )
}

/// A record to begin with: one that lets the exchangers send, and does not yet have others refused.
fn publish(exchangers: &Answer<Mx>, place: &RecordOwner<'_>) -> String {
    let has_exchanger = match exchangers {
        Answer::Found { records, .. } => records.iter().any(|mx| mx.exchange.host().is_some()),
        Answer::NoData | Answer::NxDomain => false,
        Answer::Failed(_) => {
            return format!(
                "Publish one record at {} that names the hosts that send its mail: v=spf1 … -all.",
                place.name
            );
        }
    };
    let (comment, record) = if has_exchanger {
        (
            "with every other host that sends its mail; -all in place of ~all once none is missing",
            "v=spf1 mx ~all",
        )
    } else {
        ("nobody sends mail as this name; where somebody does, name the hosts before -all", "v=spf1 -all")
    };
    place.record(comment, &txt(record))
}

fn remedy(standing: &SpfStatus, exchangers: &Answer<Mx>, place: &RecordOwner<'_>) -> Option<String> {
    let name = place.name;
    Some(match standing {
        SpfStatus::Absent => publish(exchangers, place),
        SpfStatus::Valid { all: Qualifier::Fail } | SpfStatus::Unknown { .. } => return None,
        SpfStatus::Valid { .. } => {
            "Let the record of the domain end with -all once all its senders are named in it.".to_owned()
        }
        SpfStatus::Invalid(Problem::SeveralRecords { .. }) => {
            format!("Join the records of {name} that begin with v=spf1 into one.")
        }
        SpfStatus::Invalid(Problem::TooManyLookUps) => format!(
            "Name addresses (ip4:, ip6:) in place of some include:, a and mx: at most {MAX_LOOK_UPS} may cause look-ups."
        ),
        SpfStatus::Invalid(Problem::TooManyVoidLookUps) => format!(
            "Take out the terms whose names are not there: at most {MAX_VOID_LOOK_UPS} look-ups may find nothing."
        ),
        SpfStatus::Invalid(problem) => format!("Mend the record: {problem}."),
    })
}

#[cfg(test)]
mod tests {
    use dns::{Failure, Name, Record, Zone};
    use mail_records::spf::assess;
    use verdict::Timestamp;

    use super::*;
    use crate::records::Alias;

    async fn checked(texts: &[&str]) -> (Status, String, u32) {
        let name = Name::parse("example.com").unwrap();
        let mut zone =
            Zone::default().with(&Name::parse("x.example.com").unwrap(), Record::A([1, 2, 3, 4].into()));
        for text in texts {
            zone.add(&name, Record::Txt(text.as_bytes().to_vec()));
        }
        zone.fail(&Name::parse("broken.example.com").unwrap(), Failure::ServFail);
        let place = RecordOwner { name: &name, registrable: &name, alias: &Alias::None };
        let check = spf(&assess(&zone, &name, Timestamp::EPOCH).await, &Answer::NoData, &place, false);
        assert!(check.status == Status::Pass || check.status == Status::Unknown || check.remedy.is_some());
        (check.status, check.reason.into_owned(), check.points.as_hundredths())
    }

    #[tokio::test]
    async fn the_less_is_left_to_others_the_more_points() {
        let expected = |status, reason: &str, points| (status, reason.to_owned(), points);
        for (texts, end) in [
            (&["v=spf1 -all"][..], expected(Status::Pass, "fail_all", 1000)),
            (&["v=spf1 mx ~all"], expected(Status::Warn, "softfail_all", 700)),
            (&["v=spf1 mx"], expected(Status::Warn, "neutral_all", 300)),
            (&["v=spf1 +all"], expected(Status::Fail, "pass_all", 0)),
            (&["v=spf1 exists:x.example.com -all"], expected(Status::Fail, "open_to_everybody", 0)),
            (
                &["v=spf1 ip4:0.0.0.0/2 ip4:64.0.0.0/2 ip4:128.0.0.0/2 ip4:192.0.0.0/2 -all"],
                expected(Status::Fail, "open_to_everybody", 0),
            ),
            (&["v=spf1 ~ip4:0.0.0.0/1 -all"], expected(Status::Warn, "softfail_all", 700)),
            (&["v=spf1 ip4:10.0.0.0/8 ip6:2600::/12 -all"], expected(Status::Pass, "fail_all", 1000)),
            (&[], expected(Status::Fail, "no_record", 0)),
            (&["v=spf1 -all", "v=spf1 ~all"], expected(Status::Fail, "several_records", 0)),
            (&["v=spf1 redirect=%{l}.example.com"], expected(Status::Fail, "refers_to_no_record", 0)),
            (&["v=spf1 include:broken.example.com -all"], expected(Status::Unknown, "dns_servfail", 0)),
        ] {
            assert_eq!(checked(texts).await, end, "{texts:?}");
        }
    }
}
