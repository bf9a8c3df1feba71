//! The finding of the judge, member by member as it stands in the receipt.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::explain::explain;
use super::question::GradeQuestion;
use crate::committed::{CommitReceipts, Committed};
use crate::grade::{Grade, GradeReason, GradeVerdict};
use crate::graded_before::GradedBefore;
use crate::input::{ImportReport, Missing, RowCounts, Settled, with_import_rules};
use crate::ledger_facts::LedgerFacts;
use crate::performance::Performance;
use crate::record::Benchmark;
use crate::rule::{RARE, RULE};

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
    /// The grade in two sentences, and one more for each: commitments, and a record that begins like this one and was graded before.
    pub explanation: String,
    /// The number of rows, by kind.
    pub rows: RowCounts,
    /// The file that the rows were read of; absent if the request has rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportReport>,
    /// The earlier receipts of this class, as the notary's ledger has counted them; absent where it was judged without a ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graded_before: Option<GradedBefore>,
    /// The trades that were committed before they opened; absent where no row names a commitment. No verdict depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committed: Option<Committed>,
    /// The members that rows lack, if that is the reason.
    pub missing: Vec<Missing>,
    /// Settlement units in a year.
    pub periods_per_year: f64,
    /// The evidence that the verdict rests on.
    pub evidence: GradeEvidence,
    /// The claims that this verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// The evidence of a grade: the request, whose hash the receipt has, and what the ledger said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GradeEvidence {
    /// `request`.
    pub kind: &'static str,
    /// When it was handed in.
    #[schemars(with = "String")]
    pub received_at: Timestamp,
    /// SHA-256 of the evidence behind `graded_before`: its JSON text. Absent where that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graded_before_sha256: Option<String>,
    /// SHA-256 of the evidence behind `committed`: what the ledger had of the receipts, as JSON text. Absent where no row names a
    /// commitment, and where they were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commitments_sha256: Option<String>,
}

impl GradeEvidence {
    /// Returns the evidence of a finding on a request as it came at `at`, and on what the ledger said.
    #[must_use]
    pub(crate) fn of_request(at: Timestamp, facts: &LedgerFacts) -> Self {
        let commitments = facts.receipts.as_ref().map(CommitReceipts::to_blob);
        Self {
            kind: "request",
            received_at: at,
            graded_before_sha256: facts.earlier.map(GradedBefore::sha256),
            commitments_sha256: commitments.map(|blob| hex::encode(blob.sha256())),
        }
    }
}

/// Finds on a record.
pub(super) fn find(question: &GradeQuestion, facts: &LedgerFacts, at: Timestamp) -> GradeFinding {
    let GradeQuestion { settled, imported, .. } = question;
    let grade = finite(crate::grade(&settled.record));
    let committed = facts.committed(question.commitments.as_deref());
    let performance = Performance::of(&settled.record, grade.trials, &question.stated);
    GradeFinding {
        explanation: facts.explained(committed.as_ref(), explained(&grade, &performance, settled), "graded"),
        performance,
        grade,
        rows: settled.rows,
        imported: imported.clone(),
        graded_before: facts.earlier,
        committed,
        missing: settled.missing.clone(),
        periods_per_year: settled.record.periods_per_year,
        evidence: GradeEvidence::of_request(at, facts),
        scope: scope(SCOPE, settled.record.benchmark),
        method: with_import_rules(RULE, imported.as_ref()),
    }
}

/// The grade in words, with the numbers that its reason is about: how much longer the record has to be, for how many trials it
/// holds, what loss would take the profit.
fn explained(grade: &Grade, performance: &Performance, settled: &Settled) -> String {
    let explanation = explain(grade, &settled.missing);
    let numbers = match grade.reason {
        GradeReason::Underpowered => performance
            .more_units
            .filter(|more| *more > 0)
            .map(|more| format!("At its Sharpe ratio, about {more} more days would decide.")),
        GradeReason::TrialsUndeclared => grade.holds_for_trials.map(|trials| {
            format!("It holds for at most {trials} of them, and is no luck if they were no more.")
        }),
        GradeReason::AllStepsPassed => grade.loss_that_takes_profit.map(|loss| {
            let years = RARE * f64::from(grade.units) / settled.record.periods_per_year;
            let loss = 100.0 * loss;
            format!("A loss of {loss:.0} % of the equity once in {years:.1} years would take the profit.")
        }),
        _ => None,
    };
    numbers.map_or(explanation.clone(), |numbers| format!("{explanation} {numbers}"))
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
    grade.curve.iter_mut().for_each(|point| point.benchmark = point.benchmark.filter(|b| b.is_finite()));
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
