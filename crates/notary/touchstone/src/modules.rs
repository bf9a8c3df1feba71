//! The modules of the service, and the host that they run on.
//!
//! This list is all that the program knows of its modules: a new one is a line here, its dependency in `Cargo.toml`, and
//! its section in [`Settings`] where it has one.

use std::sync::Arc;

use anyhow::Context as _;
use dispute::DisputeJudge;
use fetch::{Policy, Roots};
use module::{Host, Mode, Module, ModuleError, RouteTable, Sharing};
use probe::redirects::{self, RedirectProbe};
use server::Profile;
use threat_feeds::Feeds;
use trust::trust_score::TrustJudge;
use watch::WatchJudge;

use crate::connections;
use crate::settings::Settings;

/// Makes every module.
pub fn all(settings: &Settings, host: &Host) -> Result<Vec<Module>, ModuleError> {
    // A replay reads no file and asks nobody.
    let folder = settings.feeds_dir();
    let (feeds, sources) = match host.mode {
        Mode::Replay => (Feeds::default(), None),
        Mode::Serve | Mode::Dev | Mode::Batch => {
            let feeds =
                settings.feeds.open(&folder).map_err(|(setting, why)| ModuleError::new(setting, why))?;
            (feeds, Some(trust::sources(&settings.trust, host)?))
        }
    };
    let downloads = match host.mode {
        Mode::Batch | Mode::Replay => Vec::new(),
        Mode::Serve | Mode::Dev => {
            let source = |setting, url: &str, limits| host.source(setting, url, limits);
            settings.feeds.downloads(&feeds, &folder, source)?
        }
    };
    let judge = Arc::new(match &sources {
        Some(sources) => trust::judge(&settings.trust, host, feeds.clone(), sources)?,
        None => TrustJudge::without_probes(),
    });
    Ok(vec![
        claim::module(host)?,
        sanctions::module(&settings.sanctions, host, Some(Arc::clone(&judge)))?,
        grading::module(),
        trust::module(&settings.trust, host, judge, sources.as_ref())?,
        safety::module(feeds, downloads, &host.sharing, sources.map(|sources| url_sources(host, &sources))),
        market::module(&settings.market, host)?,
    ])
}

/// Whom /scan-url asks: the hosts and registries that /trust-score asks, with places of its own.
fn url_sources(host: &Host, sources: &trust::Sources) -> safety::UrlSources {
    let limits = redirects::limits(safety::FOLLOWED_AT_ONCE);
    let fetcher = host.fetcher_at(sources.policy.clone(), limits, sources.name_servers.clone());
    safety::UrlSources { redirects: RedirectProbe::new(fetcher), registry: sources.registry.clone() }
}

/// The routes of the price table with the judges of the modules, and with judges of disputes and watches that have no
/// ledger: enough for documents, commands and replays.
pub fn route_table(settings: &Settings, modules: &[Module]) -> anyhow::Result<RouteTable> {
    let table = modules.iter().fold(RouteTable::new(settings.table()?), RouteTable::with);
    let table = table.publish("settlement", settings.settlement.bounds()).register(
        dispute::CLASS,
        Arc::new(DisputeJudge::without_archive()),
        dispute::EXAMPLE,
    );
    let watching = WatchJudge::without_service(&table);
    Ok(table.register(watch::CLASS, watching, watch::EXAMPLE))
}

/// The host that a mode's modules run on. For a replay it is made without a file or a socket.
pub fn host(settings: &Settings, mode: Mode) -> anyhow::Result<Host> {
    let data_dir = settings.data_dir.clone();
    let profile = match mode {
        Mode::Replay => {
            return Ok(Host {
                mode,
                data_dir,
                policy: Policy::production(),
                roots: Roots::webpki(),
                files: 0,
                sharing: Sharing::alone(),
            });
        }
        Mode::Dev => Profile::Dev,
        Mode::Serve | Mode::Batch => Profile::Serve,
    };
    let files = connections::left(settings.max_connections);
    let (policy, roots, sharing) = (policy(settings, profile), roots(settings)?, Sharing::alone());
    Ok(Host { mode, data_dir, policy, roots, files, sharing })
}

