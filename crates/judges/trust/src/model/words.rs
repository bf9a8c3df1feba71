//! Meanings of the statuses, verdicts and flags, in words.

use super::Rule;
use crate::score::{MIN_COVERAGE_PERCENT, MIN_PROOFS, Status, TrustVerdict};

fn rule<T>(id: T, rule: impl Into<String>) -> Rule<T> {
    Rule { id, rule: rule.into() }
}

pub(super) fn statuses() -> Vec<Rule<Status>> {
    vec![
        rule(Status::Pass, "As it should be: it earns its points."),
        rule(Status::Warn, "Not as good as it should be: it earns some of its points."),
        rule(Status::Fail, "Bad or not there: it earns none, or the few that its reason leaves."),
        rule(
            Status::Unknown,
            "Could not be looked at: it earns nothing, stays in the denominator, and is listed. Of another check a part of \
             the points can be unseen, which earns nothing either.",
        ),
        rule(Status::NotApplicable, "Makes no sense for this domain: it leaves the denominator."),
    ]
}

pub(super) fn verdicts() -> Vec<Rule<TrustVerdict>> {
    vec![
        rule(TrustVerdict::Risky, "A reason with this verdict holds, whatever else was or was not observed."),
        rule(
            TrustVerdict::Incomplete,
            format!(
                "Less than {MIN_COVERAGE_PERCENT} percent of the weights of the purpose could be observed, or not its \
                 essential check: tls for pay and web, dmarc for mail."
            ),
        ),
        rule(TrustVerdict::Caution, "A reason with this verdict holds."),
        rule(
            TrustVerdict::Trusted,
            format!("No reason holds, and so at least {MIN_PROOFS} signs of continuity do."),
        ),
    ]
}
