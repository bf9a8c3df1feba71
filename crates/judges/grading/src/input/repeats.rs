//! Returns that are repeated beyond chance, as pasted ones are.
//!
//! Days whose returns are the same to the last place are rare where returns have many places. How rare follows from how many returns
//! lie close to one another without being the same.

use crate::statistics::count;

/// The least step between two returns that are not the same: below it they are a sum's rounding apart.
const LEAST_STEP: f64 = 1e-12;
/// Steps around a return within which its neighbours are counted.
const NEAR: f64 = 100.0;
/// Values that may be repeated for good reasons: a stop, a target.
const STOPS: usize = 2;
/// The number of standard deviations above the expected number from which on it is no chance.
const BEYOND: f64 = 6.0;
/// The fewest repeated values that are looked at.
const FEWEST: usize = 5;

/// Returns true if more returns that are not zero are repeated than chance explains.
pub fn are_repeated(returns: &[f64]) -> bool {
    let mut sorted: Vec<f64> = returns.iter().copied().filter(|r| *r != 0.0 && r.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut distinct: Vec<(f64, usize)> = Vec::new();
    for r in sorted {
        match distinct.last_mut() {
            Some((value, times)) if r - *value < LEAST_STEP => *times += 1,
            _ => distinct.push((r, 1)),
        }
    }
    let repeated = distinct.iter().filter(|(_, times)| *times > 1).count();
    if repeated < FEWEST + STOPS {
        return false;
    }
    // The places of the returns: the least step between two of them, unless those are pairs of a finer scale by chance.
    let step = distinct.windows(2).fold(f64::INFINITY, |least, pair| least.min(pair[1].0 - pair[0].0));
    // Pairs of returns close to one another: of so many, one in as many steps is of the same ones.
    let (mut close, mut first, mut within) = (0.0, 0, 0);
    for (value, times) in &distinct {
        while value - distinct[first].0 > NEAR * step {
            within -= distinct[first].1;
            first += 1;
        }
        close += count(within) * count(*times);
        within += times;
    }
    let expected = close / NEAR;
    count(repeated - STOPS) > expected + BEYOND * libm::sqrt(expected + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of three numbers without a pattern, with so many places.
    fn noise(n: usize, places: i32) -> Vec<f64> {
        let mut state: u32 = 7;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1_u32 << 24) - 0.5
        };
        let scale = libm::pow(10.0, f64::from(places));
        (0..n).map(|_| libm::round(0.02 * (next() + next() + next()) * scale) / scale).collect()
    }

    #[test]
    fn returns_of_any_places_are_not_repeated_by_chance() {
        for places in [3, 4, 5, 6, 8] {
            for n in [60, 250, 756, 2_000] {
                assert!(!are_repeated(&noise(n, places)), "{n} returns of {places} places");
            }
        }
        // A stop and a target that are hit again and again.
        let stopped: Vec<f64> = noise(756, 8).iter().map(|r| r.clamp(-0.005, 0.006)).collect();
        assert!(!are_repeated(&stopped));
        // Ticks of a futures contract on a constant equity.
        let ticks: Vec<f64> = noise(756, 8).iter().map(|r| libm::round(r / 0.000_125) * 0.000_125).collect();
        assert!(!are_repeated(&ticks));
    }

    #[test]
    fn days_that_were_pasted_are() {
        let mut pasted = noise(756, 8);
        let winners: Vec<f64> = pasted.iter().copied().filter(|r| *r > 0.01).take(40).collect();
        for (at, winner) in winners.iter().enumerate() {
            pasted[at * 17 + 3] = *winner;
        }
        assert!(are_repeated(&pasted));
        let half = noise(378, 8);
        assert!(are_repeated(&[half.clone(), half].concat()));
        let coarse = noise(378, 5);
        assert!(are_repeated(&[coarse.clone(), coarse].concat()));
    }
}
