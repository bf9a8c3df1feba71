//! What was seen outside of the question: feeds, redirects, a registration. It is kept as evidence, so that a replay asks
//! nobody.

use std::time::SystemTime;

use probe::redirects::RedirectPath;
use probe::registry::RegistryObservation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use threat_feeds::{AgeBasis, FeedEntry, FeedLookUp, FeedStanding, Feeds};
use verdict::{EvidenceBlob, EvidenceMissing, Timestamp};
use web_address::WebAddress;

use crate::finding::{RuleHit, Severity};

/// The role of the blob that keeps the observations.
pub(crate) const ROLE: &str = "observations";

/// A feed that was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskedFeed {
    /// The name of the feed.
    pub name: String,
    /// The SHA-256 of its file.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Number of its entries.
    pub entries: u64,
    /// The date of the entries.
    #[schemars(with = "String")]
    pub as_of: Timestamp,
    /// The source of the date.
    pub basis: AgeBasis,
    /// Age of the entries in whole hours.
    pub age_hours: u64,
    /// True if the entries were older than the feed may be.
    pub stale: bool,
    /// The licence of the feed, where it is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The address that the feed comes from, without a key, where it is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// An address that stands on a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ListedAddress {
    /// The number of the address in the question, from 0.
    pub(crate) address: usize,
    /// The name of the feed.
    pub(crate) feed: String,
    /// The entry, with every secret replaced.
    pub(crate) entry: FeedEntry,
}

/// The observations of a scan, as plain data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Observations {
    /// Time of the observations.
    pub(crate) observed_at: Timestamp,
    /// The feeds that were asked, in the order of the configuration.
    pub(crate) feeds: Vec<AskedFeed>,
    /// The addresses that stand on one.
    pub(crate) listed: Vec<ListedAddress>,
    /// The way on from an address, with every secret replaced; `None` where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<RedirectPath>,
    /// The registration of an address's domain; `None` where nobody asked for it, or where there is no such domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registration: Option<RegistryObservation>,
}

impl Observations {
    /// No observations at all.
    pub(crate) fn nothing(at: Timestamp) -> Self {
        Self { observed_at: at, feeds: Vec::new(), listed: Vec::new(), path: None, registration: None }
    }

    /// Looks addresses up in the feeds.
    pub(crate) fn of_feeds<'a>(
        feeds: &Feeds,
        addresses: impl Iterator<Item = &'a WebAddress>,
        at: Timestamp,
    ) -> Self {
        let asked = feeds.standing(system_time(at)).iter().map(|feed| AskedFeed::of(feed, at)).collect();
        let mut seen = Self { feeds: asked, ..Self::nothing(at) };
        if !feeds.is_empty() {
            for (number, address) in addresses.enumerate() {
                seen.list(feeds, number, address);
            }
        }
        seen
    }

    /// Looks one address up in the feeds.
    pub(crate) fn list(&mut self, feeds: &Feeds, number: usize, address: &WebAddress) {
        let found = feeds.look_address(address, system_time(self.observed_at));
        self.listed.extend(found.into_iter().filter_map(|FeedLookUp { name, entry, .. }| {
            let entry = match entry? {
                FeedEntry::Name(name) => FeedEntry::Name(crate::redacted(&name)),
                FeedEntry::PageOf(host) => FeedEntry::PageOf(crate::redacted(&host)),
                FeedEntry::Page(page) => FeedEntry::Page(crate::redacted(&page)),
            };
            Some(ListedAddress { address: number, feed: name, entry })
        }));
    }

    /// The entries that an address stands under.
    pub(crate) fn entries_of(&self, number: usize) -> impl Iterator<Item = &ListedAddress> {
        self.listed.iter().filter(move |listed| listed.address == number)
    }

    /// The names of the feeds that were older than they may be.
    pub(crate) fn stale_feeds(&self) -> impl Iterator<Item = &str> {
        self.feeds.iter().filter(|feed| feed.stale).map(|feed| &*feed.name)
    }

    /// The blob that a replay reads.
    pub(crate) fn blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(ROLE, serde_json::to_vec(self).expect("observations are plain data"))
    }

    /// Reads the blob.
    pub(crate) fn of_blobs(blobs: &[EvidenceBlob]) -> Result<(Self, [u8; 32]), EvidenceMissing> {
        let missing = || EvidenceMissing(ROLE.into());
        let blob = blobs.iter().find(|blob| blob.role() == ROLE).ok_or_else(missing)?;
        let seen = serde_json::from_slice(blob.bytes().ok_or_else(missing)?).map_err(|_| missing())?;
        Ok((seen, blob.sha256()))
    }
}

impl ListedAddress {
    /// The hit of the entry.
    pub(crate) fn hit(&self) -> RuleHit {
        let (FeedEntry::Name(entry) | FeedEntry::PageOf(entry) | FeedEntry::Page(entry)) = &self.entry;
        RuleHit::new(
            "feed-listed",
            Severity::Block,
            format!("It stands on the feed `{}` of known bad addresses, as `{entry}`.", self.feed),
            "Do not open it; where you believe that it is listed by mistake, ask who keeps the feed.",
        )
    }
}

impl AskedFeed {
    fn of(feed: &FeedStanding, at: Timestamp) -> Self {
        let age = system_time(at).duration_since(feed.as_of).unwrap_or_default();
        Self {
            name: feed.name.clone(),
            sha256: feed.sha256.clone(),
            entries: feed.entries,
            as_of: Timestamp::try_from(feed.as_of).unwrap_or(at),
            basis: feed.basis,
            age_hours: age.as_secs() / 3600,
            stale: feed.stale,
            licence: feed.licence.clone(),
            source: feed.source.clone(),
        }
    }
}

/// A time as the feeds have it.
pub(crate) fn system_time(at: Timestamp) -> SystemTime {
    at.into()
}
