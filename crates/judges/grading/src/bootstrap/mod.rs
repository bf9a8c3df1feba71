//! The stationary bootstrap: Politis and Romano (1994), "The Stationary Bootstrap", JASA 89(428).
//!
//! A resample is made of blocks of the series, which runs on from its end to its start. Each block starts anywhere, and
//! its length is geometric. Only sums are wanted, so a block is two look-ups in a table of running sums, however long
//! it is; where all blocks are of one unit, the units themselves are summed.
//!
//! Resamples come in runs of a fixed size, each with a stream of `ChaCha20` of its own. So the same seed gives the
//! same resamples at any number of threads.

mod lengths;
mod seed;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use rayon::prelude::*;

use crate::statistics::count;
use crate::statistics::moments::centred;
use lengths::LengthDistribution;

pub use seed::Seed;

/// Resamples that share a stream.
const RUN: usize = 256;

/// Maximum length of a series, in units. Positions are drawn with 32 bits.
pub const LONGEST: usize = 1 << 20;

/// The stationary bootstrap (Politis and Romano 1994) for series of one length.
pub struct Stationary {
    n: usize,
    lengths: Option<LengthDistribution>,
}

/// The mean and the standard deviation of one resample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resample {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, divisor n - 1; 0 if rounding leaves no spread.
    pub sd: f64,
}

impl Stationary {
    /// Builds the bootstrap for series of `n` units, at most [`LONGEST`], with a mean block length of at least 1 unit.
    #[must_use]
    pub fn new(n: usize, mean_block: f64) -> Self {
        let n = n.min(LONGEST);
        let lengths = (mean_block > 1.0).then(|| LengthDistribution::new(mean_block, n));
        Self { n, lengths }
    }

    /// Returns the mean and the standard deviation of each resample of a series.
    #[must_use]
    pub fn moments(&self, series: &[f64], resamples: usize, seed: Seed) -> Vec<Resample> {
        let scale = series.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if series.len() != self.n || self.n < 2 || !scale.is_finite() || scale <= 0.0 {
            return Vec::new();
        }
        let middle = crate::statistics::moments::mean(series);
        let deviations = centred(series);
        let sums = Sums::of(&deviations);
        self.each(resamples, seed, |rng| {
            let [first, second] = if self.lengths.is_some() {
                self.add_blocks(&sums, rng)
            } else {
                self.add_units(&deviations, rng)
            };
            let n = count(self.n);
            let mean = first / n;
            let variance = (second - first * mean) / (n - 1.0);
            Resample { mean: middle + mean, sd: libm::sqrt(variance.max(0.0)) }
        })
    }

    /// Returns the mean of each resample for several series of one length. A resample uses the same units of each
    /// series.
    #[must_use]
    pub fn means(&self, all: &[Vec<f64>], resamples: usize, seed: Seed) -> Vec<Vec<f64>> {
        let running: Vec<Vec<f64>> = all.iter().map(|series| running_sums(series)).collect();
        if self.n == 0 || all.iter().any(|series| series.len() != self.n) {
            return Vec::new();
        }
        self.each(resamples, seed, |rng| {
            let mut sums = vec![0.0; running.len()];
            self.draw(rng, |start, length| {
                for (sum, running) in sums.iter_mut().zip(&running) {
                    *sum += running[start + length] - running[start];
                }
            });
            sums.iter().map(|sum| sum / count(self.n)).collect()
        })
    }

    /// Draws resamples in runs, each run from its own stream, in order.
    fn each<R: Send>(
        &self,
        resamples: usize,
        seed: Seed,
        resample: impl Fn(&mut ChaCha20Rng) -> R + Sync,
    ) -> Vec<R> {
        let runs: Vec<Vec<R>> = (0..resamples.div_ceil(RUN))
            .into_par_iter()
            .map(|run| {
                let mut rng = ChaCha20Rng::from_seed(seed.0);
                rng.set_stream(run as u64);
                (run * RUN..resamples.min((run + 1) * RUN)).map(|_| resample(&mut rng)).collect()
            })
            .collect();
        runs.into_iter().flatten().collect()
    }

    /// Draws the blocks of one resample.
    #[inline]
    fn draw(&self, rng: &mut ChaCha20Rng, mut block: impl FnMut(usize, usize)) {
        let mut left = self.n;
        while left > 0 {
            let (start, rest) = self.position(rng.next_u32());
            let length = self.lengths.as_ref().map_or(1, |lengths| lengths.at(rest)).min(left);
            block(start, length);
            left -= length;
        }
    }

    /// A position, and what the word has left over: its product with n has the position above, and below it a
    /// number as evenly spread, from which the length is drawn (Lemire 2019). Neither is off by more than n / 2^32.
    #[inline]
    fn position(&self, word: u32) -> (usize, u32) {
        let product = u64::from(word) * self.n as u64;
        #[allow(clippy::cast_possible_truncation)] // the halves of a word
        let halves = ((product >> 32) as usize, product as u32);
        halves
    }

