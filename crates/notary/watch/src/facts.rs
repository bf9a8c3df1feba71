//! The facts of a look at a domain: their stored form, and the changes between two looks.
//!
//! A look tells its verdict and its facts apart from what it could not observe: a fact that one of two looks could not
//! observe is not compared, and keeps the state in which it was observed last.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ledger::Screening;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use receipt::hash::sha256;
use receipt::json::{Json, Object};
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::ScreeningResult;

/// The most bytes of a fact's values in their stored form. Longer values are stored as their SHA-256.
pub const MAX_FACT_BYTES: usize = 448;

/// The first word of the stored form, with its version.
const FORM: &str = "facts/1";
/// The stored name of the hash of all observations of the look.
const OBSERVATIONS: &str = "observations";

/// The name of a changed verdict.
const VERDICT: &str = "verdict";

/// The characters of a value that are stored as they are; `=`, `,` and spaces are part of the form.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b':').remove(b'/').remove(b'+');

/// A fact that is compared with that of the look before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fact {
    NameServers,
    MailExchangers,
    Registrar,
    Addresses,
    Networks,
    CertificateIssuer,
    Dmarc,
    Risks,
}

impl Fact {
    const ALL: [Self; 8] = [
        Self::NameServers,
        Self::MailExchangers,
        Self::Registrar,
        Self::Addresses,
        Self::Networks,
        Self::CertificateIssuer,
        Self::Dmarc,
        Self::Risks,
    ];

    /// The name of the fact in findings, receipts and the stored form.
    fn name(self) -> &'static str {
        match self {
            Self::NameServers => "name_servers",
            Self::MailExchangers => "mail_exchangers",
            Self::Registrar => "registrar",
            Self::Addresses => "addresses",
            Self::Networks => "networks",
            Self::CertificateIssuer => "certificate_issuer",
            Self::Dmarc => "dmarc",
            Self::Risks => "risks",
        }
    }
}

/// A look at a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Look {
    verdict: String,
    observed_at: Timestamp,
    /// SHA-256 of all observations, lowercase hex; `None` where the finding names none.
    observations: Option<String>,
    /// The observed facts, each with its values in order.
    facts: BTreeMap<Fact, Vec<String>>,
    /// The risks that could not be looked for; it is not stored.
    unchecked: BTreeSet<String>,
}

/// A difference between two looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Change {
    what: &'static str,
    before: Vec<String>,
    after: Vec<String>,
}

impl Change {
    /// Returns true if the verdict differs.
    pub(super) fn is_of_verdict(&self) -> bool {
        self.what == VERDICT
    }
}

impl Look {
    /// Reads the look of a finding; `None` where it has no verdict or no time.
    pub(super) fn of(finding: &Object) -> Option<Self> {
        let evidence = finding.get("evidence")?;
        let hash = evidence.get("observations_sha256").and_then(Json::as_str).map(str::to_owned);
        let found = finding.get("facts");
        let facts = Fact::ALL.into_iter().filter_map(|fact| {
            let values = found?.get(fact.name())?.as_array()?.iter().map(Json::as_str);
            let values: Vec<String> = values.map(|value| value.map(str::to_owned)).collect::<Option<_>>()?;
            Some((fact, bounded(values)))
        });
        let unchecked = finding.get("risk").and_then(|risk| risk.get("unchecked")?.as_array());
        let unchecked = unchecked.into_iter().flatten().filter_map(Json::as_str);
        Some(Self {
            unchecked: unchecked.map(str::to_owned).collect(),
            verdict: finding.get("verdict")?.as_str()?.to_owned(),
            observed_at: evidence.get("observed_at")?.as_str()?.parse().ok()?,
            observations: hash.filter(|hash| is_sha256(hash)),
            facts: facts.collect(),
        })
    }

    /// Reads the stored form of a look; a fact that cannot be read counts as one that was not observed.
    pub(super) fn stored(screened: &Screening) -> Self {
        let mut look = Self {
            verdict: screened.verdict.clone(),
            observed_at: screened.at,
            observations: None,
            facts: BTreeMap::new(),
            unchecked: BTreeSet::new(),
        };
        let Some(words) = screened.snapshots.strip_prefix(FORM) else { return look };
        for (name, values) in words.split(' ').filter_map(|word| word.split_once('=')) {
            let decoded = values.split(',').filter(|value| !value.is_empty()).map(decoded);
            let Some(values) = decoded.collect::<Option<Vec<String>>>() else { continue };
            if name == OBSERVATIONS {
                look.observations = values.into_iter().next();
            } else if let Some(fact) = Fact::ALL.into_iter().find(|fact| fact.name() == name) {
                look.facts.insert(fact, values);
            }
        }
        look
    }

