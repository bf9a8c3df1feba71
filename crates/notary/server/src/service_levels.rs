//! The calls of each verdict route that were answered and that failed, by UTC month: what `/sla` reports.
//!
//! Counts are kept in memory and added every minute to one value of the store for each month, which all replicas share. A
//! process that is killed loses the counts of its last minute.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use ledger::{Ledger, LedgerError};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use verdict::Timestamp;

use crate::app::App;

/// The pause between two writes.
pub(crate) const EVERY: Duration = Duration::from_secs(60);

/// The longest time of a write. The last one is made while the process stops.
const LONGEST: Duration = Duration::from_secs(5);

/// The tries of one write, each after another process has written in between.
const TRIES: u32 = 5;

/// The greatest response times of the buckets, in milliseconds. A last bucket has all that took longer.
const BUCKETS_MS: [u64; 28] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
    7_000, 10_000, 15_000, 20_000, 30_000, 60_000,
];

/// The calls of one class in one month.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClassLevel {
    /// Calls that were answered 500 to 599, but for 501.
    pub(crate) failed: u64,
    /// The answered calls in each bucket of response times.
    buckets: [u64; BUCKETS_MS.len() + 1],
}

impl ClassLevel {
    /// The calls that were answered with a receipt.
    pub(crate) fn answered(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, calls| sum.saturating_add(*calls))
    }

    /// The share of calls that did not fail, in millionths and rounded down: a call that failed is never rounded away.
    pub(crate) fn availability_millionths(&self) -> u64 {
        let answered = u128::from(self.answered());
        let all = answered + u128::from(self.failed);
        u64::try_from(answered * 1_000_000 / all.max(1)).unwrap_or(1_000_000)
    }

    /// The response time that 95 of 100 answered calls did not exceed, as the greatest of its bucket, in milliseconds;
    /// `None` where no call was answered, or it is in the last bucket.
    pub(crate) fn p95_ms(&self) -> Option<u64> {
        let rank = (u128::from(self.answered()) * 95).div_ceil(100);
        let mut seen = 0;
        let bucket = self.buckets.iter().position(|calls| {
            seen += u128::from(*calls);
            rank > 0 && seen >= rank
        });
        bucket.and_then(|at| BUCKETS_MS.get(at)).copied()
    }

    fn add(&mut self, other: &Self) {
        self.failed = self.failed.saturating_add(other.failed);
        for (calls, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *calls = calls.saturating_add(*more);
        }
    }

    fn to_json(&self) -> Value {
        json!({"failed": self.failed, "answered": self.buckets.to_vec()})
    }

    fn from_json(value: &Value) -> Option<Self> {
        let numbers: Option<Vec<u64>> = value["answered"].as_array()?.iter().map(Value::as_u64).collect();
        Some(Self { failed: value["failed"].as_u64()?, buckets: numbers?.try_into().ok()? })
    }
}

/// A UTC month, as `YYYY-MM`.
pub(crate) type Month = String;

/// The month of a time.
pub(crate) fn month_of(at: Timestamp) -> Month {
    at.day().chars().take("YYYY-MM".len()).collect()
}

/// The name of a month's value in the store.
fn name_of(month: &str) -> String {
    format!("service-levels/{month}")
}

