//! The check of SPF.

use serde_json::{Value, json};

use super::{Check, CheckId, Partial, Points};
use crate::dns::Name;
use crate::spf::{Assessment, LastWord, MAX_LOOK_UPS, MAX_VOID_LOOK_UPS, Problem, Qualifier, Standing};

const SOFTFAIL: Partial = Partial { reason: "softfail_all", points: Points::whole(7) };
const NEUTRAL: Partial = Partial { reason: "neutral_all", points: Points::whole(3) };

/// What earns some of the points.
pub(crate) const SPF_PARTIALS: &[Partial] = &[SOFTFAIL, NEUTRAL];

/// The check: one record that can be evaluated, and the more points the less it leaves to other senders.
#[must_use]
pub fn spf(assessment: &Assessment, name: &Name) -> Check {
    let id = CheckId::Spf;
    let check = match &assessment.standing {
        Standing::Valid { all: LastWord::Said(Qualifier::Fail) } => Check::pass(id, "fail_all"),
        Standing::Valid { all: LastWord::Said(Qualifier::SoftFail) } => Check::partly(id, SOFTFAIL),
        Standing::Valid { all: LastWord::Said(Qualifier::Neutral) } => Check::partly(id, NEUTRAL),
        Standing::Valid { all: LastWord::Said(Qualifier::Pass) } => Check::fail(id, "pass_all"),
        Standing::Valid { all: LastWord::DependsOnSender } => Check::unknown(id, "depends_on_sender"),
        Standing::Absent => Check::fail(id, "no_record"),
        Standing::Invalid(problem) => Check::fail(id, problem.code()),
        Standing::Unknown { failure, .. } => Check::unknown(id, failure.code()),
    };
    let check = match remedy(&assessment.standing, name) {
        Some(remedy) => check.with_remedy(remedy),
        None => check,
    };
    check.with_evidence(evidence(assessment))
}

fn evidence(assessment: &Assessment) -> Value {
    let mut evidence = json!({
        "records": assessment.visits,
        "look_ups": assessment.look_ups,
        "void_look_ups": assessment.void_look_ups,
    });
    let (what, text) = match &assessment.standing {
        Standing::Invalid(problem) => ("problem", problem.to_string()),
        Standing::Unknown { name, .. } => ("failed_at", name.to_string()),
        Standing::Absent | Standing::Valid { .. } => return evidence,
    };
    evidence[what] = text.into();
    evidence
}

fn remedy(standing: &Standing, name: &Name) -> Option<String> {
    Some(match standing {
        Standing::Absent => format!(
            "; names the hosts that send mail; \"v=spf1 -all\" where none do\n{name}. IN TXT \"v=spf1 mx -all\""
        ),
        Standing::Valid { all: LastWord::Said(Qualifier::Fail) } | Standing::Unknown { .. } => return None,
        Standing::Valid { all: LastWord::Said(_) } => {
            "Let the record of the domain end with -all once all its senders are named in it.".to_owned()
        }
        Standing::Valid { all: LastWord::DependsOnSender } => {
            "Let the record end with -all instead of a redirect that depends on the sender.".to_owned()
        }
        Standing::Invalid(Problem::SeveralRecords { .. }) => {
            format!("Join the records of {name} that begin with v=spf1 into one.")
        }
        Standing::Invalid(Problem::TooManyLookUps) => format!(
            "Name addresses (ip4:, ip6:) in place of some include:, a and mx: at most {MAX_LOOK_UPS} may cause look-ups."
        ),
        Standing::Invalid(Problem::TooManyVoidLookUps) => format!(
            "Take out the terms whose names are not there: at most {MAX_VOID_LOOK_UPS} look-ups may find nothing."
        ),
        Standing::Invalid(problem) => format!("Mend the record: {problem}."),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::dns::{Failure, Record, Zone};
    use crate::spf::assess;

    async fn checked(texts: &[&str]) -> (Status, String, u32) {
        let name = Name::parse("example.com").unwrap();
        let mut zone =
            Zone::default().with(&Name::parse("x.example.com").unwrap(), Record::A([1, 2, 3, 4].into()));
        for text in texts {
            zone.add(&name, Record::Txt(text.as_bytes().to_vec()));
        }
        zone.fail(&Name::parse("broken.example.com").unwrap(), Failure::ServFail);
        let check = spf(&assess(&zone, &name).await, &name);
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
            (&[], expected(Status::Fail, "no_record", 0)),
            (&["v=spf1 -all", "v=spf1 ~all"], expected(Status::Fail, "several_records", 0)),
            (&["v=spf1 redirect=%{l}.example.com"], expected(Status::Unknown, "depends_on_sender", 0)),
            (&["v=spf1 include:broken.example.com -all"], expected(Status::Unknown, "dns_servfail", 0)),
        ] {
            assert_eq!(checked(texts).await, end, "{texts:?}");
        }
    }
}
