//! A grade's receipt in words and tables, for the receipt's page.

mod figures;
mod tables;

use askama::Template;
use receipt::json::Json;
use serde::de::DeserializeOwned;

use crate::copy_trade::CopyGrowth;
use crate::performance::Performance;
use crate::tear_sheet::short;
use figures::FigureLine;
use tables::{DrawdownRow, YearRow};

#[derive(Template)]
#[template(path = "section.html")]
struct GradeSection<'a> {
    explanation: &'a str,
    summary: Option<String>,
    figures: Vec<FigureLine>,
    drawdowns: Vec<DrawdownRow>,
    years: Vec<YearRow>,
    steps: Vec<StepLine<'a>>,
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
    let performance: Performance = receipt.get("performance").and_then(read).unwrap_or_default();
    let growth: CopyGrowth = receipt.get("growth").and_then(read).unwrap_or_default();
    let growth = figures::growth_of_copying(&growth);
    let section = GradeSection {
        explanation,
        summary: figures::summary(&performance),
        figures: [figures::figures(&performance), of_copying(receipt), growth].concat(),
        drawdowns: tables::drawdowns(&performance),
        years: tables::years(&performance),
        steps,
    };
    section.render().ok()
}

/// The figures of a receipt; `None` where a later rule writes them otherwise.
fn read<T: DeserializeOwned>(figures: &Json) -> Option<T> {
    serde_json::from_slice(&figures.canonical()).ok()
}

/// The costs of a copier, and the largest size of its orders.
fn of_copying(receipt: &Json) -> Vec<FigureLine> {
    let percent = |share: Option<&Json>| match share? {
        Json::Number(share) => Some(format!("{:.3} %", 100.0 * share.as_f64())),
        _ => None,
    };
    let amount = |name: &str| receipt.get(name)?.as_str().map(str::to_owned);
    let cost = receipt.get("cost").and_then(|cost| cost.get("total"));
    let lines = [
        ("cost of a round trip", percent(cost)),
        ("cost at which nothing is left", percent(receipt.get("break_even_cost"))),
        ("order of all copiers at which half of the edge is left", amount("capacity")),
        ("order of all copiers at which nothing is left", amount("break_even_size")),
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
                "growth":0.123,"volatility":0.1,"max_drawdown":-0.08,"more_units":410,"leverage_median":0.5,"leverage_max":2}}"#,
        )
        .unwrap();
        for shown in
            ["1.25 (95 %: 0.5 to 2)", "12.3 %", "\u{2212}8 %", "<dd>410</dd>", "50 % and 200 % of the equity"]
        {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        assert!(html.contains("growth of 12.3 % a year at a volatility of 10 %"), "{html}");
        assert!(!html.contains("Calmar") && !html.contains("days with a gain"), "{html}");
    }

    #[test]
    fn growth_as_it_is_stands_beside_growth_in_excess_of_cash() {
        let html = section_of(
            r#"{"explanation":"Why.","steps":[],"performance":{"growth":0.08,"total_growth":0.13,"volatility":0.1,"sharpe":1,
                "risk_free":0.045}}"#,
        )
        .unwrap();
        for shown in [
            "<dt>growth a year, as it is</dt><dd>13 %</dd>",
            "<dt>growth a year in excess of cash</dt><dd>8 %</dd>",
            "growth of 13 % a year (8 % in excess of cash) at",
        ] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
        let html = section_of(
            r#"{"explanation":"Why.","steps":[],"growth":{"record":0.2,"record_in_excess":0.15,"copy":0.1,"copy_in_excess":0.05}}"#,
        )
        .unwrap();
        for shown in
            ["20 %", "15 %", "after costs</dt><dd>10 %", "after costs, in excess of cash</dt><dd>5 %"]
        {
            assert!(html.contains(shown), "{shown}: {html}");
        }
    }

    #[test]
    fn a_copier_sees_what_it_pays_and_how_large_orders_may_be() {
        let html = section_of(
            r#"{"explanation":"Why.","steps":[],"cost":{"total":0.0012},"break_even_cost":0.004,"capacity":"120000"}"#,
        )
        .unwrap();
        for shown in ["0.120 %", "0.400 %", "120000"] {
            assert!(html.contains(shown), "{shown}: {html}");
        }
    }

    #[test]
    fn drawdowns_and_months_are_tables_with_their_dates() {
        let html = section_of(
            r#"{"explanation":"Why.","steps":[],"performance":{"growth":0.1,"volatility":0.1,"sharpe":1,
                "drawdowns":[{"from":"2023-12-29","trough":"2024-01-05","to":"2024-02-01","depth":-0.1},
                    {"from":"2024-03-01","trough":"2024-03-02","depth":-0.05}],
                "years":[{"year":2023,"growth":0.02},{"year":2024,"growth":-0.031}],
                "months":[{"month":"2023-12","growth":0.02},{"month":"2024-01","growth":-0.031}]}}"#,
        )
        .unwrap();
        assert!(html.contains("from 2023-12-29 to 2024-01-05, recovered on 2024-02-01"), "{html}");
        for row in [
            "<tr><td>2024-03-01</td><td>2024-03-02</td><td>not yet</td><td>\u{2212}5 %</td></tr>",
            "<tr><th>2024</th><td>\u{2212}3.1</td>",
            "<td>2.0</td><td>2.0</td></tr>",
        ] {
            assert!(html.contains(row), "{row}: {html}");
        }
        assert!(html.find("<th>2024</th>") < html.find("<th>2023</th>"));
    }

    #[test]
    fn figures_of_another_form_are_left_out() {
        for performance in [r#"{"growth":"<b>"}"#, r#"{"months":7}"#, "7", "null"] {
            let html =
                section_of(&format!(r#"{{"explanation":"Why.","steps":[],"performance":{performance}}}"#));
            assert!(
                html.is_some_and(|html| !html.contains("<table") && !html.contains("<b>")),
                "{performance}"
            );
        }
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED","explanation":"x"}"#), None);
    }
}
