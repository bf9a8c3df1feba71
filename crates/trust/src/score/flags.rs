//! Risks that have nothing to do with hygiene: a thief's domain can be configured perfectly.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use verdict::Timestamp;

use super::look_alike;
use crate::domain::DomainName;

/// A domain registered fewer days ago than this is flagged.
pub const YOUNG_DAYS: i64 = 30;

const DAY_MILLIS: i64 = 86_400_000;

/// A risk that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustFlagId")]
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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::YoungDomain, Self::LookAlike, Self::FeedHit];
}

/// A risk that was found.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustFlag")]
pub struct Flag {
    /// Which.
    pub id: FlagId,
    /// What was seen.
    pub evidence: Value,
}

/// The risks that were found, and those that nobody could look for.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustFlags")]
pub struct Flags {
    /// Found.
    pub raised: Vec<Flag>,
    /// Not looked for, or not to be told.
    pub unchecked: BTreeSet<FlagId>,
}

impl Default for Flags {
    /// None found, since none was looked for.
    fn default() -> Self {
        Self { raised: Vec::new(), unchecked: FlagId::ALL.into() }
    }
}

impl Flags {
    /// Looks at the age, where it is known when the domain was registered. A date still to come is no age.
    pub fn look_at_age(&mut self, registered: Option<Timestamp>, now: Timestamp) {
        let Some(registered) = registered else { return };
        let days = now.millis_since(registered).div_euclid(DAY_MILLIS);
        let is_young = days < YOUNG_DAYS;
        self.looked(
            FlagId::YoungDomain,
            is_young.then(|| json!({ "registered": registered, "age_days": days })),
        );
    }

    /// Looks at the name.
    pub fn look_at_name(&mut self, registrable: &DomainName) {
        self.looked(FlagId::LookAlike, look_alike(registrable).map(|found| json!(found)));
    }

    /// Notes what a feed says: the entry that names the domain, or that none does.
    pub fn look_at_feed(&mut self, entry: Option<Value>) {
        self.looked(FlagId::FeedHit, entry);
    }

    fn looked(&mut self, id: FlagId, evidence: Option<Value>) {
        self.unchecked.remove(&id);
        self.raised.extend(evidence.map(|evidence| Flag { id, evidence }));
    }
}

#[cfg(test)]
mod tests {
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
        flags.look_at_name(&DomainName::parse("example.com").unwrap());
        flags.look_at_feed(Some(json!({ "feed": "x" })));
        assert_eq!(flags.unchecked, [FlagId::YoungDomain].into());
        assert_eq!(flags.raised.iter().map(|flag| flag.id).collect::<Vec<_>>(), [FlagId::FeedHit]);
    }
}
