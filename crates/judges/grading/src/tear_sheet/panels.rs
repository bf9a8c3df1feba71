//! The panels of the tear sheet: equity, drawdown, Sharpe ratio over time, subperiods and bootstrap.

use super::read::Drawn;
use super::scale::{self, Scale, Tick, percent, short};
use super::shape::{Area, Shape};
use crate::grade::{Histogram, Subperiod};
use crate::statistics::{count, whole};

/// The distance beyond the resamples at which an observed ratio is still drawn to scale, in widths of their range.
const BEYOND: f64 = 1.5;
/// Standard errors to each side of a mean within which it lies nine times in ten.
const NINE_IN_TEN: f64 = 1.645;

/// A panel of the sheet: a title and the shapes of one chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Panel {
    /// The shapes of the panel, in the order of drawing.
    pub shapes: Vec<Shape>,
}

impl Panel {
    /// An empty one with its title, and the name and unit of what it shows.
    fn new(area: Area, title: &str, unit: &str) -> Self {
        let middle = 0.5 * (area.top + area.bottom);
        let mut panel = Self::titled(area, title);
        panel.add(Shape::Upwards { x: area.left - 50.0, y: middle, text: unit.to_owned() });
        panel
    }

    /// An empty one with its title.
    pub fn titled(area: Area, title: &str) -> Self {
        Self { shapes: vec![Shape::text("name", area.left, area.top - 10.0, title)] }
    }

    /// Adds a shape over the others.
    pub fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Lines across at the ticks, with their labels.
    fn levels(&mut self, area: Area, scale: &Scale, wanted: usize) {
        for Tick { value, label } in scale.ticks(wanted) {
            let y = scale.place(value);
            self.add(Shape::line("grid", [(area.left, y), (area.right, y)]));
            self.add(Shape::text("tick end", area.left - 6.0, y + 4.0, label));
        }
    }

    /// Marks along the lower edge with their labels, and what they say.
    fn along(&mut self, area: Area, scale: &Scale, ticks: Vec<Tick>, unit: &str) {
        self.add(Shape::line("axis", [(area.left, area.bottom), (area.right, area.bottom)]));
        for Tick { value, label } in ticks {
            let x = scale.place(value);
            self.add(Shape::line("axis", [(x, area.bottom), (x, area.bottom + 4.0)]));
            let is_last = x > area.right - 12.0;
            let (class, x) = if is_last { ("tick end", area.right + 12.0) } else { ("tick middle", x) };
            self.add(Shape::text(class, x, area.bottom + 17.0, label));
        }
        self.add(Shape::text("tick middle", area.middle(), area.bottom + 34.0, unit));
    }

    /// Draws a message in place of a drawing.
    fn nothing(&mut self, area: Area, why: &str) {
        self.add(Shape::rectangle("band", area));
        self.add(Shape::text("tick middle", area.middle(), 0.5 * (area.top + area.bottom) + 4.0, why));
    }
}

/// The days of the record across an area; it begins on the day before the first.
fn across(drawn: &Drawn, area: Area) -> (Scale, i32, i32) {
    let first = drawn.curve.first().map_or(0, |point| point.date.0.saturating_sub(1));
    let last = drawn.curve.last().map_or(0, |point| point.date.0);
    (Scale::linear(f64::from(first), f64::from(last), (area.left, area.right)), first, last)
}

/// Every other subperiod, shaded; with their numbers where there is room for them.
fn bands(panel: &mut Panel, periods: &[Subperiod], days: &Scale, area: Area, is_numbered: bool) {
    for (at, period) in periods.iter().enumerate() {
        let edge = |day: i32| days.place(f64::from(day));
        let (left, right) = (edge(period.from.0.saturating_sub(1)), edge(period.to.0));
        if at % 2 == 0 {
            panel.add(Shape::rectangle("band", Area { left, right, ..area }));
        }
        if is_numbered {
            let text = (at + 1).to_string();
            panel.add(Shape::text("tick middle", 0.5 * (left + right), area.top + 13.0, text));
        }
    }
}

