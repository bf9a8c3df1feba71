//! The receipt of `/federal-register` as a table, for the receipt's page.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "federal_register.html")]
struct RegisterSection<'a> {
    description: &'a str,
    count: &'a str,
    is_exact: bool,
    is_truncated: bool,
    is_stale: bool,
    next: Option<&'a str>,
    documents: Vec<DocumentLine<'a>>,
}

struct DocumentLine<'a> {
    number: &'a str,
    day: Option<&'a str>,
    kind: Option<&'a str>,
    title: &'a str,
    link: Option<&'a str>,
}

/// The section, from a receipt; `None` where it is not one of this class.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let section = RegisterSection {
        description: receipt.get("description")?.as_str()?,
        count: receipt.get("count")?.as_number()?.text(),
        is_exact: receipt.get("count_is_exact")?.as_bool()?,
        is_truncated: receipt.get("truncated")?.as_bool()?,
        is_stale: receipt.get("stale")?.as_bool()?,
        next: receipt.get("next").and_then(Json::as_str),
        documents: receipt.get("documents")?.as_array()?.iter().filter_map(line).collect(),
    };
    section.render().ok()
}

fn line(document: &Json) -> Option<DocumentLine<'_>> {
    let text = |name: &'static str| document.get(name).and_then(Json::as_str);
    Some(DocumentLine {
        number: text("document_number")?,
        day: text("publication_date"),
        kind: text("type"),
        title: text("title")?,
        link: crate::page::web_link(text("link")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_rows_with_links_and_no_other_address_is_one() {
        let row = |link: &str| {
            format!(
                r#"{{"document_number":"2026-1","publication_date":"2026-01-02","type":"Rule","title":"<b>","link":"{link}"}}"#
            )
        };
        let receipt = format!(
            r#"{{"description":"Documents","count":2,"count_is_exact":false,"truncated":true,"stale":true,"next":"page:2","documents":[{},{}]}}"#,
            row("https://www.federalregister.gov/d/2026-1"),
            row("javascript:alert(1)")
        );
        let html = section(&receipt::json::parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in
            ["https://www.federalregister.gov/d/2026-1", "&#60;b&#62;", "more than", "page:2", "older answer"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("javascript"), "{html}");
        assert_eq!(section(&receipt::json::parse(br#"{"verdict":"FOUND"}"#).unwrap()), None);
    }
}
