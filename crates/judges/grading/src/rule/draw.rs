//! The data of a grade's panels.

use super::Boot;
use super::alpha::Alpha;
use super::holds::parts;
use crate::day::Day;
use crate::grade::{CurvePoint, Histogram, Subperiod};
use crate::record::{Benchmark, TrackRecord};
use crate::statistics::stability::SeriesPart;
use crate::statistics::{count, whole};

/// Maximum number of points of a curve.
pub const POINTS: usize = 320;
/// Number of bins of the bootstrap's histogram.
pub const BINS: usize = 60;

/// Returns the equity curve: every unit, or [`POINTS`] evenly spaced ones that include the first, the last and the
/// lowest.
pub fn curve(record: &TrackRecord) -> Vec<CurvePoint> {
    let (mut equity, mut high, mut held) = (1.0_f64, 1.0_f64, 1.0_f64);
    let has_benchmark = record.benchmark == Benchmark::Series
        && record.units.iter().all(|unit| unit.b.is_some_and(f64::is_finite));
    // Past all numbers is as far as it goes, and what is lost stays lost.
    let after = |equity: f64, r: f64| (equity * (1.0 + r)).clamp(0.0, f64::MAX);
    let mut all = Vec::with_capacity(record.units.len());
    for unit in &record.units {
        equity = after(equity, unit.x);
        high = high.max(equity);
        held = after(held, unit.b.unwrap_or(0.0));
        let benchmark = has_benchmark.then_some(held);
        all.push(CurvePoint { date: Day(unit.day), equity, drawdown: equity / high - 1.0, benchmark });
    }
    if all.len() <= POINTS {
        return all;
    }
    let last = all.len() - 1;
    let lowest = (1..last).min_by(|a, b| all[*a].drawdown.total_cmp(&all[*b].drawdown)).unwrap_or(0);
    let evenly = |point: usize| point * last / (POINTS - 1);
    // It takes the place of the point that is before it.
    let shown = |point: usize| {
        if (evenly(point)..evenly(point + 1)).contains(&lowest) { lowest } else { evenly(point) }
    };
    (0..POINTS).map(|point| all[shown(point)]).collect()
}

/// Returns the four subperiods with their mean alpha.
pub fn subperiods(record: &TrackRecord, alpha: &Alpha) -> Vec<Subperiod> {
    let mut from = 0;
    let mut subperiods = Vec::new();
    for series in parts(&alpha.series) {
        let to = from + series.len();
        let part = SeriesPart::of(series);
        let t = part.t();
        if let (Some(first), Some(last)) = (record.units.get(from), record.units.get(to.wrapping_sub(1))) {
            let t = if t.is_finite() { Some(t) } else { None };
            subperiods.push(Subperiod { from: Day(first.day), to: Day(last.day), mean: part.mean, t });
        }
        from = to;
    }
    subperiods
}

/// Returns the histogram of the bootstrap's Sharpe ratios; `None` if a resample has no spread.
pub fn histogram(boot: &Boot) -> Option<Histogram> {
    let finite = boot.ratios.iter().copied().filter(|ratio| ratio.is_finite());
    let from = finite.clone().fold(f64::INFINITY, f64::min);
    let to = finite.clone().fold(f64::NEG_INFINITY, f64::max);
    if !(from < to && boot.observed.is_finite()) {
        return None;
    }
    let mut counts = vec![0; BINS];
    for ratio in finite {
        let bin = whole((ratio - from) / (to - from) * count(BINS), BINS - 1);
        counts[bin] += 1;
    }
    Some(Histogram { from, to, counts, observed: boot.observed })
}
