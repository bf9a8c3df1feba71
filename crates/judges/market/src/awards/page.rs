//! The receipt of `/awards` as a table, for the receipt's page.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "awards.html")]
struct AwardsSection<'a> {
    group: &'a str,
    count: &'a str,
    is_truncated: bool,
    is_stale: bool,
    next: Option<&'a str>,
    awards: Vec<AwardLine<'a>>,
}

struct AwardLine<'a> {
    id: &'a str,
    recipient: Option<&'a str>,
    agency: Option<&'a str>,
    amount: Option<&'a str>,
    description: Option<&'a str>,
    link: Option<&'a str>,
}

/// The section, from a receipt; `None` where it is not one of this class.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let section = AwardsSection {
        group: receipt.get("group")?.as_str()?,
        count: receipt.get("count")?.as_number()?.text(),
        is_truncated: receipt.get("truncated")?.as_bool()?,
        is_stale: receipt.get("stale")?.as_bool()?,
        next: receipt.get("next").and_then(Json::as_str),
        awards: receipt.get("awards")?.as_array()?.iter().map(line).collect(),
    };
    section.render().ok()
}

fn line(award: &Json) -> AwardLine<'_> {
    let first = |names: &[&str]| names.iter().find_map(|name| award.get(name).and_then(Json::as_str));
    AwardLine {
        id: first(&["award_id", "subaward_id", "prime_award_id"]).unwrap_or("award"),
        recipient: first(&["recipient_name", "subawardee_name"]),
        agency: first(&["awarding_agency", "funding_agency"]),
        amount: first(&["amount", "award_amount", "loan_value", "subaward_amount"]),
        description: first(&["description", "subaward_description"]),
        link: crate::page::web_link(first(&["link"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awards_are_rows_with_links() {
        let receipt = r#"{"group":"grants","count":1,"truncated":true,"stale":true,"next":"page:2","awards":[
            {"award_id":"80NSSC1","recipient_name":"<b>","awarding_agency":"NASA","amount":"12.50","link":"https://www.usaspending.gov/award/1"}]}"#;
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in [
            "80NSSC1",
            "&#60;b&#62;",
            "12.50",
            "https://www.usaspending.gov/award/1",
            "older answer",
            "page:2",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(section(&receipt::json::parse(br#"{"verdict":"FOUND"}"#).unwrap()), None);
    }
}
