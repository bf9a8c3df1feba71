//! A grade's receipt in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

use crate::tear_sheet::short;

#[derive(Template)]
#[template(path = "section.html")]
struct GradeSection<'a> {
    explanation: &'a str,
    figures: Vec<FigureLine>,
    steps: Vec<StepLine<'a>>,
}

/// A figure that people know a track record by.
struct FigureLine {
    name: &'static str,
    figure: String,
}

struct StepLine<'a> {
    name: &'a str,
    passed: bool,
    detail: String,
}

/// The section, from a receipt whose steps, or gates, are its member of that name; `None` where it is not one.
pub(crate) fn section(receipt: &Json, steps: &str) -> Option<String> {
    let explanation = receipt.get("explanation")?.as_str()?;
    let steps = receipt.get(steps)?.as_array()?.iter().filter_map(line).collect();
    let figures = receipt.get("performance").map(figures).unwrap_or_default();
    GradeSection { explanation, figures, steps }.render().ok()
}

/// The figures that a receipt has, in words.
fn figures(performance: &Json) -> Vec<FigureLine> {
    let number = |name: &str| match performance.get(name) {
        Some(Json::Number(number)) => Some(number.as_f64()),
        _ => None,
    };
    let percent = |name: &str| number(name).map(|share| format!("{:.1} %", 100.0 * share));
    let plain = |name: &str| number(name).map(short);
    let sharpe = plain("sharpe").map(|ratio| match (plain("sharpe_low"), plain("sharpe_high")) {
        (Some(low), Some(high)) => format!("{ratio} (95 %: {low} to {high})"),
        _ => ratio,
    });
    let lines = [
        ("Sharpe ratio a year", sharpe),
        ("chance that it is above zero", percent("probabilistic_sharpe")),
        ("chance that it is above the best of the trials", percent("deflated_sharpe")),
        ("growth a year", percent("growth")),
        ("volatility a year", percent("volatility")),
        ("Sortino ratio", plain("sortino")),
        ("Calmar ratio", plain("calmar")),
        ("greatest drawdown", percent("max_drawdown")),
        ("days with a gain", percent("win_rate")),
        ("gains over losses", plain("profit_factor")),
    ];
    lines.into_iter().filter_map(|(name, figure)| Some(FigureLine { name, figure: figure? })).collect()
}

/// A step that decides something.
fn line(step: &Json) -> Option<StepLine<'_>> {
    let bound = match step.get("bound")?.as_str()? {
        "at_least" => "at least",
        "above" => "above",
        "at_most" => "at most",
        "below" => "below",
        _ => return None,
    };
    let number = |name: &str| match step.get(name) {
        Some(Json::Number(number)) => number.to_string().parse().ok().map(short),
        _ => None,
    };
    let threshold = number("threshold")?;
    let statistic = number("statistic").unwrap_or_else(|| "not known".to_owned());
    Some(StepLine {
        name: step.get("id")?.as_str()?,
        passed: step.get("passed")?.as_bool()?,
        detail: format!("{statistic}, must be {bound} {threshold}"),
    })
}

#[cfg(test)]
mod tests {
    use super::section;

    fn section_of(receipt: &str) -> Option<String> {
        section(&receipt::json::parse(receipt.as_bytes()).unwrap(), "steps")
    }

    #[test]
    fn each_step_that_decides_is_shown_with_its_bound_and_what_is_written_is_escaped() {
        let html = section_of(
            r#"{"explanation":"<b>Why.","steps":[
                {"id":"units","statistic":90,"threshold":60,"bound":"at_least","passed":true},
                {"id":"alpha.mean","statistic":1,"threshold":null,"bound":"reported","passed":true},
                {"id":"bootstrap.p","statistic":null,"threshold":0.01,"bound":"at_most","passed":false}]}"#,
        )
        .unwrap();
        assert!(html.contains("units") && html.contains("<bdi>90, must be at least 60</bdi>"), "{html}");
        assert!(html.contains("does not hold</span>: <bdi>not known, must be at most 0.01"), "{html}");
        assert!(!html.contains("alpha.mean") && !html.contains("<b>Why"), "{html}");
    }

    #[test]
    fn the_figures_that_people_know_are_in_their_units() {
        let html = section_of(
            r#"{"explanation":"Why.","steps":[],"performance":{"sharpe":1.25,"sharpe_low":0.5,"sharpe_high":2,
                "growth":0.123,"max_drawdown":-0.08,"win_rate":"<b>"}}"#,
        )
        .unwrap();
        for shown in ["1.25 (95 %: 0.5 to 2)", "12.3 %", "-8.0 %"] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        assert!(!html.contains("Calmar") && !html.contains("days with a gain"), "{html}");
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED","explanation":"x"}"#), None);
    }
}
