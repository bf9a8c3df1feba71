//! Local servers that answer by script, and a resolver that answers by table.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::resolve::BoxFuture;
use fetch::{FetchError, Fetched, Fetcher, Limits, Policy, Resolve, ResolveError, Roots};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// Far more than any test should take: a test that reaches it hangs.
pub(crate) const HANG: Duration = Duration::from_secs(30);

/// One act of a server.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// The bytes again and again until the client goes away.
    Forever(Vec<u8>, Duration),
    /// Says and does nothing until the client goes away.
    Silence,
    /// Closes the connection without closing the TLS session.
    Cut,
}

/// Sends `text` and closes.
pub(crate) fn say(text: impl AsRef<[u8]>) -> Vec<Step> {
    vec![Step::Send(text.as_ref().to_vec())]
}

/// A whole answer with `body`.
pub(crate) fn ok(body: &str) -> Vec<Step> {
    say(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// A redirect.
pub(crate) fn redirect(status: u16, location: &str) -> Vec<Step> {
    say(format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"))
}

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many connections have been accepted.
    pub(crate) async fn wait_for(&self, connections: usize) {
        let accepting = async {
            while self.connections() < connections {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(HANG, accepting).await.expect("a connection is missing");
    }

    /// Connections that have ended so far.
    pub(crate) fn closed(&self) -> usize {
        self.closed.load(Ordering::SeqCst)
    }

    /// The heads of the requests read so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Answers each request on 127.0.0.1 with what `script` makes of its head.
    pub(crate) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), None, script).await
    }

    pub(crate) async fn listen(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(AtomicUsize::new(0));
        let server = Self {
            address,
            connections: connections.clone(),
            closed: closed.clone(),
            requests: requests.clone(),
        };
        let script = Arc::new(script);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                let (script, requests, tls, closed) =
                    (script.clone(), requests.clone(), tls.clone(), closed.clone());
                tokio::spawn(async move {
                    match tls {
                        None => act(stream, &*script, &requests).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => {
                                let name = stream.get_ref().1.server_name().unwrap_or("none").to_owned();
                                requests.lock().unwrap().push(format!("SNI {name}"));
                                act(stream, &*script, &requests).await
                            }
                            Err(_) => Some(()),
                        },
                    };
                    closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        server
    }
}

/// Reads a head and plays the script. `None` where the client went away, as clients here often do.
async fn act<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    script: &(dyn Fn(&str) -> Vec<Step> + Send + Sync),
    requests: &Mutex<Vec<String>>,
) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    requests.lock().unwrap().push(head.clone());
    for step in script(&head) {
        match step {
            Step::Send(bytes) => stream.write_all(&bytes).await.ok()?,
            Step::Wait(time) => sleep(time).await,
            Step::Forever(bytes, pause) => loop {
                stream.write_all(&bytes).await.ok()?;
                stream.flush().await.ok()?;
                sleep(pause).await;
            },
            Step::Silence => {
                let _ = stream.read_u8().await;
            }
            Step::Cut => return Some(()),
        }
        stream.flush().await.ok()?;
    }
    stream.shutdown().await.ok()
}

/// A resolver with a table. A name with several answers gives them in turn and stays at the last.
#[derive(Clone, Default)]
pub(crate) struct Names {
    answers: Arc<Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    pub(crate) fn with(self, name: &str, answers: &[&[&str]]) -> Self {
        let parsed = answers.iter().map(|answer| answer.iter().map(|ip| ip.parse().unwrap()).collect());
        self.answers.lock().unwrap().insert(name.to_owned(), parsed.collect());
        self
    }

    /// The names asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(host.to_owned());
            let mut answers = self.answers.lock().unwrap();
            let turns = answers.get_mut(host).ok_or(ResolveError::NoAddress)?;
            Ok(if turns.len() > 1 { turns.pop_front().unwrap() } else { turns.front().unwrap().clone() })
        })
    }
}

/// Limits short enough to meet in a test, long enough for a loaded machine.
pub(crate) fn short() -> Limits {
    let time = Duration::from_millis(400);
    Limits { resolve: time, connect: time, total: time, ..Limits::default() }
}

/// A fetcher that may reach loopback, with `source.example.com` on 127.0.0.1.
pub(crate) fn fetcher() -> Fetcher {
    fetcher_with(Limits::default(), Names::default().with("source.example.com", &[&["127.0.0.1"]]))
}

pub(crate) fn fetcher_with(limits: Limits, names: Names) -> Fetcher {
    Fetcher::new(Policy::dev(), limits, names, Roots::none())
}

pub(crate) async fn get(fetcher: &Fetcher, url: &str) -> Result<Fetched, FetchError> {
    let target = fetcher.check_url(url).unwrap();
    timeout(HANG, fetcher.get(target)).await.expect("the fetch hangs")
}

/// The reason for which `fetcher` fails on `url`.
pub(crate) async fn code(fetcher: &Fetcher, url: &str) -> &'static str {
    match get(fetcher, url).await {
        Ok(fetched) => panic!("{url} was fetched: {fetched:?}"),
        Err(error) => error.code(),
    }
}

/// The reason for which a fetch from a server with this script fails.
pub(crate) async fn code_of(limits: Limits, script: Vec<Step>) -> &'static str {
    let server = Server::start(move |_| script.clone()).await;
    code(&fetcher_with(limits, Names::default()), &format!("http://127.0.0.1:{}/", server.port())).await
}

/// Fetches from a server with this script and returns the result.
pub(crate) async fn fetched_of(script: Vec<Step>) -> Fetched {
    let server = Server::start(move |_| script.clone()).await;
    get(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await.unwrap()
}
