//! Retention: how long the data behind a receipt is kept, and the background job that deletes it.
//!
//! The receipt itself and its log entry stay. The time of a request and its evidence begins at the end of the time in which the
//! receipt can be [disputed](dispute::window_hours), or at its signing where it cannot be.
//!
//! A clock that is ahead must not delete anything. So the job goes by the time of the newest receipt, and by what has passed
//! since this process first saw it, where that is less than the clock says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ledger::{Expired, LedgerError, Owner, RetentionTerms};
use module::RouteTable;
use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use verdict::{Clock, EffectKind};

use crate::app::App;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The hours for which a request is kept past the last possible dispute, unless they are set.
pub const DEFAULT_HOURS: u32 = 72;
/// The days for which a request for a trial is kept, unless they are set.
pub const TRIALS_DAYS: u32 = 90;
/// The days for which the outcome of a webhook's delivery is kept, unless they are set.
pub const WEBHOOKS_DAYS: u32 = 30;
/// The days for which the memory of a subject is kept after the receipt that stored it, unless they are set.
pub const MEMORIES_DAYS: u32 = 730;
/// The fewest days of a memory. It says since when a domain is unchanged, so one of few days says nothing.
pub const MIN_MEMORIES_DAYS: u32 = 30;
/// The longest time that can be set: ten years.
pub const MAX_DAYS: u32 = 3660;

/// The interval at which the job runs.
pub const EVERY: Duration = Duration::from_secs(60);
/// The pause between two transactions of a run, in which others write.
const PAUSE: Duration = Duration::from_millis(20);
/// The most transactions of a run.
const MOST_STEPS: u32 = 1000;
/// The most rows of another table that are deleted in one transaction.
const MOST_ROWS: u32 = 500;
/// The lease of the process that runs the job, and its time in milliseconds.
const LEASE: &str = "retention";
const LEASE_MS: i64 = 3 * 60_000;

/// The table `retention` of the configuration.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionSettings {
    /// The hours for which request and evidence are kept past the last possible dispute.
    pub default_hours: u32,
    /// The days for which a request for a trial is kept.
    pub trials_days: u32,
    /// The days for which the outcome of a webhook's delivery is kept.
    pub webhooks_days: u32,
    /// The days for which the memory of a subject is kept after the receipt that stored it.
    pub memories_days: u32,
    /// The hours of a class, in place of `default_hours`.
    pub class: BTreeMap<String, u32>,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            default_hours: DEFAULT_HOURS,
            trials_days: TRIALS_DAYS,
            webhooks_days: WEBHOOKS_DAYS,
            memories_days: MEMORIES_DAYS,
            class: BTreeMap::new(),
        }
    }
}

impl RetentionSettings {
    /// Checks the values; `classes` are those of all routes.
    ///
    /// # Errors
    /// The setting that is wrong, and why.
    pub fn check<'c>(&self, classes: impl IntoIterator<Item = &'c str>) -> Result<(), String> {
        let classes: Vec<&str> = classes.into_iter().collect();
        if let Some(class) = self.class.keys().find(|class| !classes.contains(&class.as_str())) {
            return Err(format!("retention.class.{class}: there is no such class"));
        }
        // A bond that is sent in the last moment of its window is still to be judged.
        let hours = self.class.iter().map(|(class, hours)| (format!("class.{class}"), *hours));
        for (name, hours) in hours.chain([("default_hours".to_owned(), self.default_hours)]) {
            if !(1..=MAX_DAYS * 24).contains(&hours) {
                return Err(format!("retention.{name} must be 1 to {} hours", MAX_DAYS * 24));
            }
        }
        for (name, days, least) in [
            ("trials_days", self.trials_days, 2),
            // A webhook is attempted for a day.
            ("webhooks_days", self.webhooks_days, 2),
            ("memories_days", self.memories_days, MIN_MEMORIES_DAYS),
        ] {
            if !(least..=MAX_DAYS).contains(&days) {
                return Err(format!("retention.{name} must be {least} to {MAX_DAYS} days"));
            }
        }
        Ok(())
    }

    /// The hours for which request and evidence of a receipt are kept after its signing.
    #[must_use]
    pub fn hours(&self, class: &str, effect: EffectKind) -> u32 {
        let hours = self.class.get(class).copied().unwrap_or(self.default_hours);
        dispute::window_hours(effect).saturating_add(hours)
    }

    /// The times of all classes, for the ledger.
    #[must_use]
    pub fn terms(&self, route_table: &RouteTable) -> RetentionTerms {
        let of_routes = route_table.routes().map(|route| {
            let class = route.terms.class;
            (class.to_owned(), i64::from(self.hours(class, route.effect_kind())) * HOUR_MS)
        });
        let default = dispute::WINDOW_HOURS.saturating_add(self.default_hours);
        RetentionTerms { default_ms: i64::from(default) * HOUR_MS, classes: of_routes.collect() }
    }

    /// The statement in `/catalog`.
    pub(crate) fn shown(&self, route_table: &RouteTable) -> Value {
        let hours = route_table.routes().map(|route| {
            let class = route.terms.class;
            (class.to_owned(), json!(self.hours(class, route.effect_kind())))
        });
        json!({
            "receipts": "for ever, unless one is erased by request",
            "log": "for ever",
            "request_and_evidence_hours": Value::Object(hours.collect()),
            "counted_from": "signed_at",
            "longer_while": ["a dispute is open or not paid out", "a watch is running"],
            "trials_days": self.trials_days,
            "webhook_deliveries_days": self.webhooks_days,
            "memories_days": self.memories_days,
            "payments": "for ever, with payer, amount, transaction, agent, and the proof as first answered",
            "accounts": "for ever: sums by day, class and agent, refunds, grants, prices, counters of receipts, service levels",
            "lists_and_checkpoints": "for ever, checkpoints by the day or by ten minutes",
        })
    }
}

