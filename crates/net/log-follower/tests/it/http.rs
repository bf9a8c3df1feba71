//! A server that is slow or endless ends a step within its bounds.

use std::net::SocketAddr;
use std::time::Duration;

use fetch::FetchError;
use log_follower::{Advance, Follower, HttpLog, LogSource as _, SourceError, StateFolder};
use tempfile::tempdir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{TestLog, Witnessed, entries, vkey};

/// Serves each connection with this function, which gets the path that is asked for.
async fn serve<F>(answer: impl Fn(String, TcpStream) -> F + Send + Sync + 'static) -> String
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            tokio::spawn(answer(path, stream));
        }
    });
    format!("http://{address}/some/log/")
}

async fn send(mut stream: TcpStream, status: u16, body: Vec<u8>) {
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _client_may_have_gone = stream.write_all(&[head.as_bytes(), &body].concat()).await;
}

#[tokio::test]
async fn a_log_is_followed_over_http() {
    let log = TestLog::of(entries(0..1000));
    let served = log.clone();
    let url = serve(move |path, stream| {
        let served = served.clone();
        async move {
            let path = path.strip_prefix("/some/log/").unwrap();
            let body = if path == "checkpoint" { served.note().into_bytes() } else { served.bytes(path) };
            send(stream, 200, body).await;
        }
    })
    .await;
    let folder = tempdir().unwrap();
    let source = HttpLog::new(&url, 4).unwrap();
    let state = StateFolder::open(folder.path()).unwrap();
    let mut following = Follower::open(source, vkey(), state, 4, Witnessed::default()).unwrap();
    assert_eq!(following.advance().await.unwrap(), Advance::Verified { from: 0, size: 1000 });
}

#[tokio::test]
async fn an_answer_without_an_end_is_too_large() {
    let url = serve(|_, mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").await;
        while stream.write_all(&[b'x'; 1 << 16]).await.is_ok() {}
    })
    .await;
    let source = HttpLog::new(&url, 4).unwrap();
    for error in [
        source.checkpoint().await.unwrap_err(),
        source.tile("tile/0/000".parse().unwrap()).await.unwrap_err(),
        source.tile("tile/entries/000".parse().unwrap()).await.unwrap_err(),
    ] {
        assert!(matches!(&error, SourceError::Fetch { error: FetchError::TooLarge(_), .. }), "{error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_given_up() {
    let url = serve(|_, mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n").await;
        let _held_open = stream.read_u8().await;
    })
    .await;
    let source = HttpLog::within(&url, 4, Duration::from_millis(200)).unwrap();
    let error = source.checkpoint().await.unwrap_err();
    assert!(matches!(&error, SourceError::Fetch { error: FetchError::Timeout, .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let url = serve(move |path, stream| {
        let number = counter.fetch_add(1, Ordering::Relaxed);
        async move {
            let status = match (path.ends_with("checkpoint"), number) {
                (true, 0) => 503,
                (true, _) => 200,
                (false, _) => 400,
            };
            send(stream, status, b"a note".to_vec()).await;
        }
    })
    .await;
    let source = HttpLog::new(&url, 1).unwrap();
    assert_eq!(&*source.checkpoint().await.unwrap(), b"a note");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let error = source.tile("tile/0/000".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, SourceError::Status { status: 400, .. }));
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}
