//! The search: one automaton over the literals of all tables, and what is tried at each of its hits.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use crate::{
    ADDRESS, ASSIGNED, ASSIGNED_KEY, BLOCK, CARD, DOCUMENTED, EXTENDED, Found, HEX_KEY, IBAN, KEYSTORE, Kind,
    PASSWORD, PHRASE, PUTTY, RANDOM, Rule, SCATTERED_PHRASE, SOCIAL_SECURITY, SOLANA, Secret, WIF,
    WRONG_PHRASE,
    assignment::{Meaning, Reader, meaning},
    commands, expression, filters, keys, named, personal, seed, shapes,
};

/// What a literal leads to.
#[derive(Clone, Copy)]
enum Anchor {
    Shape(usize),
    Name(usize),
    Command(commands::Sort),
    /// A word for a secret of any provider, which may stand within a word: `apikey`.
    Keyword,
    Key(fn(&str, usize) -> Option<Range<usize>>, &'static Rule),
    /// Name of a private key, which is looked for behind it.
    HexKey,
}

const KEYWORDS: [&str; 9] =
    ["key", "token", "secret", "passw", "passphrase", "passcode", "pwd", "cred", "auth"];

const HEX_NAMES: [&str; 8] = [
    "private key",
    "private_key",
    "privatekey",
    "private-key",
    "privkey",
    "priv_key",
    "priv-key",
    "private keys",
];

static ENGINE: LazyLock<(AhoCorasick, Vec<Anchor>)> = LazyLock::new(|| {
    let key = |of, rule| Anchor::Key(of, rule);
    let mut table: Vec<(&str, Anchor)> = vec![
        ("-----BEGIN", key(keys::block, BLOCK)),
        ("PuTTY-User-Key-File-", key(keys::putty, PUTTY)),
        ("\"ciphertext", key(keys::keystore, KEYSTORE)),
        ("[", key(keys::solana, SOLANA)),
        ("ssn", key(personal::social_security, SOCIAL_SECURITY)),
        ("social security", key(personal::social_security, SOCIAL_SECURITY)),
        ("social-security", key(personal::social_security, SOCIAL_SECURITY)),
        ("social_security", key(personal::social_security, SOCIAL_SECURITY)),
    ];
    table.extend(commands::ANCHORS.map(|(literal, sort)| (literal, Anchor::Command(sort))));
    table.extend(KEYWORDS.map(|word| (word, Anchor::Keyword)));
    table.extend(HEX_NAMES.map(|name| (name, Anchor::HexKey)));
    for (i, (shape, _)) in shapes::all().iter().enumerate() {
        table.extend(shape.anchors.iter().map(|literal| (*literal, Anchor::Shape(i))));
    }
    for (i, row) in named::NAMED.iter().enumerate() {
        table.extend(row.names.iter().map(|name| (*name, Anchor::Name(i))));
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(table.iter().map(|(literal, _)| literal))
        .expect("the tables are far below the automaton's limits");
    (automaton, table.into_iter().map(|(_, anchor)| anchor).collect())
});

/// Finds secrets and personal data.
///
/// ```
/// let text = format!("token {}{}", "gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
/// assert_eq!(secrets::find(&text).findings[0].span, 6..46);
/// ```
pub fn find(text: &str) -> Found {
    let mut search = Search::new(text);
    let (automaton, anchors) = &*ENGINE;
    for hit in automaton.find_overlapping_iter(text) {
        search.tried(anchors[hit.pattern().as_usize()], hit.start()..hit.end());
    }
    let Search { mut findings, open, .. } = search;
    findings.retain(|found| !open.contains(&found.span));
    numbers(text, &mut findings);
    findings.extend(personal::public_addresses(text).map(|span| Secret { rule: ADDRESS, span }));
    random_strings(text, &mut findings);
    for (span, sort) in seed::phrases(text) {
        let rule = match sort {
            seed::Sort::Right => PHRASE,
            seed::Sort::Scattered => SCATTERED_PHRASE,
            seed::Sort::Wrong => WRONG_PHRASE,
        };
        findings.push(Secret { rule, span });
    }
    // A shape says more than the name that a value is assigned to.
    let is_general = |rule: &Rule| rule.kind == Kind::AssignedSecret;
    findings.sort_by_key(|s| (s.span.start, s.span.end, is_general(s.rule)));
    findings.dedup_by(|b, a| a.span == b.span);
    Found { findings, capped: false }
}

/// State of one search.
struct Search<'a> {
    text: &'a str,
    reader: Reader<'a>,
    findings: Vec<Secret>,
    /// Tokens that are for the public.
    open: Vec<Range<usize>>,
    /// Where each shape goes on.
    shapes: Vec<usize>,
    /// Where each sort of command goes on.
    commands: [usize; 5],
    /// End of the last key block.
    block_end: usize,
    /// Signs of documentation, once they are asked for.
    signs: Option<Vec<usize>>,
    /// Start of the last value that was tried for any provider.
    tried: Option<usize>,
}

impl<'a> Search<'a> {
    fn new(text: &'a str) -> Self {
        let shapes = vec![0; shapes::all().len()];
        Self {
            text,
            reader: Reader::new(text),
            findings: Vec::new(),
            open: Vec::new(),
            shapes,
            commands: [0; 5],
            block_end: 0,
            signs: None,
            tried: None,
        }
    }

