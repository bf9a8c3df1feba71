//! Step 3: tests for possible losses that the record does not show.
//!
//! No test of returns tells skill from a loss that has not come yet (Foster and Young 2010, Quarterly Journal of Economics 125(4);
//! Goetzmann, Ingersoll, Spiegel and Welch 2007, Review of Financial Studies 20(5)). So an edge needs the greatest possible loss,
//! or at least the greatest notional that was held.

use super::GradeRuling;
use super::sample::Sample;
use super::sheet::StatisticSheet;
use crate::grade::GradeReason;
use crate::statistics::moments::{correlation, mean, sum};

const SOURCE: &str = "the rule's own";
const FOSTER_YOUNG: &str = "Foster and Young 2010";
/// Greatest losses that a record must survive which has seen none, one, ... of half the greatest: by how many the losses
/// to be expected may exceed those seen, at a chance of 0.3% (Garwood 1936, the upper bound of a Poisson mean).
const UNSEEN: [f64; 5] = [5.809_143, 7.007_163, 7.902_326, 8.649_867, 9.305_393];
/// The number of greatest losses that a record must survive if it has seen more of them.
const SEEN: f64 = 1.0;
/// A loss that no record of a length shows may come once in so many times that length.
pub const RARE: f64 = 3.0;
/// The least skewness of a record whose greatest loss is not given.
const LEAST_SKEWNESS: f64 = -1.0;
/// The least loss that it must have seen, in standard deviations from the mean.
const DEEP: f64 = 3.0;
/// The least that it must have been itself, in mean gains. Among steady gains three standard deviations are no loss to
/// speak of.
const DEEP_IN_GAINS: f64 = 2.0;
/// The most that the size of a unit may go with a loss before it.
const MOST_ESCALATION: f64 = 0.3;

/// Returns the loss, as a fraction of the equity, that takes the profit if it comes once in [`RARE`] records like this one.
pub fn loss_that_takes_profit(x: &[f64]) -> Option<f64> {
    let loss = RARE * sum(x);
    (loss > 0.0 && loss.is_finite()).then_some(loss)
}

/// Tests that the profit survives the largest losses that the stakes permit. Returns true if the tail is known well
/// enough for an edge.
pub fn tail(sample: &Sample, sheet: &mut StatisticSheet) -> Result<bool, GradeRuling> {
    let profit = sum(&sample.x);
    if let Some(loss) = loss_that_takes_profit(&sample.x) {
        sheet.reported("tail.loss_that_takes_profit", loss, FOSTER_YOUNG);
    }
    let Some(most) = sample.known_max_loss() else { return by_notional(sample, 0.0, profit, sheet) };
    let deep = || sample.x.iter().filter(|x| **x <= -0.5 * most).count();
    let losses = UNSEEN.get(sample.possible.deep.unwrap_or_else(deep)).copied().unwrap_or(SEEN);
    let left = profit - losses * most.max(-sample.least);
    let mut survives = sheet.above("tail.profit_after_greatest_losses", left, 0.0, SOURCE);
    if let Some(together) = sample.possible.together {
        let left = profit - together / RARE;
        survives &= sheet.above("tail.profit_after_all_positions_of_a_day", left, 0.0, FOSTER_YOUNG);
    }
    // Who says how much could be lost is judged no worse than one who says only how much was held.
    let is_known = survives || by_notional(sample, most, profit, sheet) == Ok(true);
    if is_known { Ok(true) } else { Err(GradeRuling::insufficient(GradeReason::HiddenTail)) }
}

/// Without the greatest loss, or beside one of `most`: tests that the profit survives the loss of all that was held, once in three records, and that the
/// returns look like those of somebody who has seen losses.
fn by_notional(
    sample: &Sample,
    most: f64,
    profit: f64,
    sheet: &mut StatisticSheet,
) -> Result<bool, GradeRuling> {
    // No more can be lost than was held, unless it was not said truly.
    let Some(notional) = sample.possible.notional.filter(|held| -sample.least <= *held) else {
        return Ok(false);
    };
    let left = profit - notional.max(most) / RARE;
    if !sheet.above("tail.profit_after_loss_of_notional", left, 0.0, FOSTER_YOUNG) {
        return Err(GradeRuling::insufficient(GradeReason::HiddenTail));
    }
    Ok(seen(sample, sheet))
}

