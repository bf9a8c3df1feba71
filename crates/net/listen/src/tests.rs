//! The server over sockets, with small bounds.

use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::*;

const HANG: Duration = Duration::from_secs(60);
const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: n\r\n\r\n";

/// The answer to HTTP/2.
fn http2() -> Response {
    (StatusCode::HTTP_VERSION_NOT_SUPPORTED, [("x-request-id", "7"), ("content-type", "text/plain")], "1.1")
        .into_response()
}

/// Echoes bodies.
async fn start(bounds: Bounds) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let echo = |request: Request| async {
        match request.into_body().collect().await {
            Ok(body) => body.to_bytes().into_response(),
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        }
    };
    let (stop, stopped) = oneshot::channel();
    let router = Router::new().fallback(echo);
    let stopped = async move { drop(stopped.await) };
    let serving = tokio::spawn(async move { serve(listener, router, &[], bounds, http2, stopped).await });
    (address, stop, serving)
}

/// All that the server says until it closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    timeout(HANG, stream.read_to_end(&mut said)).await.expect("the connection is still open").unwrap();
    String::from_utf8(said).unwrap()
}

#[tokio::test]
async fn the_last_answer_of_a_connection_says_so_and_those_before_are_all_there() {
    let (address, _stop, _) = start(Bounds { requests: 5, ..Bounds::of(64) }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    // More than are taken: the client is told which were not.
    stream.write_all(&GET.repeat(8)).await.unwrap();
    let said = rest(&mut stream).await;
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 5, "{said}");
    assert_eq!(said.matches("connection: close").count(), 1, "{said}");
    assert!(said.rfind("HTTP/1.1").unwrap() < said.find("connection: close").unwrap(), "{said}");
}

#[tokio::test]
async fn a_connection_is_not_kept_after_a_large_head() {
    let (address, _stop, _) = start(Bounds::of(64)).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let large = format!("GET /?{} HTTP/1.1\r\nX: {}\r\n\r\n", "q".repeat(9_000), "x".repeat(9_000));
    stream.write_all(&[GET, large.as_bytes()].concat()).await.unwrap();
    let said = rest(&mut stream).await;
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 2, "{said}");
    assert_eq!(said.matches("connection: close").count(), 1, "{said}");
}

#[tokio::test]
async fn http_2_is_answered_in_http_1_and_the_connection_closed() {
    let (address, _stop, _) = start(Bounds::of(64)).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    let said = rest(&mut stream).await;
    assert_eq!(
        said,
        "HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\
         x-request-id: 7\r\nconnection: close\r\n\r\n1.1"
    );
}

#[tokio::test]
async fn an_old_connection_is_closed_after_its_answer() {
    let (address, _stop, _) = start(Bounds { lifetime: Duration::ZERO, ..Bounds::of(64) }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(GET).await.unwrap();
    let said = rest(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 200 OK") && said.contains("connection: close"), "{said}");
}

#[tokio::test]
async fn a_stop_ends_idle_connections_and_waits_for_the_others() {
    let (address, stop, serving) = start(Bounds::of(64)).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(GET).await.unwrap();
    let mut head = [0; 12];
    idle.read_exact(&mut head).await.unwrap();
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(b"POST / HTTP/1.1\r\nHost: n\r\nContent-Length: 4\r\n\r\nab").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.send(()).unwrap();
    rest(&mut idle).await;
    assert!(!serving.is_finished());
    busy.write_all(b"cd").await.unwrap();
    let said = rest(&mut busy).await;
    assert!(said.starts_with("HTTP/1.1 200 OK") && said.ends_with("abcd"), "{said}");
    timeout(HANG, serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_connection_over_the_bound_of_its_network_takes_the_place_of_one_that_waits() {
    let (address, _stop, _) = start(Bounds::of(64)).await; // 8 for each address
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // Half a head is no request.
        stream.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        waiting.push(stream);
    }
    let mut new = TcpStream::connect(address).await.unwrap();
    new.write_all(GET).await.unwrap();
    let mut head = [0; 12];
    timeout(HANG, new.read_exact(&mut head)).await.unwrap().unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    // A reset is an end too.
    drop(timeout(HANG, waiting[0].read(&mut head)).await.expect("the first is still open"));
}
