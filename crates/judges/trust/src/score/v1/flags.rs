//! The flags of `trust-score/1`: risks that have nothing to do with hygiene, and keep a domain from `TRUSTED` alone.

use std::collections::BTreeSet;

use brand_names::LookAlike;
use serde::Serialize;
use serde_json::{Value, json};
use threat_feeds::FeedLookUp;
use verdict::Timestamp;

/// A domain registered fewer days ago than this is flagged.
pub const YOUNG_DAYS: i64 = 30;

const DAY_MILLIS: i64 = 86_400_000;

/// A risk that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagId {
    /// Registered a few days ago.
    YoungDomain,
    /// Resembles a well-known brand.
    LookAlike,
    /// Stands on a feed of bad domains.
    FeedHit,
}

impl FlagId {
    /// All flags.
    pub const ALL: [Self; 3] = [Self::YoungDomain, Self::LookAlike, Self::FeedHit];
}

/// A risk that was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Flag {
    /// Name of the flag.
    pub id: FlagId,
    /// Facts that raised it.
    pub evidence: Value,
}

/// The risks that were found, and those that nobody could look for.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Flags {
    /// Flags that were raised.
    pub raised: Vec<Flag>,
    /// Flags that were not looked for, or could not be decided.
    pub unchecked: BTreeSet<FlagId>,
    /// True for a name below a platform's, which anybody gets in a moment and no registry knows.
    #[serde(skip)]
    pub is_tenant: bool,
}

impl Default for Flags {
    /// Flags before any look: none is raised.
    fn default() -> Self {
        Self { raised: Vec::new(), unchecked: FlagId::ALL.into(), is_tenant: false }
    }
}

impl Flags {
    /// Flags a domain that was registered fewer than [`YOUNG_DAYS`] days before `now`. An unknown date and a date after
    /// `now` count as an unknown age.
    pub fn look_at_age(&mut self, registered: Option<Timestamp>, now: Timestamp) {
        let Some(registered) = registered else { return };
        let days = now.millis_since(registered).div_euclid(DAY_MILLIS);
        let is_young = days < YOUNG_DAYS;
        self.looked(
            FlagId::YoungDomain,
            is_young.then(|| json!({ "registered": registered, "age_days": days })),
        );
    }

    /// Flags a name that resembles a well-known name; `None` is a name that resembles none.
    pub fn look_at_name(&mut self, found: Option<&LookAlike>) {
        self.looked(FlagId::LookAlike, found.map(|found| json!(found)));
    }

    /// Flags a domain that a feed of bad domains lists. An empty slice means that no feed is configured.
    pub fn look_at_feeds(&mut self, feeds: &[FeedLookUp]) {
        if feeds.is_empty() {
            return;
        }
        let hits: Vec<&FeedLookUp> = feeds.iter().filter(|feed| feed.entry.is_some()).collect();
        self.looked(FlagId::FeedHit, (!hits.is_empty()).then(|| json!({ "feeds": hits })));
    }

    fn looked(&mut self, id: FlagId, evidence: Option<Value>) {
        self.unchecked.remove(&id);
        self.raised.extend(evidence.map(|evidence| Flag { id, evidence }));
    }
}

#[cfg(test)]
mod tests {
    use threat_feeds::FeedEntry;

    use super::*;

    #[test]
    fn a_domain_is_young_for_30_days() {
        let now: Timestamp = "2026-11-21T02:00:00.000Z".parse().unwrap();
        let is_young = |days: i64| {
            let mut flags = Flags::default();
            flags.look_at_age(Some(now.saturating_add_millis(-days * DAY_MILLIS)), now);
            assert!(!flags.unchecked.contains(&FlagId::YoungDomain));
            !flags.raised.is_empty()
        };
        assert_eq!([-1, 0, 29, 30, 9000].map(is_young), [true, true, true, false, false]);
    }

    #[test]
    fn what_nobody_looked_for_is_said() {
        let mut flags = Flags::default();
        flags.look_at_age(None, Timestamp::EPOCH);
        flags.look_at_name(None);
        flags.look_at_feeds(&[]);
        assert_eq!(flags.unchecked, [FlagId::YoungDomain, FlagId::FeedHit].into());
        assert!(flags.raised.is_empty());
    }

    #[test]
    fn a_domain_is_flagged_with_the_feeds_that_it_stands_on() {
        let feed = |name: &str, entry| FeedLookUp {
            name: name.to_owned(),
            sha256: "00".repeat(32),
            entries: 9,
            entry,
            ..FeedLookUp::default()
        };
        let clean = feed("clean.txt", None);
        let hit = feed("bad.txt", Some(FeedEntry::Name("evil.example".to_owned())));
        let raised = |feeds: &[FeedLookUp]| {
            let mut flags = Flags::default();
            flags.look_at_feeds(feeds);
            assert!(!flags.unchecked.contains(&FlagId::FeedHit));
            flags.raised
        };
        assert!(raised(std::slice::from_ref(&clean)).is_empty());
        let raised = raised(&[clean, hit]);
        assert_eq!(raised.len(), 1);
        let feeds = raised[0].evidence["feeds"].as_array().unwrap();
        assert_eq!(feeds.len(), 1);
        assert_eq!(
            (&feeds[0]["name"], &feeds[0]["entry"]["name"]),
            (&json!("bad.txt"), &json!("evil.example"))
        );
    }
}
