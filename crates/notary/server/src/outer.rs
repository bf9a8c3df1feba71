//! The outermost layer: request ids, problem documents, CORS.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any};
use module::terms::UNSIGNED;
use tower_http::cors::{Any, CorsLayer};
use tracing::Instrument as _;

use crate::access;
use crate::app::App;
use crate::refusal::Refusal;

/// Gives the request an id and turns a refusal into its document; nothing else writes problem documents. Whatever is
/// logged while the request is handled is within a span that has the id.
pub(crate) async fn finish(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let request_id = request_id();
    let started = app.notary.clock.monotonic();
    let route = request.extensions().get::<MatchedPath>().cloned();
    // The path itself may have a watch's id in it, or a receipt's hash, and who knows them may look.
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    // Of the highest level, so that it is there whatever the filter lets through; by itself it writes nothing.
    let span = tracing::error_span!("request", %request_id, method = method(request.method()), route);
    let (request, access) = access::begin(&app, request).await;
    let _in_flight = InFlight::enter();
    let response = next.run(request).instrument(span.clone()).await;
    let mut response = match response.extensions().get::<Refusal>() {
        Some(refusal) => with_headers_of(refusal.document(&request_id), &response),
        None => response,
    };
    let took = app.notary.clock.monotonic().saturating_sub(started);
    measure(route, response.status(), took);
    span.in_scope(|| match access {
        Some(access) => access.end(&response, took),
        None => tracing::debug!(status = response.status().as_u16(), "answered"),
    });
    if let Ok(value) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

/// Counts a request that is being handled, until it is dropped: also one whose caller goes away.
struct InFlight;

impl InFlight {
    fn enter() -> Self {
        metrics::gauge!("touchstone_http_requests_in_flight").increment(1.0);
        Self
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        metrics::gauge!("touchstone_http_requests_in_flight").decrement(1.0);
    }
}

/// The method as it is logged: callers may invent others, of any length.
fn method(method: &Method) -> &str {
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if known.contains(method) { method.as_str() } else { "other" }
}

/// Counts the answer for `/metrics`; by route and not by path, so that no caller makes up series.
fn measure(route: &str, status: StatusCode, took: Duration) {
    let labels = [("route", route.to_owned()), ("status", status.as_str().to_owned())];
    metrics::counter!("touchstone_http_requests_total", &labels).increment(1);
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        metrics::counter!("touchstone_internal_errors_total").increment(1);
    }
    metrics::histogram!("touchstone_http_request_duration_seconds", "route" => route.to_owned())
        .record(took.as_secs_f64());
}

/// Keeps the headers that inner layers set on the response that the document replaces (CORS).
fn with_headers_of(mut document: Response, replaced: &Response) -> Response {
    for (name, value) in replaced.headers() {
        if !matches!(*name, header::CONTENT_TYPE | header::CONTENT_LENGTH)
            && !document.headers().contains_key(name)
        {
            document.headers_mut().append(name, value.clone());
        }
    }
    document
}

/// 404 for any path that no route has, and for OPTIONS of it too: the CORS layer would allow what is not there. Those of
/// `paths` are named that were most likely meant.
pub(crate) fn no_route(paths: Vec<String>) -> MethodRouter {
    let missing = move |uri: Uri| {
        let refusal = Refusal::not_found(match &*meant(uri.path(), &paths) {
            [] => "there is no such route; see /catalog".to_owned(),
            [path] => format!("there is no such route; did you mean {path}?"),
            several => format!("there is no such route; did you mean one of {}?", several.join(", ")),
        });
        std::future::ready(refusal)
    };
    any(missing.clone()).layer(cors()).options(missing)
}

/// The routes that a path was most likely meant for: one of the same letters, whatever its case, separators and version; or
/// else those that it is the beginning of; or else one that is a letter or two off.
fn meant<'p>(asked: &str, paths: &'p [String]) -> Vec<&'p str> {
    let asked = asked.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(asked);
    let asked = letters(asked);
    if asked.is_empty() || asked.len() > MAX_PATH_LETTERS {
        return Vec::new();
    }
    let found = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&'p str> {
        let meant = paths.iter().filter(|path| is_meant(&letters(path)));
        meant.map(String::as_str).take(MAX_SUGGESTIONS).collect()
    };
    let same = found(&|path| path == asked);
    let begun = || found(&|path| asked.len() >= 4 && path.starts_with(&asked));
    let off = || found(&|path| verdict::is_misspelt(&asked, path));
    [same].into_iter().chain([begun(), off()]).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The most routes that a 404 suggests.
const MAX_SUGGESTIONS: usize = 4;
/// No route has more letters; a longer path is not compared.
const MAX_PATH_LETTERS: usize = 32;

