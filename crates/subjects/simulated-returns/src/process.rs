//! The processes from which records are drawn.

use crate::YEAR;
use crate::random::{Random, count};

/// The standard deviation of a unit.
const SPREAD: f64 = 0.01;

/// The process from which returns are drawn. At a Sharpe ratio of 0, none has an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Process {
    /// Independent normal returns.
    Normal,
    /// Independent returns of Student's t with 3 degrees of freedom.
    StudentT3,
    /// Independent returns of Student's t with 5 degrees of freedom.
    StudentT5,
    /// Normal returns with a first-order autocorrelation of 0.2.
    Autoregressive,
    /// Normal returns with clusters of variance (GARCH).
    Garch,
    /// Small gains, with a large loss in 20 units.
    LeftSkewed,
    /// Small losses, with a large gain in 20 units.
    RightSkewed,
    /// Fair bets, doubled after each loss.
    Martingale,
    /// A benchmark with the given Sharpe ratio, levered 1.2 times, and noise.
    LeveredBenchmark,
    /// Half of a benchmark, plus an edge with clusters of variance.
    GarchWithBenchmark,
    /// The best of ten records without an edge.
    BestOfTen,
    /// An edge of four times the Sharpe ratio in one quarter of the record, and none in the others.
    OneQuarter,
    /// An edge over the first three fifths, then half as large a loss.
    Flip,
}

/// A simulated record.
#[derive(Clone, PartialEq, Debug)]
pub struct Returns {
    /// The return of each unit, as a fraction of the equity.
    pub x: Vec<f64>,
    /// The benchmark's return over each unit, as a fraction.
    pub b: Vec<f64>,
    /// The intended maximum loss of a unit, as a fraction of the equity. Some units lose more.
    pub stake: f64,
}

impl Process {
    /// The processes that are studied without an edge.
    pub const NULLS: [Self; 7] = [
        Self::Normal,
        Self::StudentT3,
        Self::Autoregressive,
        Self::Garch,
        Self::LeftSkewed,
        Self::RightSkewed,
        Self::Martingale,
    ];
    /// The processes that are studied with an edge.
    pub const EDGES: [Self; 4] =
        [Self::StudentT5, Self::GarchWithBenchmark, Self::LeftSkewed, Self::Autoregressive];

    /// Returns the name of the process in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::StudentT3 => "t3",
            Self::StudentT5 => "t5",
            Self::Autoregressive => "autoregressive",
            Self::Garch => "garch",
            Self::LeftSkewed => "left-skewed",
            Self::RightSkewed => "right-skewed",
            Self::Martingale => "martingale",
            Self::LeveredBenchmark => "levered benchmark",
            Self::GarchWithBenchmark => "garch with benchmark",
            Self::BestOfTen => "best of ten",
            Self::OneQuarter => "one quarter",
            Self::Flip => "flip",
        }
    }

    /// A record of `n` units of that Sharpe ratio a year.
    pub(crate) fn simulate(self, n: usize, sharpe: f64, random: &mut Random) -> Returns {
        let drift = |sharpe: f64| sharpe / libm::sqrt(YEAR) * SPREAD;
        let own = drift(sharpe);
        let lifted = |noise: Vec<f64>| -> Vec<f64> { noise.iter().map(|z| own + SPREAD * z).collect() };
        // A benchmark that the record has nothing to do with, but where it is said.
        let mut b: Vec<f64> = garch(n, random).iter().map(|z| drift(0.5) + SPREAD * z).collect();
        let mut stake = 5.0 * SPREAD;
        let x = match self {
            Self::Normal => lifted((0..n).map(|_| random.normal()).collect()),
            Self::StudentT3 => lifted((0..n).map(|_| random.student_t(3)).collect()),
            Self::StudentT5 => lifted((0..n).map(|_| random.student_t(5)).collect()),
            Self::Autoregressive => lifted(autoregressive(n, 0.2, random)),
            Self::Garch => lifted(garch(n, random)),
            Self::LeftSkewed => {
                stake = LOSS * SPREAD;
                lifted(skewed(n, random))
            }
            Self::RightSkewed => lifted(skewed(n, random).iter().map(|z| -z).collect()),
            Self::Martingale => {
                stake = MARTINGALE_BASE * libm::ldexp(1.0, MARTINGALE_DOUBLINGS);
                martingale(n, random).iter().map(|x| own + x).collect()
            }
            Self::LeveredBenchmark => {
                b = garch(n, random).iter().map(|z| own + SPREAD * z).collect();
                b.iter().map(|b| 1.2 * b + 0.4 * SPREAD * random.student_t(5)).collect()
            }
            Self::GarchWithBenchmark => {
                let edge = lifted(garch(n, random));
                edge.iter().zip(&b).map(|(x, b)| x + 0.5 * b).collect()
            }
            Self::BestOfTen => {
                let all = (0..10).map(|_| (0..n).map(|_| SPREAD * random.student_t(5)).collect::<Vec<f64>>());
                all.max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or_default()
            }
            Self::OneQuarter => {
                let quarter = random.below(4);
                let is_in = |at: usize| at * 4 / n.max(1) == quarter;
                let level = |at: usize| if is_in(at) { drift(4.0 * sharpe) } else { 0.0 };
                (0..n).map(|at| level(at) + SPREAD * random.student_t(5)).collect()
            }
            Self::Flip => {
                let before = |at: usize| count(at) < 0.6 * count(n);
                let level = |at: usize| if before(at) { drift(sharpe / 0.6) } else { drift(-0.5 * sharpe) };
                (0..n).map(|at| level(at) + SPREAD * random.student_t(5)).collect()
            }
        };
        Returns { x, b, stake }
    }
}

