//! Step 1: tests that the record has enough data for a verdict.

use super::GradeRuling;
use super::sample::Sample;
use super::sheet::StatisticSheet;
use crate::grade::GradeReason;

const UNITS: f64 = 60.0;
const INDEPENDENT: f64 = 30.0;
const LEAST_SPREAD: f64 = 1e-12;

/// Tests that there are at least 60 units, an effective sample size of at least 30, and a variance above zero.
pub fn enough(sample: &Sample, sheet: &mut StatisticSheet) -> Result<(), GradeRuling> {
    let source = "the rule's own";
    if !sheet.at_least("units", sample.moments.n, UNITS, source) {
        return Err(GradeRuling::insufficient(GradeReason::TooFewUnits));
    }
    if !sheet.above("units.standard_deviation", sample.moments.sd, LEAST_SPREAD, source) {
        return Err(GradeRuling::insufficient(GradeReason::NoVariation));
    }
    if !sheet.at_least("units.independent", sample.independent, INDEPENDENT, "Bayley and Hammersley 1946") {
        return Err(GradeRuling::insufficient(GradeReason::TooFewIndependentUnits));
    }
    Ok(())
}
