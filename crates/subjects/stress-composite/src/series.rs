//! Days and values.

use jiff::civil::Date;

/// Most observations of a series: more than two hundred years of days on which markets are open.
pub const MAX_OBSERVATIONS: usize = 60_000;

/// Largest absolute value of an observation.
const MAX_VALUE: f64 = 1e12;

/// The reason why observations are no series. `at` counts observations from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SeriesError {
    /// There are more than [`MAX_OBSERVATIONS`].
    #[error("has more than {MAX_OBSERVATIONS} observations")]
    TooLong,
    /// A day is not after the one before it.
    #[error("has days that do not rise, at observation {at}")]
    NotRising {
        /// The number of the observation.
        at: usize,
    },
    /// A value is not finite, or beyond 10^12.
    #[error("has a value that is none, at observation {at}")]
    NoValue {
        /// The number of the observation.
        at: usize,
    },
}

/// Observations, one a day, in rising order of the days.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    days: Vec<Date>,
    values: Vec<f64>,
}

impl Series {
    /// Makes a series.
    ///
    /// # Errors
    /// [`SeriesError`].
    pub fn new(observations: impl IntoIterator<Item = (Date, f64)>) -> Result<Self, SeriesError> {
        let mut series = Self::default();
        for (at, (day, value)) in observations.into_iter().enumerate() {
            if at == MAX_OBSERVATIONS {
                return Err(SeriesError::TooLong);
            }
            if series.days.last().is_some_and(|last| *last >= day) {
                return Err(SeriesError::NotRising { at });
            }
            if value.is_nan() || value.abs() > MAX_VALUE {
                return Err(SeriesError::NoValue { at });
            }
            series.push(day, value);
        }
        Ok(series)
    }

    fn push(&mut self, day: Date, value: f64) {
        self.days.push(day);
        self.values.push(value);
    }

    /// The days, rising.
    #[must_use]
    pub fn days(&self) -> &[Date] {
        &self.days
    }

    /// The values, one a day.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of observations up to and with a day.
    #[must_use]
    pub fn until(&self, day: Date) -> usize {
        self.days.partition_point(|known| *known <= day)
    }

    /// The change of the value over so many observations.
    #[must_use]
    pub fn change(&self, observations: usize) -> Self {
        let mut changes = Self::default();
        for at in observations..self.days.len() {
            changes.push(self.days[at], self.values[at] - self.values[at - observations]);
        }
        changes
    }

    /// This series less another, on the days that both have.
    #[must_use]
    pub fn less(&self, other: &Self) -> Self {
        let mut difference = Self::default();
        let mut at = 0;
        for (day, value) in self.days.iter().zip(&self.values) {
            while other.days.get(at).is_some_and(|known| known < day) {
                at += 1;
            }
            if other.days.get(at) == Some(day) {
                difference.push(*day, value - other.values[at]);
            }
        }
        difference
    }

    /// The sample standard deviation of the last so many changes from one observation to the next, in the unit of the values; not
    /// annualised. `observations` is at least 2.
    #[must_use]
    pub fn volatility(&self, observations: usize) -> Self {
        let changes = self.change(1);
        let count = observations.max(2);
        let mut deviations = Self::default();
        for end in count..=changes.values.len() {
            let window = &changes.values[end - count..end];
            let mean = window.iter().sum::<f64>() / count as f64;
            let squares: f64 = window.iter().map(|change| (change - mean) * (change - mean)).sum();
            deviations.push(changes.days[end - 1], libm::sqrt(squares / (count - 1) as f64));
        }
        deviations
    }

    /// The share by which the value is below its highest so far, 0 to 1. Values that are not above 0 are left out.
    #[must_use]
    pub fn drawdown(&self) -> Self {
        let mut highest = 0.0_f64;
        let mut below = Self::default();
        for (day, value) in self.days.iter().zip(&self.values).filter(|(_, value)| **value > 0.0) {
            highest = highest.max(*value);
            below.push(*day, 1.0 - value / highest);
        }
        below
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::ToSpan as _;
    use jiff::civil::date;

    use super::*;

    /// Values on consecutive days.
    pub(crate) fn daily(values: &[f64]) -> Series {
        let first = date(2000, 1, 3);
        Series::new(
            values
                .iter()
                .enumerate()
                .map(|(at, value)| (first.checked_add(i64::try_from(at).unwrap().days()).unwrap(), *value)),
        )
        .unwrap()
    }

    #[test]
    fn derived_series_are_those_of_the_definitions() {
        let series = daily(&[1.0, 2.0, 4.0, 3.0, 6.0]);
        assert_eq!(series.change(2).values(), [3.0, 1.0, 2.0]);
        assert_eq!(series.change(2).days()[0], series.days()[2]);
        assert_eq!(series.drawdown().values(), [0.0, 0.0, 0.0, 0.25, 0.0]);
        // Changes 1, 2, -1, 3: the last two have the mean 1 and the deviations 2 and 2.
        assert_eq!(series.volatility(2).values()[2], libm::sqrt(8.0));
        let other = Series::new([(series.days()[1], 1.0), (series.days()[4], 2.0)]).unwrap();
        assert_eq!(series.less(&other).values(), [1.0, 4.0]);
    }

    #[test]
    fn what_is_no_series_is_named_by_its_place() {
        let day = date(2020, 1, 1);
        assert_eq!(Series::new([(day, 1.0), (day, 2.0)]), Err(SeriesError::NotRising { at: 1 }));
        for value in [f64::NAN, f64::INFINITY, 1e13] {
            assert_eq!(Series::new([(day, value)]), Err(SeriesError::NoValue { at: 0 }));
        }
    }
}
