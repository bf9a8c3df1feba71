//! The composite, and how far it depends on any one part.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::calendar::business_days_between;
use crate::files::YieldCurve;
use crate::percentile::{WINDOW, trailing};
use crate::series::Series;

/// Most series of a composite.
pub const MAX_COMPONENTS: usize = 12;
/// Oldest last observation of a series, in business days before the day of the reading.
pub const MAX_AGE_BUSINESS_DAYS: usize = 5;
/// Most days of the course: two years.
const MAX_COURSE: usize = 504;
/// The share by which each weight is changed to see what depends on it.
const WEIGHT_CHANGE: f64 = 0.25;

/// What a high value of a series says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// High values are stress.
    HighIsStress,
    /// Low values are stress.
    LowIsStress,
}

/// A series of a composite.
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    /// The name, unique in the composite.
    pub name: String,
    /// The observations.
    pub series: Series,
    /// The weight, above 0 and finite.
    pub weight: f64,
    /// What a high value says.
    pub direction: Direction,
}

/// Series, with the number of them that a reading needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Composite {
    /// The series; at most [`MAX_COMPONENTS`].
    pub components: Vec<Component>,
    /// The fewest that must have a percentile.
    pub least: usize,
}

/// The built-in composite: the level of the VIX and its change over 20 days, the inversion of the yield curve between ten and two
/// years and between ten years and three months, the volatility of the ten-year yield over 20 days, and a caller's price series by
/// its drawdown, where there is one. Four of them are needed.
#[must_use]
pub fn built_in(vix: &Series, curve: &YieldCurve, price: Option<&Series>) -> Composite {
    let component =
        |name: &str, series, direction| Component { name: name.to_owned(), series, weight: 1.0, direction };
    let mut components = vec![
        component("vix_level", vix.clone(), Direction::HighIsStress),
        component("vix_change_20d", vix.change(20), Direction::HighIsStress),
        component("yield_10y_less_2y", curve.ten_year.less(&curve.two_year), Direction::LowIsStress),
        component("yield_10y_less_3m", curve.ten_year.less(&curve.three_month), Direction::LowIsStress),
        component("yield_10y_volatility_20d", curve.ten_year.volatility(20), Direction::HighIsStress),
    ];
    components.extend(price.map(|price| component("drawdown", price.drawdown(), Direction::HighIsStress)));
    Composite { components, least: 4 }
}

/// The label of a reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StressLabel {
    /// Below 30.
    Low,
    /// Below 60.
    Normal,
    /// Below 80.
    Elevated,
    /// 80 and above.
    Extreme,
}

impl StressLabel {
    /// The label of a value from 0 to 100.
    #[must_use]
    pub fn of(value: f64) -> Self {
        match value {
            value if value < 30.0 => Self::Low,
            value if value < 60.0 => Self::Normal,
            value if value < 80.0 => Self::Elevated,
            _ => Self::Extreme,
        }
    }
}

/// A composite as of a day.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Reading {
    /// The day.
    #[schemars(with = "String")]
    pub as_of: Date,
    /// The weighted mean of the percentiles, 0 to 100; `null` where too few series count.
    #[serde(serialize_with = "rounded_option")]
    pub value: Option<f64>,
    /// The label; `null` where there is no value, or where a series is missing that the composite has.
    pub label: Option<StressLabel>,
    /// The series that count.
    pub inputs: Vec<InputReading>,
    /// The series that do not, with the reason.
    pub missing: Vec<MissingInput>,
    /// The weighted geometric mean of the percentiles.
    #[serde(serialize_with = "rounded_option")]
    pub geometric_mean: Option<f64>,
    /// The least and the greatest value where any one series is left out.
    pub leave_one_out: Option<ValueRange>,
    /// The least and the greatest value where each weight is a quarter less or more.
    pub weight_range: Option<ValueRange>,
    /// True if all of these have the same label.
    pub label_robust: bool,
    /// The value on the last days, the oldest first.
    pub course: Vec<CoursePoint>,
}

