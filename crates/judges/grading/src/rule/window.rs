//! Step 4: tests that the record was not cut to its best stretch.
//!
//! Of a path without a drift, the stretch with the greatest profit starts at its low and ends at its high. A record with an edge
//! seldom does both, and if it does it passes the correction more easily.

use super::sheet::StatisticSheet;
use crate::statistics::{count, whole};

const SOURCE: &str = "the rule's own";
/// The share of the units, at the start and at the end, within which the low and the high count as there.
const NEAR: f64 = 0.002;
/// Trials for which the choice of both start and end counts.
const CHOSEN: u32 = 100;

/// Returns the number of trials that the choice of start and end counts for: 1 where they do not look chosen.
pub fn trials(x: &[f64], sheet: &mut StatisticSheet) -> u32 {
    let (mut low, mut high, mut low_at, mut high_at) = (0.0, 0.0, 0, 0);
    let mut sum = 0.0;
    for (at, r) in x.iter().enumerate() {
        sum += r;
        if sum < low {
            (low, low_at) = (sum, at + 1);
        }
        if sum >= high {
            (high, high_at) = (sum, at + 1);
        }
    }
    let near = whole(NEAR * count(x.len()), x.len());
    let is_chosen = low_at <= near && x.len() - high_at <= near;
    let trials = if is_chosen { CHOSEN } else { 1 };
    sheet.reported("window.trials", f64::from(trials), SOURCE);
    trials
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(x: &[f64]) -> u32 {
        trials(x, &mut StatisticSheet::default())
    }

    #[test]
    fn a_path_from_its_low_to_its_high_counts_as_chosen() {
        assert_eq!(counted(&[0.01, -0.005, 0.02]), CHOSEN);
        assert_eq!(counted(&[-0.01, 0.02, 0.02]), 1, "it goes below its start");
        assert_eq!(counted(&[0.01, 0.02, -0.001]), 1, "it ends below its high");
        // Of a thousand days, two at either end may be cut amiss.
        let mut long = vec![0.001; 1_000];
        (long[0], long[999]) = (-0.01, -0.0001);
        assert_eq!(counted(&long), CHOSEN);
        long[5] = -0.1;
        assert_eq!(counted(&long), 1);
    }
}
