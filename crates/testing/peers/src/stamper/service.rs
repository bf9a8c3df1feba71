//! The authority as a service over HTTP.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use receipt::time::Timestamp;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::{Lie, Stamper};

/// The reaction of the service to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// A token, with this wrong.
    Token(Lie),
    /// A status, and no more.
    Status(u16),
    /// A body that is no answer.
    Garbage,
    /// A body that never ends.
    Endless,
    /// Nothing, until the client goes away.
    Silence,
    /// An honest token, as a page.
    OtherType,
}

/// An authority on a port of its own. It ends when it is dropped.
#[derive(Debug)]
pub struct StamperService {
    /// Its address.
    pub url: String,
    /// The authority.
    pub stamper: Arc<Stamper>,
    state: Arc<State>,
    serving: AbortHandle,
}

#[derive(Debug)]
struct State {
    behaviour: Mutex<Behaviour>,
    requests: AtomicU32,
}

impl Drop for StamperService {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl StamperService {
    /// Starts the service.
    pub async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/tsr", listener.local_addr().unwrap());
        let stamper = Arc::new(Stamper::new());
        let state = Arc::new(State { behaviour: Mutex::new(behaviour), requests: AtomicU32::new(0) });
        let (of_task, stampers) = (Arc::clone(&state), Arc::clone(&stamper));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (state, stamper) = (Arc::clone(&of_task), Arc::clone(&stampers));
                tokio::spawn(async move { answer(stream, &state, &stamper).await });
            }
        });
        Self { url, stamper, state, serving: serving.abort_handle() }
    }

    /// Changes the behaviour.
    pub fn behave(&self, behaviour: Behaviour) {
        *self.state.behaviour.lock().unwrap() = behaviour;
    }

    /// The number of requests so far.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.state.requests.load(Ordering::Acquire)
    }
}

async fn answer(mut stream: TcpStream, state: &State, stamper: &Stamper) -> Option<()> {
    let request = request(&mut stream).await?;
    state.requests.fetch_add(1, Ordering::AcqRel);
    let behaviour = *state.behaviour.lock().unwrap();
    let now = Timestamp::try_from(SystemTime::now()).unwrap();
    let token = |lie| stamper.answer(&request, now, lie);
    let (status, kind, body) = match behaviour {
        Behaviour::Token(lie) => (200, "application/timestamp-reply", token(lie)),
        Behaviour::Status(status) => (status, "text/plain", b"no".to_vec()),
        Behaviour::Garbage => (200, "application/timestamp-reply", vec![0x30, 0x82, 0xff, 0xff, 1, 2, 3]),
        Behaviour::OtherType => (200, "text/html", token(Lie::None)),
        Behaviour::Silence => {
            let _ = stream.read_u8().await;
            return None;
        }
        Behaviour::Endless => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/timestamp-reply\r\ntransfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes()).await.ok()?;
            let chunk = format!("1000\r\n{}\r\n", "a".repeat(0x1000));
            while stream.write_all(chunk.as_bytes()).await.is_ok() {}
            return None;
        }
    };
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(&body).await.ok()?;
    stream.shutdown().await.ok()
}

/// The body of a request. `None` where the client went away.
async fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push(char::from(stream.read_u8().await.ok()?));
    }
    let head = head.to_ascii_lowercase();
    assert!(
        head.starts_with("post /tsr ") && head.contains("content-type: application/timestamp-query\r\n"),
        "{head}"
    );
    let length = head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}
