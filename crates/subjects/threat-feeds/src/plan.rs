//! Settings of the feeds that are fetched.

use std::fmt;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize, Serializer};
use url::Url;

use crate::presets::FeedPreset;
use crate::read::FeedFormat;
use crate::settings::DEFAULT_STALE_AFTER_HOURS;

/// The shortest interval of downloads from an address of the operator's.
const LEAST_EVERY: Duration = Duration::from_secs(1);
/// The shortest interval of downloads of a preset: some publishers make a new version every five minutes, and ask for no more.
const LEAST_PRESET_EVERY: Duration = Duration::from_secs(5 * 60);
/// The longest interval of downloads.
const MOST_EVERY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The most bytes of a name or a licence.
const MAX_TEXT_BYTES: usize = 128;

/// A feed to fetch, in the configuration: the name of a [preset](FeedPreset), or a table.
#[derive(Deserialize, Serialize, Clone, Debug, PartialEq, Eq)]
#[serde(untagged)]
pub enum FetchSettings {
    /// The name of a preset.
    Preset(String),
    /// A preset or an address, with more settings.
    Table(FetchTable),
}

/// The settings of a feed to fetch, as a table: `preset`, or `url`, `name` and `licence`.
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct FetchTable {
    /// The name of a preset.
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    /// The address of the file, where it is no preset. It may hold a key, and is never shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Secret>,
    /// The key for a preset that is given only to holders of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Secret>,
    /// The name of the feed in receipts: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`; that of the preset if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The licence of the feed, for receipts; that of the preset if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    licence: Option<String>,
    /// The format that the file must have; if absent, its content tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<FeedFormat>,
    /// The interval of downloads, such as `6h`; six hours if absent, or the preset's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<String>,
    /// The age in hours beyond which the feed is stale; [`DEFAULT_STALE_AFTER_HOURS`] if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_after_hours: Option<u32>,
    /// The operator's word that the terms of the preset are accepted, where it has terms.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accept_terms: bool,
}

/// A text that may hold a key. It is shown nowhere.
#[derive(Deserialize, Clone, PartialEq, Eq)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(not shown)")
    }
}

/// A feed to fetch, with all that its settings and its preset say.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FetchPlan {
    /// The name of the feed in receipts and in the names of its files.
    pub(crate) name: String,
    /// The whole address, with a key where it needs one.
    pub(crate) address: String,
    /// The address for receipts: without a key, and only the origin of an address of the operator's.
    pub(crate) source: String,
    pub(crate) licence: String,
    pub(crate) format: Option<FeedFormat>,
    pub(crate) every: Duration,
    pub(crate) stale_after: Duration,
}

