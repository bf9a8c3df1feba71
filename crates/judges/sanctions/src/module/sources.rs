//! The lists of a running service: read at the start, read again when another snapshot is live in the store, and downloaded
//! from their publisher.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use module::{ModuleError, Sharing, SourceStanding, Standing, Unprepared};
use verdict::{Clock as _, SystemClock, Timestamp};
use watchlist::refresh::{RefreshError, Round, RoundEnd};
use watchlist::snapshot::SnapshotStatus as SnapshotStanding;
use watchlist::{List, ListName, StoreError};

use crate::live::Lists;

/// Interval at which the service checks the store for another live snapshot.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Pause after a live snapshot could not be read.
const AFTER_FAILURE: Duration = Duration::from_secs(60);
/// Default interval of downloads in production.
pub(super) const REFRESH_EVERY: Duration = Duration::from_secs(15 * 60);
/// The same of the publications that are not OFAC's.
pub(super) const REFRESH_OTHERS_EVERY: Duration = Duration::from_secs(3 * 60 * 60);
/// The first wait after a round that failed; each further one doubles it.
const FIRST_RETRY: Duration = Duration::from_secs(60);
/// The longest, unless rounds are further apart.
const LAST_RETRY: Duration = Duration::from_secs(60 * 60);

/// The interval at which lists are downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Lists are downloaded or imported only by `lists fetch` and `lists import`.
    Off,
    /// Lists are downloaded each time this duration has passed.
    Every(Duration),
}

impl FromStr for Refresh {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let bounds = Duration::from_secs(1)..=Duration::from_secs(24 * 60 * 60);
        let every = text.parse::<SignedDuration>().ok().and_then(|every| Duration::try_from(every).ok());
        let every = every.filter(|every| bounds.contains(every));
        every.map(Self::Every).ok_or("must be a time from 1s to 24h, such as 15m, or off")
    }
}

/// Reads the live lists and logs which are new; without a list, the routes that need one are 503.
fn load(lists: &Lists) -> Result<(), StoreError> {
    let before = lists.now();
    if lists.reload().inspect_err(|error| tracing::error!("the sanctions lists cannot be read: {error}"))? {
        let was_live = |id| before.all().iter().any(|list| list.indexed.id() == id);
        for list in lists.now().all().iter().filter(|list| !was_live(list.indexed.id())) {
            tracing::info!("live: {:?}", list.indexed);
        }
    }
    Ok(())
}

/// Reads the live lists before anything is judged.
pub(super) fn prepare(lists: &Lists, folder: &Path) -> Result<(), Unprepared> {
    load(lists).map_err(|error| ModuleError::new("the sanctions lists cannot be read", error))?;
    if lists.now().all().is_empty() {
        return Err(Unprepared::Missing(format!(
            "{} has no sanctions list; `touchstone lists import` takes one in",
            folder.display()
        )));
    }
    Ok(())
}

/// Takes over, for as long as the service runs, what others import and what is fetched.
pub(super) async fn follow(lists: Lists) {
    loop {
        let beside = lists.clone();
        // Reading and indexing take seconds of one core: not on a thread where calls are answered.
        let loaded = tokio::task::spawn_blocking(move || load(&beside).is_ok()).await.unwrap_or(false);
        tokio::time::sleep(if loaded { LOOK_EVERY } else { AFTER_FAILURE }).await;
    }
}

/// Describes the state of the lists at a time; `awaited` is true where the service downloads them.
pub(super) fn standing(lists: &Lists, awaited: bool, at: Timestamp) -> Standing {
    let now = lists.now();
    let sources: Vec<SourceStanding> = now
        .all()
        .iter()
        .map(|live| {
            let (list, age) = (live.indexed.list(), live.age(at));
            SourceStanding {
                name: list.name.to_string(),
                published: list.published.map(|date| date.to_string()),
                snapshot: Some(live.indexed.id().to_string()),
                entries: list.entries.len() as u64,
                age_s: age.seconds(),
                stale: age.is_stale(),
                demo: list.demo,
            }
        })
        .collect();
    let answers = |list: &List| list.demo || list.name.as_str() == ListName::OFAC_SDN;
    let fault = if !lists.is_readable() {
        Some("down")
    } else if awaited && !now.all().iter().any(|live| answers(live.indexed.list())) {
        // A required list is missing, so NO_MATCH cannot be given.
        Some("no_list")
    } else {
        // Where no list is downloaded, that there is none is no fault: the routes say so.
        sources.iter().any(|source| source.stale).then_some("list_stale")
    };
    Standing { fault, sources }
}