/// Tests that the returns are not left-skewed, include a deep loss, and that stakes do not grow after losses.
fn seen(sample: &Sample, sheet: &mut StatisticSheet) -> bool {
    let deepest = if sample.least < 0.0 { sample.moments.mean - sample.least } else { 0.0 };
    let deepest = deepest / sample.moments.sd;
    let gains: Vec<f64> = sample.x.iter().copied().filter(|x| *x > 0.0).collect();
    let in_gains = -sample.least / mean(&gains);
    sheet.at_least("tail.skewness", sample.moments.skew, LEAST_SKEWNESS, SOURCE)
        & sheet.at_least("tail.deepest_loss", deepest, DEEP, SOURCE)
        & sheet.at_least("tail.deepest_loss_in_gains", in_gains, DEEP_IN_GAINS, SOURCE)
        & sheet.at_most("tail.escalation", escalation(sample), MOST_ESCALATION, SOURCE)
}

/// The correlation of a unit's size, in logarithms, with a loss before it. A strategy that doubles its size after
/// losses has seen no loss as great as the one that ends it, and its returns are skewed to the right until then.
fn escalation(sample: &Sample) -> f64 {
    let least = 0.01 * sample.moments.sd;
    let sizes: Vec<f64> = sample.x.iter().skip(1).map(|x| libm::log(x.abs().max(least))).collect();
    let losses: Vec<f64> = sample.x.iter().map(|x| if *x < 0.0 { 1.0 } else { 0.0 }).collect();
    correlation(&sizes, losses.get(..sizes.len()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PossibleLosses, TrackRecord};
    use crate::rule::alpha::Alpha;
    use crate::rule::{LEVEL, LEVEL_LEFT_SKEWED};
    use crate::simulated;
    use crate::statistics::count;
    use simulated_returns::Process;

    fn record(process: Process, units: usize) -> TrackRecord {
        simulated::record(process, units, 2.0, 1)
    }

    fn sample(process: Process) -> Sample {
        Sample::read(&record(process, 500)).expect("its numbers are in range")
    }

    #[test]
    fn who_doubles_after_losses_is_seen_to_and_no_one_else() {
        assert!(escalation(&sample(Process::Martingale)) > 2.0 * MOST_ESCALATION);
        for process in [Process::StudentT5, Process::GarchWithBenchmark, Process::Autoregressive] {
            assert!(escalation(&sample(process)) < 0.5 * MOST_ESCALATION, "{process:?}");
        }
    }

    #[test]
    fn so_few_losses_are_a_chance_of_three_in_a_thousand_where_so_many_more_are_to_be_expected() {
        for (seen, unseen) in UNSEEN.into_iter().enumerate() {
            let expected = count(seen) + unseen;
            let terms = (1..=seen).scan(1.0, |term, k| {
                *term *= expected / count(k);
                Some(*term)
            });
            let chance = libm::exp(-expected) * (1.0 + terms.sum::<f64>());
            assert!((chance - 0.003).abs() < 1e-8, "{seen}: {chance}");
        }
    }

    #[test]
    fn a_loss_is_as_deep_as_it_lies_below_the_mean() {
        let deepest = |shift: f64| {
            let mut sample = sample(Process::StudentT5);
            sample.moments.mean += shift;
            sample.least += shift;
            let mut sheet = StatisticSheet::default();
            seen(&sample, &mut sheet);
            sheet
                .into_steps()
                .into_iter()
                .find(|step| step.id == "tail.deepest_loss")
                .unwrap()
                .statistic
                .unwrap()
        };
        assert!((deepest(0.01) - deepest(0.0)).abs() < 1e-9 && deepest(0.0) > DEEP);
        assert!(deepest(1.0).abs() < 1e-12, "a gain is no loss");
    }

    #[test]
    fn among_steady_gains_three_standard_deviations_are_no_deep_loss() {
        let known = |shift: f64| {
            let mut record = record(Process::Normal, 5_000);
            record.units.iter_mut().for_each(|unit| unit.x += shift);
            record.possible.notional = Some(1.0);
            tail(&Sample::read(&record).unwrap(), &mut StatisticSheet::default())
        };
        assert_eq!(known(0.0), Ok(true));
        // One that gains 1.7 standard deviations a day, as sellers of rare losses do until these come.
        assert_eq!(known(0.017), Ok(false));
    }

    #[test]
    fn a_greatest_loss_that_was_exceeded_is_not_known() {
        let given = |max_loss: f64| {
            let mut record = record(Process::LeftSkewed, 500);
            record.units.iter_mut().for_each(|unit| unit.max_loss = Some(max_loss));
            Sample::read(&record).unwrap()
        };
        let worst = -given(1.0).least;
        for (max_loss, known) in [(worst, true), (worst / 1.004, true), (worst / 1.006, false), (1e-6, false)]
        {
            let sample = given(max_loss);
            assert_eq!(sample.known_max_loss(), known.then_some(max_loss));
        }
        assert_eq!(tail(&given(1e-6), &mut StatisticSheet::default()), Ok(false));
    }

    #[test]
    fn a_tail_that_is_not_given_is_known_only_where_it_was_seen_and_the_notional_is_given() {
        let mut sheet = StatisticSheet::default();
        let mut known = |process, notional| {
            let mut sample = sample(process);
            sample.possible.notional = notional;
            tail(&sample, &mut sheet)
        };
        assert_eq!(known(Process::StudentT5, Some(1.0)), Ok(true));
        assert_eq!(known(Process::StudentT5, None), Ok(false));
        assert_eq!(
            known(Process::StudentT5, Some(10.0)),
            Err(GradeRuling::insufficient(GradeReason::HiddenTail))
        );
        assert_ne!(known(Process::LeftSkewed, Some(0.01)), Ok(true));
        assert_ne!(known(Process::Martingale, Some(0.01)), Ok(true));
    }

    #[test]
    fn positions_that_lose_apart_are_not_summed_but_survived_together_once_in_three_records() {
        let given = |deep, together| {
            let mut record = record(Process::StudentT5, 500);
            let worst = record.units.iter().fold(0.0_f64, |worst, unit| worst.max(-unit.x));
            record.units.iter_mut().for_each(|unit| unit.max_loss = Some(2.0 * worst + 0.05));
            record.possible = PossibleLosses { deep, together, notional: None };
            tail(&Sample::read(&record).unwrap(), &mut StatisticSheet::default())
        };
        let hidden = Err(GradeRuling::insufficient(GradeReason::HiddenTail));
        assert_eq!(given(None, None), hidden, "no unit lost half as much");
        assert_eq!(given(Some(40), Some(0.3)), Ok(true));
        assert_eq!(given(Some(40), Some(3.0)), hidden, "all on one day");
    }

    #[test]
    fn a_record_skewed_to_the_left_is_held_to_a_lower_level() {
        let level = |process| Alpha::of(&sample(process)).level;
        assert!(level(Process::LeftSkewed) <= LEVEL_LEFT_SKEWED);
        assert!(level(Process::Normal) >= LEVEL);
        // A little, which matters where nothing but the returns tells of losses.
        let mut little = sample(Process::StudentT5);
        assert!((-0.5..-0.25).contains(&little.moments.skew), "{}", little.moments.skew);
        assert!(Alpha::of(&little).level <= LEVEL_LEFT_SKEWED);
        little.max_loss = Some(0.05);
        assert!(Alpha::of(&little).level >= LEVEL);
    }
}
