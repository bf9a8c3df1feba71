//! GET /health: reports if receipts can be issued, and the modules that are down.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use capacity::ClockSync;
use capacity::storage::Space;
use ledger::MAX_CLOCK_OFFSET_MS;
use serde_json::{Map, Value, json};

use crate::app::{App, Profile};
use crate::routes::{self, cosigned, stamped};

/// Answers 200 `ok`, 200 `degraded` if a module is down, and 503 only if no receipt can be issued.
///
/// A module is partly down if its list or feed is stale, since its entries are still found (`stale` names it and its age), if its list was requested and has
/// not arrived yet, or if its background loop failed recently and was started again. Payments are partly down if the
/// gas limit of the day is reached; refunds continue.
///
/// While the store of several replicas takes no changes, `store` is `away`. A clock that is over 2 s off that of the store, or 5 s
/// behind the newest receipt, is `down`. `clock` has what is known of its synchronisation; one that has not been synchronised for two
/// hours is `unsynchronised`, and signs all the same.
///
/// With a policy of witnesses, `witnesses` has the newest tree that a quorum has cosigned, and the state of each witness. It
/// is partly down, with `no_quorum`, if the log has been larger than that tree for a minute. Receipts are issued all the same.
///
/// With a time-stamping authority, `timestamps` has the newest stamped tree and the last error. It is partly down, with `late`,
/// if the log has had leaves without a token for three hours.
///
/// While the log's signer elsewhere gives no signatures no receipt is issued either, and all the same the answer is 200 `degraded`, with
/// `log_signer`: what was issued is answered for, and the signer's return is noticed without a call.
///
/// A module that is not built or not configured is not down: the catalog reports it as not available.
pub async fn show(State(app): State<Arc<App>>) -> Response {
    let Health { can_issue, faults, stale, space } = observe(&app);
    let modules: Map<String, Value> = faults.into_iter().map(|(part, fault)| (part, json!(fault))).collect();
    let status = if modules.is_empty() { "ok" } else { "degraded" };
    let mut body = Map::new();
    body.insert("status".to_owned(), json!(status));
    body.insert("profile".to_owned(), json!(app.profile.word()));
    body.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    if let Some(space) = space {
        body.insert("storage".to_owned(), json!({"free_bytes": space.free, "reserve_bytes": space.reserve}));
    }
    body.insert("clock".to_owned(), clock(&app));
    if let Some(cosigning) = &app.cosigning {
        let standing = cosigned::standing(&cosigning.standing(), app.notary.clock.now());
        body.insert(cosigned::PART.to_owned(), standing);
    }
    if let Some(stamping) = &app.stamping {
        let standing = stamped::standing(&stamping.standing(), app.notary.clock.now());
        body.insert(stamped::PART.to_owned(), standing);
    }
    if !modules.is_empty() {
        body.insert("modules".to_owned(), Value::Object(modules));
    }
    if !stale.is_empty() {
        body.insert("stale".to_owned(), json!(stale));
    }
    if app.profile == Profile::Dev {
        body.insert("notice".to_owned(), json!(crate::DEV_NOTICE));
    }
    let mut response = routes::json(&Value::Object(body), None);
    if !can_issue {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response.into_response()
}

/// The state of the machine's clock.
fn clock(app: &App) -> Value {
    let sync = ClockSync::read();
    let mut clock = json!({"synchronisation": sync.word()});
    if let Some(age) = sync.age() {
        clock["last_synchronised_s"] = json!(age.as_secs());
    }
    if let Some(offset) = app.notary.ledger.clock_offset_ms() {
        clock["store_offset_ms"] = json!(offset);
        clock["most_ms"] = json!(MAX_CLOCK_OFFSET_MS);
    }
    clock
}

/// The state of the service.
pub(crate) struct Health {
    /// True if receipts can be issued.
    pub(crate) can_issue: bool,
    /// The parts that do not work as they should, each with its fault.
    pub(crate) faults: Vec<(String, String)>,
    /// The sources that are too old.
    stale: Vec<Value>,
    /// The free space of the store's disk, as far as it is known.
    space: Option<Space>,
}

/// Observes the state of the service.
pub(crate) fn observe(app: &App) -> Health {
    let mut faults = Vec::new();
    let mut add = |part: &str, fault: &str| faults.push((part.to_owned(), fault.to_owned()));
    let is_writable = app.notary.ledger.is_writable();
    if app.notary.ledger.is_away() {
        add("store", "away");
    } else if !is_writable {
        add("ledger", "down");
    }
    let can_sign = app.notary.now().is_ok();
    if !can_sign {
        add("clock", "down");
    } else if matches!(ClockSync::read(), ClockSync::Stale(_)) {
        add("clock", "unsynchronised");
    }
    let space = app.storage.space(app.notary.clock.monotonic());
    let is_full = space.is_some_and(|space| !space.takes_paid());
    if let Some(space) = space.filter(|space| !space.takes_free()) {
        add("storage", if space.takes_paid() { "low" } else { "full" });
    }
    let mut stale = Vec::new();
    for (module, standing) in app.standings() {
        if let Some(fault) = standing.fault {
            add(module, fault);
        }
        let old = standing.sources.into_iter().filter(|source| source.stale);
        stale.extend(old.map(|source| json!({"module": module, "name": source.name, "age_s": source.age_s})));
    }
    if app.cosigning.as_ref().is_some_and(|cosigning| cosigning.standing().is_late) {
        add(cosigned::PART, "no_quorum");
    }
    if app.stamping.as_ref().is_some_and(|stamping| stamping.standing().is_late) {
        add(stamped::PART, "late");
    }
    for (part, trouble) in app.background.troubles() {
        add(part, trouble);
    }
    if app.gate.as_ref().and_then(|gate| gate.gas_today()).is_some_and(|gas| gas.is_used_up) {
        add("payment", "gas_used_up");
    }
    for part in app.background.failed() {
        add(part, "restarted");
    }
    Health { can_issue: is_writable && can_sign && !is_full, faults, stale, space }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use verdict::Clock;

    use crate::testing::{Hand, QUESTION, Service};

    #[tokio::test]
    async fn while_the_clock_is_behind_the_log_nothing_is_signed_and_then_it_is_again() {
        let clock = Hand::at("2026-11-21T12:00:00.000Z");
        let service = Service::at(Arc::clone(&clock) as Arc<dyn Clock>, |_| None);
        assert_eq!(service.post("/claim-verdict", QUESTION).await.status, 200);
        clock.advance(-5_000);
        assert_eq!(service.get("/health").await.json()["status"], "ok", "5 s are allowed");
        let receipt = service.post("/claim-verdict", QUESTION).await.json();
        assert_eq!(receipt["signed_at"], "2026-11-21T12:00:00.000Z", "the log's times never go back");
        clock.advance(-1);
        let refused = service.post("/claim-verdict", QUESTION).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["module"]), (503, &"clock".into()));
        assert_eq!(refused.header("retry-after"), "5");
        let health = service.get("/health").await;
        assert_eq!((health.status.as_u16(), &health.json()["modules"]["clock"]), (503, &"down".into()));
        clock.advance(1);
        assert_eq!(service.get("/health").await.status, 200);
        assert_eq!(service.post("/claim-verdict", QUESTION).await.status, 200);
        assert_eq!(service.app.notary.ledger.head().size, 3, "what was refused is not in the log");
    }

    #[tokio::test]
    async fn health_is_degraded_while_a_part_has_failed_and_receipts_are_issued_all_the_same() {
        let service = Service::new();
        assert_eq!(service.get("/health").await.json()["status"], "ok");
        service.app.background.start("webhooks", || async { panic!("a mistake") });
        while service.app.background.failed().is_empty() {
            tokio::task::yield_now().await;
        }
        let health = service.get("/health").await;
        assert_eq!(health.status, 200);
        assert_eq!(health.json()["status"], "degraded");
        assert_eq!(health.json()["modules"], serde_json::json!({"webhooks": "restarted"}));
    }
}
