//! A grade's receipt in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

use crate::tear_sheet::short;

#[derive(Template)]
#[template(path = "section.html")]
struct GradeSection<'a> {
    explanation: &'a str,
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
    GradeSection { explanation, steps }.render().ok()
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
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED","explanation":"x"}"#), None);
    }
}
