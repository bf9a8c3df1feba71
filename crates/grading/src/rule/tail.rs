//! Step 3: losses that may come and have not been seen.

use super::sample::Sample;
use super::sheet::Sheet;
use super::{LEFT_SKEWED, Ruling, Variant};
use crate::grade::Reason;
use crate::statistics::moments::{correlation, sum};

const SOURCE: &str = "the rule's own";
/// Greatest losses that a record which has not seen enough of them must survive, and one that has.
const UNSEEN: f64 = 5.0;
const SEEN: f64 = 1.0;
/// How many losses of half the greatest are enough. One may be the first of many.
const ENOUGH: usize = 5;
/// The least loss that it must have seen, in standard deviations.
const DEEP: f64 = 3.0;
/// The most that the size of a unit may go with a loss before it.
const MOST_ESCALATION: f64 = 0.3;

/// That the profit outlasts the greatest losses that the stakes allow. Whether the tail is known well enough for an
/// edge, where these are not given.
pub fn tail(sample: &Sample, variant: Variant, sheet: &mut Sheet) -> Result<bool, Ruling> {
    let Some(most) = sample.max_loss else { return Ok(variant == Variant::Original || seen(sample, sheet)) };
    let enough = if variant == Variant::Original { 1 } else { ENOUGH };
    let deep = sample.x.iter().filter(|x| **x <= -0.5 * most).count();
    let losses = if deep >= enough { SEEN } else { UNSEEN };
    let left = sum(&sample.x) - losses * most.max(-sample.least);
    if sheet.above("tail.profit_after_greatest_losses", left, 0.0, SOURCE) {
        Ok(true)
    } else {
        Err(Ruling::insufficient(Reason::HiddenTail))
    }
}

/// That it is not skewed to the left, has seen a deep loss, and does not bet more after losses.
fn seen(sample: &Sample, sheet: &mut Sheet) -> bool {
    let deepest = -sample.least / sample.moments.sd;
    sheet.at_least("tail.skewness", sample.moments.skew, LEFT_SKEWED, SOURCE)
        & sheet.at_least("tail.deepest_loss", deepest, DEEP, SOURCE)
        & sheet.at_most("tail.escalation", escalation(sample), MOST_ESCALATION, SOURCE)
}

/// The correlation of a unit's size, in logarithms, with a loss before it. Who doubles after losses has seen none as
/// great as the one that ends it, and is skewed to the right until then.
fn escalation(sample: &Sample) -> f64 {
    let least = 0.01 * sample.moments.sd;
    let sizes: Vec<f64> = sample.x.iter().skip(1).map(|x| libm::log(x.abs().max(least))).collect();
    let losses: Vec<f64> = sample.x.iter().map(|x| if *x < 0.0 { 1.0 } else { 0.0 }).collect();
    correlation(&sizes, losses.get(..sizes.len()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::{Cell, Process, simulate};
    use crate::rule::alpha::Alpha;
    use crate::rule::{LEVEL, LEVEL_LEFT_SKEWED};

    fn sample(process: Process) -> Sample {
        let cell = Cell { process, units: 500, sharpe: 2.0, declared: None, max_loss: false };
        Sample::read(&simulate(&cell, 1)).expect("its numbers are in range")
    }

    #[test]
    fn who_doubles_after_losses_is_seen_to_and_no_one_else() {
        assert!(escalation(&sample(Process::Martingale)) > 2.0 * MOST_ESCALATION);
        for process in [Process::StudentT5, Process::GarchWithBenchmark, Process::Autoregressive] {
            assert!(escalation(&sample(process)) < 0.5 * MOST_ESCALATION, "{process:?}");
        }
    }

    #[test]
    fn a_tail_that_is_not_given_is_known_only_where_it_was_seen() {
        let mut sheet = Sheet::default();
        let mut known = |process, variant| tail(&sample(process), variant, &mut sheet) == Ok(true);
        assert!(known(Process::StudentT5, Variant::InForce));
        for process in [Process::LeftSkewed, Process::Martingale] {
            assert!(!known(process, Variant::InForce) && known(process, Variant::Original), "{process:?}");
        }
    }

    #[test]
    fn a_record_skewed_to_the_left_is_held_to_a_lower_level() {
        let level = |process, variant| Alpha::of(&sample(process), variant).level;
        assert!(level(Process::LeftSkewed, Variant::InForce) <= LEVEL_LEFT_SKEWED);
        assert!(level(Process::LeftSkewed, Variant::Original) >= LEVEL);
        assert!(level(Process::StudentT5, Variant::InForce) >= LEVEL);
    }
}
