//! The finding of the judge, member by member as it stands in the receipt.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::explain::explain;
use super::performance::Performance;
use crate::grade::{Grade, GradeReason, GradeVerdict};
use crate::input::{Missing, RowCounts, Settled};
use crate::record::Benchmark;
use crate::rule::RULE;

const SCOPE: &str = "A grade of the track record as the caller states it: it says whether these results, if they are \
    true and complete, show an edge over their benchmark, and does not say that the trades took place, that none was \
    left out, or how the strategy will do";

/// The finding of `POST /grade-strategy`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct GradeFinding {
    /// The grade of the record.
    #[serde(flatten)]
    pub grade: Grade,
    /// Figures that people know a track record by; none of them decides anything.
    pub performance: Performance,
    /// The grade in two sentences.
    pub explanation: String,
    /// The number of rows, by kind.
    pub rows: RowCounts,
    /// The members that rows lack, if that is the reason.
    pub missing: Vec<Missing>,
    /// Settlement units in a year.
    pub periods_per_year: f64,
    /// The benchmark that the units were measured against.
    pub benchmark: BenchmarkUsed,
    /// The evidence that the verdict rests on.
    pub evidence: GradeEvidence,
    /// The claims that this verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// The benchmark that the units were measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BenchmarkUsed {
    /// A benchmark's returns, for every unit.
    Series,
    /// Nothing: the caller states that there is no market exposure.
    Cash,
    /// A benchmark's returns, which a part of the units lacks.
    Partial,
    /// Nothing: none was given.
    Absent,
}

impl From<Benchmark> for BenchmarkUsed {
    fn from(benchmark: Benchmark) -> Self {
        match benchmark {
            Benchmark::Series => Self::Series,
            Benchmark::Cash => Self::Cash,
            Benchmark::Partial => Self::Partial,
            Benchmark::Absent => Self::Absent,
        }
    }
}

/// The evidence of a grade: the request alone, whose hash the receipt has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GradeEvidence {
    /// `request`.
    pub kind: &'static str,
    /// When it was handed in.
    #[schemars(with = "String")]
    pub received_at: Timestamp,
}

impl GradeEvidence {
    /// Returns the evidence of a finding that depends on the request alone, as it came at `at`.
    #[must_use]
    pub fn of_request(at: Timestamp) -> Self {
        Self { kind: "request", received_at: at }
    }
}

/// Finds on a record.
pub(super) fn find(settled: &Settled, at: Timestamp) -> GradeFinding {
    let grade = finite(crate::grade(&settled.record));
    let benchmark = settled.record.benchmark;
    let performance = Performance::of(&settled.record, grade.trials);
    GradeFinding {
        explanation: explained(&grade, &performance, &settled.missing),
        performance,
        grade,
        rows: settled.rows,
        missing: settled.missing.clone(),
        periods_per_year: settled.record.periods_per_year,
        benchmark: benchmark.into(),
        evidence: GradeEvidence::of_request(at),
        scope: scope(SCOPE, benchmark),
        method: RULE.into(),
    }
}

/// The grade in words, and how much longer a record like this one has to be, where that is what it lacks.
fn explained(grade: &Grade, performance: &Performance, missing: &[Missing]) -> String {
    let explanation = explain(grade, missing);
    match performance.more_units.filter(|more| *more > 0) {
        Some(more) if grade.reason == GradeReason::Underpowered => {
            format!("{explanation} At its Sharpe ratio, about {more} more days would decide.")
        }
        _ => explanation,
    }
}

/// The sentence, with the caller's word where the verdict rests on it.
pub(crate) fn scope(sentence: &'static str, benchmark: Benchmark) -> Cow<'static, str> {
    let word = match benchmark {
        Benchmark::Cash => {
            "; that there is no market exposure is the caller's word, and was not held against any benchmark"
        }
        Benchmark::Series => "; the benchmark's returns are the caller's too",
        Benchmark::Partial | Benchmark::Absent => "",
    };
    format!("{sentence}{word}.").into()
}

/// Removes every number that JSON cannot represent (NaN, infinity) from a grade. If a step's number is removed,
/// `REAL_EDGE` becomes `INSUFFICIENT_DATA`.
#[must_use]
pub fn finite(mut grade: Grade) -> Grade {
    let mut lost = false;
    let mut keep = |number: &mut Option<f64>| {
        lost |= number.is_some_and(|number| !number.is_finite());
        *number = number.filter(|number| number.is_finite());
    };
    for step in &mut grade.steps {
        keep(&mut step.statistic);
        keep(&mut step.threshold);
    }
    keep(&mut grade.block_length);
    if let Some(alternatives) = &mut grade.alternatives {
        keep(&mut alternatives.pbo);
    }
    grade.curve.retain(|point| point.equity.is_finite() && point.drawdown.is_finite());
    grade.subperiods.iter_mut().for_each(|period| keep(&mut period.t));
    grade.subperiods.retain(|period| period.mean.is_finite());
    grade.bootstrap = grade
        .bootstrap
        .filter(|bins| [bins.from, bins.to, bins.observed].iter().all(|edge| edge.is_finite()));
    grade.alternatives =
        grade.alternatives.filter(|tested| tested.reality_check_p.is_finite() && tested.spa_p.is_finite());
    if lost && grade.verdict == GradeVerdict::RealEdge {
        (grade.verdict, grade.reason) = (GradeVerdict::InsufficientData, GradeReason::OutOfRange);
    }
    grade
}
