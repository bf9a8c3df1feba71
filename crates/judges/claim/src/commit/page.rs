//! A commit's receipt in words, for the page of the person who was sent it.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "commit.html")]
struct CommitSection<'a> {
    sentence: &'static str,
    facts: Vec<(&'static str, &'a str)>,
}

/// The section, from a receipt of this class; `None` where it is not one.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let text = |name| receipt.get(name).and_then(Json::as_str);
    let evidence = receipt.get("evidence")?;
    let sentence = match evidence.get("kind")?.as_str()? {
        "content" => {
            "A content was handed in, and is kept. Whoever has it can hash its canonical form and compare."
        }
        "content_hash" => "Only a hash was handed in: the notary has not seen the content.",
        _ => return None,
    };
    let bytes = evidence.get("bytes").and_then(Json::as_number);
    let received_at = evidence.get("received_at").and_then(Json::as_str);
    let mut facts = vec![("content hash", text("content_hash")?)];
    facts.extend(bytes.map(|bytes| ("bytes in canonical form", bytes.text())));
    facts.extend(text("label").map(|label| ("label", label)));
    facts.extend(text("supersedes").map(|hash| ("replaces, as the caller says, the receipt", hash)));
    facts.extend(received_at.map(|at| ("handed in at", at)));
    CommitSection { sentence, facts }.render().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section_of(receipt: &str) -> Option<String> {
        section(&receipt::json::parse(receipt.as_bytes()).unwrap())
    }

    #[test]
    fn what_a_caller_wrote_is_escaped_and_its_word_is_told_as_such() {
        let html = section_of(
            r#"{"content_hash":"sha256:00","label":"<script>alert(1)</script>","supersedes":"ab",
                "evidence":{"kind":"content","bytes":7,"received_at":"2026-11-21T02:00:00.250Z"}}"#,
        )
        .unwrap();
        assert!(html.contains("as the caller says") && html.contains("<dd><bdi>7</bdi></dd>"), "{html}");
        assert!(html.contains("script") && !html.contains("<script"), "{html}");
    }

    #[test]
    fn of_a_bare_hash_it_is_said_that_nobody_saw_the_content() {
        let html = section_of(r#"{"content_hash":"sha256:00","evidence":{"kind":"content_hash"}}"#).unwrap();
        assert!(html.contains("has not seen the content") && !html.contains("is kept"), "{html}");
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section_of_a_commit() {
        assert_eq!(section_of(r#"{"verdict":"MATCH","evidence":[]}"#), None);
        assert_eq!(section_of(r#"{"content_hash":"sha256:00","evidence":{"kind":"http_fetch"}}"#), None);
    }
}
