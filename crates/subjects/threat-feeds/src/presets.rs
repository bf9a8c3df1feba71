//! Well-known free feeds: where they are, how often they change, and on which terms they may be used.
//!
//! The licences and terms are those that the publishers state, as read in November 2026. A publisher may change them.

use std::time::Duration;

/// A well-known feed that can be fetched by its name alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeedPreset {
    /// The name of the feed in the configuration and in receipts.
    pub name: &'static str,
    /// The address of the file.
    pub address: &'static str,
    /// The licence, as an SPDX identifier where there is one, or the terms in a few words.
    pub licence: &'static str,
    /// The terms that the operator must accept with `accept_terms`; `None` where the licence allows any use, also in a paid service.
    pub terms: Option<&'static str>,
    /// The parameter of the address's query that has the key, for a feed that is given only to holders of one.
    pub key: Option<&'static str>,
    /// The interval of downloads in hours.
    pub every_hours: u32,
}

impl FeedPreset {
    /// All presets, sorted by name.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "blocklist-project",
            address: "https://blocklistproject.github.io/Lists/phishing.txt",
            licence: "Unlicense",
            terms: None,
            key: None,
            every_hours: 24,
        },
        Self {
            name: "cert-polska",
            address: "https://hole.cert.pl/domains/v2/domains.txt",
            licence: "free to use for everyone",
            terms: None,
            key: None,
            every_hours: 1,
        },
        Self {
            name: "metamask",
            address: "https://raw.githubusercontent.com/MetaMask/eth-phishing-detect/main/src/config.json",
            licence: "DBAD-1.1",
            terms: Some(
                "the unmodified list must not be sold, and profits from it should be shared with its authors",
            ),
            key: None,
            every_hours: 6,
        },
        Self {
            name: "openphish",
            address: "https://openphish.com/feed.txt",
            licence: "OpenPhish Terms of Use",
            terms: Some(
                "non-commercial and internal business use only; any other use needs a written permission",
            ),
            key: None,
            every_hours: 12,
        },
        Self {
            name: "phishing-army",
            address: "https://phishing.army/download/phishing_army_blocklist.txt",
            licence: "CC-BY-NC-4.0",
            terms: Some("non-commercial use only, with attribution"),
            key: None,
            every_hours: 6,
        },
        Self {
            name: "phishing-database",
            address: "https://raw.githubusercontent.com/Phishing-Database/Phishing.Database/master/phishing-domains-ACTIVE.txt",
            licence: "MIT",
            terms: None,
            key: None,
            every_hours: 6,
        },
        Self {
            name: "phishunt",
            address: "https://phishunt.io/blocklist/hosts.txt",
            licence: "CC0-1.0",
            terms: None,
            key: None,
            every_hours: 6,
        },
        Self {
            name: "polkadot",
            address: "https://polkadot.js.org/phishing/all.json",
            licence: "Apache-2.0",
            terms: None,
            key: None,
            every_hours: 6,
        },
        Self {
            name: "scamsniffer",
            address: "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/domains.json",
            licence: "none stated",
            terms: Some(
                "the repository states no licence; the list is a week old, and the current one is sold",
            ),
            key: None,
            every_hours: 24,
        },
        Self {
            name: "threatfox",
            address: "https://threatfox.abuse.ch/downloads/hostfile/",
            licence: "CC0-1.0, under abuse.ch's fair use",
            terms: Some("commercial use of the download may need a paid subscription"),
            key: None,
            every_hours: 6,
        },
        Self {
            name: "urlhaus",
            address: "https://urlhaus-api.abuse.ch/files/exports/recent.csv",
            licence: "CC0-1.0, under abuse.ch's fair use",
            terms: Some("needs a free Auth-Key; commercial use of the download may need a paid subscription"),
            key: Some("auth-key"),
            every_hours: 1,
        },
    ];

    /// Returns the preset with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|preset| preset.name == name)
    }

    /// Returns the interval of downloads.
    #[must_use]
    pub fn every(&self) -> Duration {
        Duration::from_secs(u64::from(self.every_hours) * 3600)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_sorted_and_the_manual_states_address_and_terms_of_each() {
        assert!(FeedPreset::ALL.is_sorted_by(|one, other| one.name < other.name));
        let manual = include_str!("../../../../docs/operations.md");
        for preset in FeedPreset::ALL {
            assert!(preset.address.starts_with("https://"), "{}", preset.name);
            let row = manual.lines().find(|line| line.starts_with(&format!("| `{}` |", preset.name)));
            let row = row.unwrap_or_else(|| panic!("{} is not in docs/operations.md", preset.name));
            for part in [preset.address, preset.licence, preset.terms.unwrap_or("any use")] {
                assert!(row.contains(part), "{}: {part}", preset.name);
            }
        }
    }
}
