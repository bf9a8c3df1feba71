//! GET /livez and /readyz: for the balancers and supervisors of several replicas. They are not part of the interface for
//! callers, so no document names them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tokio::sync::Mutex;

use crate::app::App;
use crate::routes;

/// The time for which an answer of the store stands for the next ones.
const FRESH: Duration = Duration::from_secs(1);
/// The longest time in which a store that can be read answers.
const ANSWER_BOUND: Duration = Duration::from_secs(4);

/// Whether callers should be sent to this process.
#[derive(Default)]
pub struct Readiness {
    is_draining: AtomicBool,
    /// The monotonic time at which the store was asked last, and whether it could be read.
    asked: Mutex<Option<(Duration, bool)>>,
}

impl Readiness {
    /// From now on the process tells balancers to send no more callers.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Release);
    }

    /// Returns the reason for which callers should be sent elsewhere; `None` where there is none.
    async fn obstacle(&self, app: &App) -> Option<&'static str> {
        if self.is_draining.load(Ordering::Acquire) {
            return Some("stopping");
        }
        // Whoever comes meanwhile waits for the same answer.
        let mut asked = self.asked.lock().await;
        let now = app.notary.clock.monotonic();
        let is_readable = match *asked {
            Some((at, is_readable)) if now.saturating_sub(at) < FRESH => is_readable,
            _ => {
                let answer = tokio::time::timeout(ANSWER_BOUND, app.notary.ledger.ping()).await;
                let is_readable = matches!(answer, Ok(Ok(())));
                *asked = Some((app.notary.clock.monotonic(), is_readable));
                is_readable
            }
        };
        (!is_readable).then_some("the store cannot be read")
    }
}

/// 200 for as long as the process answers at all.
pub async fn live() -> Response {
    answer(StatusCode::OK, "ok")
}

/// 200 where callers should be sent here. 503 while the store cannot be read, and from the signal to stop on.
pub async fn ready(State(app): State<Arc<App>>) -> Response {
    match app.readiness.obstacle(&app).await {
        None => answer(StatusCode::OK, "ready"),
        Some(why) => answer(StatusCode::SERVICE_UNAVAILABLE, why),
    }
}

fn answer(status: StatusCode, text: &'static str) -> Response {
    let mut response = routes::typed("text/plain; charset=utf-8", format!("{text}\n"), None);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn callers_are_sent_elsewhere_while_the_process_drains_and_are_answered_all_the_same() {
        let service = Service::new();
        assert_eq!(service.get("/livez").await.status, 200);
        assert_eq!(service.get("/readyz").await.status, 200);
        service.app.readiness.drain();
        assert_eq!(service.get("/livez").await.status, 200);
        assert_eq!(service.get("/readyz").await.status, 503);
        assert_eq!(service.get("/health").await.status, 200);
    }
}
