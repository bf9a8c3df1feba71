//! What speaks against an address.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use domain_name::{DomainName, PublicSuffixes};
use probe::redirects::{HopKind, PathEnd, RedirectPath};
use probe::registry::KnownRegistration;
use probe::site::ProbeFailure;
use schemars::JsonSchema;
use secrets::Secret;
use serde::Serialize;
use threat_feeds::Feeds;
use verdict::{Timestamp, quoted};
use web_address::{AddressError, WebAddress};

use super::question::UrlQuestion;
use crate::finding::{Hits, RuleHit, ScanResult, Severity, score};
use crate::lexical::{self, Signal, UrlSignals};
use crate::observations::{ListedAddress, Observations};
use crate::places::{Places, excerpt};
use crate::secret_places::{AddressSecrets, covered};

const SCOPE: &str = "What rules, a model and the feeds named here say of the letters of an address; where `follow` was asked, \
    also of the addresses that it led to then. The page itself was not read. No verdict says that the address is safe.";
const METHOD: &str = "scan-url/1";

/// A domain that is registered for less than this draws a warning.
const YOUNG: Duration = Duration::from_hours(30 * 24);

/// The finding of `/scan-url`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct UrlFinding {
    /// The address as it was sent, with every secret replaced.
    pub url: String,
    /// The address in the canonical form of Safe Browsing, with every secret replaced.
    pub canonical: String,
    /// The host, in A-labels; `null` where the address has none, or where a secret stands in it.
    pub host: Option<String>,
    /// The name below a public suffix that the host belongs to; `null` where it has none, or where a secret stands in it.
    pub registrable: Option<String>,
    /// The addresses that it led to, in their order; absent where `follow` was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<Vec<UrlHop>>,
    /// Time of the domain's registration; absent where `age` was not asked, `null` where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub registered_at: Option<Option<Timestamp>>,
    /// The members that all scans have.
    #[serde(flatten)]
    pub result: ScanResult,
}

/// An address that the scanned one led to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct UrlHop {
    /// The address, with every secret replaced.
    pub url: String,
    /// The way in which the address before led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// The HTTP status that it answered; `null` where it was not asked or did not answer.
    pub status: Option<u16>,
}

/// The finding of an address that is looked up in feeds at a time, and neither followed nor dated.
///
/// # Errors
/// The text is no address.
///
/// ```
/// use safety::{ScanVerdict, scan_url};
/// use threat_feeds::Feeds;
///
/// let none = Feeds::open(&[]).unwrap();
/// let scan = scan_url("https://example.com@203.0.113.7/login", &none, verdict::Timestamp::EPOCH).unwrap();
/// assert!(scan.verdict >= ScanVerdict::Warn && scan.feeds.is_empty());
/// ```
pub fn scan_url(url: &str, feeds: &Feeds, at: Timestamp) -> Result<ScanResult, AddressError> {
    let question =
        UrlQuestion { url: url.to_owned(), address: WebAddress::parse(url)?, follow: false, age: false };
    let seen = Observations::of_feeds(feeds, std::iter::once(&question.address), at);
    let secrets = AddressSecrets::of(url, &question.address);
    Ok(result(&question, &secrets, &seen, seen.blob().sha256()))
}

/// Finds on what was seen, which is kept under this SHA-256.
pub(super) fn find(question: &UrlQuestion, seen: &Observations, observations: [u8; 32]) -> UrlFinding {
    let address = &question.address;
    let secrets = AddressSecrets::of(&question.url, address);
    let url = secrets.redacted(&question.url);
    let shown = |part: &str| (!secrets.are_in_host).then(|| part.to_owned());
    UrlFinding {
        canonical: shown(address.canonical())
            .map_or_else(|| url.clone(), |canonical| crate::redacted(&canonical)),
        host: address.host_str().and_then(shown),
        registrable: address.registrable(suffixes()).and_then(shown),
        hops: seen.path.as_ref().map(hops),
        registered_at: question.age.then(|| registered_at(seen)),
        result: result(question, &secrets, seen, observations),
        url,
    }
}

fn result(
    question: &UrlQuestion,
    secrets: &AddressSecrets,
    seen: &Observations,
    observations: [u8; 32],
) -> ScanResult {
    let covered = covered(&secrets.found);
    let show = |place: &Range<usize>| excerpt(&question.url, place, &covered);
    let subject = format!("The address {}", quoted(&secrets.redacted(&question.url)));
    hits(question, secrets, seen).result(seen, observations, &subject, (SCOPE, METHOD), show)
}

