//! The canonical form of Safe Browsing, version 4, and its expressions.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The most hosts that are looked up beside the exact one.
const MORE_HOSTS: usize = 4;
/// The most leading paths that are looked up beside the exact one, from the root on.
const LEADING_PATHS: usize = 4;

/// Unescapes until nothing is left to unescape, in one scan from the end: an escape is decoded as soon as its three bytes
/// stand together, whatever made them. Escapes cannot overlap, so their order does not matter, and repeated passes give the
/// same; those would cost the square of the length for `%252525`.
fn unescaped(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    // The bytes behind the place, last first.
    let mut behind: Vec<u8> = Vec::with_capacity(text.len());
    for mut byte in text.bytes().rev() {
        while byte == b'%' {
            let digits = behind.last_chunk::<2>().and_then(|[low, high]| digit(*high).zip(digit(*low)));
            let Some((high, low)) = digits else { break };
            behind.truncate(behind.len() - 2);
            byte = high << 4 | low;
        }
        behind.push(byte);
    }
    behind.reverse();
    Cow::Owned(behind)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Escapes the bytes up to 32 and from 127 on, `#`, `%`, the backslash, and `also`.
fn escape_into(out: &mut String, bytes: &[u8], also: Option<u8>) {
    for &byte in bytes {
        if byte <= 32 || byte >= 127 || matches!(byte, b'#' | b'%' | b'\\') || Some(byte) == also {
            let _ = write!(out, "%{byte:02X}");
        } else {
            out.push(char::from(byte));
        }
    }
}

/// Appends the canonical path: unescaped, without dot segments and runs of slashes, escaped again.
pub(crate) fn path_into(out: &mut String, path: &str) {
    let bytes = unescaped(path);
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut is_folder = true;
    for segment in bytes.split(|byte| *byte == b'/') {
        is_folder = matches!(segment, b"" | b"." | b"..");
        match segment {
            b"" | b"." => {}
            b".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    for segment in &segments {
        out.push('/');
        escape_into(out, segment, Some(b'?'));
    }
    if is_folder || segments.is_empty() {
        out.push('/');
    }
}

/// Appends the canonical query, with its question mark.
pub(crate) fn query_into(out: &mut String, query: &str) {
    out.push('?');
    escape_into(out, &unescaped(query), None);
}

/// A host without dots at its ends and without runs of dots.
pub(crate) fn host(host: &str) -> String {
    let mut out = String::with_capacity(host.len());
    for label in host.split('.').filter(|label| !label.is_empty()) {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(label);
    }
    out
}

/// The host and up to four more: the last five labels and what is left without the first of them, down to two labels.
fn hosts(host: &str, is_ip: bool) -> Vec<&str> {
    let mut hosts = vec![host];
    if is_ip {
        return hosts;
    }
    let dots: Vec<usize> = host.match_indices('.').map(|(at, _)| at).collect();
    // The suffix behind a dot has as many labels as there are dots from it on.
    let behind = |labels: usize| dots.len().checked_sub(labels).map(|index| &host[dots[index] + 1..]);
    hosts.extend((2..=MORE_HOSTS + 1).rev().filter_map(behind).take(MORE_HOSTS));
    hosts
}

/// The expressions, the exact one first. `path` and `query` are canonical; the query has no question mark.
pub(crate) fn expressions(host: &str, is_ip: bool, path: &str, query: Option<&str>) -> Vec<String> {
    let mut paths: Vec<Cow<'_, str>> = Vec::with_capacity(2 + LEADING_PATHS);
    paths.extend(query.map(|query| Cow::Owned(format!("{path}?{query}"))));
    paths.push(Cow::Borrowed(path));
    for (at, _) in path.match_indices('/').take(LEADING_PATHS) {
        let leading = &path[..=at];
        if leading != path {
            paths.push(Cow::Borrowed(leading));
        }
    }
    let hosts = hosts(host, is_ip);
    hosts.iter().flat_map(|host| paths.iter().map(move |path| format!("{host}{path}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_layers_of_escapes_are_unwound() {
        let text = format!("/a%{}41", "25".repeat(20_000));
        assert_eq!(unescaped(&text).as_ref(), b"/aA");
        for text in ["/%25%32%35", "/%2525252525252525"] {
            assert_eq!(unescaped(text).as_ref(), b"/%");
        }
        assert_eq!(unescaped("/%%%25%32%35asd%%").as_ref(), b"/%%%asd%%");
    }

    #[test]
    fn there_are_at_most_five_hosts() {
        assert_eq!(hosts("a.b.c.d.e.f.g", false), ["a.b.c.d.e.f.g", "c.d.e.f.g", "d.e.f.g", "e.f.g", "f.g"]);
        assert_eq!(hosts("a.b.c.d.e", false), ["a.b.c.d.e", "b.c.d.e", "c.d.e", "d.e"]);
        assert_eq!(hosts("b.c", false), ["b.c"]);
        assert_eq!(hosts("c", false), ["c"]);
        assert_eq!(hosts("1.2.3.4", true), ["1.2.3.4"]);
    }
}