/// A series that counts.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct InputReading {
    /// The name of the series.
    pub name: String,
    /// The day of its last observation.
    #[schemars(with = "String")]
    pub day: Date,
    /// That observation.
    #[serde(serialize_with = "rounded")]
    pub value: f64,
    /// Its percentile, 0 to 100; 100 is the most stress.
    #[serde(serialize_with = "rounded")]
    pub percentile: f64,
    /// Its share of the weights, 0 to 1.
    #[serde(serialize_with = "rounded")]
    pub weight: f64,
    /// The part of the composite's value that it makes.
    #[serde(serialize_with = "rounded")]
    pub contribution: f64,
    /// Number of observations that it is compared with.
    pub observations: usize,
    /// The first day of these.
    #[schemars(with = "String")]
    pub from: Date,
    /// What a high value says.
    pub direction: Direction,
}

/// A series that does not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct MissingInput {
    /// The name of the series.
    pub name: String,
    /// The reason: `no_observation`, `too_short`, or `too_old`.
    pub reason: &'static str,
    /// The day of its last observation, if there is one.
    #[schemars(with = "Option<String>")]
    pub last: Option<Date>,
}

/// The least and the greatest of some values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ValueRange {
    /// The least.
    #[serde(serialize_with = "rounded")]
    pub least: f64,
    /// The greatest.
    #[serde(serialize_with = "rounded")]
    pub greatest: f64,
}

/// The value on a day.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CoursePoint {
    /// The day.
    #[schemars(with = "String")]
    pub day: Date,
    /// The value, of the series that had a percentile then.
    #[serde(serialize_with = "rounded")]
    pub value: f64,
}

/// Six decimals, in this one place.
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(libm::round(value * 1e6) / 1e6)
}

#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn rounded_option<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => rounded(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A component with the percentile of each observation, in the direction of stress.
struct Ranked<'a> {
    component: &'a Component,
    percentiles: Vec<Option<f64>>,
}

impl Composite {
    /// The reading as of a day. No observation after that day counts.
    #[must_use]
    pub fn read(&self, as_of: Date) -> Reading {
        let ranked: Vec<Ranked<'_>> = self.components.iter().take(MAX_COMPONENTS).map(Ranked::of).collect();
        let (mut counted, mut missing) = (Vec::new(), Vec::new());
        for part in &ranked {
            match part.at(as_of) {
                Ok(counts) => counted.push(counts),
                Err(reason) => missing.push(reason),
            }
        }
        let weighed: Vec<(f64, f64)> = counted.iter().map(|input| (input.weight, input.percentile)).collect();
        let total: f64 = weighed.iter().map(|(weight, _)| weight).sum();
        for input in &mut counted {
            input.weight /= total;
            input.contribution = input.weight * input.percentile;
        }
        let is_enough = counted.len() >= self.least.max(1);
        let value = is_enough.then(|| mean(&weighed));
        let geometric_mean = value.map(|_| geometric(&weighed));
        let leave_one_out = value.and_then(|_| leave_one_out(&weighed));
        let weight_range = value.map(|_| weight_range(&weighed));
        let is_old = missing.iter().any(|input| input.reason == "too_old");
        let label = value.filter(|_| !is_old).map(StressLabel::of);
        let others = [geometric_mean]
            .into_iter()
            .chain(
                [leave_one_out, weight_range]
                    .into_iter()
                    .flatten()
                    .flat_map(|range| [Some(range.least), Some(range.greatest)]),
            )
            .flatten();
        let label_robust = label.is_some_and(|label| others.map(StressLabel::of).all(|other| other == label));
        Reading {
            as_of,
            value,
            label,
            inputs: counted,
            missing,
            geometric_mean,
            leave_one_out,
            weight_range,
            label_robust,
            course: self.course(&ranked, as_of),
        }
    }