/// The mode of a service under a profile.
pub fn mode(profile: Profile) -> Mode {
    match profile {
        Profile::Dev => Mode::Dev,
        Profile::Serve => Mode::Serve,
    }
}

/// The addresses that a profile may connect to.
fn policy(settings: &Settings, profile: Profile) -> Policy {
    let mut policy = match profile {
        Profile::Dev => Policy::dev(),
        Profile::Serve => Policy::production(),
    };
    policy.own_addresses.extend(&settings.own_addresses);
    policy.nat64.extend(&settings.nat64_prefixes);
    policy
}

/// The certificate authorities that hold.
fn roots(settings: &Settings) -> anyhow::Result<Roots> {
    let Some(path) = &settings.extra_roots else { return Ok(Roots::webpki()) };
    let pem = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    Roots::webpki().with_pem(&pem).with_context(|| format!("{}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use module::terms::UNSIGNED;
    use receipt::json::{Json, parse};
    use schemars::SchemaGenerator;
    use serde_json::Value;

    use super::*;
    use crate::settings::SettingsArgs;

    fn table() -> RouteTable {
        let folder = tempfile::tempdir().unwrap();
        let args = SettingsArgs { data_dir: Some(folder.path().to_owned()), ..SettingsArgs::default() };
        let settings = Settings::load(&args).unwrap();
        let host = host(&settings, Mode::Replay).unwrap();
        route_table(&settings, &all(&settings, &host).unwrap()).unwrap()
    }

    /// The words that a finding's schema gives its member `verdict`.
    fn verdicts(schema: &Value, definitions: &Value) -> Option<Vec<String>> {
        let follow = |schema: &Value| match schema["$ref"].as_str() {
            Some(reference) => definitions[reference.rsplit('/').next()?]
                .as_object()
                .map(|_| definitions[reference.rsplit('/').next().unwrap_or_default()].clone()),
            None => Some(schema.clone()),
        };
        let verdict = follow(&follow(schema)?["properties"]["verdict"])?;
        if let Some(words) = verdict["enum"].as_array() {
            return words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
        }
        let one_of = verdict["oneOf"].as_array()?;
        let word = |branch: &Value| branch["const"].as_str().map(str::to_owned);
        one_of.iter().map(word).collect()
    }

    #[test]
    fn the_price_table_names_the_verdicts_of_each_judges_own_enum() {
        let (mut compared, table) = (0, table());
        for route in table.routes() {
            let Some(judge) = &route.judge else { continue };
            let mut generator = SchemaGenerator::default();
            let schema = judge.finding_schema(&mut generator).to_value();
            let definitions = Value::Object(generator.take_definitions(true));
            let Some(words) = verdicts(&schema, &definitions) else {
                // A watch's finding is around that of the judge who screens, and has one verdict.
                assert_eq!(route.terms.class, watch::CLASS, "{schema:#}");
                continue;
            };
            let table: BTreeSet<&str> = route.terms.verdicts.iter().copied().collect();
            assert_eq!(
                words.iter().map(String::as_str).collect::<BTreeSet<_>>(),
                table,
                "{}",
                route.terms.class
            );
            compared += 1;
        }
        assert_eq!(compared, 16);
    }

    #[test]
    fn each_judge_takes_its_own_example_and_each_view_has_its_path() {
        let table = table();
        for route in table.routes().filter(|route| route.judge.is_some()) {
            let (judge, example) = (route.judge.as_ref().unwrap(), route.example.unwrap());
            let Ok(Json::Object(question)) = parse(example.as_bytes()) else { panic!("{example}") };
            assert!(judge.receive(&question).is_ok(), "{}", route.terms.class);
        }
        for view in UNSIGNED.iter().filter(|view| view.module.is_some()) {
            assert!(table.view_at(view.path).is_some(), "{}", view.path);
        }
    }

    #[test]
    fn each_class_has_its_judge() {
        let table = table();
        let without: Vec<&str> =
            table.routes().filter(|route| route.judge.is_none()).map(|route| route.terms.class).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
