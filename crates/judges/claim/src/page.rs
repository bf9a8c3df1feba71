//! A claim's receipt in words, for the page of the person who was sent it.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "section.html")]
struct ClaimSection {
    sentence: &'static str,
    facts: Vec<(&'static str, String)>,
}

/// The section, from a receipt of this class; `None` where it is not one.
pub(crate) fn section(receipt: &Json) -> Option<String> {
    let text = |value: &'_ Json, name: &str| value.get(name).and_then(Json::as_str).map(str::to_owned);
    let evidence = receipt.get("evidence")?;
    let verdict = receipt.get("verdict")?.as_str()?;
    let kind = evidence.get("kind")?.as_str()?;
    let named: &[(&str, &str)] = match kind {
        "http_fetch" => &[
            ("address", "url"),
            ("path in the document", "path"),
            ("expected", "expect"),
            ("fetched at", "fetched_at"),
        ],
        _ => &[("public key", "public_key"), ("SHA-256 of the message", "message_sha256")],
    };
    let mut facts: Vec<_> =
        named.iter().filter_map(|&(label, name)| Some((label, text(evidence, name)?))).collect();
    // Anybody who is sent the receipt must see who answered in the end: a redirect may lead to somebody else.
    let answered = text(evidence, "final_url").filter(|last| text(evidence, "url").as_ref() != Some(last));
    let is_redirected = answered.is_some();
    facts.extend(answered.map(|url| ("answered, after redirects, by", url)));
    let found = evidence.get("found").and_then(|found| text(found, "value"));
    facts.extend(found.map(|value| ("found", value)));
    facts.extend(text(receipt, "reason").map(|reason| ("reason", reason)));
    ClaimSection { sentence: sentence(kind, verdict, is_redirected)?, facts }.render().ok()
}

fn sentence(kind: &str, verdict: &str, is_redirected: bool) -> Option<&'static str> {
    Some(match (kind, verdict) {
        ("http_fetch", "CONFIRMED") if is_redirected => {
            "The address led to another one, and that one gave the expected value."
        }
        ("http_fetch", "REFUTED") if is_redirected => {
            "The address led to another one, and that one gave another value than expected."
        }
        ("http_fetch", "CONFIRMED") => "The address gave the expected value.",
        ("http_fetch", "REFUTED") => "The address gave another value than expected.",
        ("http_fetch", _) => "The address gave no value that could be compared.",
        ("ed25519_signature", "CONFIRMED") => "The signature over the message is valid under the key.",
        ("ed25519_signature", "REFUTED") => "The signature over the message is not valid under the key.",
        ("ed25519_signature", _) => "The signature was not checked.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_caller_wrote_is_escaped_and_said_in_words() {
        let receipt = receipt::json::parse(
            br#"{"claim":"<script>alert(1)</script>","verdict":"REFUTED","evidence":{"kind":"http_fetch",
                "url":"https://a.example/?<b>","path":"x","expect":"1","found":{"type":"string","value":"<i>2"}}}"#,
        )
        .unwrap();
        let html = section(&receipt).unwrap();
        assert!(html.contains("another value than expected"));
        assert!(html.contains("&#60;i&#62;2") || html.contains("&lt;i&gt;2"), "{html}");
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains("<i>"), "{html}");
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section_of_a_claim() {
        let receipt = receipt::json::parse(br#"{"verdict":"MATCH","evidence":[]}"#).unwrap();
        assert_eq!(section(&receipt), None);
    }
}
