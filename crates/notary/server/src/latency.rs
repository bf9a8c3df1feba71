//! Response times by class, since the process started.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

/// Histograms of response times by receipt class, in microseconds with three significant digits, up to one minute.
#[derive(Default)]
pub struct Latencies(Mutex<HashMap<&'static str, Histogram<u64>>>);

const MINUTE_US: u64 = 60_000_000;

impl Latencies {
    /// Records one response time.
    pub fn record(&self, class: &'static str, took: Duration) {
        let mut classes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = classes.entry(class).or_insert_with(|| {
            Histogram::new_with_bounds(1, MINUTE_US, 3).expect("the bounds are those of the documentation")
        });
        histogram.saturating_record(u64::try_from(took.as_micros()).unwrap_or(MINUTE_US));
    }

    /// Returns the 50th and 95th percentile of a class, in milliseconds; `None` if it has no response yet.
    #[must_use]
    pub fn percentiles(&self, class: &str) -> Option<(f64, f64)> {
        let classes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = classes.get(class)?;
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1000.0;
        Some((at(0.50), at(0.95)))
    }
}
