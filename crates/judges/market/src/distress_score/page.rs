//! The receipt of `/distress-score` in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "distress.html")]
struct DistressSection<'a> {
    period_end: &'a str,
    currency: &'a str,
    reasons: Vec<String>,
    altman_model: &'a str,
    models: Vec<ModelLine<'a>>,
    not_computed: Vec<MissingLine<'a>>,
}

struct ModelLine<'a> {
    model: &'a str,
    score: String,
    zone: Option<&'a str>,
    signals: Option<bool>,
    terms: Vec<TermLine<'a>>,
}

struct TermLine<'a> {
    name: &'a str,
    formula: Option<&'a str>,
    ratio: String,
    coefficient: String,
}

struct MissingLine<'a> {
    model: &'a str,
    inputs: Vec<&'a str>,
}

/// The section, from a receipt; `None` where it is not one of this class.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let list = |of: &'static str| receipt.get(of).and_then(Json::as_array);
    let section = DistressSection {
        period_end: receipt.get("period_end")?.as_str()?,
        currency: receipt.get("currency")?.as_str()?,
        reasons: list("reasons")?
            .iter()
            .filter_map(Json::as_str)
            .map(|word| word.replace('_', " "))
            .collect(),
        altman_model: receipt.get("altman_model")?.as_str()?,
        models: list("models")?.iter().filter_map(model).collect(),
        not_computed: list("not_computed")?.iter().filter_map(missing).collect(),
    };
    section.render().ok()
}

fn number(value: Option<&Json>) -> Option<String> {
    value.and_then(Json::as_number).map(|number| number.text().to_owned())
}

fn model(model: &Json) -> Option<ModelLine<'_>> {
    let terms = model.get("terms").and_then(Json::as_array).unwrap_or_default();
    Some(ModelLine {
        model: model.get("model")?.as_str()?,
        score: number(model.get("score"))?,
        zone: model.get("zone").and_then(Json::as_str),
        signals: model.get("signals").and_then(Json::as_bool),
        terms: terms.iter().filter_map(term).collect(),
    })
}

fn term(term: &Json) -> Option<TermLine<'_>> {
    Some(TermLine {
        name: term.get("name")?.as_str()?,
        formula: term.get("formula").and_then(Json::as_str),
        ratio: number(term.get("ratio"))?,
        coefficient: number(term.get("coefficient"))?,
    })
}

fn missing(model: &Json) -> Option<MissingLine<'_>> {
    let inputs = model.get("inputs").and_then(Json::as_array).unwrap_or_default();
    let input = |input| Json::get(input, "input").and_then(Json::as_str);
    Some(MissingLine {
        model: model.get("model")?.as_str()?,
        inputs: inputs.iter().filter_map(input).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_terms_and_what_is_missing_are_shown_and_escaped() {
        let receipt = r#"{"period_end":"2025-12-31","currency":"USD","reasons":["too_few_models"],"altman_model":"altman_z",
            "models":[{"model":"zmijewski_x","score":-1.5,"zone":null,"signals":false,
            "terms":[{"name":"roa","formula":"<b>","ratio":0.1,"coefficient":-4.513}]}],
            "not_computed":[{"model":"altman_z","inputs":[{"input":"ebit","reason":"missing"}]}]}"#;
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in
            ["2025-12-31", "too few models", "zmijewski_x", "-4.513", "altman_z", "ebit", "&#60;b&#62;"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(section(&receipt::json::parse(br#"{"verdict":"SAFE"}"#).unwrap()), None);
    }
}
