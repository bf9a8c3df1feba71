//! The addresses that stand in a text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use web_address::WebAddress;

/// The most different addresses of a text that are scanned.
pub const MAX_LINKS: usize = 256;

/// An address with its scheme, or a script where a link would be; or a name, with or without a path.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?P<written> (?-u:\b) (?i-u: https? | ftp | wss? ) :// [^\x00-\x20\x7f<>"'`{}|^\\]+ )
        | [("'=<] \x20? (?P<script> (?i-u: javascript | vbscript | data:text/html ) [:;,] [^\x00-\x20"'<>]+ )
        | (?P<bare> (?-u:\b) (?: (?-u: [A-Za-z0-9] [A-Za-z0-9-]{0,62}) \. )+ (?-u: [A-Za-z]{2,24} \b)
            (?: / [^\x00-\x20\x7f<>"'`{}|^\\]* )? )
        "#,
    )
    .expect("the expression is checked by a test")
});

/// An address in a text.
pub(crate) struct Link {
    /// Its bytes in the text.
    pub(crate) span: Range<usize>,
    /// The address.
    pub(crate) address: WebAddress,
    /// False for a name without a scheme, which may be that of a file.
    pub(crate) has_scheme: bool,
}

/// The addresses of a text, in their order. What no browser opens is passed over.
pub(crate) fn links(text: &str) -> impl Iterator<Item = Link> {
    LINK.captures_iter(text).filter_map(|found| {
        let (part, has_scheme) = match (found.name("written"), found.name("script"), found.name("bare")) {
            (Some(part), ..) | (_, Some(part), _) => (part, true),
            (_, _, Some(part)) => (part, false),
            _ => return None,
        };
        let written = trimmed(part.as_str());
        let address = WebAddress::parse(written).ok()?;
        Some(Link { span: part.start()..part.start() + written.len(), address, has_scheme })
    })
}

/// An address without the punctuation of the sentence around it. A closing bracket stays where the address opens one.
fn trimmed(written: &str) -> &str {
    let mut written = written;
    while let Some(last) = written.chars().next_back() {
        let ends_sentence = match last {
            ')' => !written.contains('('),
            ']' => !written.contains('['),
            c => {
                matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' | '。' | '，' | '、' | '）' | '」')
            }
        };
        if !ends_sentence {
            break;
        }
        written = &written[..written.len() - last.len_utf8()];
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_without_the_sentence_around_them() {
        let text = "See https://a.example/b(c), (http://b.example/d). Or c.example/e, or [x](javascript:alert(1)); \
            not 1.5 or e.g. this.";
        let found: Vec<(&str, bool)> =
            links(text).map(|link| (&text[link.span.clone()], link.has_scheme)).collect();
        assert_eq!(
            found,
            [
                ("https://a.example/b(c)", true),
                ("http://b.example/d", true),
                ("c.example/e", false),
                ("javascript:alert(1))", true),
            ]
        );
    }
}
