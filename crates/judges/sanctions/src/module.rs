//! The module `sanctions`: its settings, its judges, its public views, and the loops that keep its lists up to date.

mod chains;
mod sources;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use module::{Host, Mode, Module, ModuleError, WatchedSnapshots};
use serde::Deserialize;
use trust::trust_score::TrustJudge;
use url::Url;
use watchlist::Store;
use watchlist::refresh::{self, PublishedList, Round, SANCTIONS_LIST_SERVICE};

pub use chains::ChainSettings;
pub use sources::{Refresh, word};

use crate::agent_clearance::{AgentClearanceJudge, Chains};
use crate::live::{FOLDER, Lists, LiveList};
use crate::registers::{AllSnapshots, OneSnapshot, SnapshotDiff};
use crate::screen_batch::ScreenBatchJudge;
use crate::screen_entity::ScreenEntityJudge;
use crate::screen_wallet::ScreenWalletJudge;

const SCREEN_ENTITY_EXAMPLE: &str =
    r#"{"agent":"my-agent","entity":"Viktor Anatolyevich Bout","type":"person","birth_date":"1967-01-13"}"#;
const SCREEN_BATCH_EXAMPLE: &str =
    r#"{"agent":"my-agent","entities":["Viktor Bout",{"entity":"Evil Corp","type":"entity"}]}"#;
const SCREEN_WALLET_EXAMPLE: &str =
    r#"{"agent":"my-agent","wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}"#;
const AGENT_CLEARANCE_EXAMPLE: &str = r#"{"agent":"my-agent","counterparty_name":"Example Trading House","wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}"#;

/// Settings of the section of the configuration.
#[derive(Clone)]
pub struct Settings {
    /// The https folder from which the publisher's exports are fetched. It may contain a secret key.
    pub source: String,
    /// The interval of downloads, or off; `None` if the mode decides.
    pub refresh: Option<Refresh>,
    /// The publications that are fetched besides OFAC's, each with its folder; `None` for the publisher's own.
    pub published: BTreeMap<PublishedList, ListSettings>,
    /// The nodes that are asked about wallets, by the name of the chain.
    pub chains: BTreeMap<String, ChainSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            source: SANCTIONS_LIST_SERVICE.to_owned(),
            refresh: None,
            published: BTreeMap::new(),
            chains: BTreeMap::new(),
        }
    }
}

/// Settings of a publication that is fetched besides OFAC's.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListSettings {
    /// The folder of the publication's files; `None` for the publisher's own. It may contain a secret key.
    pub source: Option<String>,
}

/// The source is not printed.
impl fmt::Debug for ListSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListSettings").field("has_source", &self.source.is_some()).finish()
    }
}

/// The source is printed as its host alone.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = Url::parse(&self.source).ok();
        let source = source.as_ref().and_then(Url::host_str).unwrap_or("(no address)");
        f.debug_struct("Settings")
            .field("source", &source)
            .field("refresh", &self.refresh)
            .field("published", &self.published.keys().collect::<Vec<_>>())
            .field("chains", &self.chains)
            .finish()
    }
}

impl Settings {
    /// Returns the interval of downloads in a mode; `None` if nothing is downloaded.
    #[must_use]
    pub fn every(&self, mode: Mode) -> Option<Duration> {
        match (self.refresh, mode) {
            (_, Mode::Batch | Mode::Replay) => None,
            (Some(Refresh::Every(every)), _) => Some(every),
            (None, Mode::Serve) => Some(sources::REFRESH_EVERY),
            (Some(Refresh::Off), _) | (None, Mode::Dev) => None,
        }
    }

    /// Returns the interval at which a publication is downloaded, where OFAC's are at `every`. The others change less
    /// often, and some send the whole file each time.
    fn every_of(&self, published: PublishedList, every: Duration) -> Duration {
        let is_ofac = matches!(published, PublishedList::Sdn | PublishedList::Consolidated);
        if is_ofac || self.refresh.is_some() { every } else { every.max(sources::REFRESH_OTHERS_EVERY) }
    }

