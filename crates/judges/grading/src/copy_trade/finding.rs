//! The order of the verdicts, and the finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use receipt::json::Number;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::activity::TraderFees;
use super::charge::{Charges, CostBreakdown};
use super::explain::explain;
use super::gates::{OF_COSTS, RUINOUS_DRAWDOWN, gates, is_martingale};
use super::growth::CopyGrowth;
use super::missing::{missing, no_trials};
use super::net::{Capacity, Net};
use super::question::CopyQuestion;
use crate::committed::Committed;
use crate::grade::{Grade, GradeReason, GradeVerdict, Step};
use crate::grade_strategy::{GradeEvidence, finite, scope};
use crate::graded_before::GradedBefore;
use crate::input::{ImportReport, Missing, RowCounts, with_import_rules};
use crate::ledger_facts::LedgerFacts;
use crate::record::{Reservation, Reservations, TrackRecord};

/// Name and version of the rules in this module. The finding names the rules of the grade separately.
pub const METHOD: &str = "copy-trade-score/2";

const SCOPE: &str = "A gate for copying the track record as the caller states it, at the costs that the caller states: \
    it says whether what is left after these passes the grade and the bounds named here, and does not say that the \
    trades took place, that none was left out, or how a copy will do";

/// The verdict on copying.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CopyVerdict {
    /// The record shows an edge after costs, and every gate passes.
    Copy,
    /// A gate does not pass.
    Caution,
    /// The copier would lose, or the trader's conduct is ruinous.
    Avoid,
    /// It cannot be said.
    InsufficientData,
}

/// The reason of the verdict: the first of these that applies, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CopyReason {
    /// After costs the record loses.
    NetNegativeEv,
    /// The record is profitable before costs, and is not after them.
    CostsTakeProfit,
    /// Positions grow with losses, or one is out of proportion to the others.
    Martingale,
    /// Half of the equity, or more, was lost from a high.
    Drawdown,
    /// A cost is not known.
    CostInputsMissing,
    /// The record after costs does not say whether there is an edge.
    NetInsufficient,
    /// Every gate passes, and it is not said from how many traders this one was picked.
    TrialsUndeclared,
    /// Every gate passes.
    AllGatesPassed,
    /// A gate does not pass.
    GateNotPassed,
}

/// The finding of `POST /copy-trade-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CopyFinding {
    /// The verdict.
    pub verdict: CopyVerdict,
    /// The reason of the verdict.
    pub reason: CopyReason,
    /// The same in two sentences, and one more for each: commitments, and a record that begins like this one and was scored before.
    pub explanation: String,
    /// Every gate, in order.
    pub gates: Vec<Step>,
    /// The cost of a round trip.
    pub cost: CostBreakdown,
    /// If the trader's own fees were taken off before the copier's were added.
    pub trader_fees: TraderFees,
    /// The cost of a round trip at which the mean net return is zero, as a fraction of what is traded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_cost: Option<f64>,
    /// The order of all copiers together at which costs take the whole gross edge, in currency; absent where no order is that large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_size: Option<String>,
    /// The order of all copiers together at which costs take half of the gross edge, in currency; a hundredth of the least average
    /// daily volume if that is less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// Growth a year, of the trader and of the copier; absent where no figure of it can be computed.
    #[serde(skip_serializing_if = "CopyGrowth::is_empty")]
    #[schemars(default)]
    pub growth: CopyGrowth,
    /// The grade of the record after costs.
    pub net: Grade,
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
    /// The members that rows or costs lack.
    pub missing: Vec<Missing>,
    /// The evidence that the verdict rests on.
    pub evidence: GradeEvidence,
    /// The claims that this verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// Finds on a record and its costs.