/// The time that the job goes by.
struct SteadyTime {
    latest: Timestamp,
    seen_at: Duration,
}

impl SteadyTime {
    fn start(latest: Timestamp, clock: &dyn Clock) -> Self {
        Self { latest, seen_at: clock.monotonic() }
    }

    fn now(&mut self, latest: Timestamp, clock: &dyn Clock) -> Timestamp {
        if latest > self.latest {
            *self = Self::start(latest, clock);
        }
        let passed = clock.monotonic().saturating_sub(self.seen_at).as_millis();
        let passed = i64::try_from(passed).unwrap_or(i64::MAX);
        self.latest.saturating_add_millis(passed).min(clock.now())
    }
}

/// Deletes what is kept no longer, for as long as it is polled. Of several processes of a store one does.
pub async fn keep(app: Arc<App>, owner: Owner) {
    let ledger = &app.notary.ledger;
    let terms = app.retention.terms(&app.route_table);
    let mut time = SteadyTime::start(ledger.head().latest, &*app.notary.clock);
    loop {
        tokio::time::sleep(EVERY).await;
        if ledger.is_away() {
            continue;
        }
        let now = time.now(ledger.head().latest, &*app.notary.clock);
        match run(&app, &terms, now, owner).await {
            Ok(done) => done.note(),
            Err(error) => tracing::error!(%error, "what is kept no longer cannot be deleted"),
        }
        // Once a run, since the store may wait for the disk; also where this run has deleted nothing: an erasure may have, while a
        // backup read the store.
        if let Err(error) = ledger.overwrite_deleted().await {
            tracing::error!(%error, "what is deleted cannot be overwritten yet");
        }
    }
}

/// The numbers of what a run has deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Done {
    expired: Expired,
    trials: u32,
    deliveries: u32,
    memories: u64,
}

impl Done {
    fn has_deleted(self) -> bool {
        let Self { expired: Expired { requests, blobs, .. }, trials, deliveries, memories } = self;
        requests > 0 || blobs > 0 || trials > 0 || deliveries > 0 || memories > 0
    }

    fn note(self) {
        let Self { expired, trials, deliveries, memories } = self;
        let Expired { requests, blobs, bytes, held, unreadable, more } = expired;
        for (kind, number) in [
            ("requests", requests),
            ("blobs", blobs),
            ("trials", trials.into()),
            ("webhook_deliveries", deliveries.into()),
            ("memories", memories),
        ] {
            metrics::counter!("touchstone_retention_deleted_total", "kind" => kind).increment(number);
        }
        metrics::counter!("touchstone_retention_deleted_bytes_total").increment(bytes);
        if unreadable > 0 {
            tracing::warn!(unreadable, "log entries cannot be read; what is behind them is kept");
        }
        if self.has_deleted() {
            tracing::info!(
                requests,
                blobs,
                bytes,
                trials,
                deliveries,
                memories,
                held,
                more,
                "deleted what is kept no longer"
            );
        }
    }
}

