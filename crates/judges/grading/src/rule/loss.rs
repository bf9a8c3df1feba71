//! Step 2: a record that does not earn.

use super::sample::Sample;
use super::sheet::Sheet;
use super::{MATERIAL_SHARPE, ONE_SIDED_95, Ruling, Variant};
use crate::grade::Reason;
use crate::statistics::distribution::student_t_sf;

const LEVEL: f64 = 0.05;
const SOURCE: &str = "Newey and West 1987";

/// That the mean is above zero. Where it is not: whether that is more than chance, or rules an edge worth having out.
pub fn profit(sample: &Sample, variant: Variant, sheet: &mut Sheet) -> Result<(), Ruling> {
    let moments = &sample.moments;
    if sheet.above("mean", moments.mean, 0.0, "the sample's mean") {
        return Ok(());
    }
    let t = moments.mean / sample.error;
    let p = student_t_sf(-t, moments.n - 1.0);
    if !sheet.above("loss.p", p, LEVEL, SOURCE) {
        return Err(Ruling::negative(Reason::LossSignificant));
    }
    // Over a year of days that go with the day before, the original's error falls short of theirs.
    let highest = match variant {
        Variant::InForce => sample.highest_sharpe(moments.mean),
        Variant::Original => (moments.mean + ONE_SIDED_95 * sample.error) * sample.year / moments.sd,
    };
    if sheet.at_least("loss.highest_sharpe", highest, MATERIAL_SHARPE, "Lo 2002") {
        Err(Ruling::insufficient(Reason::LossUnderpowered))
    } else {
        Err(Ruling::negative(Reason::LossMaterialEdgeExcluded))
    }
}
