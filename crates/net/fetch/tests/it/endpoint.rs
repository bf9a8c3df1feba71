//! A service of the operator's: reached where it was named and nowhere else.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use fetch::{Endpoint, EndpointError, EndpointResponse, FetchError, Limits, Roots};
use ipnet::IpNet;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::support::{HANG, Names, Server, redirect, say, short};

/// A server that reads whole requests, answers each with `answer` and keeps them.
struct Service {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    async fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = request(&mut stream).await;
                kept.lock().unwrap().push(request);
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A request with a `Content-Length`, whole.
async fn request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        text.push(char::from(stream.read_u8().await.unwrap()));
    }
    let length = text.to_ascii_lowercase().split("content-length: ").nth(1).unwrap().to_owned();
    let mut body = vec![0; length.split("\r\n").next().unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    text + std::str::from_utf8(&body).unwrap()
}

fn names() -> Names {
    Names::default()
        .with("node", &[&["127.0.0.1"]])
        .with("node.internal", &[&["127.0.0.1"]])
        .with("mixed.example.com", &[&["127.0.0.1", "10.0.0.1"]])
        .with("public.example.com", &[&["127.0.0.1"]])
        .with("elsewhere.example.com", &[&["8.8.8.8"]])
}

fn endpoint(url: &str, networks: &[&str]) -> Result<Endpoint, EndpointError> {
    let networks: Vec<IpNet> = networks.iter().map(|network| network.parse().unwrap()).collect();
    Endpoint::new(url, &networks, Limits::default(), names(), Roots::none())
}