    fn tried(&mut self, anchor: Anchor, literal: Range<usize>) {
        let text = self.text;
        match anchor {
            Anchor::Key(of, rule) if literal.start >= self.block_end => {
                if let Some(span) = of(text, literal.start) {
                    self.block_end = span.end;
                    self.findings.push(Secret { rule, span });
                }
            }
            Anchor::Key(..) => {}
            Anchor::HexKey => {
                self.findings
                    .extend(keys::hex_key(text, literal.end).map(|span| Secret { rule: HEX_KEY, span }));
            }
            Anchor::Command(sort) => {
                let next = &mut self.commands[sort as usize];
                if literal.start >= *next {
                    *next = commands::find(sort, text, literal.start, &mut self.findings);
                }
            }
            Anchor::Shape(i) if literal.start >= self.shapes[i] => {
                let (shape, expression) = &shapes::all()[i];
                if let Some((span, is_open)) = shape.find(expression, text, literal.start) {
                    let span = whole_token(text, span);
                    self.shapes[i] = span.end;
                    if is_open {
                        self.open.push(span);
                    } else {
                        self.findings.push(Secret { rule: &shape.rule, span });
                    }
                }
            }
            Anchor::Shape(_) => {}
            Anchor::Name(i) => self.named(i, literal),
            Anchor::Keyword => self.assigned(literal),
        }
    }

    fn named(&mut self, i: usize, name: Range<usize>) {
        let row = &named::NAMED[i];
        if !begins_word(self.text, name.start) || !ends_word(self.text, &name) {
            return;
        }
        let Some(found) = self.reader.read(name) else { return };
        if named::fits(row, &named::expressions()[i], &self.text[found.value.clone()]) {
            let span = whole_token(self.text, found.value);
            self.findings.push(Secret { rule: &row.rule, span });
        }
    }

    fn assigned(&mut self, keyword: Range<usize>) {
        let text = self.text;
        let Some(found) = self.reader.read(keyword) else { return };
        if self.tried.is_some_and(|tried| tried == found.value.start) {
            return;
        }
        self.tried = Some(found.value.start);
        let Some(span) = self.reader.single(found.value) else { return };
        let (name, value) = (&text[found.name.clone()], &text[span.clone()]);
        let least = if value.len() < 16 { 30 } else { 33 };
        // The cheapest first: a text may name keys in every fourth byte.
        if value.len() < 6 {
            return;
        }
        let is_query = found.name.start > 0 && b"?&".contains(&text.as_bytes()[found.name.start - 1]);
        let rule = match meaning(name) {
            Meaning::Other => return,
            // The `key` of an address names a document, and the token of an image shows a badge.
            Meaning::Key if is_query => return,
            _ if is_query && text[..found.name.start - 1].ends_with(".svg") => return,
            Meaning::Key => ASSIGNED_KEY,
            Meaning::Secret | Meaning::Password => ASSIGNED,
        };
        let is_secret = value.len() >= 10
            && !filters::ordinary(value)
            && filters::entropy(value) >= least
            && !filters::sample(value)
            && !filters::series(value);
        if is_secret {
            let is_sample = rule == ASSIGNED && self.documents(found.name.start);
            let rule = if is_sample { DOCUMENTED } else { rule };
            self.findings.push(Secret { rule, span: whole_token(text, span) });
        } else if meaning(name) == Meaning::Password && filters::chosen(value) {
            self.findings.push(Secret { rule: PASSWORD, span });
        }
    }

