//! The built-in composite of market stress over recorded histories (`market/vix_*.csv`, `market/treasury_*.csv`, compressed or not),
//! against a plain computation of the same definitions.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use jiff::civil::Date;
use stress_composite::{
    Composite, Reading, Series, StressLabel, YieldCurve, built_in, business_days_between, vix_history,
};

use crate::outcome::Outcome;

/// Every so many days are compared; no divisor of a week, a month or a year.
const STEP: usize = 97;
/// The trailing observations of a percentile, and the fewest of them.
const WINDOW: usize = 1260;
const LEAST: usize = 504;
/// Oldest last observation, in business days.
const OLDEST: usize = 5;
/// Largest difference of a percentile or a value.
const TOLERANCE: f64 = 1e-6;

/// Observations, the oldest first.
type Days = Vec<(Date, f64)>;

/// Runs the suite; `None` where there are no histories.
pub fn run(folder: &Path) -> Option<Outcome> {
    let mut outcome = Outcome { name: "market/composite".to_owned(), ..Outcome::default() };
    let mut indices: Vec<(String, Series)> =
        files(folder, "vix_", &mut outcome, |bytes| vix_history(bytes).map_err(|error| error.to_string()));
    let mut curves: Vec<(String, YieldCurve)> = files(folder, "treasury_", &mut outcome, |bytes| {
        YieldCurve::read([bytes]).map_err(|error| error.to_string())
    });
    indices.sort_by_key(|(_, vix)| std::cmp::Reverse(vix.days().len()));
    curves.sort_by_key(|(_, curve)| std::cmp::Reverse(curve.ten_year.days().len()));
    // Each file is read with the longest one of the other kind.
    let longest = curves.first().map(|curve| indices.iter().skip(1).map(move |vix| (vix, curve)));
    let pairs = indices.first().map(|vix| curves.iter().map(move |curve| (vix, curve)));
    let (mut compared, mut without) = (0, 0);
    for (vix, curve) in pairs.into_iter().flatten().chain(longest.into_iter().flatten()) {
        let title = format!("{} with {}", vix.0, curve.0);
        let whole = built_in(&vix.1, &curve.1, None);
        for day in vix.1.days().iter().skip(STEP).step_by(STEP) {
            let reading = whole.read(*day);
            let fault = fault(&reading, &vix.1, &curve.1, *day);
            outcome.check(fault.is_none(), || format!("{title}, {day}: {}", fault.unwrap_or_default()));
            let early = early(&vix.1, &curve.1, *day).read(*day);
            outcome.check(early == reading, || format!("{title}, {day}: later observations count"));
            if reading.value.is_some() { compared += 1 } else { without += 1 }
        }
    }
    outcome.figures = format!("readings={compared} without_a_value={without}");
    (outcome.total > 0).then_some(outcome)
}

/// The files of a kind that can be read; one that cannot is a case that does not pass.
fn files<T>(
    folder: &Path,
    prefix: &str,
    outcome: &mut Outcome,
    read: impl Fn(&[u8]) -> Result<T, String>,
) -> Vec<(String, T)> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !title.starts_with(prefix) || !(title.ends_with(".csv") || title.ends_with(".csv.gz")) {
            continue;
        }
        let mut bytes = fs::read(&path).expect("the file can be read");
        if title.ends_with(".gz") {
            let mut whole = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut whole).expect("the file is compressed");
            bytes = whole;
        }
        let content = read(&bytes);
        outcome.check(content.is_ok(), || {
            format!("{title}: {}", content.as_ref().err().cloned().unwrap_or_default())
        });
        found.extend(content.ok().map(|content| (title, content)));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The composite of the same series without the observations after a day.
fn early(vix: &Series, curve: &YieldCurve, day: Date) -> Composite {
    let cut = |series: &Series| Series::new(days(series, day)).expect("a part of a series is one");
    let curve = YieldCurve {
        three_month: cut(&curve.three_month),
        two_year: cut(&curve.two_year),
        ten_year: cut(&curve.ten_year),
    };
    built_in(&cut(vix), &curve, None)
}

