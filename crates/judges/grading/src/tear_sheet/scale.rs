//! Scales that map values to positions, and the ticks and labels of axes.

use jiff::ToSpan as _;

use crate::day::Day;
use crate::statistics::{count, whole};

/// The most ticks of an axis; an axis of days has room for these.
const MOST_TICKS: usize = 7;
/// The most digits of an amount that is written out.
const MOST_DIGITS: usize = 12;
/// The ratio of the greatest to the least value above which an axis is logarithmic.
const GROWTH: f64 = 20.0;

/// A tick of an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// The value at the tick.
    pub value: f64,
    /// The label of the tick.
    pub label: String,
}

/// A scale that maps an interval of values to an interval of positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    values: (f64, f64),
    places: (f64, f64),
    is_logarithmic: bool,
}

impl Scale {
    /// Builds a linear scale over the values; a single value is in the middle.
    pub fn linear(from: f64, to: f64, places: (f64, f64)) -> Self {
        let room = 0.5 * from.abs().max(1e-6);
        let values =
            if to - from > 1e-12 * from.abs().max(to.abs()) { (from, to) } else { (from - room, to + room) };
        Self { values, places, is_logarithmic: false }
    }

    /// Builds a scale with a margin at both ends, logarithmic if the largest value is many times the smallest.
    pub fn of_growth(from: f64, to: f64, places: (f64, f64)) -> Self {
        if from > 0.05 && to / from >= GROWTH {
            return Self { values: (from, to), places, is_logarithmic: true };
        }
        let room = 0.06 * (to - from);
        Self::linear(from - room.min(from.max(0.0)), to + room, places)
    }

    /// Returns true if the scale is logarithmic.
    pub const fn is_logarithmic(&self) -> bool {
        self.is_logarithmic
    }

    /// Returns the position of a value; that of the nearer end if the value lies beyond.
    pub fn place(&self, value: f64) -> f64 {
        let along = if self.is_logarithmic {
            libm::log(value / self.values.0) / libm::log(self.values.1 / self.values.0)
        } else {
            // Halved, so that the longest of axes has a length.
            (0.5 * value - 0.5 * self.values.0) / (0.5 * self.values.1 - 0.5 * self.values.0)
        };
        let along = if along.is_nan() { 0.0 } else { along.clamp(0.0, 1.0) };
        self.places.0 + along * (self.places.1 - self.places.0)
    }

    /// Returns ticks at round values, about `wanted` of them.
    pub fn ticks(&self, wanted: usize) -> Vec<Tick> {
        let (from, to) = self.values;
        if self.is_logarithmic {
            return powers(from, to);
        }
        let step = round_step((0.5 * to - 0.5 * from) / (0.5 * count(wanted)));
        let first = libm::ceil(from / step - 1e-9);
        let steps = whole(libm::floor(to / step + 1e-9) - first, 3 * MOST_TICKS);
        (0..=steps)
            .map(|at| (first + count(at)) * step)
            .map(|value| Tick { value, label: label(value, step) })
            .collect()
    }
}

/// Powers of ten between two values, of so many that there is room for them; with twice and five times these where
/// they are few.
fn powers(from: f64, to: f64) -> Vec<Tick> {
    let (first, last) = (libm::floor(libm::log10(from)), libm::floor(libm::log10(to)));
    let every = libm::ceil((last - first + 1.0) / count(MOST_TICKS)).max(1.0);
    let powers = whole((last - first) / every, MOST_TICKS);
    let factors: &[f64] = if powers < 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let of = |at: usize| factors.iter().map(move |factor| (factor, libm::exp10(first + every * count(at))));
    (0..=powers)
        .flat_map(of)
        .map(|(factor, power)| Tick { value: factor * power, label: label(factor * power, power) })
        .filter(|tick| (from..=to).contains(&tick.value))
        .collect()
}

