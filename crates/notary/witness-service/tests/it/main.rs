//! A witness over HTTP: the dialogue of another implementation, and what is out of bounds.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::convert::Infallible;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::stream::poll_fn;
use http_body_util::BodyExt as _;
use serde_json::Value;
use tlog::{CosignerKey, KeyKind, VerifierKey};
use tower::ServiceExt as _;
use verdict::SystemClock;
use witness::{MAX_REQUEST_BYTES, SIZE_CONTENT_TYPE, Witness};
use witness_service::routes::MAX_REQUESTS;
use witness_service::{Service, SqliteStore, router};

const ORIGIN: &str = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562";

/// The key of the log, which the dialogue leaves out: the last part of the origin is the SHA-256 of the public key.
const LOG_KEY: &str = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562+5202289b+Af/cLU2Y5BJNP+r3iMDC+av9eWCD0fBJVDfzAux5zxAP";

/// A witness of that log with keys of both types, over the record at a path.
fn witness(path: &Path) -> Router {
    let cosigner = |kind| CosignerKey::from_seed("w.example", kind, &[7; 32]).unwrap();
    let cosigners = vec![cosigner(KeyKind::CosignatureV1), cosigner(KeyKind::MlDsa44)];
    let log = LOG_KEY.parse::<VerifierKey>().unwrap();
    let store = Box::new(SqliteStore::make(path, &cosigners).unwrap());
    router(Service {
        witness: Witness::new(cosigners).unwrap().with_log(ORIGIN, vec![log]).unwrap(),
        store,
        clock: Arc::new(SystemClock::start()),
    })
}

struct Answer {
    status: StatusCode,
    content_type: String,
    body: String,
}

async fn ask(router: &Router, method: &str, path: &str, body: impl Into<Body>) -> Answer {
    let request = Request::builder().method(method).uri(path).body(body.into()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let content_type = parts.headers.get("content-type").map(|value| value.to_str().unwrap().to_owned());
    let body = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status,
        content_type: content_type.unwrap_or_default(),
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_dialogue_of_another_witness_is_answered_in_the_same_way_and_outlives_a_restart() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/vectors/tlog/litewitness_add-checkpoint.json.gz");
    let Ok(file) = File::open(path) else {
        println!("skipped: there is no ../shared/data/vectors/tlog");
        return;
    };
    let sections: Value = serde_json::from_reader(flate2::read::GzDecoder::new(file)).unwrap();
    let script = sections["add-checkpoint.hurl"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut answered, mut cosigned) = (0, 0);
    for exchange in script.split("POST ").skip(1) {
        // Each request finds another process, which knows what is in the file alone.
        let router = witness(&folder.path().join("witness.sqlite"));
        let parts: Vec<&str> = exchange.split("```\n").collect();
        let (body, rest) = (parts[1], parts[2]);
        let status: u16 = rest.strip_prefix("HTTP ").unwrap()[..3].parse().unwrap();
        // That implementation answers 403 for an unknown log, where the standard says 404.
        let status = if rest.contains("unknown log") { 404 } else { status };
        // The bad signature there is base64 with trailing bits, which is refused as malformed.
        let canonical = body.replace("6gx=", "6gw=");
        let answer = ask(&router, "POST", "/add-checkpoint", canonical).await;
        assert_eq!(answer.status.as_u16(), status, "{exchange}\n{}", answer.body);
        if let Some((_, expected)) = rest.split_once("body == ") {
            let expected: String = serde_json::from_str(expected.lines().next().unwrap()).unwrap();
            assert_eq!((answer.body.as_str(), answer.content_type.as_str()), (&*expected, SIZE_CONTENT_TYPE));
        }
        if status == 200 {
            assert_eq!(answer.body.lines().count(), 2, "a cosignature of each key");
            cosigned += 1;
        }
        answered += 1;
    }
    assert!(answered == 9 && cosigned > 0, "{answered} {cosigned}");
}

#[tokio::test]
async fn what_is_too_long_or_of_another_path_or_method_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let router = witness(&folder.path().join("witness.sqlite"));
    let too_long = vec![b'a'; MAX_REQUEST_BYTES + 1];
    let longest = vec![b'a'; MAX_REQUEST_BYTES];
    let statuses = [
        ask(&router, "POST", "/add-checkpoint", too_long).await.status.as_u16(),
        ask(&router, "POST", "/add-checkpoint", longest).await.status.as_u16(),
        ask(&router, "POST", "/add-checkpoint", "").await.status.as_u16(),
        ask(&router, "GET", "/add-checkpoint", "").await.status.as_u16(),
        ask(&router, "POST", "/", "").await.status.as_u16(),
    ];
    assert_eq!(statuses, [413, 400, 400, 405, 404]);
}

/// Bodies that do not arrive take no place from those that do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_send_slowly_keep_no_other_client_out() {
    let folder = tempfile::tempdir().unwrap();
    let router = witness(&folder.path().join("witness.sqlite"));
    let waited_for = Arc::new(AtomicUsize::new(0));
    let slow: Vec<_> = (0..2 * MAX_REQUESTS)
        .map(|_| {
            let (router, waited_for, mut is_first) = (router.clone(), Arc::clone(&waited_for), true);
            let body = Body::from_stream(poll_fn(move |_| -> Poll<Option<Result<Vec<u8>, Infallible>>> {
                waited_for.fetch_add(usize::from(std::mem::take(&mut is_first)), Ordering::SeqCst);
                Poll::Pending
            }));
            tokio::spawn(async move { ask(&router, "POST", "/add-checkpoint", body).await.status })
        })
        .collect();
    let is_ended = || slow.iter().filter(|one| one.is_finished()).count();
    while waited_for.load(Ordering::SeqCst) + is_ended() < slow.len() {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&router, "POST", "/add-checkpoint", "no request").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(waited_for.load(Ordering::SeqCst), slow.len(), "the body of each is waited for");
    slow.iter().for_each(tokio::task::JoinHandle::abort);
}