fn days(series: &Series, until: Date) -> Days {
    let observations = series.days().iter().copied().zip(series.values().iter().copied());
    observations.filter(|(day, _)| *day <= until).collect()
}

/// The first difference between a reading and the plain computation of the same.
fn fault(reading: &Reading, vix: &Series, curve: &YieldCurve, day: Date) -> Option<String> {
    let vix = days(vix, day);
    let (three_month, two_year, ten_year) =
        (days(&curve.three_month, day), days(&curve.two_year, day), days(&curve.ten_year, day));
    let inputs = [
        ("vix_level", vix.clone(), false),
        ("vix_change_20d", change(&vix, 20), false),
        ("yield_10y_less_2y", less(&ten_year, &two_year), true),
        ("yield_10y_less_3m", less(&ten_year, &three_month), true),
        ("yield_10y_volatility_20d", volatility(&ten_year), false),
    ];
    let mut percentiles = Vec::new();
    let mut is_old = false;
    for (name, observations, low_is_stress) in &inputs {
        let found = reading.inputs.iter().find(|input| input.name == *name).map(|input| input.percentile);
        let too_old = observations.last().is_some_and(|(last, _)| business_days_between(*last, day) > OLDEST);
        is_old |= too_old;
        let percentile = percentile(observations).filter(|_| !too_old);
        let expected = percentile.map(|share| if *low_is_stress { 100.0 - share } else { share });
        if !are_near(found, expected) {
            return Some(format!("{name} is at {found:?}, counted {expected:?}"));
        }
        percentiles.extend(expected);
    }
    let mean = percentiles.iter().sum::<f64>() / percentiles.len() as f64;
    let value = (percentiles.len() >= 4).then_some(mean);
    if !are_near(reading.value, value) {
        return Some(format!("the value is {:?}, counted {value:?}", reading.value));
    }
    let label = value.filter(|_| !is_old).map(|value| match value {
        value if value < 30.0 => StressLabel::Low,
        value if value < 60.0 => StressLabel::Normal,
        value if value < 80.0 => StressLabel::Elevated,
        _ => StressLabel::Extreme,
    });
    (reading.label != label).then(|| format!("the label is {:?}, counted {label:?}", reading.label))
}

fn are_near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= TOLERANCE,
        (None, None) => true,
        _ => false,
    }
}

fn change(days: &Days, count: usize) -> Days {
    days.windows(count + 1).map(|window| (window[count].0, window[count].1 - window[0].1)).collect()
}

fn less(days: &Days, other: &Days) -> Days {
    let of = |day| other.iter().find(|(known, _)| *known == day).map(|(_, value)| *value);
    days.iter().filter_map(|(day, value)| Some((*day, value - of(*day)?))).collect()
}

/// The sample standard deviation of the last 20 daily changes.
fn volatility(days: &Days) -> Days {
    let deviation = |window: &[(Date, f64)]| {
        let count = window.len() as f64;
        let mean = window.iter().map(|(_, change)| change).sum::<f64>() / count;
        let squares: f64 = window.iter().map(|(_, change)| (change - mean) * (change - mean)).sum();
        libm::sqrt(squares / (count - 1.0))
    };
    change(days, 1).windows(20).map(|window| (window[19].0, deviation(window))).collect()
}

/// The mid-rank of the last observation among the last ones, itself among them.
fn percentile(days: &Days) -> Option<f64> {
    let window = &days[days.len().saturating_sub(WINDOW)..];
    let (_, last) = *window.last()?;
    let below = window.iter().filter(|(_, value)| *value < last).count() as f64;
    let equal = window.iter().filter(|(_, value)| *value == last).count() as f64;
    (window.len() >= LEAST).then(|| 100.0 * (below + equal / 2.0) / window.len() as f64)
}