    /// Returns true if nothing of the domain could be observed. That there are no reasons of risk is then no observation.
    pub(super) fn saw_nothing(&self) -> bool {
        self.facts.keys().all(|fact| *fact == Fact::Risks)
    }

    /// Returns true if this look is less than a time after an earlier one.
    pub(super) fn follows_within(&self, before: &Self, time: Duration) -> bool {
        let passed = self.observed_at.millis_since(before.observed_at);
        u128::try_from(passed).is_ok_and(|passed| passed < time.as_millis())
    }

    /// The form in which the ledger stores the look.
    pub(super) fn to_screening(&self) -> ScreeningResult {
        let observations = self.observations.iter().map(|hash| format!("{OBSERVATIONS}={hash}"));
        let facts = self.facts.iter().map(|(fact, values)| format!("{}={}", fact.name(), encoded(values)));
        ScreeningResult {
            verdict: self.verdict.clone(),
            snapshots: std::iter::once(FORM.to_owned()).chain(observations).chain(facts).collect(),
            at: self.observed_at,
        }
    }

    /// The differences from an earlier look that are to be reported.
    pub(super) fn changes_since(&self, before: &Self) -> Vec<Change> {
        let verdict = (self.verdict_after(before) != before.verdict).then(|| Change {
            what: VERDICT,
            before: vec![before.verdict.clone()],
            after: vec![self.verdict.clone()],
        });
        let facts = Fact::ALL.into_iter().filter(|fact| self.is_changed_since(before, *fact));
        let facts = facts.map(|fact| Change {
            what: fact.name(),
            before: before.facts.get(&fact).cloned().unwrap_or_default(),
            after: self.facts.get(&fact).cloned().unwrap_or_default(),
        });
        verdict.into_iter().chain(facts).collect()
    }

    /// The risks of an earlier look that this one could not look for. They are not gone.
    fn carried<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a String> {
        before.facts.get(&Fact::Risks).into_iter().flatten().filter(|reason| self.unchecked.contains(*reason))
    }

    /// The verdict after an earlier look: a better one counts only where each earlier risk was looked for.
    fn verdict_after<'a>(&'a self, before: &'a Self) -> &'a str {
        let is_better = gravity(&self.verdict) < gravity(&before.verdict);
        if is_better && self.carried(before).next().is_some() { &before.verdict } else { &self.verdict }
    }

    /// Returns true if a fact has changed in a way that is reported.
    fn is_changed_since(&self, before: &Self, fact: Fact) -> bool {
        let (Some(old), Some(new)) = (before.facts.get(&fact), self.facts.get(&fact)) else { return false };
        match fact {
            // A name with many servers answers with other addresses every hour, and of the same networks.
            Fact::Addresses => {
                let networks = |look: &Self| look.facts.get(&Fact::Networks).cloned();
                old != new
                    && match (networks(before), networks(self)) {
                        (Some(old), Some(new)) => !overlap(&old, &new),
                        (old, new) => old == new,
                    }
            }
            // Large sites answer from some of their networks at a time, and have certificates of two issuers.
            Fact::Networks | Fact::CertificateIssuer => !overlap(old, new),
            Fact::Dmarc => strictness(new) < strictness(old),
            // Without the names of all reasons, another set may have a new one.
            Fact::Risks if is_hashed(old) || is_hashed(new) => old != new,
            Fact::Risks => new.iter().any(|reason| !old.contains(reason)),
            Fact::NameServers | Fact::MailExchangers | Fact::Registrar => old != new,
        }
    }

    /// This look, with what an earlier one saw and this one could not observe, and with the networks and issuers of both.
    pub(super) fn over(mut self, before: &Self) -> Self {
        self.verdict = self.verdict_after(before).to_owned();
        let carried: Vec<String> = self.carried(before).cloned().collect();
        for (fact, old) in &before.facts {
            match self.facts.entry(*fact) {
                Entry::Vacant(unseen) => {
                    unseen.insert(old.clone());
                }
                Entry::Occupied(mut seen) => {
                    let kept = match fact {
                        Fact::Risks => &carried,
                        Fact::Networks | Fact::CertificateIssuer if !seen.get().is_empty() => old,
                        _ => continue,
                    };
                    let joined = joined(seen.get(), kept);
                    seen.insert(joined);
                }
            }
        }
        self
    }