pub(super) fn find(question: &CopyQuestion, facts: &LedgerFacts, at: Timestamp) -> CopyFinding {
    let CopyQuestion { settled, imported, costs, activity, .. } = question;
    let charges = Charges::of(costs);
    let lacking = missing(costs, activity);
    let knows_costs = lacking.is_empty();
    let knows_trials = settled.record.declared_trials.is_some();
    let mut missing = [settled.missing.clone(), lacking].concat();
    missing.extend((!knows_trials).then(no_trials));
    let committed = facts.committed(question.commitments.as_deref());
    let units = &settled.record.units;
    // An unknown turnover or cost counts as zero: a known one could only make the net record worse.
    let net = Net::of(units, activity, &charges, costs.multiple());
    let copied = of_net(&settled.record, &net);
    let grade = finite(crate::grade(&copied));
    let known = (!units.is_empty()).then_some(&net);
    let mut gates = gates(grade.verdict == GradeVerdict::RealEdge, known, activity, costs, &charges);
    if !knows_costs {
        unknown_costs(&mut gates);
    }
    let known_inputs = Known { costs: knows_costs, trials: knows_trials };
    let (verdict, reason) = decide(&grade, known, is_martingale(&activity.conduct), known_inputs, &gates);
    let capacity = known.filter(|_| knows_costs).and_then(|net| Capacity::of(net, activity, &charges));
    CopyFinding {
        verdict,
        reason,
        explanation: facts.explained(committed.as_ref(), explain(reason, &grade, &gates, &missing), "scored"),
        gates,
        cost: charges.mean(activity),
        trader_fees: activity.trader_fees,
        break_even_cost: capacity.map(|found| found.break_even_cost),
        break_even_size: capacity.and_then(|found| amount(found.break_even_size)),
        capacity: capacity.and_then(|found| amount(found.capacity)),
        growth: CopyGrowth::of(&settled.record, knows_costs.then_some(&copied), question.risk_free),
        rows: settled.rows,
        imported: imported.clone(),
        graded_before: facts.earlier,
        committed,
        missing,
        evidence: GradeEvidence::of_request(at, facts),
        scope: scope(SCOPE, settled.record.benchmark),
        method: with_import_rules(format!("{METHOD}, {}", crate::rule::RULE), imported.as_ref()),
        net: grade,
    }
}

/// The inputs that are there.
#[derive(Clone, Copy)]
struct Known {
    costs: bool,
    trials: bool,
}

/// The verdicts in their order.
fn decide(
    grade: &Grade,
    net: Option<&Net>,
    is_martingale: bool,
    known: Known,
    gates: &[Step],
) -> (CopyVerdict, CopyReason) {
    let avoid = if grade.verdict == GradeVerdict::NegativeEv {
        Some(CopyReason::NetNegativeEv)
    } else if net.is_some_and(Net::is_taken_by_costs) {
        Some(CopyReason::CostsTakeProfit)
    } else if is_martingale {
        Some(CopyReason::Martingale)
    } else if net.is_some_and(|net| net.drawdown >= RUINOUS_DRAWDOWN) {
        Some(CopyReason::Drawdown)
    } else {
        None
    };
    match avoid {
        Some(reason) => (CopyVerdict::Avoid, reason),
        None if !known.costs => (CopyVerdict::InsufficientData, CopyReason::CostInputsMissing),
        None if grade.verdict == GradeVerdict::InsufficientData => {
            (CopyVerdict::InsufficientData, CopyReason::NetInsufficient)
        }
        None if gates.iter().all(|gate| gate.passed) && !known.trials => {
            (CopyVerdict::InsufficientData, CopyReason::TrialsUndeclared)
        }
        None if gates.iter().all(|gate| gate.passed) => (CopyVerdict::Copy, CopyReason::AllGatesPassed),
        None => (CopyVerdict::Caution, CopyReason::GateNotPassed),
    }
}

/// The record after costs. One that costs carry past all numbers says nothing.
fn of_net(record: &TrackRecord, net: &Net) -> TrackRecord {
    let mut reservations = record.reservations.0.clone();
    if net.units.iter().any(|unit| !unit.x.is_finite()) {
        reservations.push(Reservation::Insufficient(GradeReason::OutOfRange));
    }
    TrackRecord { units: net.units.clone(), reservations: Reservations(reservations), ..record.clone() }
}

/// A gate that costs decide does not pass on a part of them.
fn unknown_costs(gates: &mut [Step]) {
    for gate in gates.iter_mut().filter(|gate| OF_COSTS.contains(&gate.id)) {
        (gate.statistic, gate.passed) = (None, false);
    }
}

/// An amount of currency in hundredths; nothing where there is no end to it.
fn amount(amount: f64) -> Option<String> {
    let hundredths = libm::floor(amount * 100.0) / 100.0;
    Number::from_f64(hundredths)?.canonical_decimal()
}
