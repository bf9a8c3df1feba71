//! A service that takes JSON and answers by script.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use fetch::{Endpoint, Limits};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// The reaction of the service to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// JSON with a status.
    Json(u16, Value),
    /// Any text with a status.
    Text(u16, String),
    /// A status with a `Location`.
    Redirect(u16, String),
    /// Says nothing until the client goes away.
    Silence,
    /// Closes the connection.
    Cut,
}

/// A service on a port of its own. It ends, with all that its script holds, when it is dropped.
#[derive(Debug)]
pub struct Service {
    /// Of the loopback interface.
    pub port: u16,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
    serving: AbortHandle,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Service {
    /// Answers each request with what `script` makes of its path and its JSON.
    pub async fn start(script: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, kept) = (Arc::new(script), requests.clone());
        let serving = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (script, kept) = (script.clone(), kept.clone());
                connections.spawn(async move {
                    let (path, body) = request(&mut stream).await?;
                    kept.lock().unwrap().push((path.clone(), body.clone()));
                    reply(&mut stream, script(&path, &body)).await
                });
            }
        });
        Self { port, requests, serving: serving.abort_handle() }
    }

    /// The URL that the service listens on.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The same, to send JSON to.
    #[must_use]
    pub fn endpoint(&self, limits: Limits) -> Endpoint {
        Endpoint::system(&self.url(), &[], limits).unwrap()
    }

    /// Path and JSON of the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

/// Path and JSON of a request. `None` where the client went away.
async fn request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push(char::from(stream.read_u8().await.ok()?));
    }
    let length = head.to_ascii_lowercase().split("content-length: ").nth(1).unwrap().to_owned();
    let mut body = vec![0; length.split("\r\n").next().unwrap().parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    let path = head.split(' ').nth(1).unwrap().to_owned();
    Some((path, serde_json::from_slice(&body).unwrap()))
}

async fn reply(stream: &mut TcpStream, reply: Reply) -> Option<()> {
    let (status, field, body) = match reply {
        Reply::Json(status, value) => (status, String::new(), value.to_string()),
        Reply::Text(status, text) => (status, String::new(), text),
        Reply::Redirect(status, location) => (status, format!("Location: {location}\r\n"), String::new()),
        Reply::Cut => return None,
        Reply::Silence => {
            let _ = stream.read_u8().await;
            return None;
        }
    };
    let length = body.len();
    let answer = format!("HTTP/1.1 {status} Status\r\n{field}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}
