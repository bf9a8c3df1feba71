//! Step 2: tests that the record has a profit.

use super::sample::Sample;
use super::sheet::StatisticSheet;
use super::{GradeRuling, MATERIAL_SHARPE};
use crate::grade::GradeReason;
use crate::statistics::cosine;
use crate::statistics::distribution::student_t_sf;

/// The p-value at or below which a loss is significant: at break-even 2% of independent returns show one, and of those with a Sharpe ratio of
/// 0.5 a year fewer than 1%.
const LEVEL: f64 = 0.02;
const SOURCE: &str = "Newey and West 1987; Lazarus, Lewis, Stock and Watson 2018";

/// Tests that the mean is above zero. If it is not, the ruling distinguishes a loss beyond chance from a mean that rules out a
/// material edge, which is no loss: that two are equal is not shown by their not differing (Schuirmann 1987).
/// Where the units are not the results of positions, `reserved` says why a loss is not one either.
pub fn profit(
    sample: &Sample,
    reserved: Option<GradeReason>,
    sheet: &mut StatisticSheet,
) -> Result<(), GradeRuling> {
    let moments = &sample.moments;
    if sheet.above("mean", moments.mean, 0.0, "the sample's mean") {
        return Ok(());
    }
    let t = moments.mean / sample.error;
    let by_lags = student_t_sf(-t, moments.n - 1.0);
    let p = if cosine::is_dependent(&sample.x) {
        by_lags.max(1.0 - cosine::p_of_mean(&sample.x))
    } else {
        by_lags
    };
    if !sheet.above("loss.p", p, LEVEL, SOURCE) {
        let ruling =
            reserved.map_or(GradeRuling::negative(GradeReason::LossSignificant), GradeRuling::insufficient);
        return Err(ruling);
    }
    // By the number of independent units: Newey and West's error is too small where days go with the day before.
    let highest = sample.highest_sharpe(moments.mean);
    if sheet.at_least("loss.highest_sharpe", highest, MATERIAL_SHARPE, "Lo 2002") {
        Err(GradeRuling::insufficient(GradeReason::LossUnderpowered))
    } else {
        Err(GradeRuling::insufficient(GradeReason::MaterialEdgeExcluded))
    }
}
