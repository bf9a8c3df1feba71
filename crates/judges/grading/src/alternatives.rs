//! Comparison of a record with the variants that were tried with it.
//!
//! White (2000), "A Reality Check for Data Snooping", Econometrica 68(5); Hansen (2005), "A Test for Superior Predictive
//! Ability", JBES 23(4); Bailey, Borwein, Lopez de Prado and Zhu (2017), "The Probability of Backtest Overfitting",
//! Journal of Computational Finance 20(4); Romano and Wolf (2005), "Stepwise Multiple Testing as Formalized Data Snooping",
//! Econometrica 73(4).

use crate::bootstrap::{Seed, Stationary};
use crate::grade::Alternatives;
use crate::statistics::block::best_lengths;
use crate::statistics::moments::{Moments, centred, mean};
use crate::statistics::{count, dimson};

/// Resamples of both tests.
pub(crate) const RESAMPLES: usize = 999;
/// Blocks of the cross-validation for a long record, and for one of under 160 units.
const BLOCKS: usize = 16;
const FEWER_BLOCKS: usize = 10;

/// Compares a record with its variants, on the returns without the part that moves with the benchmark. `None` if a
/// variant has another length than the record.
#[must_use]
pub fn compare(
    x: &[f64],
    benchmark: Option<&[f64]>,
    variants: &[Vec<f64>],
    seed: Seed,
) -> Option<Alternatives> {
    if variants.iter().any(|variant| variant.len() != x.len()) {
        return None;
    }
    let excess = |series: &[f64]| match benchmark {
        None => series.to_vec(),
        Some(b) => dimson::regress(series, b).series,
    };
    let own = excess(x);
    let longest = libm::sqrt(count(x.len())).max(1.0);
    let block = best_lengths(&own).map_or(longest, |best| best.stationary.clamp(1.0, longest));
    let mut all: Vec<Vec<f64>> = variants.iter().map(|variant| excess(variant)).collect();
    let pbo = backtest_overfitting(&all);
    all.push(own);
    let AllTests { reality_check_p, spa_p, romano_wolf_p } = best_of_all(&all, block, seed);
    Some(Alternatives {
        count: u32::try_from(variants.len()).ok()?,
        reality_check_p,
        spa_p,
        romano_wolf_p,
        pbo,
    })
}

/// The p-values of the tests over all series together.
struct AllTests {
    reality_check_p: f64,
    spa_p: f64,
    romano_wolf_p: f64,
}

/// The p-values of White's reality check, of Hansen's test, with his consistent centring, and of the last series among all of
/// them.
fn best_of_all(all: &[Vec<f64>], block: f64, seed: Seed) -> AllTests {
    let n = all.first().map_or(0, Vec::len);
    let root = libm::sqrt(count(n));
    let means: Vec<f64> = all.iter().map(|series| mean(series)).collect();
    let deviations: Vec<Vec<f64>> = all.iter().map(|series| centred(series)).collect();
    // Each resample's means about what was observed.
    let drawn = Stationary::new(n, block).means(&deviations, RESAMPLES, seed);
    let spreads: Vec<f64> = (0..all.len())
        .map(|k| {
            let column: Vec<f64> = drawn.iter().map(|row| row[k]).collect();
            root * Moments::of(&column).sd
        })
        .collect();
    let limit = -libm::sqrt(2.0 * libm::log(libm::log(count(n).max(3.0))));
    let studentised = |k: usize, mean: f64| if spreads[k] > 0.0 { root * mean / spreads[k] } else { 0.0 };
    // A series that is clearly worse than nothing stays so in the resamples.
    let shift: Vec<f64> = means
        .iter()
        .enumerate()
        .map(|(k, mean)| if studentised(k, *mean) < limit { *mean } else { 0.0 })
        .collect();
    let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let plain = greatest(&mut means.iter().copied());
    let scaled = greatest(&mut means.iter().enumerate().map(|(k, mean)| studentised(k, *mean))).max(0.0);
    let (mut as_plain, mut as_scaled) = (0, 0);
    for row in &drawn {
        as_plain += usize::from(greatest(&mut row.iter().copied()) >= plain);
        let best = greatest(&mut row.iter().enumerate().map(|(k, mean)| studentised(k, mean + shift[k])));
        as_scaled += usize::from(best.max(0.0) >= scaled);
    }
    let p = |as_good: usize| (1.0 + count(as_good)) / (count(drawn.len()) + 1.0);
    let ratios: Vec<f64> = means.iter().enumerate().map(|(k, mean)| studentised(k, *mean)).collect();
    let drawn: Vec<Vec<f64>> = drawn
        .iter()
        .map(|row| row.iter().enumerate().map(|(k, mean)| studentised(k, *mean)).collect())
        .collect();
    AllTests { reality_check_p: p(as_plain), spa_p: p(as_scaled), romano_wolf_p: stepwise(&ratios, &drawn) }
}

/// The p-value of the last of the ratios, adjusted for all of them: each is compared with the greatest of the resampled ratios of
/// those that are no better, and is no less than that of the better ones (Romano and Wolf 2016, Statistics and Probability Letters
/// 113).
fn stepwise(ratios: &[f64], drawn: &[Vec<f64>]) -> f64 {
    let Some(own) = ratios.last() else { return 1.0 };
    let mut order: Vec<usize> = (0..ratios.len()).collect();
    order.sort_by(|one, other| ratios[*other].total_cmp(&ratios[*one]));
    // The greatest of each resample over those from a place in the order on, from the last place to the first.
    let mut greatest = vec![f64::NEG_INFINITY; drawn.len()];
    let mut adjusted: Vec<(usize, f64)> = Vec::with_capacity(order.len());
    for k in order.iter().rev() {
        for (greatest, row) in greatest.iter_mut().zip(drawn) {
            *greatest = greatest.max(row[*k]);
        }
        let worse = greatest.iter().filter(|greatest| **greatest < ratios[*k]).count();
        adjusted.push((*k, (1.0 + count(drawn.len() - worse)) / (count(drawn.len()) + 1.0)));
    }
    let no_worse = adjusted.iter().filter(|(k, _)| ratios[*k] >= *own);
    no_worse.fold(0.0, |most, (_, p)| most.max(*p))
}