/// Asks the publisher, for as long as the service runs, while this process is the one that downloads.
pub(super) async fn refresh(round: Arc<Round>, lists: Lists, every: Duration, sharing: Sharing) {
    let (clock, mut said, mut failures) = (SystemClock::start(), BTreeMap::new(), 0);
    loop {
        sharing.turn_to_download().await;
        let end = round.look(clock.now()).await;
        if !matches!(end, Err(RefreshError::UnderWay)) {
            failures = if end.is_err() { failures + 1 } else { 0 };
        }
        match end {
            Ok(ends) => {
                said.retain(|list, _| ends.iter().any(|end| end.list == *list));
                for end in ends {
                    let list = end.list.clone();
                    tell(&list, true, &Ok(end), said.entry(list.clone()).or_default());
                }
            }
            Err(error) => {
                let list = round.published().list();
                let is_live = lists.now().all().iter().any(|live| round.published().is_of(live.name()));
                said.retain(|known, _| *known == list);
                tell(&list, is_live, &Err(error), said.entry(list.clone()).or_default());
            }
        }
        tokio::time::sleep(pause(every, failures)).await;
    }
}

/// Returns the pause after a number of consecutive failures.
fn pause(every: Duration, failures: u32) -> Duration {
    let Some(doublings) = failures.checked_sub(1) else { return every };
    let wait = every.min(FIRST_RETRY).saturating_mul(1 << doublings.min(16));
    wait.min(every.max(LAST_RETRY))
}

/// Counts how a round ended, and logs it where it ended otherwise than the last one.
fn tell(
    list: &ListName,
    is_live: bool,
    end: &Result<RoundEnd, RefreshError>,
    said: &mut Option<(&'static str, String)>,
) {
    let (word, about) = match end {
        Ok(RoundEnd { id, standing, .. }) => (word(standing), id.to_string()),
        Err(error) => (error.code(), String::new()),
    };
    metrics::counter!("touchstone_list_rounds_total", "list" => list.to_string(), "end" => word).increment(1);
    // Going live and being confirmed as live is one state.
    let state = (if word == "live" { "confirmed" } else { word }, about);
    if said.as_ref() == Some(&state) {
        return;
    }
    match end {
        Ok(RoundEnd { id, standing: SnapshotStanding::Held(doubts), .. }) => {
            let doubts: Vec<String> = doubts.iter().map(ToString::to_string).collect();
            tracing::warn!(%list, %id, doubts = doubts.join("; "), "a new publication waits for `touchstone lists accept`");
        }
        Ok(RoundEnd { id, .. }) => tracing::info!(%list, %id, standing = word, "the list was looked for"),
        Err(RefreshError::UnderWay) => tracing::info!(%list, "another process is fetching the list"),
        Err(error) => {
            let meanwhile = if is_live { "the old one serves on" } else { "there is none yet" };
            tracing::warn!(%list, code = word, %error, "the list could not be fetched; {meanwhile}")
        }
    }
    *said = Some(state);
}

/// Returns the word for a snapshot's standing, as the command line prints it.
pub fn word(standing: &SnapshotStanding) -> &'static str {
    match standing {
        SnapshotStanding::Live => "live",
        SnapshotStanding::Confirmed => "confirmed",
        SnapshotStanding::Older => "older",
        SnapshotStanding::Held(_) => "held",
        SnapshotStanding::Retired => "retired",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_tried_again_soon_and_then_ever_more_seldom() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let waits: Vec<Duration> = (0..9).map(|failures| pause(minutes(15), failures)).collect();
        assert_eq!(waits, [15, 1, 2, 4, 8, 16, 32, 60, 60].map(minutes));
        assert_eq!(pause(minutes(24 * 60), 40), minutes(24 * 60));
        assert_eq!(pause(Duration::from_secs(2), 2), Duration::from_secs(4));
    }

    #[test]
    fn a_refresh_is_a_time_within_a_day_or_off() {
        let read = |text: &str| text.parse::<Refresh>().ok();
        assert_eq!(read("off"), Some(Refresh::Off));
        assert_eq!(read("15m"), Some(Refresh::Every(Duration::from_secs(900))));
        assert_eq!(read("1h 30m"), Some(Refresh::Every(Duration::from_secs(5400))));
        for text in ["", "15", "0s", "-1m", "25h", "on", "999999999999h"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
