//! The order of the verdicts, and the finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use receipt::json::Number;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::costs::CostBreakdown;
use super::gates::{Capacity, Net, RUINOUS_DRAWDOWN, gates, is_martingale};
use super::question::CopyQuestion;
use crate::grade::{Grade, GradeReason, GradeVerdict, Step};
use crate::grade_strategy::{GradeEvidence, finite, scope};
use crate::input::{Missing, RowCounts};
use crate::record::{Reservation, Reservations, TrackRecord};

/// Name and version of the rules in this module. The finding names the rules of the grade separately.
pub const METHOD: &str = "copy-trade-score/1";

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
    /// Positions grow with losses.
    Martingale,
    /// Half of the equity, or more, was lost from a high.
    Drawdown,
    /// A cost is not known.
    CostInputsMissing,
    /// The record after costs does not say whether there is an edge.
    NetInsufficient,
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
    /// The same in two sentences.
    pub explanation: String,
    /// Every gate, in order.
    pub gates: Vec<Step>,
    /// The cost of a round trip.
    pub cost: CostBreakdown,
    /// The cost of a round trip at which the mean net return is zero, as a fraction of what is traded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_cost: Option<f64>,
    /// The order at which costs are that, in currency; absent where no order is that large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_size: Option<String>,
    /// The largest order that the gates of cost and size let pass, in currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// The grade of the record after costs.
    pub net: Grade,
    /// The number of rows, by kind.
    pub rows: RowCounts,
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
pub(super) fn find(question: &CopyQuestion, at: Timestamp) -> CopyFinding {
    let CopyQuestion { settled, costs, conduct, .. } = question;
    let cost = costs.of_round_trip();
    let mut missing = settled.missing.clone();
    missing.extend(costs.missing());
    if conduct.turnover.is_none() {
        missing.push(no_turnover());
    }
    let units = &settled.record.units;
    let turnover = conduct.turnover.as_deref();
    let unturned = vec![0.0; units.len()];
    // An unknown turnover or cost counts as zero: a known one could only make the net record worse.
    let net = Net::of(units, turnover.unwrap_or(&unturned), &cost);
    let grade = finite(crate::grade(&of_net(&settled.record, &net)));
    let known = (!units.is_empty()).then_some(&net);
    let mut gates = gates(grade.verdict == GradeVerdict::RealEdge, known, conduct, costs);
    let knows_costs = costs.missing().is_empty() && turnover.is_some();
    if !knows_costs {
        unknown_costs(&mut gates);
    }
    let (verdict, reason) = decide(&grade, known, is_martingale(conduct), knows_costs, &gates);
    let capacity = known.filter(|_| knows_costs).and_then(|net| Capacity::of(net, costs));
    CopyFinding {
        verdict,
        reason,
        explanation: explain(reason, &grade, &gates, &missing),
        gates,
        cost,
        break_even_cost: capacity.map(|found| found.break_even_cost),
        break_even_size: capacity.and_then(|found| amount(found.break_even_size)),
        capacity: capacity.and_then(|found| amount(found.capacity)),
        rows: settled.rows,
        missing,
        evidence: GradeEvidence::of_request(at),
        scope: scope(SCOPE, settled.record.benchmark),
        method: format!("{METHOD}, {}", crate::rule::RULE).into(),
        net: grade,
    }
}

/// The verdicts in their order.
fn decide(
    grade: &Grade,
    net: Option<&Net>,
    is_martingale: bool,
    knows_costs: bool,
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
        None if !knows_costs => (CopyVerdict::InsufficientData, CopyReason::CostInputsMissing),
        None if grade.verdict == GradeVerdict::InsufficientData => {
            (CopyVerdict::InsufficientData, CopyReason::NetInsufficient)
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

fn no_turnover() -> Missing {
    Missing {
        field: "turnover",
        rows: 1,
        first: "costs.turnover".to_owned(),
        add: "what is opened a day over equity, or `size` and `entry_price` in every trade",
    }
}

/// A gate that costs decide does not pass on a part of them.
fn unknown_costs(gates: &mut [Step]) {
    for gate in gates
        .iter_mut()
        .filter(|gate| ["net.real_edge", "cost.share_of_edge", "net.drawdown"].contains(&gate.id))
    {
        (gate.statistic, gate.passed) = (None, false);
    }
}

/// An amount of currency in hundredths; nothing where there is no end to it.
fn amount(amount: f64) -> Option<String> {
    let hundredths = libm::floor(amount * 100.0) / 100.0;
    Number::from_f64(hundredths)?.canonical_decimal()
}

fn explain(reason: CopyReason, grade: &Grade, gates: &[Step], missing: &[Missing]) -> String {
    let names =
        |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match reason {
        CopyReason::NetNegativeEv => {
            "After the copier's costs the record loses. Copying it is expected to lose money.".to_owned()
        }
        CopyReason::CostsTakeProfit => {
            "The record is profitable, but the copier's costs take all of it. Copying it is expected to lose money.".to_owned()
        }
        CopyReason::Martingale => {
            "Its positions grow with its losses. Such a record looks good until the one loss that ends it.".to_owned()
        }
        CopyReason::Drawdown => {
            "From its highest point the copied account would have lost half or more. That is too much to sit through."
                .to_owned()
        }
        CopyReason::CostInputsMissing => {
            let names = names(missing.iter().map(|missing| missing.field).collect());
            format!("What copying costs is not known. Give {names}.")
        }
        CopyReason::NetInsufficient => format!(
            "After costs the record does not say whether there is an edge. {}",
            crate::grade_strategy::why(grade.reason, missing)
        ),
        CopyReason::AllGatesPassed => {
            "After the copier's costs the record still shows an edge. Every gate passes, from drawdown to size.".to_owned()
        }
        CopyReason::GateNotPassed => {
            let failed = names(gates.iter().filter(|gate| !gate.passed).map(|gate| gate.id).collect());
            format!("The record is no case for copying as it stands. These gates do not pass: {failed}.")
        }
    }
}
