//! The memory of a domain between looks: since when its name servers, mail exchangers and registrar are the same.
//!
//! The ledger keeps it with the receipt, as a text that only this module reads. What was remembered is evidence, so that a
//! replay without a ledger finds the same.

use std::collections::BTreeMap;

use receipt::hash::sha256;
use serde::{Deserialize, Serialize};
use verdict::{EvidenceBlob, EvidenceMissing, Timestamp};

use super::facts::{DomainFacts, facet};

/// The role of the evidence.
const ROLE: &str = "earlier_looks";
/// The facts that are remembered. Others, such as addresses, change without a change of hands.
const FACETS: [&str; 3] = [facet::MAIL_EXCHANGERS, facet::NAME_SERVERS, facet::REGISTRAR];
/// The facts without which nobody can say that nothing has changed. Not every registry names a registrar.
const NEEDED: [&str; 2] = [facet::MAIL_EXCHANGERS, facet::NAME_SERVERS];

/// The least number of UTC days on which looks must have seen a fact. Two looks would say nothing of the time between.
pub(super) const MIN_DAYS: u32 = 4;

/// The memory of a domain.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DomainMemory {
    facets: BTreeMap<String, RememberedFacet>,
}

/// A fact, and since when it is as it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RememberedFacet {
    /// SHA-256 of its values, in hex.
    sha256: String,
    /// Time of the first look that saw it so.
    since: Timestamp,
    /// True if an earlier look saw another value.
    has_changed: bool,
    /// Number of UTC days on which a look saw it so.
    #[serde(default, skip_serializing_if = "is_unset")]
    days: u32,
    /// Time of the last look that saw it so.
    #[serde(default = "never", skip_serializing_if = "is_never")]
    last: Timestamp,
}

/// Memories of before days were counted are written as they were read, since their hash is evidence.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_unset(days: &u32) -> bool {
    *days == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_never(last: &Timestamp) -> bool {
    *last == never()
}

fn never() -> Timestamp {
    Timestamp::EPOCH
}

/// The conclusions from earlier looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct EarlierLooks {
    /// Time since which every remembered fact is as it is now; `None` if one has changed now, or was not observed, now or on
    /// fewer than [`MIN_DAYS`] days.
    pub(super) unchanged_since: Option<Timestamp>,
    /// Time at which the registrar was first seen to be another than before.
    pub(super) registrar_changed: Option<Timestamp>,
}

impl RememberedFacet {
    /// Notes that a look saw it again.
    fn see(&mut self, now: Timestamp) {
        if self.last.unix_days() < now.unix_days() {
            self.days = self.days.saturating_add(1);
            self.last = now;
        }
    }
}

