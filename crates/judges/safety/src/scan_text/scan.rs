//! What speaks against a text.

use std::ops::Range;

use secrets::Secret;
use text_views::{Encoding, View, ViewKind, views};

use crate::finding::{self, RuleHit, ScanVerdict, Severity};
use crate::hidden;
use crate::places::{Places, excerpt};

/// The result of scanning a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextScan {
    /// The verdict.
    pub verdict: ScanVerdict,
    /// The rules that have spoken, the worst first.
    pub hits: Vec<RuleHit>,
    /// The number of hits that are not listed.
    pub hits_left_out: usize,
    /// True if a bound kept a part of the text from being decoded.
    pub is_cut: bool,
    /// The places of secrets in the text.
    secrets: Vec<Secret>,
}

/// Scans a text.
///
/// ```
/// use safety::{ScanVerdict, scan_text};
///
/// let scan = scan_text("The meeting is at nine.");
/// assert_eq!((scan.verdict, scan.hits.len()), (ScanVerdict::NoFinding, 0));
///
/// let text = format!("export GITHUB_TOKEN=gh{}", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
/// let scan = scan_text(&text);
/// assert_eq!(scan.verdict, ScanVerdict::Block);
/// assert_eq!(scan.redacted(&text), "export GITHUB_TOKEN=[secret github-token 40 bytes]");
/// ```
#[must_use]
pub fn scan_text(text: &str) -> TextScan {
    let views = views(text);
    let mut secrets: Vec<(Secret, Option<&'static str>)> = Vec::new();
    for view in &views.views {
        let name = name(view);
        let found = secrets::find(view.text()).findings;
        secrets.extend(found.into_iter().map(|secret| {
            let span = view.span(secret.span);
            (Secret { rule: secret.rule, span }, name)
        }));
    }
    // Views of less disguise come first, and are the ones to name.
    secrets.sort_by_key(|(secret, _)| (secret.span.start, secret.span.end));
    secrets.dedup_by(|(b, _), (a, _)| a.span == b.span && a.rule == b.rule);
    let covered = merged(secrets.iter().map(|(secret, _)| &secret.span));
    let places = Places::new(text);
    let of_secret = |(secret, view): &(Secret, Option<&'static str>)| RuleHit {
        rule: secret.rule.id.into(),
        severity: match secret.rule.severity {
            secrets::Severity::Info => Severity::Info,
            secrets::Severity::Warn => Severity::Warn,
            secrets::Severity::Block => Severity::Block,
        },
        span: Some(places.span(&secret.span)),
        view: view.map(Into::into),
        excerpt: Some(excerpt(text, &secret.span, &covered)),
        why: secret.rule.why.into(),
        remedy: secret.rule.remedy.into(),
    };
    let of_hidden = |found: &text_views::Hidden| {
        let rule = hidden::rule(found);
        RuleHit {
            rule: rule.id.into(),
            severity: rule.severity,
            span: Some(places.span(&found.span)),
            view: None,
            excerpt: Some(excerpt(text, &found.span, &covered)),
            why: rule.why.into(),
            remedy: hidden::REMEDY.into(),
        }
    };
    let mut hits: Vec<RuleHit> =
        secrets.iter().map(of_secret).chain(views.hidden.iter().map(of_hidden)).collect();
    let hits_left_out = finding::arrange(&mut hits);
    TextScan {
        verdict: finding::verdict(&hits, !views.capped),
        hits,
        hits_left_out,
        is_cut: views.capped,
        secrets: secrets.into_iter().map(|(secret, _)| secret).collect(),
    }
}

impl TextScan {
    /// The text that was scanned, with each secret replaced by its rule and length.
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        secrets::redact(text, &self.secrets)
    }

    /// True if the text holds a secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }
}

/// Joins places that overlap. They come in rising order of their starts.
fn merged<'a>(places: impl Iterator<Item = &'a Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in places {
        match merged.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => merged.push(place.clone()),
        }
    }
    merged
}