/// The least of 1, 2 and 5 times a power of ten that is not below.
fn round_step(least: f64) -> f64 {
    let power = libm::exp10(libm::floor(libm::log10(least)));
    [1.0, 2.0, 5.0].iter().map(|factor| factor * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// A value with as many places as its step has; with its power of ten where these are many.
fn label(value: f64, step: f64) -> String {
    let power = libm::floor(libm::log10(step.abs()) + 1e-9);
    if !(-5.0..6.0).contains(&power) {
        return if value == 0.0 { "0".to_owned() } else { format!("{value:.0e}") };
    }
    let places = whole(-power, 5);
    // No negative zero.
    let rounded = format!("{value:.places$}");
    let is_zero = rounded.trim_start_matches(['-', '0', '.']).is_empty();
    if is_zero { "0".to_owned() } else { rounded.replace('-', "\u{2212}") }
}

/// Formats a number with three significant digits.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let power = libm::floor(libm::log10(value.abs()));
    if !(-4.0..6.0).contains(&power) {
        return format!("{value:.1e}").replace('-', "\u{2212}");
    }
    let places = whole(2.0 - power, 6);
    let text = format!("{value:.places$}").replace('-', "\u{2212}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// Formats a share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

/// Formats a probability as a percentage. One that is not quite certain is not rounded to what is.
pub fn chance(share: f64) -> String {
    match share {
        share if share > 0.9995 => "> 99.9 %".to_owned(),
        share if share < 0.0005 => "< 0.1 %".to_owned(),
        share => percent(share),
    }
}

/// Formats a share as a percentage with one decimal place, without the sign; as [`short`] does where it is long.
pub fn one_place(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() >= 999.95 {
        return short(percent);
    }
    let text = format!("{percent:.1}");
    if text == "-0.0" { "0.0".to_owned() } else { text.replace('-', "\u{2212}") }
}

/// Formats an integer in groups of three digits.
pub fn grouped(number: u32) -> String {
    in_groups(&number.to_string())
}

/// Formats an amount of currency, a decimal without a sign, in groups of three digits and without what is below one; as [`short`]
/// does where it is small or long. A text that is no decimal is returned as it is.
pub fn amount(decimal: &str) -> String {
    let whole = decimal.split_once('.').map_or(decimal, |(whole, _)| whole);
    match decimal.parse::<f64>() {
        Ok(value) if value < 100.0 || whole.len() > MOST_DIGITS => short(value),
        Ok(_) if whole.bytes().all(|byte| byte.is_ascii_digit()) => in_groups(whole),
        _ => decimal.to_owned(),
    }
}

fn in_groups(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns ticks at round days between two days.
pub fn days(from: i32, to: i32) -> Vec<Tick> {
    let length = i64::from(to) - i64::from(from);
    for (step, longest) in [(1, 5), (2, 10), (7, 42)] {
        if length <= longest {
            return by_days(from, to, step);
        }
    }
    let few = |ticks: &Vec<Tick>| ticks.len() <= MOST_TICKS;
    let steps = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 12_000];
    steps.into_iter().map(|step| months(from, to, step)).find(few).unwrap_or_default()
}

fn by_days(from: i32, to: i32, step: usize) -> Vec<Tick> {
    let tick = |day: i32| Tick { value: f64::from(day), label: Day(day).to_string() };
    (from..=to).step_by(step).map(tick).collect()
}

/// The first days of every so many months.
fn months(from: i32, to: i32, step: i64) -> Vec<Tick> {
    let first = Day(from).date();
    let month = i64::from(first.year()) * 12 + i64::from(first.month()) - 1;
    let behind = (-month).rem_euclid(step) + if first.day() > 1 && month % step == 0 { step } else { 0 };
    let mut ticks = Vec::new();
    let mut next = first.first_of_month().checked_add(behind.months());
    while let Ok(date) = next {
        let Some(Day(day)) = Day::of(date) else { break };
        if day > to || ticks.len() > MOST_TICKS {
            break;
        }
        let label =
            if step % 12 == 0 { date.strftime("%Y").to_string() } else { date.strftime("%Y-%m").to_string() };
        ticks.push(Tick { value: f64::from(day), label });
        next = date.checked_add(step.months());
    }
    ticks
}