    /// The value on each day on which the first series was observed, up to a day.
    fn course(&self, ranked: &[Ranked<'_>], as_of: Date) -> Vec<CoursePoint> {
        let Some(first) = ranked.first() else { return Vec::new() };
        let days = &first.component.series.days()[..first.component.series.until(as_of)];
        let days = &days[days.len().saturating_sub(MAX_COURSE)..];
        let mut points = Vec::with_capacity(days.len());
        for day in days {
            let weighed: Vec<(f64, f64)> = ranked
                .iter()
                .filter_map(|part| Some((part.component.weight, part.at(*day).ok()?.percentile)))
                .collect();
            if weighed.len() >= self.least.max(1) {
                points.push(CoursePoint { day: *day, value: mean(&weighed) });
            }
        }
        points
    }
}

impl<'a> Ranked<'a> {
    fn of(component: &'a Component) -> Self {
        let mut percentiles = trailing(component.series.values());
        if component.direction == Direction::LowIsStress {
            percentiles.iter_mut().flatten().for_each(|percentile| *percentile = 100.0 - *percentile);
        }
        Self { component, percentiles }
    }

    /// The last observation up to a day, if it counts then.
    fn at(&self, day: Date) -> Result<InputReading, MissingInput> {
        let Component { name, series, weight, direction } = self.component;
        let until = series.until(day);
        let missing = |reason, last| MissingInput { name: name.clone(), reason, last };
        let at = until.checked_sub(1).ok_or_else(|| missing("no_observation", None))?;
        let last = series.days()[at];
        // No more business days than days have passed, so most of the course needs no calendar.
        let is_old = last.until(day).is_ok_and(|span| span.get_days() > MAX_AGE_BUSINESS_DAYS as i32)
            && business_days_between(last, day) > MAX_AGE_BUSINESS_DAYS;
        if is_old {
            return Err(missing("too_old", Some(last)));
        }
        let percentile = self.percentiles[at].ok_or_else(|| missing("too_short", Some(last)))?;
        Ok(InputReading {
            name: name.clone(),
            day: last,
            value: series.values()[at],
            percentile,
            weight: *weight,
            contribution: 0.0,
            observations: until.min(WINDOW),
            from: series.days()[until.saturating_sub(WINDOW)],
            direction: *direction,
        })
    }
}

/// The weighted mean.
fn mean(weighed: &[(f64, f64)]) -> f64 {
    let total: f64 = weighed.iter().map(|(weight, _)| weight).sum();
    weighed.iter().map(|(weight, value)| weight * value).sum::<f64>() / total
}

/// The weighted geometric mean. A percentile by mid-rank is never 0, but in the direction of low stress it can come near.
fn geometric(weighed: &[(f64, f64)]) -> f64 {
    let smallest = 50.0 / WINDOW as f64;
    let logs: Vec<(f64, f64)> =
        weighed.iter().map(|(weight, value)| (*weight, libm::log(value.max(smallest)))).collect();
    libm::exp(mean(&logs))
}

fn leave_one_out(weighed: &[(f64, f64)]) -> Option<ValueRange> {
    let without = |left: usize| {
        let rest: Vec<(f64, f64)> =
            weighed.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, part)| *part).collect();
        mean(&rest)
    };
    (weighed.len() > 1).then(|| range((0..weighed.len()).map(without)))
}

/// The range over all ways to make each weight a quarter less or more.
fn weight_range(weighed: &[(f64, f64)]) -> ValueRange {
    let changed = |choice: u32| {
        let parts: Vec<(f64, f64)> = weighed
            .iter()
            .enumerate()
            .map(|(at, (weight, value))| {
                let change = if choice >> at & 1 == 0 { 1.0 - WEIGHT_CHANGE } else { 1.0 + WEIGHT_CHANGE };
                (weight * change, *value)
            })
            .collect();
        mean(&parts)
    };
    range((0..1_u32 << weighed.len().min(MAX_COMPONENTS)).map(changed))
}

