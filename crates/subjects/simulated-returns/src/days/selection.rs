//! Records without an edge that were chosen, cut or pasted.
//!
//! Source: the independent report on `grade-strategy/2`, gap 5.

use super::SPREAD;
use crate::process::mean;
use crate::random::{Random, count};

/// Least number of days of a cut record.
pub(crate) const LEAST_WINDOW: usize = 252;

/// Student's t with 5 degrees of freedom, of variance 1.
pub(crate) fn noise(days: usize, random: &mut Random) -> Vec<f64> {
    (0..days).map(|_| random.student_t(5)).collect()
}

/// The mean over the standard deviation.
pub(crate) fn ratio(x: &[f64]) -> f64 {
    let mean = mean(x);
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    mean / libm::sqrt(squares / count(x.len()))
}

/// Of `trials` records of noise the one with the greatest Sharpe ratio.
pub(crate) fn best_of(trials: usize, days: usize, random: &mut Random) -> Vec<f64> {
    let records = (0..trials).map(|_| noise(days, random)).map(|x| (ratio(&x), x));
    records.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, x)| x).unwrap_or_default()
}

/// The best of some trials, at 1 % of daily volatility.
pub(crate) fn best(trials: usize, days: usize, random: &mut Random) -> Vec<f64> {
    best_of(trials, days, random).iter().map(|z| SPREAD * z).collect()
}

/// Noise in which one day in ten, drawn at random, is a copy of one of the days with a profit.
pub(crate) fn winners_pasted(days: usize, random: &mut Random) -> Vec<f64> {
    let mut x: Vec<f64> = noise(days, random).iter().map(|z| SPREAD * z).collect();
    let winners: Vec<f64> = x.iter().copied().filter(|x| *x > 0.0).collect();
    let mut order: Vec<usize> = (0..days).collect();
    for at in 0..days / 10 {
        order.swap(at, at + random.below(days - at));
        let winner = winners.get(random.below(winners.len())).copied().unwrap_or_default();
        if let Some(day) = order.get(at).and_then(|day| x.get_mut(*day)) {
            *day = winner;
        }
    }
    x
}

/// Noise whose second half is a copy of its first.
pub(crate) fn half_pasted(days: usize, random: &mut Random) -> Vec<f64> {
    let half: Vec<f64> = noise(days.div_ceil(2), random).iter().map(|z| SPREAD * z).collect();
    half.iter().chain(&half).copied().take(days).collect()
}

/// The first and the last day between which noise of `days` days has its greatest t, at least a year apart.
fn best_window(z: &[f64]) -> (usize, usize) {
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for z in z {
        sum += z;
        sums.push(sum);
    }
    let (mut best, mut window) = (f64::MIN, (0, z.len()));
    for (first, before) in sums.iter().enumerate() {
        for (last, upto) in sums.iter().enumerate().skip(first + LEAST_WINDOW) {
            let t = (upto - before) / libm::sqrt(count(last - first));
            if t > best {
                (best, window) = (t, (first, last));
            }
        }
    }
    window
}

/// Noise, of which only the days from the best start to the best end are shown.
pub(crate) fn cut(days: usize, random: &mut Random) -> Vec<f64> {
    let z = noise(days, random);
    let (first, last) = best_window(&z);
    z.get(first..last).unwrap_or_default().iter().map(|z| SPREAD * z).collect()
}
