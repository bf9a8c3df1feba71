//! The verdict in two sentences.

use super::finding::CopyReason;
use crate::grade::{Grade, Step};
use crate::input::Missing;

/// Explains the verdict.
pub(super) fn explain(reason: CopyReason, grade: &Grade, gates: &[Step], missing: &[Missing]) -> String {
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
            "Its positions grow with its losses, or one is far larger than the others. Such a record looks good until the one loss that ends it.".to_owned()
        }
        CopyReason::Drawdown => {
            "From its highest point the copied account would have lost half or more. That is too much to sit through."
                .to_owned()
        }
        CopyReason::CostInputsMissing => {
            let of_costs = missing.iter().filter(|missing| missing.first.starts_with("costs."));
            let names = names(of_costs.map(|missing| missing.field).collect());
            format!("What copying costs is not known. Give {names}, as `missing` says.")
        }
        CopyReason::NetInsufficient => format!(
            "After costs the record does not say whether there is an edge. {}",
            crate::grade_strategy::why(grade.reason, missing)
        ),
        CopyReason::TrialsUndeclared => {
            "Every gate passes, but the best of many traders without an edge passes them too. Give `declared_trials`: how many traders this one was picked from.".to_owned()
        }
        CopyReason::AllGatesPassed => {
            "After the copier's costs the record still shows an edge. Every gate passes, from drawdown to size.".to_owned()
        }
        CopyReason::GateNotPassed => {
            let failed = names(gates.iter().filter(|gate| !gate.passed).map(|gate| gate.id).collect());
            format!("The record is no case for copying as it stands. These gates do not pass: {failed}.")
        }
    }
}