/// The name of a view; `None` for the text as it stands.
fn name(view: &View) -> Option<&'static str> {
    // An encoding tells a reader more than what was done to its content.
    let decoded = view.steps().iter().rev().find(|step| matches!(step, ViewKind::Decoded(_)));
    Some(match decoded.copied().unwrap_or(view.kind()) {
        ViewKind::Raw => return None,
        ViewKind::WithoutInvisible => "without_invisible",
        ViewKind::DisplayOrder => "display_order",
        ViewKind::Nfkc => "normalized",
        ViewKind::Skeleton => "look_alikes",
        ViewKind::JoinedLetters => "joined_letters",
        ViewKind::WithoutMarkup | ViewKind::Rendered => "without_markup",
        ViewKind::Attributes => "attributes",
        ViewKind::Comments => "comments",
        ViewKind::Hidden(_) => "hidden",
        ViewKind::Decoded(encoding) => match encoding {
            Encoding::Base64 => "base64",
            Encoding::Hex => "hex",
            Encoding::Percent => "percent",
            Encoding::QuotedPrintable => "quoted_printable",
            Encoding::Escapes => "escapes",
            Encoding::Rot13 => "rot13",
            Encoding::Reversed => "reversed",
        },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A token of GitHub's shape, which nobody has issued.
    fn token() -> String {
        ["gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"].concat()
    }

    fn rules(scan: &TextScan) -> Vec<(&str, Option<&str>)> {
        scan.hits.iter().map(|hit| (&*hit.rule, hit.view.as_deref())).collect()
    }

    #[test]
    fn a_secret_is_named_where_it_stands_and_shown_nowhere() {
        let text = format!("é: {} is the token", token());
        let scan = scan_text(&text);
        assert_eq!(rules(&scan), [("github-token", None)]);
        let hit = &scan.hits[0];
        let span = hit.span.unwrap();
        assert_eq!((&text[span.bytes[0]..span.bytes[1]], span.characters), (&*token(), [3, 43]));
        assert_eq!(hit.excerpt.as_deref(), Some("é: [secret] is the token"));
        assert!(!format!("{scan:?}").contains(&token()));
        assert_eq!(scan.redacted(&text), "é: [secret github-token 40 bytes] is the token");
    }

    #[test]
    fn an_encoded_secret_is_found_and_its_whole_encoding_is_redacted() {
        // The base 64 of the token.
        let encoded = "Z2hwX0FiMUNkMkVmM0doNElqNUtsNk1uN09wOFFyOVN0MFV2MVd4Mg==";
        let text = format!("data: {encoded}, and so on");
        let scan = scan_text(&text);
        assert_eq!(rules(&scan), [("github-token", Some("base64"))]);
        assert_eq!(scan.verdict, ScanVerdict::Block);
        let redacted = scan.redacted(&text);
        assert_eq!(redacted, "data: [secret github-token 56 bytes], and so on");
    }

    #[test]
    fn hidden_text_is_a_warning() {
        let tags: String =
            "call me".chars().filter_map(|c| char::from_u32(0xe_0000 + u32::from(c))).collect();
        let scan = scan_text(&format!("Nice weather.{tags}"));
        assert_eq!((scan.verdict, rules(&scan)), (ScanVerdict::Warn, vec![("hidden-tag-characters", None)]));
        let scan = scan_text("<p>Hi</p><div style=\"display:none\">preview of the news</div>");
        assert_eq!((scan.verdict, rules(&scan)), (ScanVerdict::NoFinding, vec![("hidden-by-style", None)]));
    }

    #[test]
    fn what_could_not_be_decoded_is_not_passed_off_as_read() {
        let mut text = "plain words that say nothing at all".to_owned();
        for _ in 0..6 {
            text = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        }
        assert!(text.len() < TEXT);
        let scan = scan_text(&text);
        assert_eq!((scan.verdict, scan.is_cut), (ScanVerdict::Unknown, true));
    }

    const TEXT: usize = crate::TEXT_BYTES;

    proptest! {
        #[test]
        fn a_planted_secret_is_in_no_hit_and_no_redacted_text(before in ".{0,40}", after in ".{0,40}") {
            let text = format!("{before} {} {after}", token());
            let scan = scan_text(&text);
            prop_assert!(scan.has_secret());
            prop_assert!(!scan.redacted(&text).contains(&token()));
            let shown = format!("{:?}", scan.hits);
            prop_assert!(!shown.contains(&token()));
        }
    }
}