/// The mean, summed in the order of the series; 0 of nothing.
pub(crate) fn mean(series: &[f64]) -> f64 {
    if series.is_empty() { 0.0 } else { series.iter().fold(0.0, |sum, x| sum + x) / count(series.len()) }
}

/// Draws a first-order autoregression of variance 1.
pub(crate) fn autoregressive(n: usize, rho: f64, random: &mut Random) -> Vec<f64> {
    let fresh = libm::sqrt(1.0 - rho * rho);
    let mut last = random.normal();
    (0..n)
        .map(|_| {
            last = rho * last + fresh * random.normal();
            last
        })
        .collect()
}

/// GARCH(1, 1) of mean variance 1 (Bollerslev 1986).
pub(crate) fn garch(n: usize, random: &mut Random) -> Vec<f64> {
    const NEWS: f64 = 0.08;
    const MEMORY: f64 = 0.90;
    let mut variance = 1.0;
    (0..n)
        .map(|_| {
            let z = libm::sqrt(variance) * random.normal();
            variance = (1.0 - NEWS - MEMORY) + NEWS * z * z + MEMORY * variance;
            z
        })
        .collect()
}

/// The mean of the skewed record's losses, in standard deviations.
const LOSS: f64 = 2.85;

/// One unit in 20 is an exponential loss, the others normal gains: mean 0, variance 1.
fn skewed(n: usize, random: &mut Random) -> Vec<f64> {
    const RARE: f64 = 0.05;
    let gain = RARE * LOSS / (1.0 - RARE);
    // What is left of the variance: that of the mixture is p (2 l^2) + (1 - p) (s^2 + g^2).
    let spread = libm::sqrt((1.0 - 2.0 * RARE * LOSS * LOSS) / (1.0 - RARE) - gain * gain);
    (0..n)
        .map(|_| {
            if random.uniform() < RARE {
                -LOSS * random.exponential()
            } else {
                gain + spread * random.normal()
            }
        })
        .collect()
}

/// The first bet.
const MARTINGALE_BASE: f64 = 0.002;
/// Maximum number of doublings of a stake.
const MARTINGALE_DOUBLINGS: i32 = 7;

/// A fair coin, the bet doubled after each loss up to seven times.
fn martingale(n: usize, random: &mut Random) -> Vec<f64> {
    let mut doublings = 0;
    (0..n)
        .map(|_| {
            let bet = MARTINGALE_BASE * libm::ldexp(1.0, doublings);
            let won = random.uniform() < 0.5;
            doublings = if won || doublings == MARTINGALE_DOUBLINGS { 0 } else { doublings + 1 };
            if won { bet } else { -bet }
        })
        .collect()
}
