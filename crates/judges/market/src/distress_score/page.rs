//! The receipt of `/distress-score` in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

use super::finding::filing_link;
use crate::page::web_link;

#[derive(Template)]
#[template(path = "distress.html")]
struct DistressSection<'a> {
    company: Option<CompanyLine<'a>>,
    judged_on: &'a str,
    report: Option<ReportLine<'a>>,
    accounts: Option<Accounts<'a>>,
    reasons: Vec<String>,
    altman_model: &'a str,
    late_notices: Vec<&'a str>,
    models: Vec<ModelLine<'a>>,
    not_computed: Vec<MissingLine<'a>>,
    inputs: Vec<InputLine<'a>>,
    left_out: Vec<String>,
    history: Vec<YearLine<'a>>,
}

struct CompanyLine<'a> {
    name: &'a str,
    cik: &'a str,
    sic: Option<String>,
    sic_description: Option<&'a str>,
}

struct ReportLine<'a> {
    period_start: &'a str,
    period_end: &'a str,
    form: &'a str,
    filed: &'a str,
    link: &'a str,
}

struct Accounts<'a> {
    period_end: &'a str,
    currency: &'a str,
}

struct InputLine<'a> {
    item: String,
    year: &'a str,
    amount: &'a str,
    parts: Vec<PartLine<'a>>,
}

struct PartLine<'a> {
    sign: &'static str,
    tag: &'a str,
    value: &'a str,
    start: Option<&'a str>,
    end: &'a str,
    form: &'a str,
    filed: &'a str,
    link: String,
}

struct YearLine<'a> {
    period_end: &'a str,
    filed: &'a str,
    verdict: &'a str,
    model: &'a str,
    score: Option<String>,
    votes: String,
}

struct ModelLine<'a> {
    model: &'a str,
    score: String,
    zone: Option<&'a str>,
    zones: Option<[String; 2]>,
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
    let list = |of: &'static str| receipt.get(of).and_then(Json::as_array).unwrap_or_default();
    let company = receipt.get("company").and_then(company);
    let cik: u64 = company.as_ref().map_or(Some(0), |company| company.cik.parse().ok())?;
    let notice = |notice| Json::get(notice, "filed").and_then(Json::as_str);
    let section = DistressSection {
        company,
        judged_on: text(receipt.get("evidence")?, "judged_on")?,
        report: receipt.get("report").and_then(report),
        accounts: accounts(receipt),
        reasons: list("reasons").iter().filter_map(words).collect(),
        altman_model: text(receipt, "altman_model")?,
        late_notices: list("late_notices").iter().filter_map(notice).collect(),
        models: list("models").iter().filter_map(model).collect(),
        not_computed: list("not_computed").iter().filter_map(missing).collect(),
        inputs: list("inputs").iter().filter_map(|line| input(line, cik)).collect(),
        left_out: list("left_out").iter().filter_map(left_out).collect(),
        history: list("history").iter().filter_map(year).collect(),
    };
    section.render().ok()
}

fn text<'a>(of: &'a Json, member: &str) -> Option<&'a str> {
    of.get(member).and_then(Json::as_str)
}

fn words(code: &Json) -> Option<String> {
    Some(code.as_str()?.replace('_', " "))
}

fn company(company: &Json) -> Option<CompanyLine<'_>> {
    Some(CompanyLine {
        name: text(company, "name")?,
        cik: text(company, "cik")?,
        sic: number(company.get("sic")),
        sic_description: text(company, "sic_description"),
    })
}

fn report(report: &Json) -> Option<ReportLine<'_>> {
    Some(ReportLine {
        period_start: text(report, "period_start")?,
        period_end: text(report, "period_end")?,
        form: text(report, "form")?,
        filed: text(report, "filed")?,
        link: web_link(text(report, "link"))?,
    })
}

fn accounts(receipt: &Json) -> Option<Accounts<'_>> {
    Some(Accounts { period_end: text(receipt, "period_end")?, currency: text(receipt, "currency")? })
}