pub(super) fn suffixes() -> &'static PublicSuffixes {
    static SUFFIXES: std::sync::LazyLock<PublicSuffixes> = std::sync::LazyLock::new(PublicSuffixes::bundled);
    &SUFFIXES
}

/// The domain whose registration tells the age of an address: `None` for an IP address, and for a tenant of a platform, of
/// which a registry knows nothing.
pub(super) fn registered(address: &WebAddress) -> Option<DomainName> {
    let name = address.domain()?;
    let registered = suffixes().registered(name)?;
    (suffixes().registrable(name).as_ref() == Some(&registered)).then_some(registered)
}

fn registered_at(seen: &Observations) -> Option<Timestamp> {
    seen.registration.as_ref().and_then(|registration| registration.found().registered_at())
}

fn hits(question: &UrlQuestion, secrets: &AddressSecrets, seen: &Observations) -> Hits {
    let mut hits = Hits::default();
    of_address(question, secrets, &mut hits);
    hits.hits.extend(seen.entries_of(0).map(ListedAddress::hit));
    if question.follow {
        of_path(seen, &mut hits);
    }
    if question.age {
        of_age(seen, &mut hits);
    }
    hits
}

/// What the letters of the address say.
fn of_address(question: &UrlQuestion, secrets: &AddressSecrets, hits: &mut Hits) {
    let places = Places::new(&question.url);
    if secrets.is_capped {
        hits.unseen.push("address_not_decoded_whole".to_owned());
    }
    let UrlSignals { signals, score: log_odds } = lexical::scan(&question.address);
    hits.score = score(log_odds, lexical::THRESHOLD);
    hits.hits.extend(signals.into_iter().map(|Signal { rule, span, detail }| {
        // A brand that resembles the host tells the reader what to compare.
        let why = match detail {
            Some(detail) => Cow::from(format!("{} ({})", rule.why, crate::redacted(&detail))),
            None => rule.why.into(),
        };
        RuleHit::new(rule.id, rule.severity.into(), why, rule.remedy).at(places.span(&span), None)
    }));
    hits.hits.extend(secrets.found.iter().map(|Secret { rule, span }| {
        // An address with a secret is no trap for who opens it, but must not be passed on.
        let severity = Severity::Warn.min(rule.severity.into());
        RuleHit::new(rule.id, severity, rule.why, rule.remedy).at(places.span(span), None)
    }));
}

/// The addresses behind the first, in their order.
pub(super) fn targets(path: &RedirectPath) -> impl Iterator<Item = &str> {
    let last = (!path.hops.is_empty()).then_some(&*path.url);
    path.hops.iter().skip(1).map(|hop| &*hop.url).chain(last)
}

fn hops(path: &RedirectPath) -> Vec<UrlHop> {
    let by = |hop: usize| match path.hops[hop].by {
        HopKind::Redirect => "redirect",
        HopKind::Refresh => "refresh",
    };
    let last = match path.end {
        PathEnd::Answered(status) => Some(status),
        PathEnd::Loop | PathEnd::OtherScheme | PathEnd::Failed(_) => None,
    };
    targets(path)
        .enumerate()
        .map(|(number, url)| UrlHop {
            url: url.to_owned(),
            by: Some(by(number)),
            status: path.hops.get(number + 1).map_or(last, |hop| Some(hop.status)),
        })
        .collect()
}