/// The reason why the settings of a feed to fetch are wrong. No message has an address, since that may hold a key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlanError {
    #[error("there is no preset {0:?}; there are {names}", names = preset_names())]
    NoPreset(String),
    #[error("{0}: {1} ({2}). If you may use it so, write {{ preset = \"{0}\", accept_terms = true }}")]
    Terms(&'static str, &'static str, &'static str),
    #[error(
        "{0} is given to holders of a key only: write {{ preset = \"{0}\", key = \"...\", accept_terms = true }}"
    )]
    NoKey(&'static str),
    #[error("{0} takes no key")]
    Key(String),
    #[error("a table needs either `preset`, or `url` with `name` and `licence`")]
    PresetOrUrl,
    #[error("the name {0:?} is not 1 to 64 of a-z, 0-9, `.`, `_` and `-`, the first one a letter or a digit")]
    Name(String),
    #[error("the licence of {0} must have 1 to {MAX_TEXT_BYTES} characters")]
    Licence(String),
    #[error("the url of {0} is no http or https address")]
    Url(String),
    #[error("`every` of {0} must be a time of {1} to 7d, such as 6h")]
    Every(String, &'static str),
}

fn preset_names() -> String {
    FeedPreset::ALL.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}

impl FetchSettings {
    /// Resolves the preset, and checks everything that can be checked without a download.
    pub(crate) fn plan(&self) -> Result<FetchPlan, PlanError> {
        match self {
            Self::Preset(name) => FetchTable { preset: Some(name.clone()), ..FetchTable::default() }.plan(),
            Self::Table(table) => table.plan(),
        }
    }
}

impl FetchTable {
    fn plan(&self) -> Result<FetchPlan, PlanError> {
        let (preset, name, licence) = match (&self.preset, &self.url, &self.name, &self.licence) {
            (Some(preset), None, name, licence) => {
                let preset = FeedPreset::named(preset).ok_or_else(|| PlanError::NoPreset(preset.clone()))?;
                let name = name.as_deref().unwrap_or(preset.name);
                (Some(preset), name, licence.as_deref().unwrap_or(preset.licence))
            }
            (None, Some(_), Some(name), Some(licence)) => (None, name.as_str(), licence.as_str()),
            _ => return Err(PlanError::PresetOrUrl),
        };
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        let begins_well =
            name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
        if !begins_well || name.len() > 64 || !name.bytes().all(is_name) {
            return Err(PlanError::Name(name.to_owned()));
        }
        if licence.is_empty() || licence.len() > MAX_TEXT_BYTES || licence.chars().any(char::is_control) {
            return Err(PlanError::Licence(name.to_owned()));
        }
        let (address, source) = self.addresses(preset, name)?;
        let hours = u64::from(self.stale_after_hours.unwrap_or(DEFAULT_STALE_AFTER_HOURS));
        Ok(FetchPlan {
            every: self.interval(preset, name)?,
            stale_after: Duration::from_secs(hours * 3600),
            format: self.format,
            name: name.to_owned(),
            licence: licence.to_owned(),
            address,
            source,
        })
    }

    /// The whole address, and that for receipts.
    fn addresses(
        &self,
        preset: Option<&'static FeedPreset>,
        name: &str,
    ) -> Result<(String, String), PlanError> {
        let Some(preset) = preset else {
            let url = self.url.as_ref().and_then(|Secret(url)| Url::parse(url).ok());
            let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
            let url = url.ok_or_else(|| PlanError::Url(name.to_owned()))?;
            if self.key.is_some() {
                return Err(PlanError::Key(name.to_owned()));
            }
            let origin = url.origin().ascii_serialization();
            return Ok((url.into(), origin));
        };
        let mut url = Url::parse(preset.address).expect("the address of a preset is one");
        match (preset.key, &self.key) {
            (Some(parameter), Some(Secret(key))) => drop(url.query_pairs_mut().append_pair(parameter, key)),
            (Some(_), None) => return Err(PlanError::NoKey(preset.name)),
            (None, Some(_)) => return Err(PlanError::Key(preset.name.to_owned())),
            (None, None) => {}
        }
        match preset.terms {
            Some(terms) if !self.accept_terms => Err(PlanError::Terms(preset.name, preset.licence, terms)),
            _ => Ok((url.into(), preset.address.to_owned())),
        }
    }

    fn interval(&self, preset: Option<&FeedPreset>, name: &str) -> Result<Duration, PlanError> {
        let default = preset.map_or(Duration::from_secs(6 * 3600), FeedPreset::every);
        let Some(text) = &self.every else { return Ok(default) };
        let (least, word) = match preset {
            Some(_) => (LEAST_PRESET_EVERY, "5m"),
            None => (LEAST_EVERY, "1s"),
        };
        let every = text.parse::<SignedDuration>().ok().and_then(|every| Duration::try_from(every).ok());
        every
            .filter(|every| (least..=MOST_EVERY).contains(every))
            .ok_or_else(|| PlanError::Every(name.to_owned(), word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Serialize, Debug)]
    struct Settings {
        fetch: Vec<FetchSettings>,
    }

    fn plan(toml: &str) -> Result<FetchPlan, PlanError> {
        let settings: Settings = toml::from_str(&format!("fetch = [{toml}]")).unwrap();
        settings.fetch[0].plan()
    }

    #[test]
    fn a_preset_whose_licence_allows_any_use_needs_its_name_alone() {
        for preset in FeedPreset::ALL {
            let bare = plan(&format!("{:?}", preset.name));
            assert_eq!(bare.is_ok(), preset.terms.is_none(), "{}", preset.name);
            let key = if preset.key.is_some() { ", key = \"k\"" } else { "" };
            let accepted = plan(&format!("{{ preset = {:?}, accept_terms = true{key} }}", preset.name));
            let accepted = accepted.ok().unwrap();
            assert_eq!((&*accepted.name, &*accepted.licence), (preset.name, preset.licence));
            assert_eq!((&*accepted.source, accepted.every), (preset.address, preset.every()));
        }
    }

    #[test]
    fn terms_that_are_not_accepted_are_told() {
        let error = plan(r#""phishing-army""#).err().unwrap().to_string();
        assert!(error.contains("CC-BY-NC-4.0") && error.contains("accept_terms = true"), "{error}");
        let error = plan(r#"{ preset = "urlhaus", accept_terms = true }"#).err().unwrap();
        assert_eq!(error, PlanError::NoKey("urlhaus"));
    }

    #[test]
    fn an_address_of_the_operators_needs_a_name_and_a_licence_and_is_shown_as_its_origin() {
        let own = r#"{ url = "https://feeds.example.com/s3cret/a.txt?key=s3cret", name = "own", licence = "bought", every = "1h" }"#;
        let read = plan(own).ok().unwrap();
        assert_eq!((&*read.source, read.every), ("https://feeds.example.com", Duration::from_secs(3600)));
        assert!(read.address.ends_with("/s3cret/a.txt?key=s3cret"));
        let settings: Settings = toml::from_str(&format!("fetch = [{own}]")).unwrap();
        let shown = format!("{settings:?}{}", toml::to_string(&settings).unwrap());
        assert!(!shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn settings_that_cannot_be_meant_are_refused() {
        for (toml, error) in [
            (r#""nobody""#, PlanError::NoPreset("nobody".to_owned())),
            (r#"{ name = "x" }"#, PlanError::PresetOrUrl),
            (r#"{ preset = "polkadot", url = "https://a.example/" }"#, PlanError::PresetOrUrl),
            (r#"{ url = "https://a.example/", name = "x" }"#, PlanError::PresetOrUrl),
            (r#"{ preset = "polkadot", name = "../x" }"#, PlanError::Name("../x".to_owned())),
            (r#"{ preset = "polkadot", key = "k" }"#, PlanError::Key("polkadot".to_owned())),
            (r#"{ preset = "polkadot", every = "1s" }"#, PlanError::Every("polkadot".to_owned(), "5m")),
            (r#"{ preset = "polkadot", licence = "" }"#, PlanError::Licence("polkadot".to_owned())),
            (r#"{ url = "ftp://a.example/", name = "x", licence = "MIT" }"#, PlanError::Url("x".to_owned())),
        ] {
            assert_eq!(plan(toml).err(), Some(error), "{toml}");
        }
    }
}