/// Draws the equity, which starts at 1 before the first day, and the benchmark's where the receipt has it.
pub fn equity(drawn: &Drawn, is_after_costs: bool, area: Area) -> Panel {
    let (days, first, _) = across(drawn, area);
    let held = drawn.curve.iter().filter_map(|point| Some((point.date.0, point.benchmark?)));
    let values = || drawn.curve.iter().flat_map(|point| [Some(point.equity), point.benchmark]).flatten();
    let (least, most) = (values().fold(1.0, f64::min), values().fold(1.0, f64::max));
    let scale = Scale::of_growth(least, most, (area.bottom, area.top));
    let unit = if scale.is_logarithmic() { "equity, start = 1, log" } else { "equity, start = 1" };
    let has_benchmark = held.clone().next().is_some();
    let name = if is_after_costs { "Equity after costs" } else { "Equity" };
    let benchmark = if has_benchmark { ", and the caller's benchmark (dashed)" } else { "" };
    let mut panel = Panel::new(area, &format!("{name}{benchmark}"), unit);
    bands(&mut panel, &drawn.subperiods, &days, area, true);
    panel.levels(area, &scale, 5);
    let start = scale.place(1.0);
    panel.add(Shape::line("start", [(area.left, start), (area.right, start)]));
    let begin = (days.place(f64::from(first)), start);
    let point = |(day, equity): (i32, f64)| (days.place(f64::from(day)), scale.place(equity));
    if has_benchmark {
        panel.add(Shape::line("benchmark", std::iter::once(begin).chain(held.map(point))));
    }
    let curve = drawn.curve.iter().map(|at| point((at.date.0, at.equity)));
    panel.add(Shape::line("curve", std::iter::once(begin).chain(curve)));
    panel
}

/// Draws the Sharpe ratio of the last year over the days of the record.
pub fn rolling(drawn: &Drawn, area: Area) -> Panel {
    let (days, first, last) = across(drawn, area);
    let points = &drawn.performance.rolling_sharpe;
    let ratios = || points.iter().map(|point| point.sharpe);
    let (least, most) = (ratios().fold(0.0, f64::min), ratios().fold(0.0, f64::max));
    let scale = Scale::linear(least, most, (area.bottom, area.top));
    let mut panel = Panel::new(area, "Sharpe ratio of the year before each day", "a year");
    bands(&mut panel, &drawn.subperiods, &days, area, false);
    panel.levels(area, &scale, 4);
    let zero = scale.place(0.0);
    panel.add(Shape::line("start", [(area.left, zero), (area.right, zero)]));
    let place = |day: i32, ratio: f64| (days.place(f64::from(day)), scale.place(ratio));
    panel.add(Shape::line("curve", points.iter().map(|point| place(point.date.0, point.sharpe))));
    panel.along(area, &days, scale::days(first.saturating_add(1), last), "last day of the year (UTC)");
    panel
}

/// Draws the drawdown: the distance of the equity below its highest value so far.
pub fn drawdown(drawn: &Drawn, area: Area) -> Panel {
    let (days, first, last) = across(drawn, area);
    let deepest = deepest(drawn);
    let scale = Scale::linear(100.0 * deepest.min(-0.001), 0.0, (area.bottom, area.top));
    let mut panel = Panel::new(area, "Drawdown", "below the high, %");
    bands(&mut panel, &drawn.subperiods, &days, area, false);
    panel.levels(area, &scale, 4);
    let curve =
        drawn.curve.iter().map(|at| (days.place(f64::from(at.date.0)), scale.place(100.0 * at.drawdown)));
    let points: Vec<_> = std::iter::once((area.left, area.top)).chain(curve).collect();
    panel.add(Shape::filled("loss", &points, area.top));
    panel.add(Shape::line("lost", points));
    let name = format!("deepest {}", percent(-deepest));
    panel.add(Shape::text("tick end", area.right, area.top - 10.0, name));
    panel.along(area, &days, scale::days(first.saturating_add(1), last), "settlement day (UTC)");
    panel
}

/// Returns the deepest drawdown, 0 to -1.
pub fn deepest(drawn: &Drawn) -> f64 {
    drawn.curve.iter().map(|point| point.drawdown).fold(0.0, f64::min)
}

