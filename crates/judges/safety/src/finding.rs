//! The finding of a scan, member by member as it stands in the receipt.

use std::borrow::Cow;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use crate::observations::{AskedFeed, Observations};
use crate::ruleset::Ruleset;

/// Most hits that a finding lists. The worst come first, so the verdict never rests on one that is left out.
pub const MAX_HITS: usize = 64;
/// Maximum length of the found part of an excerpt, in characters.
pub const EXCERPT_CHARS: usize = 120;

/// The verdict of a scan. None of them says that something is safe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ScanVerdict {
    /// No rule and no feed that was asked has spoken against it.
    NoFinding,
    /// Nothing has spoken against it, but something that was asked for could not be seen, or a feed is out of date.
    Unknown,
    /// Something speaks against it.
    Warn,
    /// Something speaks against it beyond reasonable doubt.
    Block,
}

/// The weight of a hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is told, and decides nothing.
    Info,
    /// It makes the verdict at least `WARN`.
    Warn,
    /// It makes the verdict `BLOCK`.
    Block,
}

impl From<secrets::Severity> for Severity {
    fn from(severity: secrets::Severity) -> Self {
        match severity {
            secrets::Severity::Info => Self::Info,
            secrets::Severity::Warn => Self::Warn,
            secrets::Severity::Block => Self::Block,
        }
    }
}

/// A part of the scanned text, from its start up to and without its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
pub struct Span {
    /// Offsets in bytes of UTF-8.
    pub bytes: [usize; 2],
    /// Offsets in Unicode characters.
    pub characters: [usize; 2],
}

/// A place in the scanned text and what stands around it, on one line, with every secret replaced and invisible characters
/// named by their code point. An ellipsis stands for what was cut off.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
pub struct Excerpt {
    /// The end of the text before the place.
    pub before: String,
    /// The text of the place.
    pub found: String,
    /// The beginning of the text behind the place.
    pub after: String,
}

/// A rule or a feed that has spoken against what was scanned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RuleHit {
    /// The id of the rule.
    pub rule: Cow<'static, str>,
    /// The weight of the hit.
    pub severity: Severity,
    /// The place in the scanned text or address; absent where the hit is about all of it, or about an address that it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The way in which the text was read there, such as `base64` or `without_markup`; absent where it was read as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Cow<'static, str>>,
    /// The number of the address that the scanned one leads to, from 1; absent where the hit is about the scanned one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop: Option<usize>,
    /// What was found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// The reason why that speaks against it.
    pub why: Cow<'static, str>,
    /// What to do about it.
    pub remedy: Cow<'static, str>,
}

impl RuleHit {
    /// A hit about all that was scanned.
    pub(crate) fn new(
        rule: impl Into<Cow<'static, str>>,
        severity: Severity,
        why: impl Into<Cow<'static, str>>,
        remedy: &'static str,
    ) -> Self {
        Self {
            rule: rule.into(),
            severity,
            span: None,
            view: None,
            hop: None,
            excerpt: None,
            why: why.into(),
            remedy: remedy.into(),
        }
    }

    /// The hit at a place, which was read in a view.
    pub(crate) fn at(self, span: Span, view: Option<&'static str>) -> Self {
        Self { span: Some(span), view: view.map(Into::into), ..self }
    }

    /// The hit about an address on the way, from 1; about the scanned one for 0.
    pub(crate) fn on_hop(self, hop: usize) -> Self {
        Self { hop: (hop > 0).then_some(hop), ..self }
    }
}

/// The members that the findings of all scans have.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ScanResult {
    /// The verdict. It follows from the hits and from what could not be seen, never from the score.
    pub verdict: ScanVerdict,
    /// How strongly the rules and the model speak against it, from 0 to 1: 0.5 is where the model alone warns.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The rules and feeds that speak against it, the worst first.
    pub findings: Vec<RuleHit>,
    /// Number of findings that are not listed.
    pub findings_left_out: usize,
    /// What could not be seen although it should have been: a code each, with its subject after a colon.
    pub unseen: Vec<String>,
    /// The feeds that were asked, with their age; empty where the operator has configured none.
    pub feeds: Vec<AskedFeed>,
    /// The rules that were asked.
    pub ruleset: Ruleset,
    /// The observations that it rests on, beside the request.
    pub evidence: ScanEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the scan.
    pub method: Cow<'static, str>,
}

/// The observations that a finding rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ScanEvidence {
    /// The SHA-256 of what the feeds, the redirects and the registry said, which is kept for replays.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub observations_sha256: String,
    /// Time of these observations.
    #[schemars(with = "String")]
    pub observed_at: Timestamp,
}

/// What speaks against a text or an address, before it is put in order.
#[derive(Default)]
pub(crate) struct Hits {
    pub(crate) hits: Vec<RuleHit>,
    /// The score that the models give.
    pub(crate) score: f64,
    pub(crate) unseen: Vec<String>,
}

