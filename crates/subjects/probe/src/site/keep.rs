//! The parts of an answer that are kept: all that a rule looks at, and nothing that grows without bound.
//!
//! Whatever is left out changes no outcome. Where too much would remain, the page counts as one that could not be seen.

use std::collections::HashSet;

use fetch::{PageAnswer, PageHop};
use http::HeaderMap;
use http_headers::{HeaderFields, Meta, Page, ScriptElement};
use receipt::hash::sha256;
use url::Url;

use super::observation::{PageObservation, RedirectHop};

/// The most bytes of each part, as JSON. All together stay under 64 KiB.
const MAX_FIELDS: usize = 24 << 10;
const MAX_META: usize = 8 << 10;
const MAX_SCRIPTS: usize = 10 << 10;
const MAX_TEXT: usize = 4 << 10;
/// The most bytes of a URL, and of a word of a field.
const MAX_URL: usize = 512;
const MAX_WORD: usize = 256;
/// The most redirects that are followed, and so kept.
pub(super) const MAX_REDIRECTS: usize = 5;
/// Longer than any host within a script's address, and than any digest.
const MAX_SRC: usize = 300;
const MAX_INTEGRITY: usize = 128;

/// The fields that rules look at. Others only differ from one look to the next.
const FIELDS: &[&str] = &[
    "content-security-policy",
    "content-security-policy-report-only",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "referrer-policy",
    "set-cookie",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
];
const CORS_FIELDS: &[&str] = &["access-control-allow-origin", "access-control-allow-credentials"];
const HSTS: &str = "strict-transport-security";

/// A page; `None` where too much of it would have to be kept.
pub(super) fn page(url: Url, answer: &PageAnswer) -> Option<PageObservation> {
    let read = Page::new(url, fields(&answer.fields), &String::from_utf8_lossy(&answer.body));
    let page = Page { url: shown(&read.url), scripts: scripts(read.scripts), ..read };
    let Meta { policies, referrer } = &page.meta;
    let meta = policies.iter().chain(referrer).map(|text| json_len(text)).sum::<usize>();
    let has_room = page.fields.iter().map(|(name, value)| name.len() + json_len(value)).sum::<usize>()
        <= MAX_FIELDS
        && meta <= MAX_META
        && json_size(&page.scripts) <= MAX_SCRIPTS;
    has_room.then(|| PageObservation {
        page,
        status: answer.status,
        bytes: answer.body.len() as u64,
        is_cut: answer.is_cut,
        sha256: hex::encode(sha256(&answer.body)),
    })
}

fn fields(headers: &HeaderMap) -> HeaderFields {
    let kept = headers.iter().filter(|(name, _)| FIELDS.contains(&name.as_str()));
    let mut fields = HeaderFields::default();
    for (name, value) in kept {
        if name == http::header::SET_COOKIE {
            fields.push(name.as_str(), &without_value(value.as_bytes()));
        } else {
            fields.push(name.as_str(), value.as_bytes());
        }
    }
    fields
}

/// Removes the value of a cookie, which is private and different for each visit. The rules use its name and attributes.
fn without_value(line: &[u8]) -> Vec<u8> {
    let end = line.iter().position(|&byte| byte == b';').unwrap_or(line.len());
    let (pair, attributes) = line.split_at(end);
    match pair.iter().position(|&byte| byte == b'=') {
        // A rule looks at this word wherever it stands.
        Some(at) if !pair[..at].trim_ascii().eq_ignore_ascii_case(b"samesite") => {
            [&pair[..=at], attributes].concat()
        }
        _ => line.to_vec(),
    }
}

/// The scripts as far as a rule tells them apart: where from, and whether pinned. Where even those are too many, one of each
/// origin stays.
fn scripts(scripts: Vec<ScriptElement>) -> Vec<ScriptElement> {
    let mut known = HashSet::new();
    let mut kept: Vec<ScriptElement> = scripts
        .into_iter()
        .map(|ScriptElement { src, integrity }| ScriptElement {
            src: src.map(|src| start(&src, MAX_SRC).to_owned()),
            integrity: integrity.map(|integrity| start(&integrity, MAX_INTEGRITY).to_owned()),
        })
        .filter(|script| known.insert(script.clone()))
        .collect();
    if json_size(&kept) > MAX_SCRIPTS {
        let mut known = HashSet::new();
        kept.retain(|script| {
            let origin = script.src.as_deref().map(|src| origin(src).to_owned());
            known.insert((origin, script.integrity.is_some()))
        });
    }
    kept
}

/// Scheme and host of a script's address; nothing for one that a rule takes for the site's own by its form.
fn origin(src: &str) -> &str {
    let has_host = |rest: &&str| !rest.is_empty() && !rest.starts_with('/');
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| src.strip_prefix(scheme));
    let Some(rest) = rest.or_else(|| src.strip_prefix("//").filter(has_host)) else { return "" };
    let host = rest.find(['/', '?', '#', ':']).unwrap_or(rest.len());
    &src[..src.len() - rest.len() + host]
}

/// The redirects of a way.
pub(super) fn hops(hops: &[PageHop]) -> Vec<RedirectHop> {
    let kept = hops.iter().enumerate().filter_map(|(index, hop)| {
        let hsts = hop.fields.get(HSTS).filter(|_| index == 0);
        let hsts = hsts.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Some(RedirectHop {
            url: shown(&Url::parse(&hop.url).ok()?),
            status: hop.status,
            hsts: hsts.map(|value| start(&value, MAX_WORD).to_owned()),
        })
    });
    kept.collect()
}

