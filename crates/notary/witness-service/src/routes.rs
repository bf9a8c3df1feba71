//! `POST /add-checkpoint` (C2SP tlog-witness), within bounds.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::Clock;
use witness::answer::TEXT_CONTENT_TYPE;
use witness::{Answer, MAX_REQUEST_BYTES, Witness, WitnessStore};

/// The longest time in which a body may arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The most requests that are worked on at once. A further one is told to come again.
pub const MAX_REQUESTS: usize = 64;

/// A witness as it is served.
pub struct Service {
    /// The witness: its keys and its logs.
    pub witness: Witness,
    /// Its record.
    pub store: Box<dyn WitnessStore>,
    /// The clock that gives the time of cosignatures.
    pub clock: Arc<dyn Clock>,
}

struct Served {
    service: Service,
    places: Semaphore,
}

/// The router of a witness, below its submission prefix.
pub fn router(service: Service) -> Router {
    let served = Arc::new(Served { service, places: Semaphore::new(MAX_REQUESTS) });
    Router::new().route("/add-checkpoint", post(add_checkpoint)).with_state(served)
}

async fn add_checkpoint(State(served): State<Arc<Served>>, body: Body) -> Response {
    let body = match timeout(BODY_TIMEOUT, to_bytes(body, MAX_REQUEST_BYTES)).await {
        Ok(Ok(body)) => body,
        // A connection that broke gets no answer anyway.
        Ok(Err(_)) => return said(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long\n"),
        Err(_) => return said(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n"),
    };
    // A place is taken once the body is here. A client that sends slowly holds connections alone, which are limited by network.
    let Ok(_place) = served.places.try_acquire() else {
        return said(StatusCode::SERVICE_UNAVAILABLE, "the witness is busy: send the request again\n");
    };
    // A task of its own: what is recorded is cosigned, also where the caller goes away.
    let of_task = Arc::clone(&served);
    let task = tokio::spawn(async move {
        let Service { witness, store, clock } = &of_task.service;
        let now = || u64::try_from(clock.now().as_millis() / 1000).unwrap_or(0);
        witness.add_checkpoint(&**store, &body, &now).await
    });
    match task.await {
        Ok(answer) => written(&answer),
        Err(_) => said(StatusCode::INTERNAL_SERVER_ERROR, "the witness cannot cosign at the moment\n"),
    }
}

fn written(answer: &Answer) -> Response {
    match answer {
        Answer::Cosigned(_) => {}
        Answer::Unavailable(error) => {
            tracing::error!(%error, "the record cannot be kept; nothing is cosigned")
        }
        Answer::OtherRoot => {
            tracing::error!("a log has signed two roots for one size: see its note in the record")
        }
        other => tracing::debug!(answer = ?other, "not cosigned"),
    }
    let status = StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, answer.body()).into_response();
    let content_type = HeaderValue::from_static(answer.content_type());
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    retry(response)
}

fn said(status: StatusCode, text: &'static str) -> Response {
    let mut response = (status, text).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT_CONTENT_TYPE));
    retry(response)
}

/// Names a time to come again in answers that are only for now.
fn retry(mut response: Response) -> Response {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