/// What the way on from the address says.
fn of_path(seen: &Observations, hits: &mut Hits) {
    let Some(path) = &seen.path else {
        hits.unseen.push("not_followed".to_owned());
        return;
    };
    let mut known = BTreeSet::new();
    for (number, url) in targets(path).enumerate() {
        let hop = number + 1;
        if !known.insert(url) {
            continue;
        }
        hits.hits.extend(seen.entries_of(hop).map(|listed| listed.hit().on_hop(hop)));
        let Ok(address) = WebAddress::parse(url) else {
            hits.unseen.push(format!("hop_not_read:{hop}"));
            continue;
        };
        let scan = lexical::scan(&address);
        hits.score = hits.score.max(score(scan.score, lexical::THRESHOLD));
        hits.hits.extend(scan.signals.into_iter().map(|Signal { rule, .. }| {
            RuleHit::new(rule.id, rule.severity.into(), rule.why, rule.remedy).on_hop(hop)
        }));
    }
    let last = path.hops.len();
    let is_first = last == 0;
    let remedy = "Do not open it.";
    let refused = match path.end {
        PathEnd::Answered(_) => None,
        PathEnd::Loop => Some(("redirect-loop", "It leads back to an address that led to it.")),
        PathEnd::OtherScheme => {
            Some(("redirect-other-scheme", "It leads to an address that opens a program, and no page."))
        }
        PathEnd::Failed(failure) => match failure {
            ProbeFailure::RedirectToHttp => Some((
                "redirect-downgrade",
                "It leads from https to http, where anybody on the way can change the page.",
            )),
            ProbeFailure::AddressDenied if is_first => {
                Some(("private-address", "It stands in a private network, which nobody outside can check."))
            }
            ProbeFailure::AddressDenied | ProbeFailure::RedirectToPrivate => {
                Some(("redirect-private-address", "It leads into a private network."))
            }
            // Such a port or name is a matter of its letters, which are scanned already.
            ProbeFailure::PolicyRefused if is_first => {
                hits.unseen.push("not_followed:policy_refused".to_owned());
                None
            }
            ProbeFailure::RedirectRefused | ProbeFailure::PolicyRefused => {
                Some(("redirect-refused", "It leads to a port, a name or a scheme that no public page has."))
            }
            ProbeFailure::TooManyRedirects => {
                Some(("redirect-too-many", "It leads on more often than any honest page does."))
            }
            ProbeFailure::InvalidCertificate => {
                Some(("certificate-invalid", "Its certificate is not valid, so anybody may have answered."))
            }
            failure => {
                hits.unseen.push(format!("not_followed:{}", failure.code()));
                None
            }
        },
    };
    hits.hits.extend(refused.map(|(rule, why)| RuleHit::new(rule, Severity::Warn, why, remedy).on_hop(last)));
}

