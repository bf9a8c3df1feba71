//! Meanings of the statuses, verdicts and flags, in words.

use brand_names::MIN_DISTANCE_LETTERS;

use super::Rule;
use crate::score::{
    CAUTION_FROM, FlagId, MIN_COVERAGE_PERCENT, Status, TRUSTED_FROM, TrustVerdict, YOUNG_DAYS,
};

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
    let otherwise = format!(
        "The coverage is below {MIN_COVERAGE_PERCENT} percent, or the score is below {CAUTION_FROM} while what could \
         not be looked at could lift it to {CAUTION_FROM} or more."
    );
    vec![
        rule(TrustVerdict::Incomplete, otherwise),
        rule(
            TrustVerdict::Trusted,
            format!(
                "The score is at least {TRUSTED_FROM}, no flag is raised, and the age is known where there is a registry that could tell it; a name that a platform gave away is never trusted."
            ),
        ),
        rule(TrustVerdict::Caution, format!("The score is at least {CAUTION_FROM}.")),
        rule(
            TrustVerdict::Risky,
            format!(
                "The score is below {CAUTION_FROM}, and would be so if all that could not be looked at were good."
            ),
        ),
    ]
}

pub(super) fn flags() -> Vec<Rule<FlagId>> {
    let look_alike = format!(
        "The registrable name's first label has the skeleton (UTS 39) of a well-known brand's, or is one letter away \
         from one of at least {MIN_DISTANCE_LETTERS} letters; or is a brand's very name, in a top-level domain that is \
         open to everybody and where the brand is not known to be; or is made up of a brand and other words, of lure \
         unless the brand is distinctive; or a brand's own name or label stands left of the registrable name. A \
         brand's own names of the list are look-alikes of none."
    );
    vec![
        rule(FlagId::YoungDomain, format!("The domain was registered less than {YOUNG_DAYS} days ago.")),
        rule(FlagId::LookAlike, look_alike),
        rule(
            FlagId::FeedHit,
            "The name, or one above it down to the registrable one, stands on one of the notary's feeds of bad domains, \
             or a page of its host does.",
        ),
    ]
}
