//! The assessment: all checks together.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Cap, Check, CheckId, FlagId, Flags, Points, Status};

/// Minimum score, 0 to 100, of the verdict `TRUSTED`, for a domain without flags.
pub const TRUSTED_FROM: u32 = 80;
/// Minimum score, 0 to 100, of the verdict `CAUTION`. A lower score is `RISKY`, or `INCOMPLETE` if the unobserved
/// points could lift it to this minimum.
pub const CAUTION_FROM: u32 = 50;
/// Minimum share of the weights, in percent, that must have been observed; below it the verdict is `INCOMPLETE`.
pub const MIN_COVERAGE_PERCENT: u32 = 70;

/// Minimum score of each grade with the grade's name, best first.
pub const GRADES: &[(u32, &str)] = &[
    (95, "A+"),
    (90, "A"),
    (85, "A-"),
    (80, "B+"),
    (70, "B"),
    (65, "B-"),
    (60, "C+"),
    (50, "C"),
    (45, "C-"),
    (40, "D+"),
    (30, "D"),
    (25, "D-"),
    (0, "F"),
];

/// The verdict on a domain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TrustVerdict {
    /// Too little could be looked at to say anything.
    Incomplete,
    /// Even what could not be looked at could not make it good.
    Risky,
    /// Neither.
    Caution,
    /// Well kept, and without a flag.
    Trusted,
}

/// Verdict, score and checks.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Assessment")]
pub struct TrustAssessment {
    /// Verdict on the domain.
    pub verdict: TrustVerdict,
    /// Points earned, in percent of those that apply, rounded down and held down by the caps.
    #[schemars(range(max = 100))]
    pub score: u32,
    /// Score if all parts that could not be looked at were good: with the `unseen` points of every check.
    #[schemars(range(max = 100))]
    pub score_max_possible: u32,
    /// The share of the weights that apply which could be looked at.
    #[schemars(range(min = 0, max = 1))]
    pub coverage: f64,
    /// `A+` to `F`; `null` where the verdict is `INCOMPLETE`.
    pub grade: Option<&'static str>,
    /// Caps on the score.
    pub caps: BTreeSet<Cap>,
    /// Risks apart from hygiene.
    pub flags: Flags,
    /// The checks that could not be made.
    pub unknown: Vec<CheckId>,
    /// Every check, in order.
    pub checks: Vec<Check>,
}

/// Combines the checks, which are in the order of [`CheckId::ALL`], into an assessment.
#[must_use]
pub fn assess(
    checks: [Check; CheckId::ALL.len()],
    caps: impl IntoIterator<Item = Cap>,
    flags: Flags,
) -> TrustAssessment {
    debug_assert!(checks.iter().map(|check| check.id).eq(CheckId::ALL), "every check once, in order");
    let caps: BTreeSet<Cap> = caps.into_iter().collect();
    let sum = |of: fn(&Check) -> Points| -> Points {
        checks.iter().filter(|check| check.status != Status::NotApplicable).map(of).sum()
    };
    let (applicable, unseen, earned) =
        (sum(|check| check.max), sum(|check| check.unseen), sum(|check| check.points));
    let seen = applicable.less(unseen);
    let limit = caps.iter().map(|cap| cap.limit()).min().unwrap_or(100);
    let score = earned.percent_of(applicable).min(limit);
    let score_max_possible = (earned + unseen).percent_of(applicable).min(limit);
    let is_covered = seen.percent_of(applicable) >= MIN_COVERAGE_PERCENT;
    let is_in_doubt = !flags.raised.is_empty() || is_age_missing(&checks, &flags);
    let verdict = verdict(is_covered, score, score_max_possible, is_in_doubt);
    TrustAssessment {
        verdict,
        score,
        score_max_possible,
        coverage: rounded(seen, applicable),
        grade: (verdict != TrustVerdict::Incomplete).then(|| grade(score)),
        caps,
        flags,
        unknown: checks
            .iter()
            .filter(|check| check.status == Status::Unknown)
            .map(|check| check.id)
            .collect(),
        checks: checks.into(),
    }
}

/// True if the age could have been known and is not: nobody gains by a registry that does not answer, nor by a
/// platform's name that no registry knows.
fn is_age_missing(checks: &[Check], flags: &Flags) -> bool {
    let has_registry =
        |check: &Check| check.id == CheckId::Expiration && check.status != Status::NotApplicable;
    flags.unchecked.contains(&FlagId::YoungDomain) && (flags.is_tenant || checks.iter().any(has_registry))
}

fn verdict(is_covered: bool, score: u32, score_max_possible: u32, is_in_doubt: bool) -> TrustVerdict {
    if !is_covered {
        TrustVerdict::Incomplete
    } else if score >= TRUSTED_FROM && !is_in_doubt {
        TrustVerdict::Trusted
    } else if score >= CAUTION_FROM {
        TrustVerdict::Caution
    } else if score_max_possible < CAUTION_FROM {
        TrustVerdict::Risky
    } else {
        TrustVerdict::Incomplete
    }
}

/// Returns the name of a score's grade.
#[must_use]
pub fn grade(score: u32) -> &'static str {
    GRADES.iter().find(|(least, _)| score >= *least).map_or("F", |(_, grade)| grade)
}

/// A share, to 6 places, rounded down.
fn rounded(part: Points, whole: Points) -> f64 {
    let millionths = u64::from(part.as_hundredths()) * 1_000_000 / u64::from(whole.as_hundredths().max(1));
    f64::from(u32::try_from(millionths).unwrap_or(u32::MAX)) / 1e6
}

#[cfg(test)]
mod tests;
