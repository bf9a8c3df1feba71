//! `/stream`: the newest entries of the log as server-sent events (WHATWG HTML, section 9.2), for the home page.
//!
//! An event is a JSON array of `{index, class, signed_at}`, the newest first; its id is the size of the log, from which a client goes on
//! that comes back. No event has a receipt's hash: who has that may read the receipt. An answer ends after [`LIFE`], so that a stop of
//! the service does not wait for readers, and no reader holds a place for long; a browser then asks again by itself.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use ipnet::IpNet;
use serde_json::json;

use super::log::{EntryLine, newest};
use crate::app::App;
use crate::pages;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

/// Maximum number of listeners.
pub(crate) const LISTENERS: usize = 64;
/// Maximum number of listeners from one network.
pub(crate) const PER_NETWORK: usize = 4;
/// Time for which an answer lasts.
pub(crate) const LIFE: Duration = Duration::from_secs(15);
/// Interval at which the log is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Number of entries in the first event.
const SHOWN: u64 = 8;
/// Seconds after which another try makes sense where all places are taken.
const RETRY_S: u32 = 30;

/// The places of this process, which outlive a router that is replaced.
static PLACES: LazyLock<Arc<Places>> = LazyLock::new(Arc::default);

/// The places of listeners, by network.
#[derive(Debug, Default)]
struct Places(Mutex<HashMap<IpNet, usize>>);

/// A listener's place. Dropping it gives it back.
#[derive(Debug)]
struct Place {
    places: Arc<Places>,
    network: IpNet,
}

impl Places {
    /// Takes a place; `None` if all of them, or all of the network, are taken.
    fn take(self: &Arc<Self>, network: IpNet, most: usize) -> Option<Place> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&network).copied().unwrap_or_default();
        if own >= PER_NETWORK || taken.values().sum::<usize>() >= most {
            return None;
        }
        taken.insert(network, own + 1);
        Some(Place { places: Arc::clone(self), network })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.network) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.network);
            }
        }
    }
}

/// A listener, and the size of the log up to which it has been told the entries.
struct Listener {
    app: Arc<App>,
    told: u64,
    since: Instant,
    is_first: bool,
    _place: Place,
}

/// Answers with the events.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let quota = routes::hit(&app, &client, pages::RATED_AS).await?;
    // Listeners hold connections, which callers need.
    let most = LISTENERS.min(app.connections.all / 8);
    let place = PLACES.take(client.network().narrow, most);
    let place =
        place.ok_or_else(|| Refusal::unavailable("stream", RETRY_S, "too many listen to the log already"))?;
    let size = app.notary.ledger.head().size;
    let told = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse::<u64>().ok());
    let told = told.filter(|told| *told <= size).unwrap_or(0).max(size.saturating_sub(SHOWN));
    let listener = Listener { app, told, since: Instant::now(), is_first: true, _place: place };
    let body = Body::from_stream(stream::unfold(listener, Listener::next));
    let mut response = routes::typed("text/event-stream", body, quota);
    pages::protect(response.headers_mut(), routes::NO_SCRIPT);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would hold the events back until its buffer is full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

impl Listener {
    /// Waits for entries; `None` ends the answer.
    async fn next(mut self) -> Option<(Result<String, std::convert::Infallible>, Self)> {
        loop {
            if !std::mem::take(&mut self.is_first) {
                tokio::time::sleep(LOOK).await;
            }
            if self.since.elapsed() >= LIFE {
                return None;
            }
            let size = self.app.notary.ledger.head().size;
            if size <= self.told {
                continue;
            }
            let lines = newest(&self.app, size).await.ok()?;
            let event = event(size, lines.iter().filter(|line| line.index >= self.told));
            self.told = size;
            return Some((Ok(event), self));
        }
    }
}

fn event<'a>(size: u64, lines: impl Iterator<Item = &'a EntryLine>) -> String {
    let lines: Vec<_> = lines
        .map(|line| json!({"index": line.index, "class": line.class, "signed_at": line.signed_at}))
        .collect();
    format!("retry: 1000\nid: {size}\ndata: {}\n\n", json!(lines))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use http_body_util::BodyExt as _;
    use serde_json::Value;
    use tower::ServiceExt as _;

    use super::*;
    use crate::testing::{QUESTION, Service};

    /// The data of the first event of an answer, and its id.
    async fn first(service: &Service, last: &str) -> (Value, String) {
        let request = Request::get("/stream").header("last-event-id", last).body(Body::empty()).unwrap();
        let response = service.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let frame = response.into_body().frame().await.unwrap().unwrap().into_data().unwrap();
        let text = String::from_utf8(frame.to_vec()).unwrap();
        let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        (serde_json::from_str(&line("data: ")).unwrap(), line("id: "))
    }

    #[tokio::test]
    async fn a_listener_is_told_the_newest_entries_without_their_hashes_and_goes_on_where_it_was() {
        let service = Service::new();
        for _ in 0..3 {
            assert_eq!(service.post("/claim-verdict", QUESTION).await.status, 200);
        }
        let (lines, id) = first(&service, "").await;
        let indexes: Vec<u64> =
            lines.as_array().unwrap().iter().map(|line| line["index"].as_u64().unwrap()).collect();
        assert_eq!((indexes, id.as_str()), (vec![2, 1, 0], "3"));
        assert_eq!(lines[0]["class"], "claim-verdict");
        assert_eq!(lines[0].as_object().unwrap().len(), 3, "{lines}");
        assert_eq!(first(&service, "2").await.0.as_array().unwrap().len(), 1);
        assert_eq!(first(&service, "9999").await.0.as_array().unwrap().len(), 3, "no such size");
    }

    #[test]
    fn a_network_has_few_places_and_gives_them_back() {
        let places = Arc::new(Places::default());
        let network = |text: &str| text.parse::<IpNet>().unwrap();
        let (one, other) = (network("192.0.2.1/32"), network("198.51.100.1/32"));
        let held: Vec<Place> = (0..PER_NETWORK).map(|_| places.take(one, LISTENERS).unwrap()).collect();
        assert!(places.take(one, LISTENERS).is_none());
        assert!(places.take(other, PER_NETWORK).is_none(), "all are taken");
        let second = places.take(other, LISTENERS).unwrap();
        drop(held);
        assert!(places.take(one, LISTENERS).is_some());
        drop(second);
        assert!(places.0.lock().unwrap().is_empty());
    }
}
