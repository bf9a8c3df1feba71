//! GET /health: reports if receipts can be issued, and the modules that are down.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::app::{App, Profile};
use crate::routes;

/// Answers 200 `ok`, 200 `degraded` if a module is down, and 503 only if no receipt can be issued.
///
/// A module is partly down if its list or feed is stale, since its entries are still found (`stale` names it and its age), if its list was requested and has
/// not arrived yet, or if its background loop failed recently and was started again. Payments are partly down if the
/// gas limit of the day is reached; refunds continue.
///
/// A module that is not built or not configured is not down: the catalog reports it as not available.
pub async fn show(State(app): State<Arc<App>>) -> Response {
    let mut modules = Map::new();
    let is_writable = app.notary.ledger.is_writable();
    if !is_writable {
        modules.insert("ledger".to_owned(), json!("down"));
    }
    let can_sign = app.notary.now().is_ok();
    if !can_sign {
        modules.insert("clock".to_owned(), json!("down"));
    }
    let space = app.storage.space(app.notary.clock.monotonic());
    if let Some(space) = space.filter(|space| !space.takes_free()) {
        let word = if space.takes_paid() { "low" } else { "full" };
        modules.insert("storage".to_owned(), json!(word));
    }
    let mut stale = Vec::new();
    for (module, standing) in app.standings() {
        if let Some(fault) = standing.fault {
            modules.insert(module.to_owned(), json!(fault));
        }
        stale.extend(
            standing
                .sources
                .into_iter()
                .filter(|source| source.stale)
                .map(|source| json!({"module": module, "name": source.name, "age_s": source.age_s})),
        );
    }
    for (part, trouble) in app.background.troubles() {
        modules.insert(part.to_owned(), json!(trouble));
    }
    if app.gate.as_ref().and_then(|gate| gate.gas_today()).is_some_and(|gas| gas.is_used_up) {
        modules.insert("payment".to_owned(), json!("gas_used_up"));
    }
    for part in app.background.failed() {
        modules.insert(part.to_owned(), json!("restarted"));
    }
    let status = if modules.is_empty() { "ok" } else { "degraded" };
    let mut body = Map::new();
    body.insert("status".to_owned(), json!(status));
    body.insert("profile".to_owned(), json!(app.profile.word()));
    body.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    if let Some(space) = space {
        body.insert("storage".to_owned(), json!({"free_bytes": space.free, "reserve_bytes": space.reserve}));
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
    if !(is_writable && can_sign) {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response.into_response()
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

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