    /// True if the text before an assignment is that of documentation.
    fn documents(&mut self, at: usize) -> bool {
        let signs = self.signs.get_or_insert_with(|| documentation_signs(self.text));
        let behind = signs.partition_point(|end| *end <= at);
        behind > 0 && at - signs[behind - 1] <= DOCUMENTATION_REACH
    }
}

/// True if a word of a name begins there: `cameraKit` does not name `meraki`.
fn begins_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let is_after_letter = at > 0 && bytes[at - 1].is_ascii_alphabetic();
    !is_after_letter || (bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
}

/// True if a word ends behind a short name: `sl_key` names `sl`, `slot` does not.
fn ends_word(text: &str, name: &Range<usize>) -> bool {
    name.len() > 4 || !text.as_bytes().get(name.end).is_some_and(u8::is_ascii_lowercase)
}

/// Bytes before an assignment in which a text shows that it is documentation.
const DOCUMENTATION_REACH: usize = 600;

/// Ends of the signs that a text is documentation, which shows samples of its own.
fn documentation_signs(text: &str) -> Vec<usize> {
    const SIGNS: [&str; 12] = [
        ".. code-block::",
        ".. tabs::",
        ".. group-tab::",
        ".. note::",
        "```console",
        "for example",
        "for instance",
        "e.g.",
        "example:",
        "documentation",
        "tutorial",
        ":meth:`",
    ];
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).build(SIGNS).expect("a few words make a small automaton")
    });
    FINDER.find_iter(text).map(|sign| sign.end()).collect()
}

/// The span up to the end of its token: a secret that is longer than its shape is covered whole.
fn whole_token(text: &str, span: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_part = |at: usize| {
        bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-+/=~".contains(byte))
    };
    let mut end = span.end;
    // A full stop belongs to the token if it goes on behind it.
    while is_part(end) || (bytes.get(end) == Some(&b'.') && is_part(end + 1)) {
        end += 1;
    }
    span.start..end
}

/// Words before a quoted value that tell what it is, and that it is no key.
const NO_SECRET: [&str; 16] = [
    "sha",
    "md5",
    "hash",
    "checksum",
    "digest",
    "integrity",
    "commit",
    "rev",
    "etag",
    "fingerprint",
    "public",
    "certificate",
    "signature",
    "address",
    "nonce",
    "tree",
];

/// Finds strings in quotes that look drawn at random: base 64 of 24 bytes or more, or 32 hexadecimal digits or more, that nothing
/// before them in their line explains. Such a string may be a key, or a hash.
fn random_strings(text: &str, findings: &mut Vec<Secret>) {
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| expression(r#"["'`](?:([0-9a-f]{32,128})|([A-Za-z0-9+/]{24,200}={0,2}))["'`]"#));
    let mut known: Vec<Range<usize>> = findings.iter().map(|found| found.span.clone()).collect();
    known.sort_by_key(|span| span.start);
    let mut known = known.into_iter().peekable();
    // End of what the findings up to here cover.
    let mut end = 0;
    for captures in QUOTED.captures_iter(text) {
        let Some(value) = captures.get(1).or_else(|| captures.get(2)) else { continue };
        let line = &text[text.floor_char_boundary(value.start().saturating_sub(80))..value.start()];
        let line = line.rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
        let word = value.as_str();
        let random = if captures.get(1).is_some() {
            filters::entropy(word) >= 30
        } else {
            filters::entropy(word) >= 43 && filters::mixed(word) && !filters::ordinary(word)
        };
        let told = NO_SECRET.iter().any(|word| line.contains(word)) || line.contains("://");
        while let Some(span) = known.next_if(|span| span.start <= value.start()) {
            end = end.max(span.end);
        }
        if random && !told && end < value.end() && !filters::sample(word) && !filters::series(word) {
            findings.push(Secret { rule: RANDOM, span: value.range() });
        }
    }
}

/// Tries keys with a checksum, cards and account numbers.
fn numbers(text: &str, findings: &mut Vec<Secret>) {
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"[0-9](?:[ -]?[0-9]){12,30}|[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?|[1-9A-HJ-NP-Za-km-z]{51,112}",
        )
    });
    for m in NUMBERS.find_iter(text) {
        let part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.');
        let alone = !(part(text.as_bytes()[..m.start()].last())
            || text.as_bytes().get(m.end()).is_some_and(u8::is_ascii_alphanumeric));
        let rule = match m.as_str() {
            _ if !alone => None,
            w if personal::card(w) => Some(CARD),
            w if personal::iban(w) => Some(IBAN),
            w => keys::wallet_key(w).map(|id| if id == WIF.id { WIF } else { EXTENDED }),
        };
        findings.extend(rule.map(|rule| Secret { rule, span: m.range() }));
    }
}
