//! Step 2: tests that the record has a profit.

use super::sample::Sample;
use super::sheet::StatisticSheet;
use super::{GradeRuling, MATERIAL_SHARPE};
use crate::grade::GradeReason;
use crate::statistics::distribution::student_t_sf;

const LEVEL: f64 = 0.05;
const SOURCE: &str = "Newey and West 1987";

/// Tests that the mean is above zero. If it is not, the ruling distinguishes a loss beyond chance from a mean that
/// rules out a material edge.
pub fn profit(sample: &Sample, sheet: &mut StatisticSheet) -> Result<(), GradeRuling> {
    let moments = &sample.moments;
    if sheet.above("mean", moments.mean, 0.0, "the sample's mean") {
        return Ok(());
    }
    let t = moments.mean / sample.error;
    let p = student_t_sf(-t, moments.n - 1.0);
    if !sheet.above("loss.p", p, LEVEL, SOURCE) {
        return Err(GradeRuling::negative(GradeReason::LossSignificant));
    }
    // By the number of independent units: Newey and West's error is too small where days go with the day before.
    let highest = sample.highest_sharpe(moments.mean);
    if sheet.at_least("loss.highest_sharpe", highest, MATERIAL_SHARPE, "Lo 2002") {
        Err(GradeRuling::insufficient(GradeReason::LossUnderpowered))
    } else {
        Err(GradeRuling::negative(GradeReason::LossMaterialEdgeExcluded))
    }
}
