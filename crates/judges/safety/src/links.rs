//! The addresses that stand in a text.

use std::ops::Range;
use std::sync::LazyLock;

use domain_name::PublicSuffixes;
use regex::Regex;
use web_address::WebAddress;

/// The most different addresses with a scheme, of one text, that are scanned.
pub const MAX_LINKS: usize = 256;
/// The most different names without a scheme, of one text, that are looked up in feeds.
pub const MAX_NAMES: usize = 1024;
/// The most addresses within another one, such as the target of a redirect in its query, that are scanned.
const MAX_WITHIN: usize = 4;

/// An address with its scheme, or a program where a link would be; or a name or an IPv4 address, with or without a path.
///
/// The letters of names are those of scripts that are written with spaces. In other scripts nothing tells where a name begins,
/// so only their ASCII part is read.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    let letters = r"A-Za-z\u{c0}-\u{24f}\u{370}-\u{58f}\u{1e00}-\u{1fff}";
    let dot = r"[.\u{3002}\u{ff0e}\u{ff61}]";
    let rest = r#"[^\x00-\x20\x7f<>"'`{}|^]"#;
    Regex::new(&format!(
        r#"(?x)
        (?P<written> (?: [Hh][Tt][Tt][Pp][Ss]? | [Ff][Tt][Pp] | [Ww][Ss][Ss]? ) : [/\\]{{2}} {rest}+ )
        | [("'=<] \x20? (?P<script> [A-Za-z] [A-Za-z0-9+.-]{{1,30}} : [^\x00-\x20"'<>]+ )
        | (?P<bare> (?: [{letters}0-9] [{letters}0-9-]{{0,62}} {dot} )+ [{letters}]{{2,24}} (?: / {rest}* )? )
        | (?P<ip> (?: [0-9]{{1,3}} \. ){{3}} [0-9]{{1,3}} (?: / {rest}* )? )
        "#
    ))
    .expect("the expression is checked by a test")
});

static SUFFIXES: LazyLock<PublicSuffixes> = LazyLock::new(PublicSuffixes::bundled);

/// An address in a text.
pub(crate) struct Link {
    /// Its bytes in the text.
    pub(crate) span: Range<usize>,
    /// The address.
    pub(crate) address: WebAddress,
    /// How it was written.
    pub(crate) form: LinkForm,
}

/// The form in which an address stands in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum LinkForm {
    /// With the scheme of a page.
    Page,
    /// With another scheme, where a link stands.
    Program,
    /// A name without a scheme, which may be that of a file.
    Name,
}

/// The addresses of a text, in their order. What no browser opens is passed over. `are_values` is true for a text of which each
/// line is the value of an attribute, where a program can stand.
pub(crate) fn links(text: &str, are_values: bool) -> impl Iterator<Item = Link> {
    let values = are_values.then(|| programs(text)).into_iter().flatten();
    values.chain(LINK.captures_iter(text).flat_map(|found| {
        let mut links = Vec::new();
        if let Some(part) = found.name("written") {
            push_pages(part.as_str(), part.start(), &mut links);
        } else if let Some(part) = found.name("script") {
            if is_page(part.as_str()) {
                push_pages(part.as_str(), part.start(), &mut links);
            } else if !part.as_str().contains("::") {
                push(part.as_str(), part.start(), LinkForm::Program, &mut links);
            }
        } else if let Some(part) = found.name("bare").or(found.name("ip")) {
            // A name ends where no letter or digit follows.
            let ends = text.as_bytes().get(part.end()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let name = part.as_str().split('/').next().unwrap_or_default();
            if ends && (found.name("ip").is_some() || is_public(name)) {
                push(part.as_str(), part.start(), LinkForm::Name, &mut links);
            }
        }
        links
    }))
}

/// The lines that have a scheme, each as a program.
fn programs(text: &str) -> impl Iterator<Item = Link> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let mut links = Vec::new();
        if line.contains(':') {
            push(line.trim_end_matches('\n'), at, LinkForm::Program, &mut links);
        }
        links.pop()
    })
}

/// True for an address with the scheme of a page.
fn is_page(written: &str) -> bool {
    let scheme = written.split(':').next().unwrap_or_default();
    ["https", "http", "ftp", "ws", "wss"].iter().any(|page| scheme.eq_ignore_ascii_case(page))
}

