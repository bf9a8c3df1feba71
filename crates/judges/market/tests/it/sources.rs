//! Sources that answer, fail, ask for a pause, and come back.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fetch::resolve::{BoxFuture, Resolve};
use fetch::{Endpoint, Limits, ResolveError, Roots};
use market::source::{Answer, Answers, Document, Source, SourceRequest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use verdict::Timestamp;

/// No name has to be resolved for an address.
struct NoNames;

impl Resolve for NoNames {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<std::net::IpAddr>, ResolveError>> {
        Box::pin(async { Err(ResolveError::NoAddress) })
    }
}

/// A service whose answer can be changed, and which counts its requests.
struct Service {
    port: u16,
    answer: Arc<Mutex<String>>,
    requests: Arc<AtomicUsize>,
}

impl Service {
    async fn start(status: &str, body: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let service = Self { port, answer: Arc::default(), requests: Arc::default() };
        service.answers(status, "", body);
        let (answer, requests) = (Arc::clone(&service.answer), Arc::clone(&service.requests));
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = stream.read_u8().await else { return };
                        head.push(byte);
                    }
                    requests.fetch_add(1, Ordering::SeqCst);
                    let answer = answer.lock().unwrap().clone();
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        service
    }

    fn answers(&self, status: &str, fields: &str, body: &str) {
        let length = body.len();
        *self.answer.lock().unwrap() =
            format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\n\r\n{body}");
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn source(&self) -> Arc<Source> {
        let url = format!("http://127.0.0.1:{}/api", self.port);
        let endpoint = Endpoint::new(&url, &[], Limits::default(), NoNames, Roots::none()).unwrap();
        Arc::new(Source::new("records", Ok(endpoint), 100))
    }
}

/// Numbers, as the body of a document.
fn number(body: Bytes) -> Result<Document<u64>, String> {
    let text = str::from_utf8(&body).map_err(|_| "not_text".to_owned())?;
    let content = text.trim().parse().map_err(|_| "not_a_number".to_owned())?;
    Ok(Document { content, kept: body })
}

fn number_in(answer: &Answer<u64>) -> Option<u64> {
    answer.document.as_ref().map(|document| document.content)
}

fn at(seconds: i64) -> Timestamp {
    let now = Timestamp::try_from(std::time::SystemTime::now()).unwrap();
    now.saturating_add_millis(seconds * 1000)
}

const LONG: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn an_answer_serves_for_a_while_and_those_who_wait_share_one_request() {
    let service = Service::start("200 OK", "7").await;
    let answers = Answers::new(service.source(), "number", LONG, 16, number);
    let request = SourceRequest::get("a.json");
    let together = futures_util::future::join_all((0..8).map(|_| answers.of(&request, at(0)))).await;
    for answer in together {
        let answer = answer.unwrap();
        assert_eq!((number_in(&answer), answer.record.stale), (Some(7), false));
        assert!(answer.record.request.ends_with("/a.json"), "{}", answer.record.request);
    }
    assert_eq!(service.requests(), 1);
    let later = answers.of(&request, at(90)).await.unwrap();
    assert!(later.record.age_s >= 89 && !later.record.stale);
    let other = SourceRequest { query: Some("b=1".to_owned()), ..request };
    answers.of(&other, at(0)).await.unwrap();
    assert_eq!(service.requests(), 2);
}

#[tokio::test]
async fn an_older_answer_serves_only_where_the_source_is_down_and_says_so() {
    let service = Service::start("200 OK", "7").await;
    // No answer serves without another request.
    let answers = Answers::new(service.source(), "number", Duration::from_nanos(1), 16, number);
    let request = SourceRequest::get("a.json");
    assert!(!answers.of(&request, at(0)).await.unwrap().record.stale);
    for (status, body) in [("500 Oops", "8"), ("200 OK", "<html>busy</html>"), ("200 OK", "")] {
        service.answers(status, "", body);
        let older = answers.of(&request, at(60)).await.unwrap();
        assert_eq!((number_in(&older), older.record.stale), (Some(7), true), "{status} {body}");
    }
    service.answers("200 OK", "", "9");
    let fresh = answers.of(&request, at(0)).await.unwrap();
    assert_eq!((number_in(&fresh), fresh.record.stale), (Some(9), false));
    let none = answers.of(&SourceRequest::get("b.json"), at(0)).await.unwrap();
    assert_eq!(number_in(&none), Some(9));
}

#[tokio::test]
async fn what_was_never_read_is_a_fault_with_its_reason() {
    let service = Service::start("200 OK", "<html>").await;
    let source = service.source();
    let answers = Answers::new(Arc::clone(&source), "number", LONG, 16, number);
    let request = SourceRequest::get("a.json");
    assert_eq!(answers.of(&request, at(0)).await.unwrap_err().code, "unreadable: not_a_number");
    service.answers("404 Not Found", "", "");
    assert_eq!(number_in(&answers.of(&request, at(0)).await.unwrap()), None, "there is no such document");
    service.answers("500 Oops", "", "");
    assert_eq!(answers.of(&SourceRequest::get("b"), at(0)).await.unwrap_err().code, "status_500");
    let state = source.state(at(5));
    assert_eq!((state.name, state.fault.as_deref()), ("records", Some("status_500")));
    assert!(state.last_sha256.is_some() && state.age_s >= Some(4), "{state:?}");
    let unset = Source::new("edgar", Err("contact_missing"), 10);
    let fault = unset.ask(&request).await.unwrap_err();
    assert_eq!(
        (&*fault.code, unset.state(at(0)).fault.as_deref()),
        ("contact_missing", Some("contact_missing"))
    );
}

#[tokio::test]
async fn a_source_that_asks_for_a_pause_is_left_alone() {
    let service = Service::start("429 Too Many Requests", "").await;
    service.answers("429 Too Many Requests", "Retry-After: 120\r\n", "");
    let source = service.source();
    let request = SourceRequest::get("a");
    let refused = source.ask(&request).await.unwrap_err();
    assert_eq!((&*refused.code, refused.retry_after_s), ("status_429", 121));
    service.answers("200 OK", "", "7");
    let waits = source.ask(&request).await.unwrap_err();
    assert_eq!((&*waits.code, service.requests(), source.state(at(0)).rate_left), ("rate_used_up", 1, 0));
    assert!(waits.retry_after_s > 100);
}
