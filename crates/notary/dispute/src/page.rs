//! A dispute's receipt in words, for the receipt's page: the disputed verdict beside the one that the re-run found.

use askama::Template;
use receipt::json::Json;

use crate::finding::evidence_sha256;

#[derive(Template)]
#[template(path = "dispute.html")]
struct DisputeSection<'a> {
    /// What is compared, on the side of the disputed receipt and on that of the re-run.
    rows: Vec<(&'static str, &'a str, String)>,
    explanation: Option<&'a str>,
    source: Option<(&'a str, &'a str)>,
}

/// The section of the receipt of a dispute; `None` for another receipt.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let disputed = receipt.get("disputed")?;
    let evidence = receipt.get("evidence");
    let finding = receipt.get("replay").and_then(|replay| replay.get("finding"));
    let found = |name| finding.and_then(|finding| text(finding, name)).unwrap_or_default().to_owned();
    let verdict = if finding.is_some() { found("verdict") } else { "none was found".to_owned() };
    let of_evidence = finding.and_then(|finding| finding.get("evidence")).map(evidence_sha256);
    let heard_at = evidence.and_then(|evidence| text(evidence, "heard_at")).unwrap_or_default();
    let mut rows = vec![
        ("verdict", text(disputed, "verdict")?, verdict),
        ("SHA-256 of the evidence", text(disputed, "evidence_sha256")?, of_evidence.unwrap_or_default()),
        ("at", text(disputed, "signed_at")?, heard_at.to_owned()),
    ];
    rows.extend(text(disputed, "method").map(|method| ("rules", method, found("method"))));
    let source = evidence
        .and_then(|evidence| evidence.get("source"))
        .and_then(|source| Some((text(source, "verdict")?, text(source, "judged_at")?)));
    let explanation = finding.and_then(|finding| text(finding, "explanation"));
    DisputeSection { rows, explanation, source }.render().ok()
}

fn text<'a>(object: &'a Json, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;

    use super::*;

    const DISPUTED: &str = r#""disputed":{"verdict":"CONFIRMED","method":"claim/1","evidence_sha256":"ab","signed_at":"2026-11-25T06:00:00.000Z"}"#;

    fn section_of(receipt: &str) -> Option<String> {
        section(&parse(receipt.as_bytes()).unwrap())
    }

    #[test]
    fn the_disputed_verdict_stands_beside_the_one_that_was_found_and_nothing_is_html() {
        let receipt = format!(
            r#"{{{DISPUTED},"replay":{{"finding":{{"verdict":"REFUTED","method":"claim/1","evidence":{{"a":1}},
                "explanation":"It is <b>other</b>."}}}},
                "evidence":{{"heard_at":"2026-11-26T06:00:00.000Z","source":{{"verdict":"UNRESOLVED","judged_at":"2026-11-26T06:00:01.000Z"}}}}}}"#
        );
        let html = section_of(&receipt).unwrap();
        // The SHA-256 of {"a":1}.
        let sha256 = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862";
        for part in ["CONFIRMED", "REFUTED", "claim/1", "<bdi>ab</bdi>", sha256, "UNRESOLVED"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("<b>"), "{html}");
    }

    #[test]
    fn a_dispute_without_a_re_run_says_that_none_was_found() {
        let html = section_of(&format!("{{{DISPUTED}}}")).unwrap();
        assert!(html.contains("none was found"), "{html}");
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED"}"#), None);
    }
}
