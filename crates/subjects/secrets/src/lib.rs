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
//!   Commands, runs of values and documents are read once.

mod assignment;
mod commands;
mod filters;
mod find;
mod keys;
mod named;
mod personal;
mod seed;
mod shapes;
#[cfg(test)]
mod tests;

use std::{fmt::Write as _, ops::Range};

use regex::Regex;

pub use find::find;

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
    /// Findings, by start, then by end; of one span only one rule, a provider's before a general one.
    pub findings: Vec<Secret>,
    /// Whether findings were left out; always `false` today.
    pub capped: bool,
}

/// Rules that are not in a table of their own; the numbers below name their places.
static OTHER: [Rule; 19] = [
    Rule::new("private-key-block", Kind::PrivateKey, "PEM, SSH, PGP", Severity::Block),
    Rule::new("wif-private-key", Kind::PrivateKey, "Bitcoin", Severity::Block),
    Rule::new("extended-private-key", Kind::PrivateKey, "BIP-32", Severity::Block),
    Rule::new("seed-phrase", Kind::SeedPhrase, "BIP-39", Severity::Block),
    Rule::new("seed-phrase-wrong-checksum", Kind::SeedPhrase, "BIP-39", Severity::Warn),
    Rule::new("payment-card", Kind::PersonalData, "ISO/IEC 7812", Severity::Info),
    Rule::new("iban", Kind::PersonalData, "ISO 13616", Severity::Info),
    Rule::new("assigned-secret", Kind::AssignedSecret, "generic", Severity::Block),
    Rule::new("assigned-secret-in-documentation", Kind::AssignedSecret, "generic", Severity::Warn),
    Rule::new("putty-private-key", Kind::PrivateKey, "PuTTY", Severity::Block),
    Rule::new("ethereum-keystore", Kind::PrivateKey, "Ethereum", Severity::Block),
    Rule::new("hex-private-key", Kind::PrivateKey, "secp256k1", Severity::Block),
    Rule::new("solana-key-pair", Kind::PrivateKey, "Solana", Severity::Block),
    Rule::new("us-social-security-number", Kind::PersonalData, "United States", Severity::Warn),
    Rule::new("public-ip-address", Kind::PersonalData, "RFC 6890", Severity::Info),
    Rule::new("assigned-key", Kind::AssignedSecret, "generic", Severity::Warn),
    Rule::new("seed-phrase-scattered", Kind::SeedPhrase, "BIP-39", Severity::Warn),
    Rule::new("assigned-password", Kind::AssignedSecret, "generic", Severity::Warn),
    Rule::new("random-string", Kind::AssignedSecret, "generic", Severity::Info),
];

const BLOCK: &Rule = &OTHER[0];
const WIF: &Rule = &OTHER[1];
const EXTENDED: &Rule = &OTHER[2];
const PHRASE: &Rule = &OTHER[3];
const WRONG_PHRASE: &Rule = &OTHER[4];
const CARD: &Rule = &OTHER[5];
const IBAN: &Rule = &OTHER[6];
const ASSIGNED: &Rule = &OTHER[7];
const DOCUMENTED: &Rule = &OTHER[8];
const PUTTY: &Rule = &OTHER[9];
const KEYSTORE: &Rule = &OTHER[10];
const HEX_KEY: &Rule = &OTHER[11];
const SOLANA: &Rule = &OTHER[12];
const SOCIAL_SECURITY: &Rule = &OTHER[13];
const ADDRESS: &Rule = &OTHER[14];
const ASSIGNED_KEY: &Rule = &OTHER[15];
const SCATTERED_PHRASE: &Rule = &OTHER[16];
const RANDOM: &Rule = &OTHER[18];
const PASSWORD: &Rule = &OTHER[17];

/// All rules, in the order of the tables.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let shapes = shapes::all().iter().map(|(shape, _)| &shape.rule);
    let named = named::NAMED.iter().map(|row| &row.rule);
    shapes.chain(&commands::RULES).chain(named).chain(&OTHER)
}

/// The text of the rules, to hash: all of the crate's tables, expressions, thresholds and code, so that two sets of rules that
/// find differently never have one hash.
pub fn canonical_rules() -> String {
    [
        include_str!("lib.rs"),
        include_str!("assignment.rs"),
        include_str!("commands.rs"),
        include_str!("filters.rs"),
        include_str!("find.rs"),
        include_str!("keys.rs"),
        include_str!("named.rs"),
        include_str!("personal.rs"),
        include_str!("seed.rs"),
        include_str!("shapes.rs"),
        include_str!("shapes/cloud.rs"),
        include_str!("shapes/code.rs"),
        include_str!("shapes/models.rs"),
        include_str!("shapes/web.rs"),
    ]
    .concat()
}

/// Compiles an expression of a table, whose `\w`, `\d` and `\b` are ASCII.
fn expression(pattern: &str) -> Regex {
    Regex::new(&shapes::ascii(pattern).replace(r"\b", r"(?-u:\b)"))
        .expect("every expression of the tables is compiled by a test")
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