async fn run(app: &App, terms: &RetentionTerms, now: Timestamp, owner: Owner) -> Result<Done, LedgerError> {
    let ledger = &app.notary.ledger;
    let mut done = Done::default();
    for _ in 0..MOST_STEPS {
        if !is_mine(app, owner).await? {
            return Ok(done);
        }
        done.expired.add(ledger.expire_requests(terms.clone(), now).await?);
        if !done.expired.more {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    let before = |days: u32| now.saturating_add_millis(-i64::from(days) * DAY_MS);
    done.trials = ledger.forget_trials(before(app.retention.trials_days), MOST_ROWS).await?;
    done.deliveries = ledger.forget_deliveries(before(app.retention.webhooks_days), MOST_ROWS).await?;
    // A memory may be stored by each receipt, so all that are over go in one run.
    for _ in 0..MOST_STEPS {
        if !is_mine(app, owner).await? {
            break;
        }
        let forgotten = ledger.forget_memories(before(app.retention.memories_days), MOST_ROWS).await?;
        done.memories += u64::from(forgotten);
        if forgotten < MOST_ROWS {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(done)
}

/// Takes or renews the lease of the job; false while another process has it.
async fn is_mine(app: &App, owner: Owner) -> Result<bool, LedgerError> {
    let (ledger, at) = (&app.notary.ledger, app.notary.clock.now());
    if !ledger.is_shared() {
        return Ok(true);
    }
    ledger.lease(LEASE, owner, at, at.saturating_add_millis(LEASE_MS)).await
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    struct SetClock(Mutex<(i64, u64)>);

    impl Clock for SetClock {
        fn now(&self) -> Timestamp {
            at(self.0.lock().unwrap().0)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.lock().unwrap().1)
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_226_400_000 + 1000 * seconds).unwrap()
    }

    #[test]
    fn a_clock_that_is_ahead_passes_no_more_time_than_has_passed() {
        let clock = SetClock(Mutex::new((0, 0)));
        let set = |now, monotonic| *clock.0.lock().unwrap() = (now, monotonic);
        let mut time = SteadyTime::start(at(0), &clock);
        set(1_000_000, 60);
        assert_eq!(time.now(at(0), &clock), at(60), "the clock was set ahead");
        set(30, 90);
        assert_eq!(time.now(at(0), &clock), at(30), "the clock was set back");
        set(1_000_000, 100);
        assert_eq!(time.now(at(500), &clock), at(500), "a receipt of a later time");
        set(1_000_000, 110);
        assert_eq!(time.now(at(500), &clock), at(510));
    }

    #[test]
    fn the_window_of_disputes_comes_before_the_hours_of_a_class() {
        let mut settings = RetentionSettings::default();
        assert_eq!(settings.hours("screen-entity", EffectKind::None), 144);
        assert_eq!(settings.hours("watch", EffectKind::OpenWatch), 72);
        settings.class.insert("screen-entity".to_owned(), 1);
        assert_eq!(settings.hours("screen-entity", EffectKind::None), 73);
    }

    #[test]
    fn a_setting_that_cannot_be_kept_is_named() {
        let of_class = |class: &str, hours| RetentionSettings {
            class: BTreeMap::from([(class.to_owned(), hours)]),
            ..RetentionSettings::default()
        };
        for good in [RetentionSettings::default(), of_class("commit", 1)] {
            assert_eq!(good.check(["commit"]), Ok(()));
        }
        for (bad, named) in [
            (RetentionSettings { default_hours: 0, ..RetentionSettings::default() }, "default_hours"),
            (RetentionSettings { trials_days: 0, ..RetentionSettings::default() }, "trials_days"),
            (
                RetentionSettings { webhooks_days: MAX_DAYS + 1, ..RetentionSettings::default() },
                "webhooks_days",
            ),
            (of_class("comit", 1), "class.comit"),
            (of_class("commit", 0), "class.commit"),
            (RetentionSettings { memories_days: 29, ..RetentionSettings::default() }, "memories_days"),
        ] {
            let refused = bad.check(["commit"]).unwrap_err();
            assert!(refused.contains(named), "{refused}");
        }
    }
}
