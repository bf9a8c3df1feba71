//! All tests together: the score and its grade.

use domain_name::DomainName;
use schemars::JsonSchema;
use serde::Serialize;

use crate::outcome::TestOutcome;
use crate::{ScanInput, cookies, cors, csp, integrity, isolation, simple, transport};

/// The score before all tests.
pub const START: i32 = 100;
/// The least score without bonuses at which bonuses count.
pub const BONUS_FROM: i32 = 90;

/// The least score of each grade, the best grade first.
pub const GRADES: &[(i32, &str)] = &[
    (100, "A+"),
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

/// A test by name, with all that it can come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TestKind {
    /// The name that the Observatory gives it.
    pub test: &'static str,
    /// Possible results of the test.
    pub outcomes: &'static [TestOutcome],
}

/// All tests of the Observatory, in their order.
pub const TESTS: &[TestKind] = &[
    TestKind { test: "content-security-policy", outcomes: csp::OUTCOMES },
    TestKind { test: "cookies", outcomes: cookies::OUTCOMES },
    TestKind { test: "cross-origin-resource-sharing", outcomes: cors::OUTCOMES },
    TestKind { test: "redirection", outcomes: transport::REDIRECT_OUTCOMES },
    TestKind { test: "referrer-policy", outcomes: simple::REFERRER_OUTCOMES },
    TestKind { test: "strict-transport-security", outcomes: transport::HSTS_OUTCOMES },
    TestKind { test: "subresource-integrity", outcomes: integrity::OUTCOMES },
    TestKind { test: "x-content-type-options", outcomes: simple::CONTENT_TYPE_OUTCOMES },
    TestKind { test: "x-frame-options", outcomes: simple::FRAME_OUTCOMES },
    TestKind { test: "cross-origin-resource-policy", outcomes: isolation::RESOURCE_OUTCOMES },
    TestKind { test: "cross-origin-opener-policy", outcomes: isolation::OPENER_OUTCOMES },
    TestKind { test: "cross-origin-embedder-policy", outcomes: isolation::EMBEDDER_OUTCOMES },
];

/// A test and what it came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Test {
    /// Name of the test.
    pub test: &'static str,
    /// Result of the test.
    #[serde(flatten)]
    pub outcome: TestOutcome,
}

/// Results of all tests, the score and the grade.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct HeadersReport {
    /// Score, from 0; over 100 with bonuses.
    pub score: i32,
    /// Grade, from `A+` to `F`.
    pub grade: &'static str,
    /// The tests, in the order of [`TESTS`].
    pub tests: Vec<Test>,
}

impl HeadersReport {
    /// The result of the test with this name; `None` where there is no such test.
    #[must_use]
    pub fn get(&self, test: &str) -> Option<TestOutcome> {
        self.tests.iter().find(|own| own.test == test).map(|own| own.outcome)
    }
}

/// Runs all tests for a site below this registered name.
#[must_use]
pub fn analyze(observed: &ScanInput<'_>, registered: &DomainName) -> HeadersReport {
    let page = observed.page;
    let csp = csp::test(page);
    let hsts = transport::hsts(observed);
    let outcomes = [
        csp.outcome,
        cookies::test(page, hsts),
        cors::test(observed),
        transport::redirection(observed),
        simple::referrer(page),
        hsts,
        integrity::test(observed, registered),
        simple::content_type(page),
        simple::frame(page, &csp),
        isolation::resource(page),
        isolation::opener(page),
        isolation::embedder(page),
    ];
    let score = score(&outcomes);
    let tests = TESTS.iter().zip(outcomes).map(|(kind, outcome)| Test { test: kind.test, outcome }).collect();
    HeadersReport { score, grade: grade(score), tests }
}

fn score(outcomes: &[TestOutcome]) -> i32 {
    let malus: i32 = outcomes.iter().map(|outcome| outcome.modifier.min(0)).sum();
    let bonus: i32 = outcomes.iter().map(|outcome| outcome.modifier.max(0)).sum();
    let plain = START + malus;
    if plain >= BONUS_FROM { plain + bonus } else { plain.max(0) }
}

/// The grade of a score, from `A+` to `F`.
#[must_use]
pub fn grade(score: i32) -> &'static str {
    GRADES.iter().find(|(least, _)| score >= *least).map_or("F", |(_, grade)| grade)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{HeaderFields, Page};

    #[test]
    fn bonuses_count_from_90_on() {
        let (bonus, malus) = (TestOutcome::pass("b", 10), |by| TestOutcome::fail("m", by));
        assert_eq!(score(&[bonus, malus(-10)]), 100);
        assert_eq!(score(&[bonus, malus(-15)]), 85);
        assert_eq!(score(&[bonus, malus(-130)]), 0);
        assert_eq!([135, 100, 95, 89, 44, 24].map(grade), ["A+", "A+", "A", "A-", "D+", "F"]);
    }

    fn registered() -> DomainName {
        DomainName::parse("example.com").unwrap()
    }

    #[test]
    fn every_result_is_one_that_its_test_names() {
        let page = Page::example();
        let report = analyze(&ScanInput::example(&page), &registered());
        for (test, kind) in report.tests.iter().zip(TESTS) {
            assert!(test.test == kind.test && kind.outcomes.contains(&test.outcome), "{test:?}");
        }
    }

    proptest! {
        #[test]
        fn no_response_panics_and_every_result_is_known(
            fields in prop::collection::vec((prop::sample::select(TESTS), prop::collection::vec(any::<u8>(), 0..40)), 0..12),
            html in r"\PC{0,60}",
        ) {
            let names = fields.iter().map(|(kind, value)| {
                (if kind.test == "cookies" { "set-cookie" } else { kind.test }, value)
            });
            let page = Page::new("https://www.example.com/".parse().unwrap(), names.collect::<HeaderFields>(), &html);
            let report = analyze(&ScanInput::example(&page), &registered());
            for (test, kind) in report.tests.iter().zip(TESTS) {
                prop_assert!(kind.outcomes.contains(&test.outcome));
            }
            prop_assert!((0..=200).contains(&report.score));
        }
    }
}