impl DomainMemory {
    /// Reads the memory from a text of the ledger. A text that cannot be read, such as one of a later version, is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns the text for the ledger.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and times under string keys")
    }

    /// Returns the memory as evidence.
    pub(super) fn to_blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(ROLE, self.text().into_bytes())
    }

    /// Reads the memory from evidence; the default where a receipt was signed without one.
    pub(super) fn read(evidence: &[EvidenceBlob]) -> Result<Self, EvidenceMissing> {
        let Some(blob) = evidence.iter().find(|blob| blob.role() == ROLE) else { return Ok(Self::default()) };
        let read = blob.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        read.ok_or_else(|| EvidenceMissing("what earlier looks saw".to_owned()))
    }

    /// True if there was no earlier look.
    pub(super) fn is_empty(&self) -> bool {
        self.facets.is_empty()
    }

    /// Compares facts with the memory, and returns the conclusions and the memory for the next look. A fact that was not
    /// observed stays as it was.
    pub(super) fn compare(&self, facts: &DomainFacts, now: Timestamp) -> (EarlierLooks, Self) {
        let mut next = self.clone();
        for name in FACETS {
            let Some(values) = facts.0.get(name) else { continue };
            let sha256 = hex::encode(sha256(values.join("\n").as_bytes()));
            match next.facets.get_mut(name) {
                Some(known) if known.sha256 == sha256 => known.see(now),
                known => {
                    let has_changed = known.is_some();
                    let seen = RememberedFacet { sha256, since: now, has_changed, days: 1, last: now };
                    next.facets.insert(name.to_owned(), seen);
                }
            }
        }
        // A registrar that was seen before must be seen again: a domain that was sold keeps its servers.
        let is_whole = NEEDED.into_iter().all(|name| facts.0.contains_key(name))
            && self.facets.keys().all(|name| facts.0.contains_key(name.as_str()));
        let is_whole = is_whole && next.facets.values().all(|facet| facet.days >= MIN_DAYS);
        let since = next.facets.values().map(|facet| facet.since).max();
        let registrar = next.facets.get(facet::REGISTRAR).filter(|facet| facet.has_changed);
        let conclusions = EarlierLooks {
            unchanged_since: since.filter(|since| is_whole && *since < now),
            registrar_changed: registrar.map(|facet| facet.since),
        };
        (conclusions, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(of: &[(&'static str, &str)]) -> DomainFacts {
        DomainFacts(of.iter().map(|(name, value)| (*name, vec![(*value).to_owned()])).collect())
    }

    fn at(day: i64) -> Timestamp {
        Timestamp::EPOCH.saturating_add_millis(day * 86_400_000)
    }

    /// Compares the same facts on each of these days; the conclusions of the last one.
    fn looked(mut memory: DomainMemory, facts: &DomainFacts, days: &[i64]) -> (EarlierLooks, DomainMemory) {
        let mut last = EarlierLooks::default();
        for day in days {
            (last, memory) = memory.compare(facts, at(*day));
        }
        (last, memory)
    }

    #[test]
    fn a_domain_is_unchanged_since_its_last_change() {
        let first = facts(&[("name_servers", "a"), ("mail_exchangers", "m"), ("registrar", "r")]);
        let (none, memory) = DomainMemory::default().compare(&first, at(1));
        assert_eq!(none, EarlierLooks::default());
        let memory = DomainMemory::parse(&memory.text()).unwrap();
        let (same, memory) = looked(memory, &first, &[20, 30, 40]);
        assert_eq!(same, EarlierLooks { unchanged_since: Some(at(1)), registrar_changed: None });
        let moved = facts(&[("name_servers", "b"), ("mail_exchangers", "m"), ("registrar", "s")]);
        let (now, memory) = memory.compare(&moved, at(50));
        assert_eq!(now, EarlierLooks { unchanged_since: None, registrar_changed: Some(at(50)) });
        let (later, memory) = looked(memory, &moved, &[60, 61, 90]);
        assert_eq!(later, EarlierLooks { unchanged_since: Some(at(50)), registrar_changed: Some(at(50)) });
        // Back to the first: that is a change again.
        assert_eq!(memory.compare(&first, at(91)).0.unchanged_since, None);
    }

    #[test]
    fn facts_that_were_not_observed_prove_nothing_and_are_kept() {
        let whole = facts(&[("name_servers", "a"), ("mail_exchangers", "m")]);
        let (_, memory) = DomainMemory::default().compare(&whole, at(1));
        let (half, memory) = memory.compare(&facts(&[("name_servers", "a")]), at(40));
        assert_eq!(half.unchanged_since, None);
        let (whole, _) = looked(memory, &whole, &[41, 42, 43]);
        assert_eq!(whole.unchanged_since, Some(at(1)));
    }

    #[test]
    fn looks_on_few_days_prove_nothing_however_many_they_are() {
        let same = facts(&[("name_servers", "a"), ("mail_exchangers", "m")]);
        let (few, memory) = looked(DomainMemory::default(), &same, &[1, 1, 1, 20, 40, 40, 40]);
        assert_eq!(few.unchanged_since, None);
        assert_eq!(memory.compare(&same, at(41)).0.unchanged_since, Some(at(1)));
        // A registrar that is seen for the first time is nobody's for a while.
        let (_, memory) = looked(memory, &same, &[41, 42]);
        let sold = facts(&[("name_servers", "a"), ("mail_exchangers", "m"), ("registrar", "r")]);
        assert_eq!(memory.compare(&sold, at(43)).0.unchanged_since, None);
    }

    #[test]
    fn a_memory_of_before_days_were_counted_is_read_and_counts_from_now() {
        let sha256 = hex::encode(sha256(b"a"));
        let old = format!(
            r#"{{"facets":{{"name_servers":{{"sha256":"{sha256}","since":"{}","has_changed":false}}}}}}"#,
            at(1)
        );
        let memory = DomainMemory::parse(&old).unwrap();
        assert_eq!(memory.text(), old, "its hash stays the same");
        let (_, next) = memory.compare(&facts(&[("name_servers", "a")]), at(50));
        assert_eq!(next.facets["name_servers"].days, 1);
    }

    #[test]
    fn the_memory_is_small_whatever_was_seen() {
        let long = "x".repeat(10_000);
        let (_, memory) = DomainMemory::default().compare(
            &facts(&[("name_servers", &long), ("mail_exchangers", &long), ("registrar", &long)]),
            at(1),
        );
        assert!(memory.text().len() < 1024, "{}", memory.text().len());
    }
}