/// The letters of a path, without the differences by which callers mistake one path for another.
fn letters(path: &str) -> String {
    path.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// 405 for a method that the route does not have; the router adds `Allow`, and only after all that is in here.
pub(crate) async fn no_method(State(app): State<Arc<App>>, path: MatchedPath) -> Refusal {
    let verdicts = app.route_table.routes().find(|route| route.terms.path() == path.as_str());
    let unsigned = UNSIGNED.iter().find(|route| route.path == path.as_str());
    // The log and the documents of discovery are read, and nothing else.
    let methods = verdicts.map(|route| route.terms.methods()).or(unsigned.map(|route| route.methods));
    Refusal::Method { methods: methods.unwrap_or(&["GET"]) }
}

/// 500 where a handler panicked: a bug, of which the caller learns nothing but that.
pub(crate) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    let cause = cause
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| cause.downcast_ref::<String>().cloned());
    tracing::error!(cause, "a handler panicked");
    Refusal::Bug.into_response()
}

/// Any origin may call; the payment and limit headers may be sent and read.
pub(crate) fn cors() -> CorsLayer {
    let names =
        |names: &[&'static str]| names.iter().copied().map(HeaderName::from_static).collect::<Vec<_>>();
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS])
        .allow_headers(names(&[
            "content-type",
            "x-payment",
            "payment-signature",
            "x-accept-payment",
            "authorization",
            "x-wallet-signature",
            "a2a-version",
            "a2a-extensions",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "accept-payment",
            // x402 clients send it with their request, so a browser asks whether they may.
            "access-control-expose-headers",
            "x-request-id",
        ]))
        .expose_headers(names(&[
            "payment-required",
            "payment-response",
            "x-payment-response",
            "ratelimit",
            "ratelimit-policy",
            "retry-after",
            "x-request-id",
            "watch-id",
            "link",
            "free-tier",
            "www-authenticate",
            "payment-receipt",
        ]))
        .max_age(Duration::from_secs(86_400))
}

/// 64 random bits, in hexadecimal digits: enough to find one request in the logs.
fn request_id() -> String {
    let mut id = [0; 8];
    // Without randomness the id is of no use but harmless; the notary refuses to sign on its own account.
    if getrandom::fill(&mut id).is_err() {
        tracing::error!("no randomness for a request id");
    }
    hex::encode(id)
}

/// Returns the answer to a connection that begins with HTTP/2: 505, with a request id.
#[must_use]
pub fn http2_refused() -> Response {
    let request_id = request_id();
    let mut response = Refusal::HttpVersion.document(&request_id);
    if let Ok(value) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Mutex, PoisonError};

    use claim::{ClaimFinding, ClaimQuestion};
    use verdict::{
        EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Timestamp, Unavailable,
    };

    use super::*;
    use crate::testing::{Answer, QUESTION, Service};

    /// A judge that panics.
    struct Broken;

    impl Judge for Broken {
        type Question = ClaimQuestion;
        type Finding = ClaimFinding;

        async fn judge(
            &self,
            _: &ClaimQuestion,
            _: JudgeContext,
        ) -> Result<EvidencedFinding<ClaimFinding>, Unavailable> {
            panic!("a judge's mistake")
        }

        fn replay(
            &self,
            _: &ClaimQuestion,
            _: &[EvidenceBlob],
            _: Timestamp,
        ) -> Result<ClaimFinding, EvidenceMissing> {
            panic!("a judge's mistake")
        }
    }

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the answer of a service whose judge panics, and the lines that it logs at a level.
    async fn asked_a_broken_judge(level: tracing::Level) -> (Answer, String) {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        let _logging = tracing::subscriber::set_default(subscriber);
        let answer = Service::judging(Broken, |_| None).post("/claim-verdict", QUESTION).await;
        let logged = buffer.0.lock().unwrap().clone();
        (answer, String::from_utf8(logged).unwrap())
    }

    #[tokio::test]
    async fn a_judge_that_panics_is_a_500_whose_id_finds_the_panic_in_the_log_at_any_level() {
        // Other tests run beside this one, and what nobody listens to is remembered as such for all threads. So somebody
        // listens to everything from here on; only this test sets a subscriber for all.
        let everything =
            tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(io::sink);
        tracing::subscriber::set_global_default(everything.finish()).unwrap();
        for level in [tracing::Level::ERROR, tracing::Level::INFO] {
            let (answer, logged) = asked_a_broken_judge(level).await;
            assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
            let problem = answer.json();
            let id = problem["request_id"].as_str().unwrap();
            assert_eq!(
                (id, answer.header("content-type")),
                (answer.header("x-request-id"), "application/problem+json")
            );
            assert!(!answer.text().contains("mistake"), "{problem}");
            let line = logged.lines().find(|line| line.contains("a handler panicked")).unwrap();
            for said in [id, "POST", "/claim-verdict", "a judge's mistake"] {
                assert!(line.contains(said), "{said}: {line}");
            }
        }
    }

    #[test]
    fn a_method_that_somebody_made_up_is_not_in_the_log() {
        assert_eq!(method(&Method::from_bytes(&[b'A'; 5000]).unwrap()), "other");
        assert_eq!(method(&Method::DELETE), "DELETE");
    }
}
