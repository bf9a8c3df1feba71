//! Look-alikes of brands among the hosts of labelled addresses: `safety/urls.jsonl`, `benign_deep_urls.jsonl` and
//! `phish_urls.jsonl`.
//!
//! The cases are the phishing-like names of an outside review and the registrable domains of the benign rows.

use std::collections::BTreeSet;
use std::path::Path;

use brand_names::look_alike;
use domain_name::{PublicSuffixes, Rules, Subject};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::json_lines;
use crate::outcome::Outcome;
use crate::safety_figures::Tally;

/// Names that phishing would use, of an outside review.
const PHISHING_NAMES: [&str; 26] = [
    "paypa1.com",
    "paypaI.com",
    "rnetamask.io",
    "bankofamerlca.com",
    "wellsfarg0.com",
    "faceb00k.com",
    "microsft.net",
    "paypal-login.com",
    "secure-paypal.com",
    "login-microsoftonline.com",
    "amazon-support.net",
    "coinbase-wallet.io",
    "metamask-extension.io",
    "opensea-claim.xyz",
    "ledger-live.app",
    "apple-id.support",
    "openai-billing.com",
    "paypal.com.evil-pay.io",
    "usps.com-track.top",
    "dhl.top",
    "ups-parcel.com",
    "irs-refund.com",
    "paypal.co",
    "stripe.top",
    "chase.online",
    "paypal-secure-login.io",
];
/// The fewest of them that must be flagged.
const MIN_FLAGGED: usize = 24;
/// The greatest share of benign domains that may be flagged, in percent.
const MAX_FALSE_PERCENT: f64 = 0.1;

#[derive(Deserialize)]
struct Row {
    url: String,
    label: Value,
}

/// Runs the suite whose data lies in `dir/safety`; it is passed over where there are no benign rows.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("safety");
    let read = |file: &str| json_lines::read::<Row>(&folder.join(file)).unwrap_or_default();
    let rows: Vec<Row> =
        ["urls.jsonl", "phish_urls.jsonl", "benign_deep_urls.jsonl"].into_iter().flat_map(read).collect();
    let (bad, benign): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.label == 1 || row.label == "phish");
    (!benign.is_empty()).then(|| names(&subjects(&benign), &subjects(&bad))).into_iter().collect()
}

/// The names of the hosts, each once, and the registrable names above them.
fn subjects(rows: &[&Row]) -> Vec<Subject> {
    let hosts: BTreeSet<String> = rows
        .iter()
        .filter_map(|row| {
            let text = if row.url.contains("://") { row.url.clone() } else { format!("http://{}", row.url) };
            Url::parse(&text).ok()?.host_str().map(str::to_owned)
        })
        .collect();
    hosts.iter().filter_map(|host| subject(host)).collect()
}

fn subject(name: &str) -> Option<Subject> {
    Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).ok()
}

fn names(benign: &[Subject], bad: &[Subject]) -> Outcome {
    let mut outcome = Outcome { name: "safety/look-alikes".to_owned(), ..Outcome::default() };
    let mut flagged = 0;
    for name in PHISHING_NAMES {
        let is_flagged = subject(name).is_some_and(|subject| look_alike(&subject).is_some());
        flagged += usize::from(is_flagged);
        outcome.check(is_flagged, || format!("not flagged: {name}"));
    }
    let domains: BTreeSet<&str> = benign.iter().map(|subject| subject.registrable.as_str()).collect();
    let mut alarms = BTreeSet::new();
    for subject in benign {
        if let Some(found) = look_alike(subject)
            && alarms.insert(subject.registrable.as_str())
        {
            let words = found.words.join(" ");
            outcome.failures.push(format!(
                "flagged: {}, {:?} of {} {words}",
                subject.name, found.resemblance, found.brand
            ));
        }
    }
    outcome.total += domains.len();
    outcome.passed += domains.len() - alarms.len();
    let false_percent = 100.0 * alarms.len() as f64 / domains.len().max(1) as f64;
    let mut found = Tally::default();
    bad.iter().for_each(|subject| found.add(look_alike(subject).is_some()));
    outcome.figures = format!("flagged={flagged}/{} false_percent={false_percent:.4}", PHISHING_NAMES.len());
    outcome.details.push(format!("hosts of phishing: flagged {found}"));
    outcome.bar = Some(flagged >= MIN_FLAGGED && false_percent <= MAX_FALSE_PERCENT);
    outcome
}
