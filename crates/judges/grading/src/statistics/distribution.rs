//! Distribution functions, to about 1e-13 of their value.
//!
//! `exp`, `ln` and `erfc` come from `libm`, so that every machine finds the same bits; the platform's may differ in the
//! last one. statrs takes them from the platform. The crate special takes them from `libm` too, by default, but has the
//! upper tail of the chi-square distribution only as `1 - P`, which loses the digits of a small tail; and to change to
//! it now would change the last digits of findings, and so the rule's version.

use std::f64::consts::{PI, SQRT_2};

use super::count;

/// Cumulative distribution function of the standard normal: the probability of a value below `x`.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// Survival function of the standard normal: the probability of a value above `x`.
#[must_use]
pub fn normal_sf(x: f64) -> f64 {
    0.5 * libm::erfc(x / SQRT_2)
}

/// Density of the standard normal.
#[must_use]
pub fn normal_pdf(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * PI)
}

/// Quantile of the standard normal at `chance`, 0 to 1: Abramowitz and Stegun 26.2.23, then three of Halley's steps,
/// each of which triples the digits.
#[must_use]
pub fn normal_quantile(chance: f64) -> f64 {
    if !(chance > 0.0 && chance < 1.0) {
        return match chance {
            0.0 => f64::NEG_INFINITY,
            1.0 => f64::INFINITY,
            _ => f64::NAN,
        };
    }
    let tail = chance.min(1.0 - chance);
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = above / below - t;
    for _ in 0..3 {
        let step = (normal_cdf(x) - tail) / normal_pdf(x);
        x -= step / (1.0 + 0.5 * x * step);
    }
    if chance < 0.5 { x } else { -x }
}

/// Survival function of Student's t with `df` degrees of freedom.
#[must_use]
pub fn student_t_sf(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + t * t));
    if t >= 0.0 { tail } else { 1.0 - tail }
}

/// Survival function of the chi-square distribution with `df` degrees of freedom, by the recurrence of the incomplete
/// gamma function (Abramowitz and Stegun 6.5.21), whose terms are all positive.
#[must_use]
pub fn chi_square_sf(x: f64, df: u32) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    let y = 0.5 * x.max(0.0);
    let odd = df % 2 == 1;
    let (mut a, mut sum) = if odd { (0.5, libm::erfc(libm::sqrt(y))) } else { (1.0, libm::exp(-y)) };
    while a + 0.5 < 0.5 * f64::from(df) {
        if y > 0.0 {
            sum += libm::exp(a * libm::log(y) - y - libm::lgamma(a + 1.0));
        }
        a += 1.0;
    }
    sum.min(1.0)
}

/// Probability of at least `successes` in `trials` tosses of a fair coin.
#[must_use]
pub fn fair_binomial_at_least(successes: usize, trials: usize) -> f64 {
    match successes {
        0 => 1.0,
        _ if successes > trials => 0.0,
        _ => incomplete_beta(count(successes), count(trials - successes) + 1.0, 0.5),
    }
}

/// Regularised incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8) with Lentz's method.
#[must_use]
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x.is_nan() || a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    if x < (a + 1.0) / (a + b + 2.0) {
        libm::exp(front) * continued(a, b, x) / a
    } else {
        1.0 - libm::exp(front) * continued(b, a, 1.0 - x) / b
    }
}

fn continued(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 500;
    let held = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / held(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / held(1.0 + even * d);
        c = held(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / held(1.0 + odd * d);
        c = held(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-3), "{found} is not {wanted}");
    }

    #[test]
    fn the_functions_meet_their_published_tables() {
        near(normal_cdf(1.96), 0.975_002_104_851_779_7);
        near(normal_sf(8.0), 6.220_960_574_271_785e-16);
        near(normal_quantile(0.975), 1.959_963_984_540_054);
        near(normal_quantile(1e-10), -6.361_340_902_404_056);
        near(student_t_sf(2.0, 1.0), 0.147_583_617_650_433_27);
        near(student_t_sf(-2.0, 2.0), 1.0 - 0.091_751_709_536_136_93);
        near(chi_square_sf(5.0, 2), libm::exp(-2.5));
        near(chi_square_sf(7.814_727_903_251_179, 3), 0.05);
        near(chi_square_sf(11.070_497_693_516_351, 5), 0.05);
        near(fair_binomial_at_least(3, 4), 5.0 / 16.0);
    }

    #[test]
    fn a_quantile_is_the_point_of_its_chance() {
        for chance in [1e-12, 1e-4, 0.02, 0.3, 0.5, 0.7, 0.999] {
            near(normal_cdf(normal_quantile(chance)), chance);
        }
    }
}
