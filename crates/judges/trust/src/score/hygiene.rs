//! Hygiene: how well a domain is maintained, as a score of 0 to 100 made of the checks.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Cap, Check, CheckId, Points, Purpose, Status};

/// Minimum share of the weights, in percent, that must have been observed; below it the verdict is `INCOMPLETE`.
pub const MIN_COVERAGE_PERCENT: u32 = 70;
/// Minimum score, 0 to 100, of hygiene that is no risk by itself.
pub const CAUTION_FROM: u32 = 50;

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

/// The checks of a domain and their score. It says nothing about the owner: a thief's domain can be configured perfectly.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Hygiene {
    /// Points earned, in percent of those that apply, rounded down and held down by the caps.
    #[schemars(range(max = 100))]
    pub score: u32,
    /// Score if all parts that could not be looked at were good: with the `unseen` points of every check.
    #[schemars(range(max = 100))]
    pub score_max_possible: u32,
    /// The share of the weights that apply which could be looked at.
    #[schemars(range(min = 0, max = 1))]
    pub coverage: f64,
    /// `A+` to `F`; `null` where the verdict is `INCOMPLETE` or `RISKY`.
    pub grade: Option<&'static str>,
    /// Caps on the score.
    pub caps: BTreeSet<Cap>,
    /// The checks with a weight that could not be made.
    pub unknown: Vec<CheckId>,
    /// Every check, in order.
    pub checks: Vec<Check>,
    /// True if enough was observed for a verdict.
    #[serde(skip)]
    #[schemars(skip)]
    pub is_covered: bool,
}

impl Hygiene {
    /// Scores the checks with their own maxima.
    #[must_use]
    pub fn of(checks: Vec<Check>, caps: impl IntoIterator<Item = Cap>) -> Self {
        let caps: BTreeSet<Cap> = caps.into_iter().collect();
        let sum = |of: fn(&Check) -> Points| -> Points {
            checks.iter().filter(|check| check.status != Status::NotApplicable).map(of).sum()
        };
        let (applicable, unseen, earned) =
            (sum(|check| check.max), sum(|check| check.unseen), sum(|check| check.points));
        let seen = applicable.less(unseen);
        let limit = caps.iter().map(|cap| cap.limit()).min().unwrap_or(100);
        let score = earned.percent_of(applicable).min(limit);
        Self {
            score,
            score_max_possible: (earned + unseen).percent_of(applicable).min(limit),
            coverage: rounded(seen, applicable),
            grade: Some(grade(score)),
            caps,
            unknown: checks
                .iter()
                .filter(|check| check.status == Status::Unknown)
                .map(|check| check.id)
                .collect(),
            is_covered: seen.percent_of(applicable) >= MIN_COVERAGE_PERCENT,
            checks,
        }
    }

    /// Scores the checks with the weights of a purpose. A cap for the lack of HTTPS holds only where the purpose needs it.
    #[must_use]
    pub fn for_purpose(checks: Vec<Check>, caps: impl IntoIterator<Item = Cap>, purpose: Purpose) -> Self {
        let checks = checks.into_iter().map(|check| {
            let max = purpose.weight(check.id);
            check.weighed(max)
        });
        let caps = caps.into_iter().filter(|cap| *cap != Cap::NoHttps || purpose.needs_https());
        let mut hygiene = Self::of(checks.collect(), caps);
        hygiene.is_covered &= !hygiene.unknown.iter().any(|id| purpose.essentials().contains(id));
        hygiene.unknown.retain(|id| purpose.weight(*id) > Points::ZERO);
        hygiene
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
mod tests {
    use proptest::prelude::*;

    use super::super::samples::status;
    use super::*;

    fn all(status: Status) -> Vec<Check> {
        CheckId::ALL.map(|id| Check::new(id, status, id.weight(), "")).into()
    }

    #[test]
    fn a_check_of_no_weight_is_not_missed() {
        for purpose in Purpose::ALL {
            let mut checks = all(Status::Pass);
            for check in checks.iter_mut().filter(|check| purpose.weight(check.id) == Points::ZERO) {
                *check = Check::unknown(check.id, "timed_out");
            }
            let hygiene = Hygiene::for_purpose(checks, [], purpose);
            assert_eq!(
                (hygiene.score, hygiene.coverage, hygiene.unknown.len()),
                (100, 1.0, 0),
                "{purpose:?}"
            );
        }
    }

    #[test]
    fn the_lack_of_https_holds_down_what_needs_it() {
        let score = |purpose| Hygiene::for_purpose(all(Status::Pass), [Cap::NoHttps], purpose).score;
        assert_eq!(Purpose::ALL.map(score), [49, 49, 100]);
    }

    proptest! {
        #[test]
        fn a_look_that_failed_never_raises_a_score_under_any_purpose(
            drawn in prop::collection::vec((status(), 0_u32..2300, 0_u32..2300), CheckId::ALL.len()),
            at in 0..CheckId::ALL.len(),
            purpose in prop::sample::select(Purpose::ALL.to_vec()),
        ) {
            let checks: Vec<Check> = CheckId::ALL.into_iter().zip(drawn).map(|(id, (status, points, unseen))| {
                Check::new(id, status, Points::hundredths(points), "").with_unseen(Points::hundredths(unseen))
            }).collect();
            let mut without = checks.clone();
            without[at] = Check::unknown(checks[at].id, "timed_out");
            let before = Hygiene::for_purpose(checks, [], purpose);
            let after = Hygiene::for_purpose(without, [], purpose);
            prop_assert!(after.score <= before.score.max(after.score_max_possible));
            prop_assert!(after.score <= after.score_max_possible && after.score_max_possible <= 100);
            prop_assert!((0.0..=1.0).contains(&after.coverage));
            for check in after.checks.iter().chain(&before.checks) {
                prop_assert!(check.points + check.unseen <= check.max);
            }
            if before.checks[at].status != Status::NotApplicable {
                prop_assert!(after.score <= before.score && after.coverage <= before.coverage);
            }
        }
    }
}
