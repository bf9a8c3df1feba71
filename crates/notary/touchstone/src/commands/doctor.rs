//! `touchstone doctor`: examines what the service needs: its keys, store, clock, log, sources, endpoints and disk, the name
//! servers around it, and the feeds of bad names.

mod service;

use std::process::ExitCode;
use std::time::SystemTime;

use dns::{Root, ServerReport, examine};
use futures_util::future::join;
use threat_feeds::AgeBasis;

use crate::settings::{Settings, SettingsArgs};

/// A finding: a word that says how bad it is, and the text.
type Finding = (&'static str, String);

/// Prints the findings, one a line. A shortcoming is a warning: the service runs all the same, and sees less. The
/// command fails if the service could not work, or no name server can be used: then nothing can be looked up.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let own = settings.trust.validating_resolver().map(|server| vec![server]).unwrap_or_default();
    let all = join(examine(settings.trust.name_servers()?), examine(Some(own)));
    let (servers, own) = runtime.block_on(all);
    if servers.is_empty() {
        println!("{WARNING}: the system names no name server: nothing can be looked up");
    }
    for (role, all) in [("name server", &servers), ("validating resolver", &own)] {
        for found in all {
            for (word, text) in findings(found) {
                println!("{word}: {role} {} {text}", found.server);
            }
        }
    }
    for (word, text) in feeds(&settings, SystemTime::now()) {
        println!("{word}: {text}");
    }
    let mut has_failed = false;
    for (word, text) in service::findings(&settings) {
        has_failed |= word == service::FAILURE;
        println!("{word}: {text}");
    }
    let is_usable = |found: &ServerReport| found.root.is_ok();
    Ok(if servers.iter().any(is_usable) && !has_failed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

const OK: &str = "ok";
const WARNING: &str = "warning";

/// Returns the findings about the feeds of bad names.
fn feeds(settings: &Settings, now: SystemTime) -> Vec<(&'static str, String)> {
    let feeds = match settings.feeds.open(&settings.feeds_dir()) {
        Ok(feeds) => feeds,
        Err((setting, why)) => return vec![(WARNING, format!("{setting}: {why}"))],
    };
    let finding = |feed: threat_feeds::FeedStanding| match (feed.basis, feed.stale) {
        (AgeBasis::Never, _) => (WARNING, format!("feed {} has not been fetched yet", feed.name)),
        (_, true) => (WARNING, format!("feed {} is stale: it is as of {}", feed.name, day(feed.as_of))),
        (_, false) => (OK, format!("feed {} is fresh: it is as of {}", feed.name, day(feed.as_of))),
    };
    let mut findings: Vec<_> = feeds.standing(now).into_iter().map(finding).collect();
    if !feeds.has_fresh(now) {
        findings.push((
            WARNING,
            "no feed of bad names is fresh: /trust-score calls no domain TRUSTED; name some in `fetch` of the section `feeds`"
                .to_owned(),
        ));
    }
    findings
}

fn day(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at).map_or("an unknown day".to_owned(), |at| at.strftime("%F").to_string())
}

/// Returns the findings about a name server.
fn findings(found: &ServerReport) -> Vec<(&'static str, String)> {
    let root = match found.root {
        Ok(root) => root,
        Err(failure) => {
            return vec![(WARNING, format!("cannot be used ({failure}): what is asked of it stays unknown"))];
        }
    };
    let signatures = match root {
        Root { authentic: true, signed: true } => (OK, "passes signatures on and validates them"),
        Root { signed: true, .. } => (
            WARNING,
            "validates no signatures: without a validating_resolver, a domain whose signatures do not hold stays unknown",
        ),
        Root { .. } => (WARNING, "passes no signatures on: dnssec stays unknown"),
    };
    let denials = match found.leaves_out_soa {
        Some(false) => (OK, "shows the SOA of what it denies"),
        Some(true) => (
            WARNING,
            "leaves the SOA out of denials: each is asked for twice, and looks are kept for half a minute",
        ),
        None => (WARNING, "does not deny what is not there: its denials without SOA are not believed"),
    };
    [(OK, "answers"), signatures, denials].map(|(word, text)| (word, text.to_owned())).to_vec()
}