/// Probability of backtest overfitting, 0 to 1: the share of all halvings of the record's blocks in which the variant
/// that is best in one half is at or below the median in the other (Bailey, Borwein, Lopez de Prado and Zhu 2017).
/// `None` for fewer than two variants, or too short a record.
#[must_use]
pub fn backtest_overfitting(all: &[Vec<f64>]) -> Option<f64> {
    let n = all.first().map_or(0, Vec::len);
    let blocks = if n < 160 { FEWER_BLOCKS } else { BLOCKS };
    if all.len() < 2 || n < 4 * blocks || all.iter().any(|series| series.len() != n) {
        return None;
    }
    let sums: Vec<Vec<[f64; 2]>> = all.iter().map(|series| block_sums(series, blocks)).collect();
    let size = |mask: u32| {
        (0..blocks)
            .filter(|block| mask >> block & 1 == 1)
            .fold(0, |size, block| size + bounds(n, blocks, block).len())
    };
    let whole = (1_u32 << blocks) - 1;
    let (mut below, mut halvings) = (0_usize, 0_usize);
    for mask in (0..=whole).filter(|mask| mask.count_ones() as usize * 2 == blocks) {
        let ratios = |mask: u32| -> Vec<f64> {
            let n = count(size(mask));
            sums.iter().map(|series| ratio(series, mask, n)).collect()
        };
        let (inside, outside) = (ratios(mask), ratios(whole & !mask));
        let best = inside.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
        // The mean rank where several are equal.
        let worse = outside.iter().filter(|other| **other < outside[best]).count();
        let equal = outside.iter().filter(|other| **other == outside[best]).count();
        let rank = count(worse) + 0.5 * (count(equal) + 1.0);
        halvings += 1;
        below += usize::from(rank / (count(all.len()) + 1.0) <= 0.5);
    }
    Some(count(below) / count(halvings))
}

fn bounds(n: usize, blocks: usize, block: usize) -> std::ops::Range<usize> {
    n * block / blocks..n * (block + 1) / blocks
}

fn block_sums(series: &[f64], blocks: usize) -> Vec<[f64; 2]> {
    let one = |block: usize| {
        let part = &series[bounds(series.len(), blocks, block)];
        part.iter().fold([0.0; 2], |[first, second], x| [first + x, second + x * x])
    };
    (0..blocks).map(one).collect()
}

/// The Sharpe ratio over the blocks of a mask; 0 where it has no spread.
fn ratio(sums: &[[f64; 2]], mask: u32, n: f64) -> f64 {
    let chosen = sums.iter().enumerate().filter(|(block, _)| mask >> block & 1 == 1);
    let [first, second] = chosen.fold([0.0; 2], |[a, b], (_, [x, y])| [a + x, b + y]);
    let mean = first / n;
    let variance = second / n - mean * mean;
    if variance > 0.0 { mean / libm::sqrt(variance) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64, n: usize, mean: f64) -> Vec<f64> {
        let mut state = seed;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            count(usize::try_from(state >> 40).expect("24 bits")) / 16_777_216.0 - 0.5
        };
        (0..n).map(|_| uniform() + uniform() + uniform() + mean).collect()
    }

    #[test]
    fn the_best_of_variants_without_an_edge_is_luck_and_one_with_an_edge_is_not() {
        let variants: Vec<Vec<f64>> = (0..20).map(|seed| noise(seed * 7 + 1, 400, 0.0)).collect();
        let best = variants.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))).expect("some").clone();
        let luck = compare(&best, None, &variants, Seed([3; 32])).expect("lengths are equal");
        assert!(luck.reality_check_p > 0.05 && luck.spa_p > 0.05, "{luck:?}");
        let edge = noise(99, 400, 0.15);
        let among = [variants.clone(), vec![edge.clone()]].concat();
        let found = compare(&edge, None, &among, Seed([3; 32])).expect("lengths are equal");
        assert!(
            found.reality_check_p < 0.01 && found.spa_p < 0.01 && found.romano_wolf_p < 0.01,
            "{found:?}"
        );
        // One without an edge, among which is one that has it, has none for that.
        let plain = variants[3].clone();
        let beside = compare(&plain, None, &[variants.clone(), vec![edge.clone()]].concat(), Seed([3; 32]));
        assert!(beside.expect("lengths are equal").romano_wolf_p > 0.1 && luck.romano_wolf_p > 0.05);
        assert!(found.pbo.expect("many variants") < 0.05 && luck.pbo.expect("many variants") > 0.2);
    }

    #[test]
    fn a_variant_of_another_length_is_not_compared() {
        assert_eq!(compare(&[0.0; 80], None, &[vec![0.0; 79]], Seed([0; 32])), None);
    }

    #[test]
    fn hansens_test_is_not_weakened_by_bad_variants() {
        let edge = noise(99, 400, 0.1);
        let bad: Vec<Vec<f64>> = (0..50).map(|seed| noise(seed * 5 + 3, 400, -3.0)).collect();
        let alone =
            compare(&edge, None, std::slice::from_ref(&edge), Seed([3; 32])).expect("lengths are equal");
        let among = compare(&edge, None, &bad, Seed([3; 32])).expect("lengths are equal");
        assert!((alone.spa_p - among.spa_p).abs() < 0.01, "{alone:?} {among:?}");
    }
}