/// The fields that say who may read a page.
pub(super) fn cors(headers: &HeaderMap) -> HeaderFields {
    let mut fields = HeaderFields::default();
    for name in CORS_FIELDS {
        for value in headers.get_all(*name).iter().take(2) {
            fields.push(name, &value.as_bytes()[..value.len().min(MAX_WORD)]);
        }
    }
    fields
}

/// A URL for people: without what may be secret in it or endless.
pub(super) fn shown(url: &Url) -> Url {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    if shown.as_str().len() > MAX_URL {
        shown.set_path("");
    }
    shown
}

/// The `Content-Type`.
pub(super) fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = String::from_utf8_lossy(headers.get(http::header::CONTENT_TYPE)?.as_bytes()).into_owned();
    Some(start(&value, MAX_WORD).to_owned())
}

/// The part of a text that is kept; true if there is more.
pub(super) fn text(bytes: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let mut room = MAX_TEXT;
    let end = text.char_indices().find(|(_, character)| {
        let left = room.checked_sub(json_cost(*character));
        room = left.unwrap_or(0);
        left.is_none()
    });
    end.map_or_else(|| (text.clone().into_owned(), false), |(at, _)| (text[..at].to_owned(), true))
}

/// Bytes of a body that are asked for, for a text.
pub(super) const TEXT_BYTES: usize = MAX_TEXT;

fn start(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn json_size(scripts: &[ScriptElement]) -> usize {
    let size = |text: &Option<String>| text.as_deref().map_or(4, |text| json_len(text) + 2);
    // `{"src":,"integrity":},` beside the values.
    scripts.iter().map(|script| size(&script.src) + size(&script.integrity) + 22).sum()
}

fn json_len(text: &str) -> usize {
    text.chars().map(json_cost).sum()
}

/// The bytes of a character within a JSON text.
fn json_cost(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use domain_name::DomainName;
    use http::HeaderValue;
    use http_headers::{Http, Https, PreloadList, ScanInput, analyze};
    use proptest::prelude::*;

    use super::*;

    const HOME: &str = "https://www.example.com/";

    fn answer(fields: HeaderMap, html: &str) -> PageAnswer {
        let (body, peer) = (html.to_owned().into(), "127.0.0.1:443".parse().unwrap());
        PageAnswer { status: 200, fields, body, is_cut: false, peer, tls: None }
    }

    fn outcomes(page: &Page) -> String {
        let observed = ScanInput {
            host: "www.example.com",
            page,
            https: Https::Answers,
            http: Http::Silent,
            cors: None,
            preload: &PreloadList::default(),
        };
        format!("{:?}", analyze(&observed, &DomainName::parse("example.com").unwrap()))
    }

    #[test]
    fn a_cookie_loses_its_value_and_nothing_else() {
        for (line, kept) in [
            ("a=secret; Secure; Path=/=", "a=; Secure; Path=/="),
            ("a=secret", "a="),
            ("secret", "secret"),
            (" SameSite =lax; x", " SameSite =lax; x"),
            ("=b;c", "=;c"),
        ] {
            assert_eq!(without_value(line.as_bytes()), kept.as_bytes(), "{line}");
        }
    }

    #[test]
    fn a_text_is_cut_at_a_character_where_its_json_is_long_enough() {
        assert_eq!(text(b"short"), ("short".to_owned(), false));
        let (kept, is_cut) = text("\u{1}".repeat(4_000).as_bytes());
        assert_eq!((kept.len(), is_cut), (MAX_TEXT / 6, true));
        let (kept, is_cut) = text("é".repeat(4_000).as_bytes());
        assert!(is_cut && kept.len() == MAX_TEXT && kept.chars().all(|c| c == 'é'));
        assert!(!text("x".repeat(MAX_TEXT).as_bytes()).1);
    }

    #[test]
    fn a_url_is_kept_without_what_may_be_secret_or_endless() {
        let kept = |text: &str| shown(&text.parse().unwrap()).to_string();
        assert_eq!(kept("https://a.example/b?token=1#c"), "https://a.example/b");
        assert_eq!(kept(&format!("https://a.example/{}", "x".repeat(600))), "https://a.example/");
    }

    proptest! {
        #[test]
        fn what_is_left_out_changes_no_outcome(
            cookies in prop::collection::vec(
                "(sess|csrf|samesite|a)?=?[a-z=]{0,6}(; ?(secure|httponly|samesite=(lax|none|x)|path=/)){0,3}", 0..4
            ),
            scripts in prop::collection::vec(
                ("(https?:)?(//)?(www[.]example[.]com|o[.]net|cdn[.]example[.]net|)(:8)?/[a-z]{0,2}[?]?[a-z]{0,2}", any::<bool>()), 0..9
            ),
            copies in 1..80_usize,
        ) {
            let values = cookies.iter().filter_map(|line| HeaderValue::from_str(line).ok());
            let mut fields: HeaderMap = values.map(|value| (http::header::SET_COOKIE, value)).collect();
            fields.insert("x-frame-options", HeaderValue::from_static("DENY"));
            fields.insert("date", HeaderValue::from_static("today"));
            let html: String = (0..copies).flat_map(|copy| {
                scripts.iter().map(move |(src, is_pinned)| {
                    let pin = if *is_pinned { "integrity=sha256-x" } else { "" };
                    format!("<script src='{src}{copy}{}' {pin}></script>", "y".repeat(copy))
                })
            }).collect();
            let every = fields.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
            let whole = Page::new(HOME.parse().unwrap(), every, &html);
            let kept = page(HOME.parse().unwrap(), &answer(fields.clone(), &html)).unwrap();
            prop_assert_eq!(outcomes(&whole), outcomes(&kept.page));
            prop_assert!(kept.page.fields.get("date").is_none());
        }
    }
}
