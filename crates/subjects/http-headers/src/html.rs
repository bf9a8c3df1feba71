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