fn input(input: &Json, cik: u64) -> Option<InputLine<'_>> {
    let parts = input.get("parts").and_then(Json::as_array).unwrap_or_default();
    Some(InputLine {
        item: words(input.get("item")?)?,
        year: text(input, "year")?,
        amount: text(input, "amount")?,
        parts: parts.iter().filter_map(|line| part(line, cik)).collect(),
    })
}

fn part(part: &Json, cik: u64) -> Option<PartLine<'_>> {
    let sign = part.get("sign").and_then(Json::as_number)?;
    Some(PartLine {
        sign: if sign.text().starts_with('-') { "−" } else { "+" },
        tag: text(part, "tag")?,
        value: text(part, "value")?,
        start: text(part, "start"),
        end: text(part, "end")?,
        form: text(part, "form")?,
        filed: text(part, "filed")?,
        link: filing_link(cik, text(part, "accession")?),
    })
}

fn left_out(item: &Json) -> Option<String> {
    let (name, reason) = (words(item.get("item")?)?, words(item.get("reason")?)?);
    Some(format!("{name} of the {} year, by {}: {reason}", text(item, "year")?, text(item, "tag")?))
}

fn year(year: &Json) -> Option<YearLine<'_>> {
    Some(YearLine {
        period_end: text(year, "period_end")?,
        filed: text(year, "filed")?,
        verdict: text(year, "verdict")?,
        model: text(year, "altman_model")?,
        score: number(year.get("altman_score")),
        votes: number(year.get("votes_for_distress"))?,
    })
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
        zones: model.get("zones").and_then(zones),
        signals: model.get("signals").and_then(Json::as_bool),
        terms: terms.iter().filter_map(term).collect(),
    })
}

fn zones(zones: &Json) -> Option<[String; 2]> {
    Some([number(zones.get("distress_below"))?, number(zones.get("safe_above"))?])
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
            "zones":{"distress_below":1.81,"safe_above":2.99},
            "terms":[{"name":"roa","formula":"<b>","ratio":0.1,"coefficient":-4.513}]}],
            "not_computed":[{"model":"altman_z","inputs":[{"input":"ebit","reason":"missing"}]}],
            "evidence":{"judged_on":"2026-01-01"}}"#;
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in [
            "2025-12-31",
            "too few models",
            "zmijewski_x",
            "-4.513",
            "altman_z",
            "ebit",
            "&#60;b&#62;",
            "above 2.99",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(section(&receipt::json::parse(br#"{"verdict":"SAFE"}"#).unwrap()), None);
    }

    #[test]
    fn each_amount_of_a_filer_leads_to_its_filing() {
        let receipt = r#"{"period_end":null,"currency":null,"reasons":["no_annual_report"],"altman_model":"altman_z",
            "company":{"cik":"0000320193","name":"A <i> Inc.","sic":3571,"sic_description":"Computers"},
            "report":{"period_start":"2024-09-29","period_end":"2025-09-27","form":"10-K","filed":"2025-10-31",
            "link":"javascript:alert(1)"},
            "inputs":[{"item":"total_assets","year":"current","amount":"5","parts":[{"sign":-1,"tag":"Assets","value":"-5",
            "start":null,"end":"2025-09-27","form":"10-K","filed":"2025-10-31","accession":"0000320193-25-000079"}]}],
            "left_out":[{"item":"ebit","year":"prior","tag":"OperatingIncomeLoss","reason":"conflicting_values"}],
            "history":[{"period_end":"2024-09-28","filed":"2024-11-01","verdict":"GREY","altman_model":"altman_z",
            "altman_score":2.5,"votes_for_distress":1}],
            "late_notices":[{"filed":"2026-01-05"}],"evidence":{"judged_on":"2026-01-09"}}"#;
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in [
            "<bdi>A &#60;i&#62; Inc.</bdi>, industry 3571 (Computers)",
            "https://www.sec.gov/Archives/edgar/data/320193/000032019325000079/",
            "− Assets -5",
            "ebit of the prior year, by OperatingIncomeLoss: conflicting values",
            "late were filed on 2026-01-05",
            "<td>GREY</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("javascript"), "{html}");
    }
}