/// What the registry says.
fn of_age(seen: &Observations, hits: &mut Hits) {
    let Some(registered_at) = registered_at(seen) else {
        let reason = match seen.registration.as_ref().map(|registration| registration.found()) {
            None => "no_registration",
            Some(KnownRegistration::NoService) => "no_service",
            Some(KnownRegistration::Unknown(reason)) => reason,
            Some(KnownRegistration::Registration(_)) => "no_date",
        };
        hits.unseen.push(format!("age_unknown:{reason}"));
        return;
    };
    let age = seen.observed_at.millis_since(registered_at);
    if u128::try_from(age).is_ok_and(|age| age < YOUNG.as_millis()) || age < 0 {
        hits.hits.push(RuleHit::new(
            "registered-lately",
            Severity::Warn,
            format!("Its domain is registered since {registered_at}, less than 30 days."),
            "Ask the one whom it names by a way that you know already.",
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ScanVerdict;

    fn at() -> Timestamp {
        "2026-06-30T12:00:00.000Z".parse().unwrap()
    }

    /// The finding of an ordinary address of which this was seen.
    fn finding(seen: Value) -> UrlFinding {
        let url = "https://www.rust-lang.org/learn";
        let mut all = json!({"observed_at": at(), "feeds": [], "listed": []});
        all.as_object_mut().unwrap().extend(seen.as_object().unwrap().clone());
        let seen: Observations = serde_json::from_value(all).unwrap();
        let question = UrlQuestion {
            url: url.to_owned(),
            address: WebAddress::parse(url).unwrap(),
            follow: seen.path.is_some(),
            age: seen.path.is_none(),
        };
        find(&question, &seen, [0; 32])
    }

    fn path(hops: &[&str], last: &str, end: Value) -> Value {
        let hops: Vec<Value> =
            hops.iter().map(|url| json!({"url": url, "status": 302, "by": "redirect"})).collect();
        json!({"path": {"hops": hops, "url": last, "end": end}})
    }

    fn first(finding: &UrlFinding) -> Option<(&str, Option<usize>)> {
        finding.result.findings.first().map(|hit| (&*hit.rule, hit.hop))
    }

    const FIRST: &str = "https://www.rust-lang.org/learn";
    const SECOND: &str = "https://www.wikipedia.org/";

    #[test]
    fn each_end_of_a_path_that_no_honest_page_has_is_a_warning_at_its_hop() {
        for (end, rule) in [
            (json!("loop"), "redirect-loop"),
            (json!("other_scheme"), "redirect-other-scheme"),
            (json!({"failed": "redirect_to_http"}), "redirect-downgrade"),
            (json!({"failed": "redirect_to_private"}), "redirect-private-address"),
            (json!({"failed": "address_denied"}), "redirect-private-address"),
            (json!({"failed": "redirect_refused"}), "redirect-refused"),
            (json!({"failed": "too_many_redirects"}), "redirect-too-many"),
            (json!({"failed": "invalid_certificate"}), "certificate-invalid"),
        ] {
            let finding = finding(path(&[FIRST], SECOND, end));
            assert_eq!((finding.result.verdict, first(&finding)), (ScanVerdict::Warn, Some((rule, Some(1)))));
        }
        let denied = finding(path(&[], FIRST, json!({"failed": "address_denied"})));
        assert_eq!(first(&denied), Some(("private-address", None)));
    }

    #[test]
    fn what_did_not_answer_is_unknown_and_not_clean() {
        for reason in ["timeout", "dns_failed", "connection_refused", "too_large", "busy"] {
            let finding = finding(path(&[FIRST], SECOND, json!({"failed": reason})));
            assert_eq!(finding.result.verdict, ScanVerdict::Unknown, "{reason}");
            assert_eq!(finding.result.unseen, [format!("not_followed:{reason}")]);
        }
        let answered = finding(path(&[FIRST], SECOND, json!({"answered": 200})));
        assert_eq!((answered.result.verdict, first(&answered)), (ScanVerdict::NoFinding, None));
        let hops = answered.hops.unwrap();
        assert_eq!((hops.len(), &*hops[0].url, hops[0].status), (1, SECOND, Some(200)));
    }

    #[test]
    fn every_address_on_the_way_is_scanned_and_looked_up() {
        let bad = "https://paypal.com@198.51.100.7/login";
        let through = finding(path(&[FIRST, bad], SECOND, json!({"answered": 200})));
        assert_eq!(through.result.verdict, ScanVerdict::Block);
        assert!(through.result.findings.iter().all(|hit| hit.hop == Some(1)), "{through:?}");
        let mut seen = path(&[FIRST], SECOND, json!({"answered": 200}));
        seen["listed"] = json!([{"address": 1, "feed": "f.txt", "entry": {"name": "wikipedia.org"}}]);
        let listed = finding(seen);
        assert_eq!(first(&listed), Some(("feed-listed", Some(1))));
        assert_eq!(listed.result.verdict, ScanVerdict::Block);
    }

    #[test]
    fn a_domain_of_yesterday_is_a_warning_and_one_of_no_known_age_is_unknown() {
        let registered = |end: Value| {
            finding(json!({"registration": {
                "name": "rust-lang.org", "list": null, "end": end, "observed_at": at(), "elapsed_ms": 1
            }}))
        };
        let answered = |date: &str| {
            let answer = json!({
                "objectClassName": "domain", "ldhName": "rust-lang.org",
                "events": [{"eventAction": "registration", "eventDate": date}]
            });
            let url = "https://rdap.example/domain/rust-lang.org";
            registered(
                json!({"answered": {"url": url, "status": 200, "answer": {"text": answer.to_string()}}}),
            )
        };
        let young = answered("2026-06-29T00:00:00Z");
        assert_eq!(
            (young.result.verdict, first(&young)),
            (ScanVerdict::Warn, Some(("registered-lately", None)))
        );
        assert!(young.registered_at.unwrap().is_some());
        let old = answered("2010-12-01T00:00:00Z");
        assert_eq!((old.result.verdict, first(&old)), (ScanVerdict::NoFinding, None));
        for (end, reason) in [
            (json!("no_service"), "no_service"),
            (json!("service_unknown"), "service_unknown"),
            (json!({"failed": {"url": "https://rdap.example/", "unseen": "timeout"}}), "timeout"),
        ] {
            let unknown = registered(end);
            assert_eq!(unknown.result.verdict, ScanVerdict::Unknown);
            assert_eq!(unknown.result.unseen, [format!("age_unknown:{reason}")]);
        }
    }
}
