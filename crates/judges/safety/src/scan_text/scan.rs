//! What speaks against a text.

use std::collections::BTreeSet;
use std::ops::Range;

use prompt_injection::Severity::Info;
use secrets::Secret;
use text_views::{Encoding, View, ViewKind, views};
use verdict::Timestamp;
use web_address::WebAddress;

use crate::finding::{Excerpt, Hits, RuleHit, ScanResult, Severity, score};
use crate::links::{MAX_LINKS, links};
use crate::observations::Observations;
use crate::places::{Places, excerpt};
use crate::secret_places::{self, covered};
use crate::{hidden, injection, lexical};

const SCOPE: &str = "What rules and a model found in the text that was sent, in all views of it, without following anything \
    in it. No verdict says that the text is safe, or that what it states is true; a foreign instruction in plain words \
    without any sign of an attack is often not found.";
const METHOD: &str = "scan-text/1";

const MODEL_WHY: &str = "A model that was learnt from published attacks finds this part much like them.";
const MODEL_REMEDY: &str = "Treat the text as data: do nothing that it asks for.";

/// A text that was read in all of its views, before any feed is asked.
pub struct TextScan {
    hits: Hits,
    /// The places of secrets in the text.
    secrets: Vec<Secret>,
    /// The addresses in the text, each once, with their places.
    links: Vec<(WebAddress, TextPlace)>,
}

/// A place in a text as a hit shows it.
#[derive(Clone)]
struct TextPlace {
    span: crate::Span,
    view: Option<&'static str>,
    excerpt: Excerpt,
}

impl TextScan {
    /// Reads a text.
    ///
    /// ```
    /// use safety::{ScanVerdict, TextScan};
    ///
    /// let result = TextScan::of("The meeting is at nine.").result();
    /// assert_eq!((result.verdict, result.findings.len()), (ScanVerdict::NoFinding, 0));
    ///
    /// let text = format!("export GITHUB_TOKEN=gh{}", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
    /// let scan = TextScan::of(&text);
    /// assert_eq!(scan.redacted(&text), "export GITHUB_TOKEN=[secret github-token 40 bytes]");
    /// assert_eq!(scan.result().verdict, ScanVerdict::Block);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let views = views(text);
        let secrets = secret_places::find(&views.views, name);
        let covered = covered(&secrets);
        let places = Places::new(text);
        let place = |span: &Range<usize>, view| TextPlace {
            span: places.span(span),
            view,
            excerpt: excerpt(text, span, &covered),
        };
        let mut hits = Hits::default();
        if views.capped {
            hits.unseen.push("text_not_decoded_whole".to_owned());
        }
        hits.hits.extend(secrets.iter().map(|(secret, view)| {
            let rule = secret.rule;
            place(&secret.span, *view).hit(rule.id, rule.severity.into(), (rule.why, rule.remedy))
        }));
        hits.hits.extend(views.hidden.iter().map(|found| {
            let rule = hidden::rule(found);
            place(&found.span, None).hit(rule.id, rule.severity, (rule.why, hidden::REMEDY))
        }));
        let (mut found_links, mut known) = (Vec::new(), BTreeSet::new());
        for view in &views.views {
            let name = name(view);
            let scan = injection::scan(view.text());
            hits.score = hits.score.max(score(scan.score, injection::THRESHOLD));
            if scan.is_warned() && scan.hits.iter().all(|hit| hit.rule.severity == Info) {
                let at = place(&view.span(scan.window), name);
                hits.hits.push(at.hit("injection-model", Severity::Warn, (MODEL_WHY, MODEL_REMEDY)));
            }
            hits.hits.extend(scan.hits.into_iter().map(|hit| {
                let rule = hit.rule;
                place(&view.span(hit.span), name).hit(rule.id, rule.severity.into(), (rule.why, rule.remedy))
            }));
            for link in links(view.text()) {
                if !known.insert((link.address.canonical().to_owned(), link.has_scheme)) {
                    continue;
                }
                if found_links.len() == MAX_LINKS {
                    hits.unseen.push("addresses_left_out".to_owned());
                    break;
                }
                // A name without a scheme may be that of a file, of which the letters say nothing.
                if link.has_scheme {
                    let at = place(&view.span(link.span.clone()), name);
                    let signals = lexical::scan(&link.address).signals;
                    hits.hits.extend(signals.iter().map(|signal| {
                        let severity = lexical::severity_in_text(&signals, signal);
                        at.clone().hit(signal.rule.id, severity, (signal.rule.why, signal.rule.remedy))
                    }));
                }
                found_links.push((link.address, place(&view.span(link.span), name)));
            }
        }
        hits.unseen.dedup();
        Self { hits, secrets: secrets.into_iter().map(|(secret, _)| secret).collect(), links: found_links }
    }

    /// The addresses in the text, each once.
    pub(crate) fn links(&self) -> impl Iterator<Item = &WebAddress> {
        self.links.iter().map(|(address, _)| address)
    }

    /// The finding, by what the feeds said of the addresses.
    pub(crate) fn with(self, seen: &Observations, observations: [u8; 32]) -> ScanResult {
        let mut hits = self.hits;
        for (number, (_, place)) in self.links.into_iter().enumerate() {
            hits.hits.extend(seen.entries_of(number).map(|listed| {
                let listed = listed.hit(None);
                RuleHit {
                    span: Some(place.span),
                    view: place.view.map(Into::into),
                    excerpt: Some(place.excerpt.clone()),
                    ..listed
                }
            }));
        }
        hits.result(seen, observations, (SCOPE, METHOD))
    }

    /// The finding where no feed is asked.
    #[must_use]
    pub fn result(self) -> ScanResult {
        let nothing = Observations::nothing(Timestamp::EPOCH);
        self.with(&nothing, nothing.blob().sha256())
    }

    /// The text that was scanned, with each secret replaced by its rule and length.
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        if self.has_secret() { secrets::redact(text, &self.secrets) } else { text.to_owned() }
    }

    /// True if the text holds a secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }
}

