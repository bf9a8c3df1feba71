//! The statistics of the rule's steps, in the order of their computation.

use crate::grade::{Bound, Step};

/// The statistics that were computed so far. A comparison with NaN does not pass.
#[derive(Default)]
pub struct StatisticSheet(Vec<Step>);

impl StatisticSheet {
    /// Records a statistic that must be at least a threshold, and returns true if it is.
    pub fn at_least(
        &mut self,
        id: &'static str,
        statistic: f64,
        threshold: f64,
        source: &'static str,
    ) -> bool {
        self.add(id, statistic, threshold, Bound::AtLeast, statistic >= threshold, source)
    }

    /// Records a statistic that must be above a threshold, and returns true if it is.
    pub fn above(&mut self, id: &'static str, statistic: f64, threshold: f64, source: &'static str) -> bool {
        self.add(id, statistic, threshold, Bound::Above, statistic > threshold, source)
    }

    /// Records a statistic that must be at most a threshold, and returns true if it is.
    pub fn at_most(
        &mut self,
        id: &'static str,
        statistic: f64,
        threshold: f64,
        source: &'static str,
    ) -> bool {
        self.add(id, statistic, threshold, Bound::AtMost, statistic <= threshold, source)
    }

    /// Records a statistic that is reported without a comparison.
    pub fn reported(&mut self, id: &'static str, statistic: f64, source: &'static str) {
        self.add(id, statistic, f64::NAN, Bound::Reported, true, source);
    }

    /// Returns the recorded statistics in order.
    pub fn into_steps(self) -> Vec<Step> {
        self.0
    }

    fn add(
        &mut self,
        id: &'static str,
        statistic: f64,
        threshold: f64,
        bound: Bound,
        passed: bool,
        source: &'static str,
    ) -> bool {
        let finite = |x: f64| x.is_finite().then_some(x);
        let (statistic, threshold) = (finite(statistic), finite(threshold));
        self.0.push(Step { id, statistic, threshold, bound, passed, source });
        passed
    }
}