    /// The publications that are fetched.
    fn fetched(&self) -> impl Iterator<Item = PublishedList> + '_ {
        [PublishedList::Sdn, PublishedList::Consolidated].into_iter().chain(self.published.keys().copied())
    }
}

/// Returns the folder of the lists' snapshots in the service's data folder.
#[must_use]
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join(FOLDER)
}

/// Builds the module. A clearance asks `domains` about the counterparty's domain; without it, none is answered that names one.
///
/// # Errors
/// [`ModuleError`] names the setting that is wrong.
pub fn module(
    settings: &Settings,
    host: &Host,
    domains: Option<Arc<TrustJudge>>,
) -> Result<Module, ModuleError> {
    let (lists, chains) = match host.mode {
        Mode::Replay => (Lists::none(), Chains::none()),
        Mode::Serve | Mode::Dev | Mode::Batch => {
            (lists(host), chains::chains(&settings.chains, &host.policy.nat64)?)
        }
    };
    let every = settings.every(host.mode);
    let module = Module::new("sanctions")
        .watched_route(
            "screen-entity",
            Arc::new(ScreenEntityJudge::new(lists.clone())),
            SCREEN_ENTITY_EXAMPLE,
            "entity",
            snapshots(&lists, |lists| lists.names()),
        )
        .watched_route(
            "screen-wallet",
            Arc::new(ScreenWalletJudge::new(lists.clone())),
            SCREEN_WALLET_EXAMPLE,
            "wallet",
            snapshots(&lists, |lists| lists.wallets()),
        )
        .route("screen-batch", Arc::new(ScreenBatchJudge::new(lists.clone())), SCREEN_BATCH_EXAMPLE)
        .route(
            "agent-clearance",
            Arc::new(AgentClearanceJudge::new(lists.clone(), chains).with_domains(domains)),
            AGENT_CLEARANCE_EXAMPLE,
        )
        .view("/snapshots", Arc::new(AllSnapshots::of(lists.clone())))
        .view("/snapshots/{id}", Arc::new(OneSnapshot::of(lists.clone())))
        .view("/snapshots/diff", Arc::new(SnapshotDiff::of(lists.clone())))
        .with_bounds(crate::bounds());
    if host.mode == Mode::Replay {
        return Ok(module);
    }
    let (shown, read, folder) = (lists.clone(), lists.clone(), folder(&host.data_dir));
    let mut module = module
        .with_standing(move |at| sources::standing(&shown, every.is_some(), at))
        .prepared_by(move || sources::prepare(&read, &folder))
        .background("lists", {
            let lists = lists.clone();
            move || sources::follow(lists.clone())
        });
    if let Some(every) = every {
        for round in rounds(settings, host, settings.fetched())?.into_iter().map(Arc::new) {
            let (lists, every) = (lists.clone(), settings.every_of(round.published(), every));
            let sharing = host.sharing.clone();
            module = module.background("refresh", move || {
                sources::refresh(Arc::clone(&round), lists.clone(), every, sharing.clone())
            });
        }
    }
    Ok(module)
}

/// The lists of the data folder, not read yet: in development the demo list until there is one.
fn lists(host: &Host) -> Lists {
    let store = Store::at(folder(&host.data_dir));
    let lists = match host.mode {
        Mode::Dev => Lists::or_demo(store),
        Mode::Batch => Lists::of(store).at_any_age(),
        Mode::Serve | Mode::Replay => Lists::of(store),
    };
    if host.sharing.is_shared() { lists.in_common() } else { lists }
}

/// A function that gives the snapshots that a judge looks at now.
fn snapshots(
    lists: &Lists,
    of: impl Fn(&crate::live::LiveLists) -> &[LiveList] + Send + Sync + 'static,
) -> impl Fn() -> WatchedSnapshots + Send + Sync + 'static {
    let lists = lists.clone();
    move || {
        let (now, file) = lists.now_with_version();
        WatchedSnapshots { ids: of(&now).iter().map(|list| list.indexed.id().to_string()).collect(), file }
    }
}