fn range(values: impl Iterator<Item = f64>) -> ValueRange {
    values.fold(ValueRange { least: f64::INFINITY, greatest: f64::NEG_INFINITY }, |range, value| ValueRange {
        least: range.least.min(value),
        greatest: range.greatest.max(value),
    })
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use super::*;
    use crate::series::tests::daily;

    fn component(name: &str, values: &[f64], direction: Direction) -> Component {
        Component { name: name.to_owned(), series: daily(values), weight: 1.0, direction }
    }

    fn rising(count: usize) -> Vec<f64> {
        (0..count).map(|value| value as f64).collect()
    }

    fn last(composite: &Composite) -> Date {
        *composite.components[0].series.days().last().unwrap()
    }

    #[test]
    fn the_value_is_the_mean_of_the_percentiles_in_the_direction_of_stress() {
        let high = component("high", &rising(600), Direction::HighIsStress);
        let low = component("low", &rising(600), Direction::LowIsStress);
        let both = Composite { components: vec![high.clone(), Component { weight: 3.0, ..low }], least: 2 };
        let reading = both.read(last(&both));
        let top = 100.0 * 599.5 / 600.0;
        assert!((reading.value.unwrap() - (top + 3.0 * (100.0 - top)) / 4.0).abs() < 1e-9);
        assert_eq!((reading.label, reading.label_robust), (Some(StressLabel::Low), false));
        let shares: Vec<f64> = reading.inputs.iter().map(|input| input.weight).collect();
        assert_eq!(shares, [0.25, 0.75]);
        let sum: f64 = reading.inputs.iter().map(|input| input.contribution).sum();
        assert!((sum - reading.value.unwrap()).abs() < 1e-9);
        let one = Composite {
            components: vec![high.clone(), Component { name: "b".to_owned(), ..high }],
            least: 2,
        };
        let reading = one.read(last(&one));
        assert_eq!((reading.label, reading.label_robust), (Some(StressLabel::Extreme), true));
        assert_eq!(reading.course.last().map(|point| point.value), reading.value);
    }

    #[test]
    fn short_and_old_series_do_not_count_and_are_named() {
        let long = component("long", &rising(700), Direction::HighIsStress);
        let short = component("short", &rising(503), Direction::HighIsStress);
        let composite = Composite { components: vec![long, short], least: 1 };
        let day = composite.components[1].series.days()[502];
        assert_eq!(composite.read(day).missing[0].reason, "too_short");
        // Two hundred days later the short one is old, and nothing is labelled.
        let reading = composite.read(last(&composite));
        assert_eq!((reading.missing[0].reason, reading.label), ("too_old", None));
        assert!(reading.value.is_some());
        let before = composite.components[0].series.days()[0].checked_sub(1.day()).unwrap();
        let reading = composite.read(before);
        assert_eq!((reading.value, reading.missing.len()), (None, 2));
        assert_eq!(reading.missing[0].reason, "no_observation");
    }

    #[test]
    fn a_reading_as_of_a_day_is_that_of_the_series_cut_there() {
        let wave: Vec<f64> = (0..900).map(|at| libm::sin(f64::from(at) / 17.0)).collect();
        let whole = Composite { components: vec![component("a", &wave, Direction::HighIsStress)], least: 1 };
        let cut =
            Composite { components: vec![component("a", &wave[..700], Direction::HighIsStress)], least: 1 };
        assert_eq!(whole.read(last(&cut)), cut.read(last(&cut)));
    }

    #[test]
    fn labels_have_their_bounds() {
        for (value, label) in [
            (29.999, StressLabel::Low),
            (30.0, StressLabel::Normal),
            (60.0, StressLabel::Elevated),
            (80.0, StressLabel::Extreme),
        ] {
            assert_eq!(StressLabel::of(value), label);
        }
    }
}