impl Hits {
    /// Makes the members that all findings have. `subject` names in words what was scanned; `observations` is the SHA-256 of what was seen; `show` makes the excerpt of a
    /// place, which only the hits that are listed need.
    pub(crate) fn result(
        mut self,
        seen: &Observations,
        observations: [u8; 32],
        subject: &str,
        (scope, method): (&'static str, &'static str),
        show: impl Fn(&Range<usize>) -> Excerpt,
    ) -> ScanResult {
        self.unseen.extend(seen.stale_feeds().map(|name| format!("feed_stale:{name}")));
        let findings_left_out = arrange(&mut self.hits);
        for hit in &mut self.hits {
            hit.excerpt = hit.span.map(|Span { bytes: [start, end], .. }| show(&(start..end)));
        }
        let least = self.hits.first().map_or(0.0, |worst| least_score(worst.severity));
        let no_feed = if seen.feeds.is_empty() { " No feed of known bad addresses was asked." } else { "" };
        let verdict = verdict(&self.hits, self.unseen.is_empty());
        ScanResult {
            verdict,
            explanation: explanation(subject, verdict, &self.hits, self.unseen.len()),
            score: self.score.max(least),
            findings: self.hits,
            findings_left_out,
            unseen: self.unseen,
            feeds: seen.feeds.clone(),
            ruleset: Ruleset::current(),
            evidence: ScanEvidence {
                observations_sha256: hex::encode(observations),
                observed_at: seen.observed_at,
            },
            scope: format!("{scope}{no_feed}").into(),
            method: method.into(),
        }
    }
}

/// The most hits that an explanation names.
const MAX_NAMED: usize = 2;

/// The sentence that says what was found: the worst hits in their own words.
fn explanation(subject: &str, verdict: ScanVerdict, hits: &[RuleHit], unseen: usize) -> String {
    let worst = hits.iter().filter(|hit| hit.severity > Severity::Info);
    let named: Vec<&str> = worst.clone().take(MAX_NAMED).map(|hit| &*hit.why).collect();
    let more = worst.count().saturating_sub(named.len());
    let more = if more > 0 { format!(" And {more} more.") } else { String::new() };
    match verdict {
        ScanVerdict::Block | ScanVerdict::Warn => {
            format!("{subject} was scanned, and this speaks against it: {}{more}", named.join(" "))
        }
        ScanVerdict::Unknown => {
            format!(
                "{subject} was scanned, and nothing speaks against it, but {unseen} parts could not be seen."
            )
        }
        ScanVerdict::NoFinding => {
            format!("{subject} was scanned, and no rule and no feed speaks against it.")
        }
    }
}

/// A hit of this severity lifts the score to this.
fn least_score(severity: Severity) -> f64 {
    match severity {
        Severity::Info => 0.0,
        Severity::Warn => 0.75,
        Severity::Block => 0.95,
    }
}

/// The score from 0 to 1 of log-odds, where `threshold` is 0.5; the same on every machine.
pub(crate) fn score(log_odds: f64, threshold: f64) -> f64 {
    let score = 1.0 / (1.0 + libm::exp(threshold - log_odds));
    (score * 1e6).round() / 1e6
}

/// The verdict that follows from the weights of the hits, and from what could not be seen.
pub(crate) fn verdict(hits: &[RuleHit], is_all_seen: bool) -> ScanVerdict {
    match hits.iter().map(|hit| hit.severity).max() {
        Some(Severity::Block) => ScanVerdict::Block,
        Some(Severity::Warn) => ScanVerdict::Warn,
        _ if !is_all_seen => ScanVerdict::Unknown,
        _ => ScanVerdict::NoFinding,
    }
}

/// Puts hits in the order of the receipt, the worst first, and returns the number of those that were left out.
pub(crate) fn arrange(hits: &mut Vec<RuleHit>) -> usize {
    let place = |hit: &RuleHit| hit.span.map_or([0, 0], |span| span.bytes);
    hits.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then_with(|| (a.hop, place(a)).cmp(&(b.hop, place(b))))
            .then_with(|| a.rule.cmp(&b.rule))
    });
    hits.dedup_by(|a, b| a.rule == b.rule && a.span == b.span && a.hop == b.hop && a.why == b.why);
    let left_out = hits.len().saturating_sub(MAX_HITS);
    hits.truncate(MAX_HITS);
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(rule: &'static str, severity: Severity, start: usize) -> RuleHit {
        let span = Span { bytes: [start, start + 1], characters: [start, start + 1] };
        RuleHit::new(rule, severity, "", "").at(span, None)
    }

    #[test]
    fn the_worst_hit_decides_and_what_was_not_seen_only_where_nothing_speaks() {
        let (info, warn, block) =
            (hit("a", Severity::Info, 0), hit("b", Severity::Warn, 0), hit("c", Severity::Block, 0));
        for (hits, seen, unseen) in [
            (vec![], ScanVerdict::NoFinding, ScanVerdict::Unknown),
            (vec![info.clone()], ScanVerdict::NoFinding, ScanVerdict::Unknown),
            (vec![info.clone(), warn.clone()], ScanVerdict::Warn, ScanVerdict::Warn),
            (vec![block, warn, info], ScanVerdict::Block, ScanVerdict::Block),
        ] {
            assert_eq!((verdict(&hits, true), verdict(&hits, false)), (seen, unseen), "{hits:?}");
        }
    }

    #[test]
    fn a_crowd_of_hits_never_hides_the_worst() {
        let mut hits: Vec<RuleHit> = (0..200).map(|start| hit("mild", Severity::Info, start)).collect();
        hits.push(hit("worst", Severity::Block, 500));
        hits.push(hit("worst", Severity::Block, 500));
        assert_eq!(arrange(&mut hits), 201 - MAX_HITS);
        assert_eq!((hits.len(), &*hits[0].rule), (MAX_HITS, "worst"));
        assert!(hits[1..].iter().all(|hit| hit.rule == "mild"));
    }
}