/// Builds the downloads of all publications that the settings name. It opens no connection.
///
/// # Errors
/// [`ModuleError`] if a source is not a valid URL for downloads.
pub fn configured_rounds(settings: &Settings, host: &Host) -> Result<Vec<Round>, ModuleError> {
    rounds(settings, host, settings.fetched())
}

/// Builds the downloads of these publications. It opens no connection.
///
/// # Errors
/// [`ModuleError`] if a source is not a valid URL for downloads.
pub fn rounds(
    settings: &Settings,
    host: &Host,
    publications: impl IntoIterator<Item = PublishedList>,
) -> Result<Vec<Round>, ModuleError> {
    let changes = refresh::changes_folder(&settings.source);
    let changes = changes.map(|folder| host.source("lists_source", &folder, refresh::changes_limits()));
    let changes = changes.transpose()?;
    let round = |published: PublishedList| {
        let own = settings.published.get(&published).and_then(|list| list.source.as_deref());
        let (url, changes) = match published {
            PublishedList::Sdn | PublishedList::Consolidated => (settings.source.as_str(), changes.clone()),
            other => (own.unwrap_or(other.source()), None),
        };
        let source = host.source(published.setting(), url, refresh::limits())?;
        Ok(Round::new(folder(&host.data_dir), source, changes, published))
    };
    publications.into_iter().map(round).collect()
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;
    use verdict::{AnyJudge, Timestamp};

    use super::*;

    /// Else every watch would be screened again for ever.
    #[tokio::test]
    async fn what_a_judge_looks_at_is_the_current_edition() {
        let lists = Lists::demo();
        let now = |lists: &Lists, of: fn(&crate::live::LiveLists) -> &[LiveList]| snapshots(lists, of)().ids;
        let judges: [(&str, Box<dyn AnyJudge>, Vec<String>); 2] = [
            (
                r#"{"entity":"Viktor Bout"}"#,
                Box::new(Arc::new(ScreenEntityJudge::new(lists.clone()))),
                now(&lists, |lists| lists.names()),
            ),
            (
                r#"{"wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}"#,
                Box::new(Arc::new(ScreenWalletJudge::new(lists.clone()))),
                now(&lists, |lists| lists.wallets()),
            ),
        ];
        for (question, judge, current) in judges {
            let request = parse(question.as_bytes()).unwrap();
            let case = judge.open(request.as_object().unwrap()).unwrap();
            let ruling = case.judge(Timestamp::EPOCH.into()).await.unwrap();
            let named = ruling.finding.get("evidence").unwrap().get("snapshots").unwrap();
            let ids: Vec<&str> = named.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
            assert_eq!(ids, current);
            assert!(!current.is_empty());
        }
    }

    #[test]
    fn what_is_printed_of_a_source_is_its_host() {
        let settings = |source: &str| Settings { source: source.to_owned(), ..Settings::default() };
        let printed = format!("{:?}", settings("https://user:word@lists.example/key/?signature=s3cret"));
        assert_eq!(
            printed,
            "Settings { source: \"lists.example\", refresh: None, published: [], chains: {} }"
        );
        assert!(!format!("{:?}", settings("s3cret, no address")).contains("s3cret"));
    }

    #[test]
    fn only_production_asks_by_itself() {
        let settings = |refresh| Settings { refresh, ..Settings::default() };
        let hour = Duration::from_secs(3600);
        assert_eq!(settings(None).every(Mode::Serve), Some(sources::REFRESH_EVERY));
        assert_eq!(settings(None).every(Mode::Dev), None);
        assert_eq!(settings(Some(Refresh::Every(hour))).every(Mode::Dev), Some(hour));
        assert_eq!(settings(Some(Refresh::Off)).every(Mode::Serve), None);
        assert_eq!(settings(Some(Refresh::Every(hour))).every(Mode::Batch), None);
    }
}