/// Draws the mean alpha of each subperiod with its 90% interval.
pub fn subperiods(drawn: &Drawn, area: Area) -> Panel {
    let mut panel = Panel::new(area, "Mean alpha by subperiod, 90 % range", "% of equity a day");
    let periods = &drawn.subperiods;
    if periods.is_empty() {
        panel.nothing(area, "the record is too short for subperiods");
        return panel;
    }
    let ranges: Vec<(f64, f64)> = periods.iter().map(range).collect();
    let least = ranges.iter().map(|(low, _)| *low).fold(0.0, f64::min);
    let most = ranges.iter().map(|(_, high)| *high).fold(0.0, f64::max);
    let room = 0.08 * (most - least);
    let scale = Scale::linear(least - room, most + room, (area.bottom, area.top));
    panel.levels(area, &scale, 5);
    let zero = scale.place(0.0);
    let width = (area.right - area.left) / count(periods.len());
    for (at, (period, (low, high))) in periods.iter().zip(&ranges).enumerate() {
        let middle = area.left + (count(at) + 0.5) * width;
        let (left, right) = (middle - 0.28 * width, middle + 0.28 * width);
        let class = if period.mean > 0.0 { "gain" } else { "loss" };
        panel.add(Shape::filled(
            class,
            &[(left, scale.place(100.0 * period.mean)), (right, scale.place(100.0 * period.mean))],
            zero,
        ));
        if high > low {
            let (low, high) = (scale.place(*low), scale.place(*high));
            panel.add(Shape::line("range", [(middle, low), (middle, high)]));
            for y in [low, high] {
                panel.add(Shape::line("range", [(middle - 5.0, y), (middle + 5.0, y)]));
            }
        }
        panel.add(Shape::text("tick middle", middle, area.bottom + 17.0, (at + 1).to_string()));
        let t = period.t.map_or_else(|| "no t".to_owned(), |t| format!("t = {}", short(t)));
        panel.add(Shape::text("tick middle", middle, area.bottom + 32.0, t));
    }
    panel.add(Shape::line("start", [(area.left, zero), (area.right, zero)]));
    panel.add(Shape::line("axis", [(area.left, area.bottom), (area.right, area.bottom)]));
    panel.add(Shape::text(
        "tick middle",
        area.middle(),
        area.bottom + 49.0,
        "subperiod, and its mean in standard errors (t)",
    ));
    panel
}

/// In percent.
fn range(period: &Subperiod) -> (f64, f64) {
    let error = period.t.filter(|t| *t != 0.0).map_or(0.0, |t| (period.mean / t).abs());
    let half = if error.is_finite() { NINE_IN_TEN * error } else { 0.0 };
    (100.0 * (period.mean - half), 100.0 * (period.mean + half))
}

/// Draws the bootstrap's histogram of the Sharpe ratio without an edge, and the observed ratio.
pub fn bootstrap(drawn: &Drawn, area: Area) -> Panel {
    let mut panel = Panel::new(area, "Bootstrap without an edge", "resamples");
    let bins = drawn.bootstrap.as_ref().filter(|bins| !bins.counts.is_empty() && bins.from < bins.to);
    let Some(bins) = bins else {
        panel.nothing(area, "the record is too short for a bootstrap");
        return panel;
    };
    let width = bins.to - bins.from;
    let is_beyond = bins.observed > bins.to + BEYOND * width || bins.observed < bins.from - BEYOND * width;
    let shown = bins.observed.clamp(bins.from - BEYOND * width, bins.to + BEYOND * width);
    let room = 0.04 * width;
    let ratios =
        Scale::linear(bins.from.min(shown) - room, bins.to.max(shown) + room, (area.left, area.right));
    let most = bins.counts.iter().copied().max().unwrap_or(0);
    let heights = Scale::linear(0.0, 1.12 * f64::from(most), (area.bottom, area.top));
    panel.levels(area, &heights, 4);
    let all = bins.counts.len();
    // The first bin that is as good as what was observed from its lower edge on.
    let good = whole(libm::ceil((bins.observed - bins.from) / width * count(all)), all);
    for (class, range) in [("bin", 0..good), ("bin as-good", good..all)] {
        let steps = stairs(bins, range);
        let points: Vec<_> = steps.into_iter().map(|(x, y)| (ratios.place(x), heights.place(y))).collect();
        panel.add(Shape::filled(class, &points, area.bottom));
    }
    let x = ratios.place(shown);
    panel.add(Shape::line("observed", [(x, area.bottom), (x, area.top)]));
    let (class, at) = if x > area.middle() { ("said end", x - 6.0) } else { ("said", x + 6.0) };
    let arrow = if is_beyond { ", beyond this axis" } else { "" };
    panel.add(Shape::text(class, at, area.top + 12.0, format!("observed {}{arrow}", short(bins.observed))));
    if let Some(p) = drawn.statistic("bootstrap.p") {
        panel.add(Shape::text(class, at, area.top + 27.0, format!("p = {}", short(p))));
    }
    panel.along(area, &ratios, ratios.ticks(5), "Sharpe ratio, a settlement day");
    panel
}

/// The outline of neighbouring bins, from one up to another.
fn stairs(bins: &Histogram, range: std::ops::Range<usize>) -> Vec<(f64, f64)> {
    let edge = |at: usize| bins.from + (bins.to - bins.from) * count(at) / count(bins.counts.len());
    let of = |at: usize| bins.counts.get(at).map(|height| (at, f64::from(*height)));
    range.filter_map(of).flat_map(|(at, height)| [(edge(at), height), (edge(at + 1), height)]).collect()
}
