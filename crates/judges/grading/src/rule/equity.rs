//! Step 8: tests that the edge does not depend on the equity that the record states.

use super::alpha::Alpha;
use super::sample::Sample;
use super::sheet::StatisticSheet;
use super::{GradeRuling, LEVEL, selection};
use crate::grade::GradeReason;
use crate::record::TrackRecord;

/// Tests that alpha is also significant with an equity that does not depend on a day's profit, if the stated equity
/// does not follow from the profits. An equity that is overstated on losing days makes any record look like an edge.
pub fn equity(record: &TrackRecord, trials: u32, sheet: &mut StatisticSheet) -> Result<(), GradeRuling> {
    if record.unreconciled_equity.is_empty() {
        return Ok(());
    }
    let (mut best, mut level) = (f64::NAN, LEVEL);
    for other in record.with_other_equities() {
        let Some(sample) = Sample::read(&other) else { continue };
        let alpha = Alpha::of(&sample);
        let p = selection::of_trials(alpha.p(), trials);
        // Whichever is the further below its level.
        if p / alpha.level < best / level || best.is_nan() {
            (best, level) = (p, alpha.level);
        }
    }
    let holds = sheet.at_most("equity.p_of_trials", best, level, "the rule's own");
    if holds { Ok(()) } else { Err(GradeRuling::insufficient(GradeReason::EquityUnreconciled)) }
}
