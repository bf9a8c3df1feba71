//! Finds secrets and personal data in a text and gives their byte spans.
//!
//! | item | content |
//! |---|---|
//! | [`find`] | all findings of a text, in the order of their spans |
//! | [`redact`] | the text with every span replaced by a marker |
//! | [`rules`], [`canonical_rules`] | the published table of rules, and its text to hash |
//!
//! # Invariants
//!
//! - A span lies on character boundaries, and covers the secret part to the end of its token. A key block without its end mark
//!   is covered for 32 KiB.
//! - A [`Secret`] holds no text of the secret, so neither `Debug` nor an error can print it.
//! - [`find`] gives every finding; there is no cap.
//! - Work is linear in the text: each occurrence of a literal is tried once per rule on a window of bounded length.
//!   The windows of `curl` and of JSON Web Tokens are the longest.

mod filters;
mod keys;
mod keyword;
mod rules;
mod seed;

use std::{fmt::Write as _, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use regex::Regex;

/// Sort of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Secret with the shape of one provider.
    ProviderSecret,
    /// Value assigned to a name that means a secret.
    AssignedSecret,
    /// Private key or key block.
    PrivateKey,
    /// Seed phrase of a wallet.
    SeedPhrase,
    /// Personal data.
    PersonalData,
}

/// Weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// To be known.
    Info,
    /// To be looked at.
    Warn,
    /// Must not be sent on.
    Block,
}

/// Rule that a finding names.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Name of the rule, unique in the table.
    pub id: &'static str,
    /// Sort of its findings.
    pub kind: Kind,
    /// Provider or format.
    pub provider: &'static str,
    /// Weight of its findings.
    pub severity: Severity,
    /// Reason why the finding matters.
    pub why: &'static str,
    /// Advice to the owner.
    pub remedy: &'static str,
}

impl Rule {
    const fn new(id: &'static str, kind: Kind, provider: &'static str, severity: Severity) -> Self {
        let (why, remedy) = match kind {
            Kind::ProviderSecret | Kind::AssignedSecret => (
                "Whoever reads it can act in the owner's name.",
                "Revoke it at the provider and issue another.",
            ),
            Kind::PrivateKey => {
                ("Whoever reads it can sign or decrypt as the owner.", "Replace the key pair.")
            }
            Kind::SeedPhrase => {
                ("Whoever reads it can move all funds.", "Move the funds to a wallet with another seed.")
            }
            Kind::PersonalData => ("It identifies a person or an account.", "Remove it or mask it."),
        };
        Self { id, kind, provider, severity, why, remedy }
    }
}

/// Finding: a rule and the span of the secret, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Rule that found it.
    pub rule: &'static Rule,
    /// Bytes that must be redacted.
    pub span: Range<usize>,
}

/// Result of [`find`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Findings, by start, then by end; of one span only the first rule in the table.
    pub findings: Vec<Secret>,
    /// Whether findings were left out; always `false` today.
    pub capped: bool,
}

static OTHER: [Rule; 8] = [
    Rule::new("private-key-block", Kind::PrivateKey, "PEM, SSH, PGP", Severity::Block),
    Rule::new("wif-private-key", Kind::PrivateKey, "Bitcoin", Severity::Block),
    Rule::new("extended-private-key", Kind::PrivateKey, "BIP-32", Severity::Block),
    Rule::new("seed-phrase", Kind::SeedPhrase, "BIP-39", Severity::Block),
    Rule::new("seed-phrase-wrong-checksum", Kind::SeedPhrase, "BIP-39", Severity::Warn),
    Rule::new("payment-card", Kind::PersonalData, "ISO/IEC 7812", Severity::Info),
    Rule::new("iban", Kind::PersonalData, "ISO 13616", Severity::Info),
    Rule::new("assigned-secret", Kind::AssignedSecret, "generic", Severity::Block),
];

const BLOCK: &Rule = &OTHER[0];
const GENERIC: &Rule = &OTHER[7];

/// All rules, in the order of the table.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::SHAPES.iter().map(|s| &s.rule).chain(OTHER.iter())
}

