//! Percentiles among trailing observations.

/// Number of trailing observations that an observation is compared with, itself among them: five years of days.
pub const WINDOW: usize = 1260;
/// Fewest observations of a percentile.
pub const LEAST_OBSERVATIONS: usize = 504;

/// The percentile of each observation among the trailing ones, 0 to 100, by mid-rank: those below count whole, those that are
/// equal half. `None` where there are fewer than [`LEAST_OBSERVATIONS`].
pub(crate) fn trailing(values: &[f64]) -> Vec<Option<f64>> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    // Ranks from 1, by the whole series: which value is above which does not depend on what came later.
    let rank = |value: f64| sorted.partition_point(|known| *known < value) + 1;
    let ranks: Vec<usize> = values.iter().map(|value| rank(*value)).collect();
    let mut counts = Counts::new(sorted.len());
    let mut percentiles = Vec::with_capacity(values.len());
    for (at, own) in ranks.iter().enumerate() {
        counts.add(*own, 1);
        if let Some(oldest) = at.checked_sub(WINDOW) {
            counts.add(ranks[oldest], -1);
        }
        let observations = (at + 1).min(WINDOW);
        let below = counts.up_to(own - 1);
        let equal = counts.up_to(*own) - below;
        let share = (below as f64 + 0.5 * equal as f64) / observations as f64;
        percentiles.push((observations >= LEAST_OBSERVATIONS).then_some(100.0 * share));
    }
    percentiles
}

/// Counts by rank, with sums in logarithmic time (Fenwick 1994).
struct Counts(Vec<i32>);

impl Counts {
    fn new(ranks: usize) -> Self {
        Self(vec![0; ranks + 1])
    }

    fn add(&mut self, rank: usize, count: i32) {
        let mut at = rank;
        while at < self.0.len() {
            self.0[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The number of those of this rank and below.
    fn up_to(&self, rank: usize) -> i32 {
        let mut at = rank;
        let mut sum = 0;
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by counting the whole window.
    fn counted(values: &[f64], at: usize) -> Option<f64> {
        let window = &values[(at + 1).saturating_sub(WINDOW)..=at];
        let below = window.iter().filter(|value| **value < values[at]).count() as f64;
        let equal = window.iter().filter(|value| **value == values[at]).count() as f64;
        (window.len() >= LEAST_OBSERVATIONS).then(|| 100.0 * ((below + 0.5 * equal) / window.len() as f64))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn percentiles_are_those_of_a_plain_count_and_later_values_change_none(
            values in prop::collection::vec((-40_i32..40).prop_map(|value| f64::from(value) / 4.0), 500..2800),
        ) {
            let all = trailing(&values);
            for at in (0..values.len()).step_by(97) {
                prop_assert_eq!(all[at], counted(&values, at));
            }
            let early = trailing(&values[..values.len() - 100]);
            prop_assert_eq!(&all[..early.len()], &early[..]);
        }
    }

    #[test]
    fn equal_values_are_in_the_middle_and_a_record_is_at_the_top() {
        let flat = vec![1.0; 600];
        assert_eq!(trailing(&flat)[599], Some(50.0));
        let rising: Vec<f64> = (0..1260).map(f64::from).collect();
        assert_eq!(trailing(&rising)[1259], Some(100.0 * (1259.5 / 1260.0)));
        assert_eq!(trailing(&rising)[502], None);
        assert!(trailing(&[]).is_empty());
    }
}