    /// The look, as the receipt of a change names it.
    fn to_json(&self) -> Json {
        let mut look = Object::new();
        look.insert("observed_at", self.observed_at.to_string());
        if let Some(hash) = &self.observations {
            look.insert("observations_sha256", hash.as_str());
        }
        Json::Object(look)
    }
}

/// Adds to the `watch` member of a receipt what has changed between two looks, and which looks these are.
pub(super) fn describe(watch: &mut Object, before: &Look, after: &Look, changes: Vec<Change>) {
    let texts = |values: Vec<String>| Json::Array(values.into_iter().map(Json::from).collect());
    let changed = changes.into_iter().map(|Change { what, before, after }| {
        let mut change = Object::new();
        change.insert("what", what);
        change.insert("before", texts(before));
        change.insert("after", texts(after));
        Json::Object(change)
    });
    watch.insert("changed", Json::Array(changed.collect()));
    let mut looks = Object::new();
    looks.insert("before", before.to_json());
    looks.insert("after", after.to_json());
    watch.insert("looks", looks);
}

/// Returns the facts of a stored screening, each with its values, or `null` where it is not that of a look.
#[must_use]
pub fn shown(screened: &Screening) -> Value {
    if !screened.snapshots.starts_with(FORM) {
        return Value::Null;
    }
    let Look { facts, .. } = Look::stored(screened);
    facts.into_iter().map(|(fact, values)| (fact.name().to_owned(), json!(values))).collect()
}

/// The gravity of a verdict; one that is not known is the gravest.
fn gravity(verdict: &str) -> u8 {
    match verdict {
        "TRUSTED" => 0,
        "CAUTION" => 1,
        "INCOMPLETE" => 2,
        _ => 3,
    }
}

/// Returns true if two looks saw a value in common, or nothing both.
fn overlap(old: &[String], new: &[String]) -> bool {
    old == new || old.iter().any(|value| new.contains(value))
}

/// The values of a look, and as many of earlier ones as fit beside them. What was hashed is not joined.
fn joined(new: &[String], old: &[String]) -> Vec<String> {
    let mut joined = new.to_vec();
    if is_hashed(new) || is_hashed(old) {
        return joined;
    }
    for value in old {
        let mut more = joined.clone();
        more.extend([value.clone()]);
        let more = bounded(more);
        if !is_hashed(&more) {
            joined = more;
        }
    }
    joined
}

/// The enforced policy's rank, from none (0) to `reject` (3). A word that is not known counts as none.
fn strictness(policy: &[String]) -> u8 {
    match policy.first().map(String::as_str) {
        Some("reject") => 3,
        Some("quarantine") => 2,
        Some("none") => 1,
        _ => 0,
    }
}

/// Sorts values, and replaces those that are too long to be stored with their hash.
fn bounded(mut values: Vec<String>) -> Vec<String> {
    values.retain(|value| !value.is_empty());
    values.sort_unstable();
    values.dedup();
    if encoded(&values).len() <= MAX_FACT_BYTES {
        return values;
    }
    vec![format!("{HASHED}{}", hex::encode(sha256(encoded(&values).as_bytes())))]
}

/// The beginning of the only value of a fact whose values are too long to be stored.
const HASHED: &str = "sha256:";

