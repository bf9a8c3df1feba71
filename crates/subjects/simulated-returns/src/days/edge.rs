//! Records with a known Sharpe ratio: none, a negative one, or a true edge, and edges that do not last.
//!
//! Source: the independent report on `grade-strategy/2`: its tables of power and of `NEGATIVE_EV`, gaps 5 and 7.

use super::SPREAD;
use super::selection::noise;
use crate::YEAR;
use crate::market::daily;
use crate::process::{autoregressive, garch};
use crate::random::{Random, count};

/// The distribution of a record's returns around their mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Noise {
    /// Independent normal returns.
    Normal,
    /// Student's t with that many degrees of freedom, scaled to variance 1.
    StudentT(u32),
    /// Normal returns with that first-order autocorrelation.
    Autoregressive(f64),
    /// GARCH(1, 1).
    Garch,
    /// GARCH(1, 1) and half of the benchmark.
    GarchAndMarket,
}

impl Noise {
    /// The name in tables.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Normal => "normal".to_owned(),
            Self::StudentT(df) => format!("t{df}"),
            Self::Autoregressive(rho) => format!("autoregressive {rho}"),
            Self::Garch => "garch".to_owned(),
            Self::GarchAndMarket => "garch and half a market".to_owned(),
        }
    }

    fn draw(self, days: usize, random: &mut Random) -> Vec<f64> {
        match self {
            Self::Normal => (0..days).map(|_| random.normal()).collect(),
            Self::StudentT(df) => (0..days).map(|_| random.student_t(df)).collect(),
            Self::Autoregressive(rho) => autoregressive(days, rho, random),
            Self::Garch | Self::GarchAndMarket => garch(days, random),
        }
    }
}

/// Returns of 1 % daily volatility with that Sharpe ratio a year, over the benchmark where they hold half of it.
pub(crate) fn returns(law: Noise, sharpe: f64, market: &[f64], random: &mut Random) -> Vec<f64> {
    let beta = if law == Noise::GarchAndMarket { 0.5 } else { 0.0 };
    let noise = law.draw(market.len(), random);
    noise.iter().zip(market).map(|(z, b)| daily(sharpe, SPREAD) + SPREAD * z + beta * b).collect()
}

/// A true edge among `variants` that were tried, the others noise: its returns, and those of all variants.
pub(crate) fn among(
    variants: usize,
    sharpe: f64,
    days: usize,
    random: &mut Random,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let scaled = |mean: f64, z: Vec<f64>| -> Vec<f64> { z.iter().map(|z| mean + SPREAD * z).collect() };
    let x = scaled(daily(sharpe, SPREAD), noise(days, random));
    let others = (1..variants).map(|_| scaled(0.0, noise(days, random)));
    let all = std::iter::once(x.clone()).chain(others.collect::<Vec<_>>()).collect();
    (x, all)
}

/// An expected return that wanders around 0: autocorrelation .985, 15 % of the variance.
pub(crate) fn wandering(days: usize, random: &mut Random) -> Vec<f64> {
    const SHARE: f64 = 0.15;
    let level = autoregressive(days, 0.985, random);
    let of =
        |level: &f64| SPREAD * (libm::sqrt(SHARE) * level + libm::sqrt(1.0 - SHARE) * random.student_t(5));
    level.iter().map(of).collect()
}

/// A Sharpe ratio of 2 or -2, drawn anew each year by a fair coin.
pub(crate) fn regimes(days: usize, random: &mut Random) -> Vec<f64> {
    let mut sign = 1.0;
    (0..days)
        .map(|day| {
            if count(day) % YEAR == 0.0 {
                sign = if random.uniform() < 0.5 { 1.0 } else { -1.0 };
            }
            daily(2.0 * sign, SPREAD) + SPREAD * random.student_t(5)
        })
        .collect()
}

/// Noise whose sign was known before, on a share of the days.
pub(crate) fn look_ahead(share: f64, days: usize, random: &mut Random) -> Vec<f64> {
    let day = |z: f64, is_known: bool| SPREAD * if is_known { z.abs() } else { z };
    (0..days)
        .map(|_| {
            let is_known = random.uniform() < share;
            day(random.student_t(5), is_known)
        })
        .collect()
}
