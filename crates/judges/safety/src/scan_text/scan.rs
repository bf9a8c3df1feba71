//! What speaks against a text.

use std::collections::BTreeSet;
use std::ops::Range;

use prompt_injection::RuleHitInView;
use prompt_injection::Severity::Info;
use secrets::Secret;
use text_views::{Encoding, View, ViewKind, views};
use verdict::Timestamp;
use web_address::WebAddress;

use crate::finding::{Hits, RuleHit, ScanResult, Severity, Span, score};
use crate::links::{LinkForm, MAX_LINKS, MAX_NAMES, links};
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
pub struct TextScan<'t> {
    text: &'t str,
    hits: Hits,
    /// The places of secrets in the text.
    secrets: Vec<Secret>,
    /// The addresses in the text, each once, with their places and views.
    links: Vec<(WebAddress, Span, Option<&'static str>)>,
    /// True if more names stand in the text than are looked up.
    has_more_names: bool,
}

impl<'t> TextScan<'t> {
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
    /// assert_eq!(scan.redacted(), "export GITHUB_TOKEN=[secret github-token 40 bytes]");
    /// assert_eq!(scan.result().verdict, ScanVerdict::Block);
    /// ```
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let views = views(text);
        let secrets = secret_places::find(&views.views, name);
        let places = Places::new(text);
        let mut hits = Hits::default();
        if views.capped {
            hits.unseen.push("text_not_decoded_whole".to_owned());
        }
        hits.hits.extend(secrets.iter().map(|(Secret { rule, span }, view)| {
            RuleHit::new(rule.id, rule.severity.into(), rule.why, rule.remedy).at(places.span(span), *view)
        }));
        hits.hits.extend(views.hidden.iter().map(|found| {
            let rule = hidden::rule(found);
            RuleHit::new(rule.id, rule.severity, rule.why, hidden::REMEDY).at(places.span(&found.span), None)
        }));
        let mut links = Links::default();
        for view in &views.views {
            let name = name(view);
            let at = |span: Range<usize>| places.span(&view.span(span));
            let scan = injection::scan(view.text());
            hits.score = hits.score.max(score(scan.score, injection::THRESHOLD));
            if scan.is_warned() && scan.hits.iter().all(|hit| hit.rule.severity == Info) {
                let hit = RuleHit::new("injection-model", Severity::Warn, MODEL_WHY, MODEL_REMEDY);
                hits.hits.push(hit.at(at(scan.window), name));
            }
            hits.hits.extend(scan.hits.into_iter().map(|RuleHitInView { rule, span }| {
                RuleHit::new(rule.id, rule.severity.into(), rule.why, rule.remedy).at(at(span), name)
            }));
            links.add(view, name, at, &mut hits);
        }
        if links.has_more_pages {
            hits.unseen.push("addresses_left_out".to_owned());
        }
        let secrets = secrets.into_iter().map(|(secret, _)| secret).collect();
        Self { text, hits, secrets, links: links.found, has_more_names: links.has_more_names }
    }

    /// The addresses in the text, each once.
    pub(crate) fn links(&self) -> impl Iterator<Item = &WebAddress> {
        self.links.iter().map(|(address, ..)| address)
    }

    /// The finding, by what the feeds said of the addresses.
    pub(crate) fn with(self, seen: &Observations, observations: [u8; 32]) -> ScanResult {
        let Self { text, mut hits, secrets, links, has_more_names } = self;
        if has_more_names && !seen.feeds.is_empty() {
            hits.unseen.push("names_left_out".to_owned());
        }
        for (number, (_, span, view)) in links.into_iter().enumerate() {
            hits.hits.extend(seen.entries_of(number).map(|listed| listed.hit().at(span, view)));
        }
        let covered = covered(&secrets);
        let subject = format!("A text of {} characters", text.chars().count());
        hits.result(seen, observations, &subject, (SCOPE, METHOD), |place| excerpt(text, place, &covered))
    }

    /// The finding where no feed is asked.
    #[must_use]
    pub fn result(self) -> ScanResult {
        let nothing = Observations::nothing(Timestamp::EPOCH);
        self.with(&nothing, nothing.blob().sha256())
    }

    /// The text that was scanned, with each secret replaced by its rule and length.
    #[must_use]
    pub fn redacted(&self) -> String {
        if self.has_secret() { secrets::redact(self.text, &self.secrets) } else { self.text.to_owned() }
    }

    /// True if the text holds a secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }
}

/// The addresses of all views.
#[derive(Default)]
struct Links {
    found: Vec<(WebAddress, Span, Option<&'static str>)>,
    known: BTreeSet<(String, LinkForm)>,
    pages: usize,
    names: usize,
    has_more_pages: bool,
    has_more_names: bool,
}

impl Links {
    /// Adds the addresses of a view, and what their letters say. Of a name without a scheme, which may be that of a file,
    /// the letters say nothing.
    fn add(
        &mut self,
        view: &View,
        name: Option<&'static str>,
        at: impl Fn(Range<usize>) -> Span,
        hits: &mut Hits,
    ) {
        for link in links(view.text(), view.kind() == ViewKind::Attributes) {
            // Two spellings of one address may have nothing in common but where they lead.
            let key = (link.address.text().to_owned(), link.form);
            if self.known.contains(&key) {
                continue;
            }
            let is_name = link.form == LinkForm::Name;
            let (count, most, has_more) = if is_name {
                (&mut self.names, MAX_NAMES, &mut self.has_more_names)
            } else {
                (&mut self.pages, MAX_LINKS, &mut self.has_more_pages)
            };
            if *count == most {
                *has_more = true;
                continue;
            }
            *count += 1;
            self.known.insert(key);
            let span = at(link.span);
            if !is_name {
                let signals = lexical::scan(&link.address).signals;
                hits.hits.extend(signals.iter().map(|signal| {
                    let (rule, severity) = (signal.rule, lexical::severity_in_text(&signals, signal));
                    RuleHit::new(rule.id, severity, rule.why, rule.remedy).at(span, name)
                }));
            }
            self.found.push((link.address, span, name));
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
        let redacted = TextScan::of(&text).redacted();
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
        let redacted = TextScan::of(&text).redacted();
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
            prop_assert!(!scan.redacted().contains(&token()));
            let shown = format!("{:?}", scan.result());
            prop_assert!(!shown.contains(&token()));
        }
    }
}