    fn add_blocks(&self, sums: &Sums, rng: &mut ChaCha20Rng) -> [f64; 2] {
        let mut total = [0.0; 2];
        self.draw(rng, |start, length| {
            let (from, to) = (sums.0[start], sums.0[start + length]);
            total[0] += to[0] - from[0];
            total[1] += to[1] - from[1];
        });
        total
    }

    /// Positions for single units are most of the work where all blocks are short, so each word of 64 bits gives as
    /// many as it can: what the product leaves below is as evenly spread again, to within n^4 / 2^64. Each has a sum of
    /// its own, so that no addition waits for the one before.
    fn add_units(&self, series: &[f64], rng: &mut ChaCha20Rng) -> [f64; 2] {
        let positions = if self.n <= 1 << 12 { 4 } else { 2 };
        let mut sums = [[0.0; 2]; 4];
        let mut left = self.n;
        while left > 0 {
            let drawn = left.min(positions);
            let mut word = rng.next_u64();
            for sum in &mut sums[..drawn] {
                let product = u128::from(word) * self.n as u128;
                #[allow(clippy::cast_possible_truncation)] // the halves
                let (position, rest) = ((product >> 64) as usize, product as u64);
                word = rest;
                let x = series[position];
                sum[0] += x;
                sum[1] += x * x;
            }
            left -= drawn;
        }
        let [a, b, c, d] = sums;
        [(a[0] + b[0]) + (c[0] + d[0]), (a[1] + b[1]) + (c[1] + d[1])]
    }
}

/// The running sums of a series and of its squares, twice around.
struct Sums(Vec<[f64; 2]>);

impl Sums {
    fn of(series: &[f64]) -> Self {
        let mut sums = vec![[0.0; 2]];
        let mut last = [0.0; 2];
        for x in series.iter().chain(series) {
            last = [last[0] + x, last[1] + x * x];
            sums.push(last);
        }
        Self(sums)
    }
}

/// The running sums of a series, twice around.
fn running_sums(series: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    let mut last = 0.0;
    for x in series.iter().chain(series) {
        last += x;
        sums.push(last);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::moments::{Moments, mean};

    fn series(n: i32) -> Vec<f64> {
        (0..n).map(|i| libm::sin(f64::from(i * i)) + 0.1).collect()
    }

    #[test]
    fn means_of_resamples_lie_about_the_mean_with_the_variance_that_theory_gives() {
        // Politis and Romano (1994), lemma 1: exact for the circular series, whatever it is.
        let series = series(200);
        let n = series.len();
        for block in [1.0, 1.3, 4.0, 14.0] {
            let means: Vec<f64> = Stationary::new(n, block)
                .moments(&series, 20_000, Seed([7; 32]))
                .iter()
                .map(|resample| resample.mean)
                .collect();
            let moments = Moments::of(&means);
            let deviations = centred(&series);
            let turned = |by: usize| {
                (0..n).fold(0.0, |sum, i| sum + deviations[i] * deviations[(i + by) % n]) / count(n)
            };
            let keep = 1.0 - 1.0 / block;
            let tail = (1..n).fold(0.0, |sum, lag| {
                let weight = (1.0 - count(lag) / count(n)) * keep.powi(i32::try_from(lag).expect("small"));
                sum + 2.0 * weight * turned(lag)
            });
            let wanted = ((turned(0) + tail) / count(n)).sqrt();
            assert!((moments.mean - mean(&series)).abs() < 4.0 * wanted / 20_000_f64.sqrt(), "{block}");
            assert!((moments.sd / wanted - 1.0).abs() < 0.03, "{block}: {} is not {wanted}", moments.sd);
        }
    }

    #[test]
    fn running_sums_and_units_give_the_same_moments() {
        let series = series(120);
        let stationary = Stationary::new(series.len(), 5.0);
        let found = stationary.moments(&series, 300, Seed([1; 32]));
        let by_hand = stationary.each(300, Seed([1; 32]), |rng| {
            let mut units = Vec::new();
            stationary.draw(rng, |start, length| {
                units.extend((start..start + length).map(|i| series[i % series.len()]));
            });
            let moments = Moments::of(&units);
            Resample { mean: moments.mean, sd: moments.sd }
        });
        for (a, b) in found.iter().zip(&by_hand) {
            assert!((a.mean - b.mean).abs() < 1e-12 && (a.sd - b.sd).abs() < 1e-12);
        }
    }

    #[test]
    fn any_number_of_threads_draws_the_same() {
        let series = series(90);
        let draw = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| Stationary::new(90, 3.0).moments(&series, 2_000, Seed([9; 32])))
        };
        assert_eq!(draw(1), draw(3));
    }
}
