//! The parts of the text of an address, as byte ranges.

use std::ops::Range;

use web_address::WebAddress;

/// The parts of [`WebAddress::text`]. A part that is missing is an empty range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    pub(crate) scheme: Range<usize>,
    /// The bytes between the colon of the scheme and the authority.
    pub(crate) slashes: Range<usize>,
    pub(crate) userinfo: Range<usize>,
    pub(crate) host: Range<usize>,
    pub(crate) port: Range<usize>,
    pub(crate) path: Range<usize>,
    pub(crate) query: Range<usize>,
    pub(crate) fragment: Range<usize>,
}

impl Parts {
    /// Splits the text as a browser does (WHATWG URL): a backslash is a slash, the last `@` of the authority ends the user
    /// information. An address without a host is all path up to the query and the fragment.
    pub(crate) fn of(address: &WebAddress) -> Self {
        let text = address.text();
        let scheme = 0..address.scheme().len();
        let after = (scheme.end + 1).min(text.len());
        let fragment_mark = find(text, after..text.len(), &['#']);
        let (slashes, userinfo, host, port, path_start);
        if address.host().is_some() {
            let rest = &text[after..fragment_mark];
            let start = fragment_mark - rest.trim_start_matches(['/', '\\']).len();
            let end = find(text, start..fragment_mark, &['/', '\\', '?']);
            let at = text[start..end].rfind('@').map(|at| start + at);
            let host_start = at.map_or(start, |at| at + 1);
            let bracket = text[host_start..end].rfind(']').map_or(host_start, |at| host_start + at);
            let colon = find(text, bracket..end, &[':']);
            slashes = after..start;
            userinfo = start..at.unwrap_or(start);
            host = host_start..colon;
            port = (colon + 1).min(end)..end;
            path_start = end;
        } else {
            (slashes, userinfo, host, port) = (after..after, after..after, after..after, after..after);
            path_start = after;
        }
        let question_mark = find(text, path_start..fragment_mark, &['?']);
        Self {
            scheme,
            slashes,
            userinfo,
            host,
            port,
            path: path_start..question_mark,
            query: (question_mark + 1).min(fragment_mark)..fragment_mark,
            fragment: (fragment_mark + 1).min(text.len())..text.len(),
        }
    }
}

/// The place of the first of these characters; the end of the range where there is none.
fn find(text: &str, within: Range<usize>, characters: &[char]) -> usize {
    text[within.clone()].find(characters).map_or(within.end, |at| within.start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_those_that_a_browser_sees() {
        for (text, shown) in [
            ("https://u:p@a.example:81/b/c?d=e#f", "https|u:p|a.example|81|/b/c|d=e|f"),
            ("http:\\\\a.example\\b", "http||a.example||\\b||"),
            ("a.example/b", "http||a.example||/b||"),
            ("http://[::1]:80/", "http||[::1]|80|/||"),
            ("http://a@b@c/", "http|a@b|c||/||"),
            ("http://a#@b/", "http||a||||@b/"),
            ("javascript://a.example/%0aalert(1)", "javascript||||//a.example/%0aalert(1)||"),
            ("data:text/html,a?b#c", "data||||text/html,a|b|c"),
            ("x:", "x||||||"),
        ] {
            let address = WebAddress::parse(text).unwrap();
            let parts = Parts::of(&address);
            let all = [
                parts.scheme,
                parts.userinfo,
                parts.host,
                parts.port,
                parts.path,
                parts.query,
                parts.fragment,
            ];
            assert_eq!(all.map(|part| address.text()[part].to_owned()).join("|"), shown, "{text}");
        }
    }
}
