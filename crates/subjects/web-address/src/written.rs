//! The parts of an address as they were written.

use std::ops::Range;

/// The parts of the authority, as ranges of the text.
pub(crate) struct Authority {
    /// The host, without user information and port.
    pub(crate) host: Range<usize>,
    /// The port; `None` where there is no colon.
    pub(crate) port: Option<Range<usize>>,
}

/// The way back from the cleaned text, with the scheme that was put before it, to the text as it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    /// The byte of the given text at which the cleaned one begins.
    start: usize,
    /// The bytes of the given text, in rising order, that were dropped behind its start.
    dropped: Vec<usize>,
    /// Bytes of the scheme that was put before the text.
    pub(crate) inserted: usize,
}

impl Origin {
    pub(crate) fn of(given: &str) -> Self {
        let trimmed = given.trim_start_matches(|c: char| c <= ' ');
        let rest = trimmed.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let start = given.len() - rest.len();
        let is_dropped = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
        let bytes = rest.bytes().enumerate();
        let dropped = bytes.filter(|(_, byte)| is_dropped(byte)).map(|(at, _)| start + at).collect();
        Self { start, dropped, inserted: 0 }
    }

    /// True if a byte before `end` of the cleaned text was dropped.
    pub(crate) fn has_dropped(&self, end: usize) -> bool {
        let end = self.start + end.saturating_sub(self.inserted);
        self.dropped.first().is_some_and(|first| *first < end)
    }

    /// The byte of the given text that stands at `at` in the cleaned one.
    pub(crate) fn given(&self, at: usize) -> usize {
        let at = self.start + at.saturating_sub(self.inserted);
        // The n-th dropped byte was dropped before `at` if no more than `at` bytes without n stand before it.
        let (mut low, mut high) = (0, self.dropped.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.dropped[middle] - middle <= at { low = middle + 1 } else { high = middle }
        }
        at + low
    }
}

/// Drops what the WHATWG parser drops: controls and spaces at both ends, and tabs and line breaks anywhere.
pub(crate) fn cleaned(text: &str) -> String {
    let text = text.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    // Address bars and readers of lists also drop the spaces of other scripts and the mark of UTF-8.
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_owned()
}

/// The length of the scheme, if the text begins with one and its colon. `example.com:80` and `localhost:80` are hosts.
pub(crate) fn scheme(text: &str) -> Option<usize> {
    let at = text.find(':')?;
    let scheme = &text[..at];
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let rest = &text[at + 1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = (1..=5).contains(&digits)
        && (digits == rest.len() || rest[digits..].starts_with(['/', '\\', '?', '#']));
    let is_host = is_port && (scheme.contains('.') || scheme.eq_ignore_ascii_case("localhost"));
    (is_scheme && !is_host).then_some(at)
}

/// Finds the authority of an address with a special scheme: any number of slashes and backslashes comes before it.
pub(crate) fn authority(text: &str, scheme: usize) -> Authority {
    let after = &text[scheme + 1..];
    let start = text.len() - after.trim_start_matches(['/', '\\']).len();
    let end = text[start..].find(['/', '\\', '?', '#']).map_or(text.len(), |at| start + at);
    let start = text[start..end].rfind('@').map_or(start, |at| start + at + 1);
    let host_and_port = &text[start..end];
    let behind_bracket = host_and_port.rfind(']').map_or(0, |at| at + 1);
    match host_and_port[behind_bracket..].find(':') {
        Some(at) => {
            let colon = start + behind_bracket + at;
            Authority { host: start..colon, port: Some(colon + 1..end) }
        }
        None => Authority { host: start..end, port: None },
    }
}