/// The text of the rules, to hash: all of the crate's tables, expressions, thresholds and code, so that two sets of rules that
/// find differently never have one hash.
pub fn canonical_rules() -> String {
    [
        include_str!("lib.rs"),
        include_str!("filters.rs"),
        include_str!("keys.rs"),
        include_str!("keyword.rs"),
        include_str!("rules.rs"),
        include_str!("seed.rs"),
    ]
    .concat()
}

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("every expression of the table is compiled by a test")
}

#[derive(Clone, Copy)]
enum Anchor {
    Shape(usize),
    Name(usize),
    Block,
}

static ENGINE: LazyLock<(AhoCorasick, Vec<Anchor>, Vec<Regex>)> = LazyLock::new(|| {
    let (mut literals, mut anchors) = (vec!["-----BEGIN"], vec![Anchor::Block]);
    for (i, s) in rules::SHAPES.iter().enumerate() {
        literals.extend(s.anchors);
        anchors.extend(s.anchors.iter().map(|_| Anchor::Shape(i)));
    }
    for (i, row) in keyword::NAMED.iter().enumerate() {
        literals.extend(row.names);
        anchors.extend(row.names.iter().map(|_| Anchor::Name(i)));
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(&literals)
        .expect("the table is far below the automaton's limits");
    let start =
        |s: &rules::Shape| if s.back == 0 { format!("^(?:{})", s.pattern) } else { s.pattern.to_owned() };
    (
        automaton,
        anchors,
        rules::SHAPES
            .iter()
            .map(|s| {
                expression(
                    &start(s)
                        .replace(r"\w", "[0-9A-Za-z_]")
                        .replace("[[0-9A-Za-z_]", "[0-9A-Za-z_")
                        .replace(r"\b", r"(?-u:\b)"),
                )
            })
            .collect(),
    )
});

/// Finds secrets and personal data.
///
/// ```
/// let text = format!("token {}{}", "gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
/// assert_eq!(secrets::find(&text).findings[0].span, 6..46);
/// ```
pub fn find(text: &str) -> Found {
    let (automaton, anchors, expressions) = &*ENGINE;
    let mut findings = Vec::new();
    let mut done = vec![0; rules::SHAPES.len()];
    let (mut block_end, mut named_end) = (0, 0);
    for hit in automaton.find_overlapping_iter(text) {
        match anchors[hit.pattern().as_usize()] {
            Anchor::Block if hit.start() >= block_end => {
                if let Some(span) = keys::block(text, hit.start()) {
                    block_end = span.end;
                    findings.push(Secret { rule: BLOCK, span });
                }
            }
            Anchor::Block => {}
            Anchor::Shape(i) if hit.start() >= done[i] => {
                match shaped(text, hit.start(), &rules::SHAPES[i], &expressions[i]) {
                    Some(span) => {
                        let span = whole_token(text, span);
                        done[i] = span.end;
                        findings.push(Secret { rule: &rules::SHAPES[i].rule, span });
                    }
                    // The expression of a command has looked past the commands that follow at once.
                    None if is_command(&rules::SHAPES[i]) => done[i] = hit.start() + BETWEEN_COMMANDS,
                    None => {}
                }
            }
            Anchor::Shape(_) => {}
            Anchor::Name(i)
                if hit.start() >= named_end
                    && (keyword::NAMED[i].is_generic || begins_word(text, hit.start())) =>
            {
                if let Some(secret) = named(text, hit.start(), hit.end(), &keyword::NAMED[i]) {
                    let span = whole_token(text, secret.span);
                    named_end = span.end;
                    findings.push(Secret { span, ..secret });
                }
            }
            Anchor::Name(_) => {}
        }
    }
    words(text, &mut findings);
    for (span, right) in seed::phrases(text) {
        findings.push(Secret { rule: &OTHER[if right { 3 } else { 4 }], span });
    }
    // A shape says more than the name that a value is assigned to.
    findings.sort_by_key(|s| (s.span.start, s.span.end, s.rule.kind == Kind::AssignedSecret));
    findings.dedup_by(|b, a| a.span == b.span);
    Found { findings, capped: false }
}

/// True if a word of a name begins there: `cameraKit` does not name `meraki`.
fn begins_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let is_after_letter = at > 0 && bytes[at - 1].is_ascii_alphabetic();
    !is_after_letter || (bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
}

/// Bytes between two occurrences of a command that are both tried.
const BETWEEN_COMMANDS: usize = 64;

/// True for the shapes of secrets that are given to a command, whose expressions look far ahead.
fn is_command(shape: &rules::Shape) -> bool {
    shape.rule.id.starts_with("curl")
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

fn shaped(text: &str, at: usize, shape: &rules::Shape, expression: &Regex) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let left = at.checked_sub(1).map(|i| bytes[i]);
    let first = bytes[at].is_ascii_alphanumeric();
    // An escaped line break before the secret, `\n`, is no part of a word.
    let escaped = at >= 2 && bytes[at - 2] == b'\\';
    if shape.back == 0 && first && !escaped && left.is_some_and(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let from = text.floor_char_boundary(at.saturating_sub(shape.back));
    // A shape around its anchor is short, and its expression scans the window.
    let reach = match shape.back {
        0 if is_command(shape) => 512,
        0 => 4096,
        _ => 128,
    };
    let to = text.floor_char_boundary((at + reach).min(text.len()));
    let captures = expression.captures(&text[from..to])?;
    let group = captures.iter().skip(1).flatten().next()?;
    let value = group.as_str();
    let refused =
        shape.entropy > 0 && (filters::entropy(value) < shape.entropy || filters::placeholder(value));
    let id = shape.rule.id;
    let refused = refused
        || (id == "jwt" && !header(value))
        || (id == "artifactory-password" && value.contains("XXXX"))
        || (id == "infracost-token" && left == Some(b'.'))
        || (["vault-token", "grafana-token"].contains(&id) && !mixed(value))
        || ((id == "url-password" || id.starts_with("curl"))
            && (filters::placeholder(value)
                || id == "curl-user" && ["password", "token", "pass"].contains(&value)));
    (!refused).then(|| from + group.start()..from + group.end())
}

/// Whether the token has a digit, an upper-case and a lower-case letter, as random ones of its length have.
fn mixed(token: &str) -> bool {
    let body = token.split_once(['.', '_']).map_or(token, |(_, body)| body);
    let has = |of: fn(&u8) -> bool| body.bytes().any(|b| of(&b));
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Whether the first part of the token is a JSON object that names its algorithm.
fn header(token: &str) -> bool {
    let part = token.split('.').next().unwrap_or_default();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).is_ok_and(|json| {
        let json = String::from_utf8_lossy(&json);
        json.trim_end().ends_with('}') && json.contains("\"alg\"")
    })
}

fn named(text: &str, start: usize, end: usize, row: &keyword::Named) -> Option<Secret> {
    let span = keyword::assigned(text, start, end)?;
    let value = &text[span.clone()];
    let least = if value.len() < 16 { 30 } else { 33 };
    let uuid = matches!(row.charset, keyword::Charset::Uuid);
    // The cheapest first: a text may name keys in every fourth byte.
    let secret = keyword::fits(row, value)
        && (uuid || !filters::ordinary(value))
        && filters::entropy(value) >= least
        && !filters::placeholder(value);
    secret.then_some(Secret { rule: GENERIC, span })
}

/// Tries keys with a checksum, cards and account numbers.
fn words(text: &str, findings: &mut Vec<Secret>) {
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
            w if keys::card(w) => Some(&OTHER[5]),
            w if keys::iban(w) => Some(&OTHER[6]),
            w => keys::wallet_key(w).map(|id| if id == OTHER[1].id { &OTHER[1] } else { &OTHER[2] }),
        };
        findings.extend(rule.map(|rule| Secret { rule, span: m.range() }));
    }
}

/// Replaces every span by a marker such as `[secret github-token 40 bytes]`; overlapping spans share one marker.
///
/// Spans that do not lie in the text are widened or cut to character boundaries in it.
pub fn redact(text: &str, found: &[Secret]) -> String {
    let mut sorted: Vec<&Secret> = found.iter().collect();
    sorted.sort_by_key(|s| (s.span.start, s.span.end));
    let mut spans: Vec<(Range<usize>, &Rule)> = Vec::new();
    for s in sorted {
        let span = text.floor_char_boundary(s.span.start)..text.ceil_char_boundary(s.span.end);
        match spans.last_mut() {
            Some((last, _)) if span.start < last.end => last.end = last.end.max(span.end),
            _ => spans.push((span, s.rule)),
        }
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (span, rule) in spans {
        out.push_str(&text[at..span.start]);
        let _ = write!(out, "[secret {} {} bytes]", rule.id, span.len());
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}