type Counts = HashMap<(Month, &'static str), ClassLevel>;

/// The counts that are not stored yet.
#[derive(Default)]
pub struct ServiceLevels(Mutex<Counts>);

impl ServiceLevels {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the answer to a call. A refusal that is the caller's to mend (4xx), and a route that this notary does not
    /// offer (501), are neither answered nor failed.
    pub(crate) fn record(&self, class: &'static str, at: Timestamp, status: StatusCode, took: Duration) {
        let has_failed = status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED;
        if !has_failed && !status.is_success() {
            return;
        }
        let mut counts = self.counts();
        let level = counts.entry((month_of(at), class)).or_default();
        if has_failed {
            level.failed += 1;
        } else {
            let took = u64::try_from(took.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
            level.buckets[BUCKETS_MS.partition_point(|most| *most < took)] += 1;
        }
    }

    /// Stores the counts every minute, for as long as it is polled.
    pub async fn keep(app: Arc<App>) {
        loop {
            tokio::time::sleep(EVERY).await;
            app.service_levels.store(&app).await;
        }
    }

    /// Stores the counts. Those that the store does not take are kept for the next time; those of which nobody knows whether
    /// it took them are forgotten, so that no call is counted twice.
    pub async fn store(&self, app: &App) {
        let ledger = &*app.notary.ledger;
        if ledger.is_away() {
            return;
        }
        let taken = std::mem::take(&mut *self.counts());
        let mut months: BTreeMap<Month, Vec<(&'static str, ClassLevel)>> = BTreeMap::new();
        for ((month, class), level) in taken {
            months.entry(month).or_default().push((class, level));
        }
        for (month, levels) in months {
            match timeout(LONGEST, add(ledger, &month, &levels)).await {
                Ok(Ok(true)) => {}
                Err(_) | Ok(Err(LedgerError::OutcomeUnknown)) => {
                    tracing::warn!(month, "it is not known whether the counts of calls were stored");
                }
                Ok(failed) => {
                    tracing::warn!(month, ?failed, "the counts of calls are not stored yet");
                    let mut counts = self.counts();
                    for (class, level) in &levels {
                        counts.entry((month.clone(), class)).or_default().add(level);
                    }
                }
            }
        }
    }
}

/// Adds counts to a month's value. Returns false where other processes were quicker each time.
async fn add(
    ledger: &dyn Ledger,
    month: &str,
    levels: &[(&'static str, ClassLevel)],
) -> Result<bool, LedgerError> {
    for _ in 0..TRIES {
        let stored = ledger.shared_value(&name_of(month)).await?;
        let (version, bytes) = stored.map_or((0, Vec::new()), |value| (value.version, value.bytes));
        let mut all = read(&bytes);
        for (class, level) in levels {
            all.entry((*class).to_owned()).or_default().add(level);
        }
        let written: Map<String, Value> =
            all.into_iter().map(|(class, level)| (class, level.to_json())).collect();
        let written = Value::Object(written).to_string().into_bytes();
        if ledger.set_shared_value(&name_of(month), version, written).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The stored counts of a month by class. What cannot be read counts as nothing.
fn read(bytes: &[u8]) -> BTreeMap<String, ClassLevel> {
    let Ok(Value::Object(classes)) = serde_json::from_slice(bytes) else { return BTreeMap::new() };
    classes.into_iter().filter_map(|(class, value)| Some((class, ClassLevel::from_json(&value)?))).collect()
}

/// The stored counts of a month by class.
pub(crate) async fn stored(
    ledger: &dyn Ledger,
    month: &str,
) -> Result<BTreeMap<String, ClassLevel>, LedgerError> {
    Ok(ledger.shared_value(&name_of(month)).await?.map(|value| read(&value.bytes)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{QUESTION, Service};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn level(calls: &[(u16, u64)]) -> ClassLevel {
        let levels = ServiceLevels::default();
        let now = at("2026-11-27T00:00:00.000Z");
        for &(status, took_ms) in calls {
            levels.record(
                "commit",
                now,
                StatusCode::from_u16(status).unwrap(),
                Duration::from_millis(took_ms),
            );
        }
        levels.counts().get(&(month_of(now), "commit")).cloned().unwrap_or_default()
    }

    #[test]
    fn receipts_are_answered_500s_have_failed_and_nothing_else_counts() {
        let counted =
            level(&[(200, 1), (200, 90_000), (500, 1), (503, 1), (402, 1), (429, 1), (501, 1), (400, 1)]);
        assert_eq!((counted.answered(), counted.failed), (2, 2));
        assert_eq!(counted.availability_millionths(), 500_000);
        assert_eq!(level(&[(402, 1)]), ClassLevel::default());
    }

    #[test]
    fn a_failed_call_is_never_rounded_away() {
        let mut many = level(&[(200, 1), (503, 1)]);
        many.buckets[0] = u64::MAX / 2;
        assert_eq!(many.availability_millionths(), 999_999);
        assert_eq!(level(&[(200, 1)]).availability_millionths(), 1_000_000);
    }

    #[test]
    fn the_p95_is_the_greatest_time_of_its_bucket() {
        let calls = |slow: usize| [vec![(200, 4); 100 - slow], vec![(200, 480); slow]].concat();
        assert_eq!(level(&calls(5)).p95_ms(), Some(5));
        assert_eq!(level(&calls(6)).p95_ms(), Some(500));
        assert_eq!(level(&[(200, 0)]).p95_ms(), Some(1));
        assert_eq!(level(&[(200, 1_000)]).p95_ms(), Some(1_000), "a bound is in its own bucket");
        assert_eq!((level(&[(503, 1)]).p95_ms(), level(&[(200, 60_001)]).p95_ms()), (None, None));
    }

    #[test]
    fn what_is_stored_is_read_back_and_what_is_damaged_counts_as_nothing() {
        let counted = level(&[(200, 3), (200, 300), (503, 1)]);
        assert_eq!(ClassLevel::from_json(&counted.to_json()), Some(counted));
        for bad in ["", "[]", "{\"commit\": 7}", "{\"commit\": {\"failed\": 1, \"answered\": [1]}}", "{"] {
            assert!(read(bad.as_bytes()).is_empty(), "{bad}");
        }
    }

    #[tokio::test]
    async fn counts_are_added_to_what_is_stored_by_month() {
        let service = Service::new();
        let levels = &service.app.service_levels;
        let ok = Duration::from_millis(4);
        for (time, times) in [("2026-10-31T23:59:59.999Z", 2), ("2026-11-01T00:00:00.000Z", 3)] {
            for _ in 0..times {
                levels.record("commit", at(time), StatusCode::OK, ok);
                levels.store(&service.app).await;
            }
        }
        levels.store(&service.app).await;
        let ledger = &*service.app.notary.ledger;
        for (month, answered) in [("2026-10", 2), ("2026-11", 3)] {
            assert_eq!(stored(ledger, month).await.unwrap()["commit"].answered(), answered, "{month}");
        }
        assert!(stored(ledger, "2026-09").await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn the_report_has_the_calls_of_the_routes() {
        let service = Service::new();
        assert_eq!(service.get("/sla").await.json()["months"], json!([]));
        service.post("/claim-verdict", QUESTION).await;
        service.post("/claim-verdict", "{}").await;
        service.app.service_levels.store(&service.app).await;
        let report = service.get("/sla").await.json();
        let [month] = &report["months"].as_array().unwrap()[..] else { panic!("{report}") };
        assert_eq!(month["month"], month_of(service.app.notary.clock.now()));
        let [route] = &month["routes"].as_array().unwrap()[..] else { panic!("{report}") };
        assert_eq!(
            (&route["class"], &route["answered"], &route["failed"]),
            (&json!("claim-verdict"), &json!(1), &json!(0))
        );
        assert_eq!((&route["availability"], &route["p95_target_ms"]), (&json!(1.0), &json!(2000)));
        assert!(route["p95_ms"].as_u64().is_some());
    }
}
