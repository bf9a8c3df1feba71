//! Outcomes of a test of the headers.

use schemars::JsonSchema;
use serde::Serialize;

/// A result of a test: its stable code, what it does to the score, and whether the test is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Outcome")]
pub struct TestOutcome {
    /// The code that the Observatory gives it.
    pub result: &'static str,
    /// Added to the score of 100.
    pub modifier: i32,
    /// True if the test is passed.
    pub pass: bool,
}

impl TestOutcome {
    pub(crate) const fn pass(result: &'static str, modifier: i32) -> Self {
        Self { result, modifier, pass: true }
    }

    pub(crate) const fn fail(result: &'static str, modifier: i32) -> Self {
        Self { result, modifier, pass: false }
    }
}

/// The worse of what was found so far and something new, in an order from best to worst. What the order does not name
/// is better than all that it does.
pub(crate) fn worse(order: &[TestOutcome], so_far: Option<TestOutcome>, new: TestOutcome) -> TestOutcome {
    let rank = |outcome| order.iter().position(|other| *other == outcome);
    match so_far {
        Some(old) if rank(old) >= rank(new) => old,
        _ => new,
    }
}
