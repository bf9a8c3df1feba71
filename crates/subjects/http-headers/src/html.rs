//! The parts of a page's HTML that the tests use: policies in `meta` elements, and scripts.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use serde::{Deserialize, Serialize};

/// The most bytes of a page that are read.
pub const MAX_HTML_BYTES: usize = 1 << 20;
/// The most `meta` and `script` elements that are kept, each with so much of an attribute.
const MAX_ELEMENTS: usize = 2_000;
const MAX_ATTRIBUTE_BYTES: usize = 16 << 10;

/// The content of `meta` elements that replace header fields.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Meta {
    /// The content of each `<meta http-equiv="content-security-policy" content="...">`.
    pub policies: Vec<String>,
    /// The content of the last `<meta name="referrer" content="...">`; `None` where there is none.
    pub referrer: Option<String>,
}

/// A `script` element of a page.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ScriptElement {
    /// The attribute `src`, unresolved; `None` for an inline script.
    pub src: Option<String>,
    /// The attribute `integrity`; `None` where it is absent or empty.
    pub integrity: Option<String>,
}

/// An element's name and its first attribute of each name.
struct HtmlElement {
    name: Vec<u8>,
    attributes: Vec<(Vec<u8>, String)>,
}

impl HtmlElement {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name.as_bytes());
        found.map(|(_, value)| value.as_str())
    }

    fn filled(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.is_empty()).map(str::to_owned)
    }
}

/// Reads the first [`MAX_HTML_BYTES`] of a page.
pub(crate) fn read(html: &str) -> (Meta, Vec<ScriptElement>) {
    let mut end = html.len().min(MAX_HTML_BYTES);
    while !html.is_char_boundary(end) {
        end -= 1;
    }
    let (mut meta, mut scripts) = (Meta::default(), Vec::new());
    for element in elements(&html[..end]).take(MAX_ELEMENTS) {
        if element.name == b"script" {
            scripts
                .push(ScriptElement { src: element.filled("src"), integrity: element.filled("integrity") });
        } else if let (Some(kind), Some(_)) = (element.get("http-equiv"), element.get("content")) {
            if kind.trim().eq_ignore_ascii_case("content-security-policy") {
                meta.policies.extend(element.filled("content"));
            }
        } else if element.get("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("referrer")) {
            meta.referrer = element.filled("content").or(meta.referrer);
        }
    }
    (meta, scripts)
}

/// The address that the first `<meta http-equiv="refresh" content="0; url=...">` of a page leads to, unresolved; `None`
/// where there is none. The first [`MAX_HTML_BYTES`] are read.
#[must_use]
pub fn meta_refresh(html: &str) -> Option<String> {
    let mut end = html.len().min(MAX_HTML_BYTES);
    while !html.is_char_boundary(end) {
        end -= 1;
    }
    elements(&html[..end])
        .take(MAX_ELEMENTS)
        .filter(|element| {
            element.name == b"meta"
                && element.get("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"))
        })
        .find_map(|element| refresh_target(element.get("content")?).map(str::to_owned))
}

/// The address in the value of a refresh (HTML, "shared declarative refresh steps"), which the header field `Refresh` has
/// as well; `None` where it only loads the same page again, or is malformed.
#[must_use]
pub fn refresh_target(value: &str) -> Option<&str> {
    let value = value.trim_start();
    let after_time = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if after_time.len() == value.len() || !value.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let rest = after_time.trim_start();
    // A separator or white space must stand between the time and the address.
    if rest.len() == after_time.len() && !rest.starts_with([';', ',']) {
        return None;
    }
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let after_name = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest[3..].trim_start().strip_prefix('='));
    let address = after_name.map_or(rest, str::trim_start);
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address[1..].split(quote).next().unwrap_or_default(),
        _ => address,
    };
    Some(address.trim()).filter(|address| !address.is_empty())
}

/// The `meta` and `script` elements in their order. What stands in scripts, styles and titles is text, no element.
fn elements(html: &str) -> impl Iterator<Item = HtmlElement> {
    let mut open: Option<HtmlElement> = None;
    let mut emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, _: Span<()>| match event {
        CallbackEvent::OpenStartTag { name } => {
            open = matches!(name, b"meta" | b"script")
                .then(|| HtmlElement { name: name.to_vec(), attributes: Vec::new() });
            None
        }
        CallbackEvent::AttributeName { name } => {
            if let Some(element) = &mut open {
                element.attributes.push((name.to_vec(), String::new()));
            }
            None
        }
        CallbackEvent::AttributeValue { value } => {
            if let Some((_, own)) = open.as_mut().and_then(|element| element.attributes.last_mut()) {
                own.push_str(&String::from_utf8_lossy(&value[..value.len().min(MAX_ATTRIBUTE_BYTES)]));
            }
            None
        }
        CallbackEvent::CloseStartTag { .. } => open.take(),
        _ => None,
    });
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_refresh_leads_where_a_browser_would_go() {
        for (value, target) in [
            ("0; url=https://a.example/", Some("https://a.example/")),
            ("0;URL='next.html'", Some("next.html")),
            (" 5 , Url = \"/x y\" rest", Some("/x y")),
            ("0.5;/plain", Some("/plain")),
            ("0 /space", Some("/space")),
            (".5;url=a", Some("a")),
            ("3;urls", Some("urls")),
            ("5", None),
            ("5;", None),
            ("5; url=", None),
            ("url=https://a.example/", None),
            ("-1; url=a", None),
            ("0a", None),
            ("", None),
        ] {
            assert_eq!(refresh_target(value), target, "{value}");
        }
        let page = r#"<title><meta http-equiv=refresh content="0;url=/title"></title>
            <!-- <meta http-equiv=refresh content="0;url=/comment"> --><meta http-equiv=refresh content=5>
            <META content="0;&#117;rl=/first" HTTP-EQUIV=" Refresh "><meta http-equiv=refresh content="0;url=/second">"#;
        assert_eq!(meta_refresh(page).as_deref(), Some("/first"));
        assert_eq!(meta_refresh("<p>0;url=/x</p>"), None);
    }

    #[test]
    fn policies_and_scripts_are_found() {
        let (meta, scripts) = read(
            r#"<!doctype html><META HTTP-EQUIV=" Content-Security-Policy " content="default-src 'none'">
            <meta name=Referrer content=no-referrer><meta name="referrer" content="">
            <title><script src="/in-title"></script></title><!-- <script src="/in-comment"></script> -->
            <script src="//a.example/x.js" integrity="sha256-x" src="/second"></script>
            <script>"<script src='/in-script'>"</script><script integrity=""/>"#,
        );
        assert_eq!(meta.policies, ["default-src 'none'"]);
        assert_eq!(meta.referrer.as_deref(), Some("no-referrer"));
        let outer =
            ScriptElement { src: Some("//a.example/x.js".into()), integrity: Some("sha256-x".into()) };
        assert_eq!(scripts, [outer, ScriptElement::default(), ScriptElement::default()]);
    }

    #[test]
    fn a_page_is_read_up_to_its_bound_and_within_characters() {
        let page = format!("{}<script>", "é".repeat(MAX_HTML_BYTES));
        assert_eq!(read(&page), (Meta::default(), Vec::new()));
        assert_eq!(read(&"<script></script>".repeat(MAX_ELEMENTS + 1)).1.len(), MAX_ELEMENTS);
    }

    proptest! {
        #[test]
        fn no_page_panics(html in r"\PC{0,80}|(<|>|meta|script|src=|'|/| |!--){0,40}") {
            let _ = read(&html);
        }
    }
}
