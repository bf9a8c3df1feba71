//! Step 1: whether there is enough to say anything.

use super::Ruling;
use super::sample::Sample;
use super::sheet::Sheet;
use crate::grade::Reason;

const UNITS: f64 = 60.0;
const INDEPENDENT: f64 = 30.0;
const LEAST_SPREAD: f64 = 1e-12;

/// That there are 60 units, as good as 30 independent ones, which differ.
pub fn enough(sample: &Sample, sheet: &mut Sheet) -> Result<(), Ruling> {
    let source = "the rule's own";
    if !sheet.at_least("units", sample.moments.n, UNITS, source) {
        return Err(Ruling::insufficient(Reason::TooFewUnits));
    }
    if !sheet.above("units.standard_deviation", sample.moments.sd, LEAST_SPREAD, source) {
        return Err(Ruling::insufficient(Reason::NoVariation));
    }
    if !sheet.at_least("units.independent", sample.independent, INDEPENDENT, "Bayley and Hammersley 1946") {
        return Err(Ruling::insufficient(Reason::TooFewIndependentUnits));
    }
    Ok(())
}
