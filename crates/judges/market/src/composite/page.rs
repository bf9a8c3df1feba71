//! The receipt of `/composite` in words and a chart, for the receipt's page.

use std::fmt::Write as _;

use askama::Template;
use receipt::json::Json;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
/// Room for the labels of the axis.
const LEFT: f64 = 30.0;

#[derive(Template)]
#[template(path = "composite.html")]
struct CompositeSection<'a> {
    as_of: &'a str,
    value: Option<&'a str>,
    is_robust: bool,
    geometric_mean: Option<&'a str>,
    leave_one_out: Option<[&'a str; 2]>,
    weight_range: Option<[&'a str; 2]>,
    inputs: Vec<InputLine<'a>>,
    missing: Vec<MissingLine<'a>>,
    chart: Option<Chart<'a>>,
    reasons: Vec<String>,
}

struct InputLine<'a> {
    name: &'a str,
    day: &'a str,
    value: &'a str,
    percentile: &'a str,
    weight: &'a str,
    contribution: &'a str,
    observations: &'a str,
}

struct MissingLine<'a> {
    name: &'a str,
    reason: String,
}

struct Chart<'a> {
    from: &'a str,
    to: &'a str,
    path: String,
    width: f64,
    height: f64,
    left: f64,
    bands: [(f64, &'static str); 3],
}

/// The section, from a receipt; `None` where it is not one of this class.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let list = |of: &'static str| receipt.get(of).and_then(Json::as_array);
    let course = list("course")?;
    let section = CompositeSection {
        as_of: receipt.get("as_of")?.as_str()?,
        value: number(receipt.get("value")),
        is_robust: receipt.get("label_robust")?.as_bool()?,
        geometric_mean: number(receipt.get("geometric_mean")),
        leave_one_out: range(receipt.get("leave_one_out")),
        weight_range: range(receipt.get("weight_range")),
        inputs: list("inputs")?.iter().filter_map(input).collect(),
        missing: list("missing")?.iter().filter_map(missing).collect(),
        chart: chart(course),
        reasons: list("reasons")?.iter().filter_map(words).collect(),
    };
    section.render().ok()
}

fn number(value: Option<&Json>) -> Option<&str> {
    value.and_then(Json::as_number).map(receipt::json::Number::text)
}

fn words(reason: &Json) -> Option<String> {
    Some(reason.as_str()?.replace('_', " "))
}

fn range(range: Option<&Json>) -> Option<[&str; 2]> {
    Some([number(range?.get("least"))?, number(range?.get("greatest"))?])
}

fn input(input: &Json) -> Option<InputLine<'_>> {
    Some(InputLine {
        name: input.get("name")?.as_str()?,
        day: input.get("day")?.as_str()?,
        value: number(input.get("value"))?,
        percentile: number(input.get("percentile"))?,
        weight: number(input.get("weight"))?,
        contribution: number(input.get("contribution"))?,
        observations: number(input.get("observations"))?,
    })
}

fn missing(input: &Json) -> Option<MissingLine<'_>> {
    Some(MissingLine { name: input.get("name")?.as_str()?, reason: words(input.get("reason")?)? })
}

/// The value on each day, as a line over the three bounds of the labels.
fn chart(course: &[Json]) -> Option<Chart<'_>> {
    let day = |point: &'_ Json| -> Option<usize> { point.get("day").and_then(Json::as_str).map(str::len) };
    let (first, last) = (course.first()?, course.last()?);
    day(first)?;
    let steps = (course.len() - 1).max(1) as f64;
    let mut path = String::new();
    for (at, point) in course.iter().enumerate() {
        let value = point.get("value").and_then(Json::as_number)?.as_f64().clamp(0.0, 100.0);
        let x = LEFT + (WIDTH - LEFT) * at as f64 / steps;
        let command = if at == 0 { 'M' } else { 'L' };
        write!(path, "{command}{x:.1} {:.1}", height(value)).ok()?;
    }
    Some(Chart {
        from: first.get("day")?.as_str()?,
        to: last.get("day")?.as_str()?,
        path,
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        bands: [(height(30.0), "30"), (height(60.0), "60"), (height(80.0), "80")],
    })
}

fn height(value: f64) -> f64 {
    HEIGHT * (1.0 - value / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_course_and_the_parts_are_shown_and_names_are_escaped() {
        let receipt = r#"{"as_of":"2026-03-31","value":55.5,"label_robust":false,"geometric_mean":50,"leave_one_out":{"least":40,"greatest":61},
            "weight_range":null,"reasons":["source_stale"],"inputs":[{"name":"<b>vix","day":"2026-03-30","value":20.5,"percentile":70,"weight":0.25,
            "contribution":17.5,"observations":1260}],"missing":[{"name":"curve","reason":"too_old"}],
            "course":[{"day":"2026-03-27","value":0},{"day":"2026-03-30","value":100}]}"#;
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in [
            "55.5",
            "M30.0 200.0L720.0 0.0",
            "&#60;b&#62;vix",
            "too old",
            "source stale",
            "40 to 61",
            "2026-03-27",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(section(&receipt::json::parse(br#"{"verdict":"LOW"}"#).unwrap()), None);
    }
}