async fn post(endpoint: &Endpoint) -> Result<EndpointResponse, FetchError> {
    timeout(HANG, endpoint.post_json("{\"a\":1}".into())).await.expect("the request hangs")
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

#[tokio::test]
async fn json_is_sent_and_the_answer_read() {
    let service = Service::start(OK).await;
    let endpoint = endpoint(&format!("http://127.0.0.1:{}/v2/key?x=1", service.port), &[]).unwrap();
    let endpoint = endpoint.below("settle").unwrap().with_authorization("Bearer secret").unwrap();
    assert_eq!(
        post(&endpoint).await.unwrap(),
        EndpointResponse { status: 200, body: "{}".into(), ..EndpointResponse::default() }
    );
    let request = service.requests().remove(0);
    assert!(request.starts_with("POST /v2/key/settle?x=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer secret\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
}

#[tokio::test]
async fn what_the_operator_named_is_reached_and_nothing_beside_it() {
    let service = Service::start(OK).await;
    let cases: [(&str, &[&str], bool); 10] = [
        ("127.0.0.1", &[], true),
        ("localhost", &[], true),
        ("node", &["127.0.0.0/8"], true),
        ("node.internal", &["127.0.0.1/32"], true),
        ("public.example.com", &["127.0.0.1/32"], true),
        ("node", &["10.0.0.0/8"], false),
        ("public.example.com", &["10.0.0.0/8"], false),
        ("mixed.example.com", &["127.0.0.1/32"], false),
        ("elsewhere.example.com", &["127.0.0.1/32"], false), // plain http over the public network
        ("[::ffff:127.0.0.1]", &[], true),                   // the very address that was named
    ];
    for (host, networks, reached) in cases {
        let endpoint = endpoint(&format!("http://{host}:{}/", service.port), networks).unwrap();
        match post(&endpoint).await {
            Ok(_) => assert!(reached, "{host} {networks:?}"),
            Err(FetchError::Refused(_)) => assert!(!reached, "{host} {networks:?}"),
            Err(error) => panic!("{host} {networks:?}: {error:?}"),
        }
    }
}

#[tokio::test]
async fn https_to_a_name_clears_public_addresses_only() {
    let service = Service::start(OK).await;
    let endpoint = endpoint(&format!("https://public.example.com:{}/", service.port), &[]).unwrap();
    assert!(matches!(post(&endpoint).await, Err(FetchError::Refused(_))));
    assert!(service.requests().is_empty());
}

#[test]
fn addresses_that_cannot_be_meant_are_refused() {
    assert!(matches!(endpoint("http://public.example.com/", &[]), Err(EndpointError::Plain)));
    for url in ["ftp://127.0.0.1/", "http://user:word@127.0.0.1/", "https://node/", "127.0.0.1:8545", ""] {
        assert!(matches!(endpoint(url, &[]), Err(EndpointError::Url(_))), "{url}");
    }
    let local = endpoint("http://127.0.0.1:1/", &[]).unwrap();
    assert!(matches!(local.with_authorization("two\r\nlines"), Err(EndpointError::Authorization)));
}

#[tokio::test]
async fn no_redirect_is_followed() {
    for answer in [
        "HTTP/1.1 308 Permanent Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
    ] {
        let service = Service::start(answer).await;
        let endpoint = endpoint(&format!("http://127.0.0.1:{}/", service.port), &[]).unwrap();
        assert!(matches!(post(&endpoint).await, Err(FetchError::TooManyRedirects)));
        assert_eq!(service.requests().len(), 1);
    }
}

#[tokio::test]
async fn answers_are_bounded_in_time_and_size() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let silent = Endpoint::new(&url, &[], short(), names(), Roots::none()).unwrap();
    assert!(matches!(post(&silent).await, Err(FetchError::Timeout)));

    let service = Service::start(OK).await;
    let url = format!("http://127.0.0.1:{}/", service.port);
    let narrow = Limits { wire_bytes: 1, ..Limits::default() };
    let narrow = Endpoint::new(&url, &[], narrow, names(), Roots::none()).unwrap();
    assert!(matches!(post(&narrow).await, Err(FetchError::TooLarge(_))));
}

#[tokio::test]
async fn no_text_has_the_key_in_the_path_or_the_authorization() {
    let dead = "http://127.0.0.1:1/v2/s3cret";
    let endpoint = endpoint(dead, &[]).unwrap().with_authorization("Bearer s3cret").unwrap();
    assert_eq!(format!("{endpoint:?}"), "Endpoint(\"http://127.0.0.1:1\")");
    let error = post(&endpoint).await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains("s3cret"));
}

#[tokio::test]
async fn a_document_is_asked_for_below_the_path_with_its_query_and_in_the_name_that_was_set() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nETag: \"a\"\r\nContent-Length: 2\r\n\r\n{}";
    let server = Server::start(move |_| say(answer)).await;
    let endpoint = endpoint(&format!("http://127.0.0.1:{}/v1/", server.port()), &[]).unwrap();
    let endpoint = endpoint.with_user_agent("touchstone ops@example.com").unwrap();
    let answer =
        timeout(HANG, endpoint.get("documents.json", Some("a%5B%5D=b&c=%26"))).await.unwrap().unwrap();
    assert_eq!(
        (answer.status, &*answer.body, answer.content_type.as_deref()),
        (200, &b"{}"[..], Some("text/csv"))
    );
    assert_eq!((answer.validators.etag.as_deref(), answer.retry_after_s), (Some("\"a\""), None));
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.starts_with("get /v1/documents.json?a%5b%5d=b&c=%26 http/1.1\r\n"), "{request}");
    assert!(request.contains("user-agent: touchstone ops@example.com\r\n"), "{request}");
    assert!(request.contains("accept: application/json, text/csv;q=0.9\r\n"), "{request}");
}

#[tokio::test]
async fn json_is_sent_to_a_path_below_the_service_s_own() {
    let service = Service::start(OK).await;
    let endpoint = endpoint(&format!("http://127.0.0.1:{}/api/", service.port), &[]).unwrap();
    let answer = timeout(HANG, endpoint.post_json_to("v2/search/", "{}".into())).await.unwrap().unwrap();
    assert_eq!(answer.status, 200);
    assert!(service.requests()[0].starts_with("POST /api/v2/search/ HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_document_s_pause_is_told_and_its_redirect_is_not_followed() {
    let server = Server::start(|head| match head.contains("/busy") {
        true => say("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"),
        false => redirect(302, "http://127.0.0.1:1/"),
    })
    .await;
    let endpoint = endpoint(&format!("http://127.0.0.1:{}", server.port()), &[]).unwrap();
    let busy = timeout(HANG, endpoint.get("busy", None)).await.unwrap().unwrap();
    assert_eq!((busy.status, busy.retry_after_s), (429, Some(7)));
    let moved = timeout(HANG, endpoint.get("moved", None)).await.unwrap();
    assert!(matches!(moved, Err(FetchError::TooManyRedirects)), "{moved:?}");
    assert!(matches!(endpoint.with_user_agent("a\nb"), Err(EndpointError::UserAgent)));
}
