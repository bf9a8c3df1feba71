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
    /// Population skewness.
    pub skew: f64,
    /// Population kurtosis; 3 for the normal distribution.
    pub kurtosis: f64,
}

impl Moments {
    /// Computes the moments of a series.
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

    /// Returns the Sharpe ratio of a unit: the mean divided by the standard deviation.
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

    /// The statistic of the Jarque-Bera test for normality (1980).
    #[must_use]
    pub fn jarque_bera(&self) -> f64 {
        let excess = self.kurtosis - 3.0;
        self.n / 6.0 * (self.skew * self.skew + 0.25 * excess * excess)
    }
}

/// Sums a series from first to last, so that the rounding is the same everywhere.
#[must_use]
pub fn sum(series: &[f64]) -> f64 {
    series.iter().fold(0.0, |sum, x| sum + x)
}

/// The mean; 0 for an empty series.
#[must_use]
pub fn mean(series: &[f64]) -> f64 {
    if series.is_empty() { 0.0 } else { sum(series) / count(series.len()) }
}

/// Subtracts the mean from a series.
#[must_use]
pub fn centred(series: &[f64]) -> Vec<f64> {
    let mean = mean(series);
    series.iter().map(|x| x - mean).collect()
}

/// Dot product of two series, over the length of the shorter.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// Autocorrelation at a lag, with the mean and variance of the whole series (Box and Jenkins 1976).
#[must_use]
pub fn autocorrelation(series: &[f64], lag: usize) -> f64 {
    let deviations = centred(series);
    dot(&deviations, deviations.get(lag..).unwrap_or_default()) / dot(&deviations, &deviations)
}

/// Pearson correlation of two series of equal length. For a series and the same series one unit later, it is the
/// autocorrelation with the means of the two parts.
#[must_use]
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (centred(a), centred(b));
    dot(&a, &b) / libm::sqrt(dot(&a, &a) * dot(&b, &b))
}

/// Ljung-Box statistic over the first `lags` autocorrelations (1978).
#[must_use]
pub fn ljung_box(series: &[f64], lags: usize) -> f64 {
    let n = count(series.len());
    let sum = (1..=lags).fold(0.0, |sum, lag| {
        let r = autocorrelation(series, lag);
        sum + r * r / (n - count(lag))
    });
    n * (n + 2.0) * sum
}