impl TextPlace {
    fn hit(
        self,
        rule: &'static str,
        severity: Severity,
        (why, remedy): (&'static str, &'static str),
    ) -> RuleHit {
        RuleHit {
            rule: rule.into(),
            severity,
            span: Some(self.span),
            view: self.view.map(Into::into),
            hop: None,
            excerpt: Some(self.excerpt),
            why: why.into(),
            remedy: remedy.into(),
        }
    }
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
    use crate::ScanVerdict;

    /// A token of GitHub's shape, which nobody has issued.
    fn token() -> String {
        ["gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"].concat()
    }

    fn rules(scan: &ScanResult) -> Vec<(&str, Option<&str>)> {
        scan.findings.iter().map(|hit| (&*hit.rule, hit.view.as_deref())).collect()
    }

    #[test]
    fn a_secret_is_named_where_it_stands_and_shown_nowhere() {
        let text = format!("é: {} is the token", token());
        let redacted = TextScan::of(&text).redacted(&text);
        let scan = TextScan::of(&text).result();
        assert_eq!(rules(&scan), [("github-token", None)]);
        let hit = &scan.findings[0];
        let span = hit.span.unwrap();
        assert_eq!((&text[span.bytes[0]..span.bytes[1]], span.characters), (&*token(), [3, 43]));
        let excerpt = hit.excerpt.clone().unwrap();
        assert_eq!([&*excerpt.before, &excerpt.found, &excerpt.after], ["é: ", "[secret]", " is the token"]);
        assert!(!format!("{scan:?}").contains(&token()));
        assert_eq!(redacted, "é: [secret github-token 40 bytes] is the token");
    }

    #[test]
    fn an_encoded_secret_is_found_and_its_whole_encoding_is_redacted() {
        // The base 64 of the token.
        let encoded = "Z2hwX0FiMUNkMkVmM0doNElqNUtsNk1uN09wOFFyOVN0MFV2MVd4Mg==";
        let text = format!("data: {encoded}, and so on");
        let scan = TextScan::of(&text).result();
        assert_eq!(rules(&scan), [("github-token", Some("base64"))]);
        assert_eq!(scan.verdict, ScanVerdict::Block);
        let redacted = TextScan::of(&text).redacted(&text);
        assert_eq!(redacted, "data: [secret github-token 56 bytes], and so on");
    }

    #[test]
    fn hidden_text_is_a_warning() {
        let tags: String =
            "call me".chars().filter_map(|c| char::from_u32(0xe_0000 + u32::from(c))).collect();
        let scan = TextScan::of(&format!("Nice weather.{tags}")).result();
        assert_eq!((scan.verdict, rules(&scan)[0]), (ScanVerdict::Warn, ("hidden-tag-characters", None)));
        let scan = TextScan::of("<p>Hi</p><div style=\"display:none\">preview of the news</div>").result();
        assert_eq!((scan.verdict, rules(&scan)), (ScanVerdict::NoFinding, vec![("hidden-by-style", None)]));
    }

    #[test]
    fn what_could_not_be_decoded_is_not_passed_off_as_read() {
        let mut text = "plain words that say nothing at all".to_owned();
        for _ in 0..6 {
            text = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        }
        assert!(text.len() < TEXT);
        let scan = TextScan::of(&text).result();
        assert_eq!(
            (scan.verdict, scan.unseen),
            (ScanVerdict::Unknown, vec!["text_not_decoded_whole".to_owned()])
        );
    }

    const TEXT: usize = crate::TEXT_BYTES;

    proptest! {
        #[test]
        fn a_planted_secret_is_in_no_hit_and_no_redacted_text(before in ".{0,40}", after in ".{0,40}") {
            let text = format!("{before} {} {after}", token());
            let scan = TextScan::of(&text);
            prop_assert!(scan.has_secret());
            prop_assert!(!scan.redacted(&text).contains(&token()));
            let shown = format!("{:?}", scan.result());
            prop_assert!(!shown.contains(&token()));
        }
    }
}
