//! The finding of a scan, member by member as it stands in the receipt.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// Most hits that a finding lists. The worst come first, so the verdict never rests on one that is left out.
pub const MAX_HITS: usize = 64;
/// Maximum length of a hit's excerpt, in characters.
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

/// A part of the scanned text, from its start up to and without its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
pub struct Span {
    /// Offsets in bytes of UTF-8.
    pub bytes: [usize; 2],
    /// Offsets in Unicode characters.
    pub characters: [usize; 2],
}

/// A rule or a feed that has spoken against what was scanned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RuleHit {
    /// The id of the rule.
    pub rule: Cow<'static, str>,
    /// The weight of the hit.
    pub severity: Severity,
    /// The place in the scanned text or address; absent where the hit is about all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The way in which the text was read there, such as `base64` or `without_markup`; absent where it was read as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Cow<'static, str>>,
    /// What was found there, shortened, with every secret replaced and invisible characters made visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The reason why that speaks against it.
    pub why: Cow<'static, str>,
    /// What to do about it.
    pub remedy: Cow<'static, str>,
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
        b.severity.cmp(&a.severity).then_with(|| place(a).cmp(&place(b))).then_with(|| a.rule.cmp(&b.rule))
    });
    hits.dedup_by(|a, b| a.rule == b.rule && a.span == b.span && a.severity == b.severity);
    let left_out = hits.len().saturating_sub(MAX_HITS);
    hits.truncate(MAX_HITS);
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(rule: &'static str, severity: Severity, start: usize) -> RuleHit {
        let span = Some(Span { bytes: [start, start + 1], characters: [start, start + 1] });
        RuleHit {
            rule: rule.into(),
            severity,
            span,
            view: None,
            excerpt: None,
            why: "".into(),
            remedy: "".into(),
        }
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