fn is_hashed(values: &[String]) -> bool {
    matches!(values, [only] if only.strip_prefix(HASHED).is_some_and(is_sha256))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

fn encoded(values: &[String]) -> String {
    let values = values.iter().map(|value| utf8_percent_encode(value, ESCAPED).to_string());
    values.collect::<Vec<_>>().join(",")
}

fn decoded(value: &str) -> Option<String> {
    percent_decode_str(value).decode_utf8().ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use receipt::json::parse;

    use super::*;

    /// The look of a finding with these facts.
    fn look(verdict: &str, facts: &Value) -> Look {
        let finding = json!({
            "domain": "example.com", "verdict": verdict, "facts": facts,
            "evidence": {"observed_at": "2026-11-26T06:00:00.000Z", "observations_sha256": "0".repeat(64)},
        });
        Look::of(parse(finding.to_string().as_bytes()).unwrap().as_object().unwrap()).unwrap()
    }

    fn read_back(look: &Look) -> Look {
        let ScreeningResult { verdict, snapshots, at } = look.to_screening();
        Look::stored(&Screening::new(verdict, &snapshots, at))
    }

    /// The names of what has changed between looks with these facts.
    fn changed(before: &Value, after: &Value) -> Vec<&'static str> {
        let (before, after) = (look("TRUSTED", before), look("TRUSTED", after));
        after.changes_since(&before).into_iter().map(|change| change.what).collect()
    }

    #[test]
    fn each_fact_that_changes_is_named_with_both_its_values() {
        for fact in ["name_servers", "mail_exchangers", "registrar"] {
            let (before, after) = (json!({fact: ["a", "b"]}), json!({fact: ["a"]}));
            assert_eq!(changed(&before, &after), [fact]);
            assert_eq!(changed(&before, &before), [""; 0]);
            assert_eq!(changed(&before, &json!({fact: []})), [fact], "there is none any more");
            assert_eq!(changed(&before, &json!({fact: ["b", "a", "b"]})), [""; 0], "in any order");
        }
        let (before, after) = (look("TRUSTED", &json!({})), look("RISKY", &json!({"risks": ["feed_hit"]})));
        let change =
            Change { what: "verdict", before: vec!["TRUSTED".to_owned()], after: vec!["RISKY".to_owned()] };
        assert_eq!(after.changes_since(&before), [change]);
    }

    #[test]
    fn a_fact_that_was_not_observed_is_not_compared_and_keeps_its_last_state() {
        let (seen, unseen, other) =
            (json!({"registrar": ["A"], "dmarc": ["none"]}), json!({}), json!({"registrar": ["B"]}));
        assert_eq!(changed(&seen, &unseen), [""; 0]);
        assert_eq!(changed(&unseen, &seen), [""; 0]);
        let kept = look("TRUSTED", &unseen).over(&look("TRUSTED", &seen));
        assert_eq!(look("TRUSTED", &other).changes_since(&kept)[0].before, ["A"]);
        assert_eq!(look("TRUSTED", &other).over(&kept).facts[&Fact::Registrar], ["B"]);
    }

    #[test]
    fn addresses_count_with_their_networks_alone() {
        let at = |addresses: &str, networks: &str| json!({"addresses": [addresses], "networks": [networks]});
        let before = at("192.0.2.1", "192.0.2.0/24");
        assert_eq!(changed(&before, &at("192.0.2.9", "192.0.2.0/24")), [""; 0]);
        assert_eq!(changed(&before, &at("198.51.100.1", "198.51.100.0/24")), ["addresses", "networks"]);
        let bare = |address: &str| json!({"addresses": [address]});
        assert_eq!(changed(&bare("192.0.2.1"), &bare("192.0.2.9")), ["addresses"], "nobody knows a network");
        assert_eq!(changed(&before, &bare("192.0.2.9")), [""; 0], "their networks are compared next time");
    }

    #[test]
    fn networks_and_issuers_count_where_none_of_them_was_seen_before() {
        for fact in ["networks", "certificate_issuer"] {
            let of = |values: &[&str]| json!({fact: values});
            assert_eq!(changed(&of(&["a", "b"]), &of(&["b", "c"])), [""; 0]);
            assert_eq!(changed(&of(&["a", "b"]), &of(&["c"])), [fact]);
            assert_eq!(changed(&of(&["a"]), &of(&[])), [fact], "there is none any more");
            let none = look("TRUSTED", &of(&[])).over(&look("TRUSTED", &of(&["a"])));
            assert_eq!(look("TRUSTED", &of(&[])).changes_since(&none), [], "it is told once");
            let both = look("TRUSTED", &of(&["b"])).over(&look("TRUSTED", &of(&["a"])));
            assert_eq!(look("TRUSTED", &of(&["a"])).changes_since(&both), [], "it was there before");
            // Whatever is seen, what is stored stays within its bound, and has what was seen last.
            let mut kept = look("TRUSTED", &of(&["0"]));
            for number in 1..200 {
                kept = look("TRUSTED", &of(&[&format!("192.0.{number}.0/24")])).over(&kept);
            }
            let stored = &kept.facts.values().next().unwrap();
            assert!(encoded(stored).len() <= MAX_FACT_BYTES && stored.len() > 20, "{stored:?}");
            assert!(stored.contains(&"192.0.199.0/24".to_owned()));
        }
    }

    #[test]
    fn a_risk_that_could_not_be_looked_for_is_neither_gone_nor_new_again() {
        let found = |verdict: &str, risks: &[&str], unchecked: &[&str]| {
            let finding = json!({
                "domain": "example.com", "verdict": verdict, "facts": {"risks": risks, "registrar": ["A"]},
                "risk": {"reasons": [], "unchecked": unchecked},
                "evidence": {"observed_at": "2026-11-26T06:00:00.000Z"},
            });
            Look::of(parse(finding.to_string().as_bytes()).unwrap().as_object().unwrap()).unwrap()
        };
        let before = found("RISKY", &["on_hold", "spf_open"], &[]);
        let blind = found("CAUTION", &["spf_open"], &["on_hold", "dnssec_bogus"]);
        assert_eq!(blind.changes_since(&before), []);
        let kept = read_back(&blind.over(&before));
        assert_eq!(
            (&*kept.verdict, &*kept.facts[&Fact::Risks]),
            ("RISKY", &["on_hold", "spf_open"].map(str::to_owned)[..])
        );
        assert_eq!(before.changes_since(&kept), []);
        // Once it was looked for, it is gone.
        let sees = found("CAUTION", &["spf_open"], &[]);
        assert!(sees.changes_since(&kept).iter().all(Change::is_of_verdict));
        assert_eq!(sees.clone().over(&kept).facts[&Fact::Risks], ["spf_open"]);
        // What is graver counts whatever else was not seen, and so does that nothing was.
        let dark = found("INCOMPLETE", &[], &["spf_open"]);
        assert_eq!(dark.changes_since(&found("CAUTION", &["spf_open"], &[])).len(), 1);
        let worse = found("RISKY", &["feed_hit"], &["spf_open"]);
        assert_eq!(worse.changes_since(&found("CAUTION", &["spf_open"], &[])).len(), 2);
    }

    #[test]
    fn dmarc_counts_where_it_is_weaker_and_risks_where_one_is_new() {
        let dmarc = |policy: &str| json!({"dmarc": [policy]});
        let policies = ["reject", "quarantine", "none", "absent"];
        for (strong, before) in policies.iter().enumerate() {
            for (weak, after) in policies.iter().enumerate() {
                let expected: &[&str] = if weak > strong { &["dmarc"] } else { &[] };
                assert_eq!(changed(&dmarc(before), &dmarc(after)), expected, "{before} {after}");
            }
        }
        let risks = |ids: &[&str]| json!({"risks": ids});
        assert_eq!(changed(&risks(&["a", "b"]), &risks(&["a"])), [""; 0]);
        assert_eq!(changed(&risks(&["a", "b"]), &risks(&["a", "c"])), ["risks"]);
        assert_eq!(changed(&risks(&[]), &risks(&["a"])), ["risks"]);
    }

    #[test]
    fn the_stored_form_is_bounded_and_long_values_are_hashed() {
        let long: Vec<String> = (0..16).map(|n| format!("{n:02}{}", " ".repeat(251))).collect();
        let all = |values: &[String]| {
            let facts = Fact::ALL.into_iter().map(|fact| (fact.name().to_owned(), json!(values)));
            look("TRUSTED", &facts.collect())
        };
        let stored = all(&long);
        assert!(stored.facts.values().all(|values| is_hashed(values)), "{stored:?}");
        assert_eq!(read_back(&stored), stored);
        let greatest = all(&["a".repeat(MAX_FACT_BYTES)]);
        assert!(!greatest.facts.values().any(|values| is_hashed(values)));
        let bytes = greatest.to_screening().snapshots.join(" ").len();
        assert!(bytes <= 4096, "{bytes}");
        let mut other = long.clone();
        other[3].push('x');
        let changes = all(&other).changes_since(&stored);
        assert_eq!(changes.len(), 7, "all but the policy of DMARC: {changes:?}");
    }

    #[test]
    fn a_screening_of_lists_has_no_facts() {
        let screened = Screening::new("NO_MATCH".to_owned(), &["a".repeat(64)], Timestamp::EPOCH);
        assert_eq!(shown(&screened), Value::Null);
        assert!(Look::stored(&screened).facts.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read_back(
            facts in prop::collection::btree_map(0_usize..8, prop::collection::vec(".{0,40}", 0..6), 0..8),
        ) {
            let named = facts.into_iter().map(|(fact, values)| (Fact::ALL[fact].name().to_owned(), json!(values)));
            let look = look("CAUTION", &named.collect());
            prop_assert_eq!(read_back(&look), look);
        }
    }
}
