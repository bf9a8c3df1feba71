//! Moments of a series.

use super::count;

/// The moments of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    /// The number of values.
    pub n: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation, divisor n - 1.
    pub sd: f64,
    /// The population's skewness.
    pub skew: f64,
    /// The population's kurtosis, 3 for the normal.
    pub kurtosis: f64,
}

impl Moments {
    /// Of that series.
    #[must_use]
    pub fn of(series: &[f64]) -> Self {
        let n = count(series.len());
        let mean = mean(series);
        let (mut second, mut third, mut fourth) = (0.0, 0.0, 0.0);
        for x in series {
            let d = x - mean;
            let square = d * d;
            second += square;
            third += square * d;
            fourth += square * square;
        }
        let variance = second / n;
        Self {
            n,
            mean,
            sd: libm::sqrt(second / (n - 1.0)),
            skew: third / n / (variance * libm::sqrt(variance)),
            kurtosis: fourth / n / (variance * variance),
        }
    }

    /// The Sharpe ratio per unit.
    #[must_use]
    pub fn sharpe(&self) -> f64 {
        self.mean / self.sd
    }

    /// Fisher and Pearson's adjusted skewness (Joanes and Gill 1998, G1).
    #[must_use]
    pub fn adjusted_skew(&self) -> f64 {
        self.skew * libm::sqrt(self.n * (self.n - 1.0)) / (self.n - 2.0)
    }

    /// The adjusted excess kurtosis (Joanes and Gill 1998, G2).
    #[must_use]
    pub fn adjusted_excess_kurtosis(&self) -> f64 {
        let n = self.n;
        (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * (self.kurtosis - 3.0) + 6.0)
    }

    /// Jarque and Bera's (1980) test for normality.
    #[must_use]
    pub fn jarque_bera(&self) -> f64 {
        let excess = self.kurtosis - 3.0;
        self.n / 6.0 * (self.skew * self.skew + 0.25 * excess * excess)
    }
}

/// The sum, in the order of the series.
#[must_use]
pub fn sum(series: &[f64]) -> f64 {
    series.iter().fold(0.0, |sum, x| sum + x)
}

/// The mean; 0 of nothing.
#[must_use]
pub fn mean(series: &[f64]) -> f64 {
    if series.is_empty() { 0.0 } else { sum(series) / count(series.len()) }
}

/// The series less its mean.
#[must_use]
pub fn centred(series: &[f64]) -> Vec<f64> {
    let mean = mean(series);
    series.iter().map(|x| x - mean).collect()
}

/// The sum of products of two series as far as both go.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// The autocorrelation at a lag, over the whole series' mean and variance (Box and Jenkins 1976).
#[must_use]
pub fn autocorrelation(series: &[f64], lag: usize) -> f64 {
    let deviations = centred(series);
    dot(&deviations, deviations.get(lag..).unwrap_or_default()) / dot(&deviations, &deviations)
}

/// The correlation of two series of equal length; that of a series with itself one later is its autocorrelation
/// without the whole series' mean.
#[must_use]
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (centred(a), centred(b));
    dot(&a, &b) / libm::sqrt(dot(&a, &a) * dot(&b, &b))
}

/// Ljung and Box's (1978) statistic over the first `lags` autocorrelations.
#[must_use]
pub fn ljung_box(series: &[f64], lags: usize) -> f64 {
    let n = count(series.len());
    let sum = (1..=lags).fold(0.0, |sum, lag| {
        let r = autocorrelation(series, lag);
        sum + r * r / (n - count(lag))
    });
    n * (n + 2.0) * sum
}