/// True for a name whose top-level domain there is.
fn is_public(name: &str) -> bool {
    let last = name.rsplit(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).next().unwrap_or_default();
    !last.is_ascii() || SUFFIXES.has_top_level_of(&last.to_ascii_lowercase())
}

/// Adds an address of a page, and those that stand within it.
fn push_pages(written: &str, start: usize, links: &mut Vec<Link>) {
    push(written, start, LinkForm::Page, links);
    let mut from = 1;
    for _ in 0..MAX_WITHIN {
        let Some(at) = written.get(from..).and_then(|rest| rest.find("://")).map(|at| from + at) else {
            return;
        };
        let scheme = ["https", "http"].into_iter().find(|scheme| {
            let start = at.checked_sub(scheme.len());
            start
                .and_then(|start| written.get(start..at))
                .is_some_and(|text| text.eq_ignore_ascii_case(scheme))
        });
        if let Some(scheme) = scheme
            && at > scheme.len()
        {
            push(&written[at - scheme.len()..], start + at - scheme.len(), LinkForm::Page, links);
        }
        from = at + 3;
    }
}

fn push(written: &str, start: usize, form: LinkForm, links: &mut Vec<Link>) {
    let written = trimmed(written);
    if let Ok(address) = WebAddress::parse(written) {
        links.push(Link { span: start..start + written.len(), address, form });
    }
}

/// An address without the punctuation of the sentence around it. A closing bracket stays where the address opens one.
fn trimmed(written: &str) -> &str {
    let mut written = written;
    while let Some(last) = written.chars().next_back() {
        let ends_sentence = match last {
            ')' => !written.contains('('),
            ']' => !written.contains('['),
            c => {
                matches!(
                    c,
                    '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' | '\\' | '。' | '，' | '、' | '）' | '」'
                )
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

    fn found(text: &str, are_values: bool) -> Vec<(&str, LinkForm)> {
        links(text, are_values).map(|link| (&text[link.span.clone()], link.form)).collect()
    }

    #[test]
    fn addresses_are_found_without_the_sentence_around_them() {
        let text = "See https://a.example.com/b(c), (http://b.example.com/d). Or c.example.com/e, or \
            [x](javascript:alert(1)); not 1.5 or e.g. this, nor self.field.";
        assert_eq!(
            found(text, false),
            [
                ("https://a.example.com/b(c)", LinkForm::Page),
                ("http://b.example.com/d", LinkForm::Page),
                ("c.example.com/e", LinkForm::Name),
                ("javascript:alert(1))", LinkForm::Program),
            ]
        );
    }

    #[test]
    fn names_in_other_scripts_and_odd_forms_are_read_whole() {
        for (text, expected) in [
            ("visit müller.de today", "müller.de"),
            ("зайдите на пример.рф", "пример.рф"),
            ("请访问evil.com谢谢", "evil.com"),
            ("_evil.example.org_", "evil.example.org"),
            ("evil。example。org", "evil。example。org"),
            ("ask 8.8.4.4 now", "8.8.4.4"),
        ] {
            assert_eq!(found(text, false), [(expected, LinkForm::Name)], "{text}");
        }
        for text in ["ahttps://a.example.com/b", r"https:\\a.example.com/b", r"\nhttps://a.example.com/b"] {
            let found = found(text, false);
            assert_eq!((found.len(), found[0].1), (1, LinkForm::Page), "{text}: {found:?}");
        }
        assert_eq!(found("a.com2 b.c-d", false), []);
    }

    #[test]
    fn an_address_within_another_is_one_of_its_own() {
        let text = "https://a.example.com/?u=https://b.example.com/c";
        assert_eq!(found(text, false), [(text, LinkForm::Page), ("https://b.example.com/c", LinkForm::Page)]);
        assert_eq!(
            found("Source:https://b.example.com/c", false),
            [("https://b.example.com/c", LinkForm::Page)]
        );
    }

    #[test]
    fn a_program_is_one_only_where_a_link_stands() {
        assert_eq!(found("javascript:alert(1) is a scheme", false), []);
        assert_eq!(found("javascript:alert(1)", true).len(), 1);
        for text in ["[x](ms-msdt:/id)", "<a href=\"file:///etc/passwd\">", "<vbscript:x>"] {
            assert_eq!(found(text, false)[0].1, LinkForm::Program, "{text}");
        }
    }
}
