//! Web servers that claims are resolved at: on a port of their own, answering by script.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::HANG;

/// One act of a peer.
#[derive(Clone)]
pub enum Step {
    Send(Vec<u8>),
    /// The bytes again and again until the client goes away.
    Forever(Vec<u8>),
    /// One byte now and then until the client goes away.
    Drip,
    /// Nothing until [`Peer::open_gate`].
    Gate,
}

/// A whole answer of this status and type.
pub fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<Step> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    vec![Step::Send([head.as_bytes(), body].concat())]
}

/// A JSON document.
pub fn document(body: impl AsRef<[u8]>) -> Vec<Step> {
    answer("200 OK", "Content-Type: application/json\r\n", body)
}

/// A redirect.
pub fn redirect(location: &str) -> Vec<Step> {
    answer("302 Found", &format!("Location: {location}\r\n"), "")
}

#[derive(Default)]
struct State {
    /// The targets of requests whose head has been read.
    asked: Vec<String>,
    is_open: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn wait(&self, until: impl Fn(&State) -> bool) {
        let state = self.state.lock().unwrap();
        let (_state, waited) = self.changed.wait_timeout_while(state, HANG, |state| !until(state)).unwrap();
        assert!(!waited.timed_out(), "waited too long for a peer");
    }
}

/// A peer. It answers each connection's request by what its script makes of the target, and closes.
pub struct Peer {
    pub address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

impl Peer {
    pub fn http(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::start("127.0.0.1:0", None, script)
    }

    /// A peer that every loopback address leads to.
    pub fn everywhere(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::start("0.0.0.0:0", None, script)
    }

    pub fn https(tls: Arc<ServerConfig>, script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::start("127.0.0.1:0", Some(tls), script)
    }

    fn start(
        listen: &str,
        tls: Option<Arc<ServerConfig>>,
        script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(listen).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let scheme = if tls.is_some() { "https" } else { "http" };
        let peer = Self { address, scheme, shared: Arc::clone(&shared) };
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let (script, shared, tls) = (Arc::clone(&script), Arc::clone(&shared), tls.clone());
                // A client that goes away in the middle is what many of these scripts are for.
                thread::spawn(move || drop(serve(stream, tls, &*script, &shared)));
            }
        });
        peer
    }

    /// The address of a document of this peer.
    pub fn url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    /// The targets that were asked for so far.
    pub fn asked(&self) -> Vec<String> {
        self.shared.state.lock().unwrap().asked.clone()
    }

    /// Waits until so many requests have arrived.
    pub fn wait_for(&self, requests: usize) {
        self.shared.wait(|state| state.asked.len() >= requests);
    }

    /// Lets everybody past [`Step::Gate`].
    pub fn open_gate(&self) {
        self.shared.state.lock().unwrap().is_open = true;
        self.shared.changed.notify_all();
    }
}

fn serve(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    script: &dyn Fn(&str) -> Vec<Step>,
    shared: &Shared,
) -> io::Result<()> {
    stream.set_read_timeout(Some(HANG))?;
    stream.set_write_timeout(Some(HANG))?;
    match tls {
        None => play(stream, script, shared),
        Some(config) => {
            let connection = ServerConnection::new(config).map_err(io::Error::other)?;
            let mut stream = StreamOwned::new(connection, stream);
            let played = play(&mut stream, script, shared);
            stream.conn.send_close_notify();
            stream.flush()?;
            played
        }
    }
}

fn play(
    mut stream: impl Read + Write,
    script: &dyn Fn(&str) -> Vec<Step>,
    shared: &Shared,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok()).flatten()
    });
    stream.read_exact(&mut vec![0; length.unwrap_or_default()])?;
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    shared.state.lock().unwrap().asked.push(target.clone());
    shared.changed.notify_all();
    for step in script(&target) {
        match step {
            Step::Send(bytes) => stream.write_all(&bytes)?,
            Step::Forever(bytes) => loop {
                stream.write_all(&bytes)?;
            },
            Step::Drip => loop {
                stream.write_all(b" ")?;
                stream.flush()?;
                thread::sleep(Duration::from_millis(50));
            },
            Step::Gate => shared.wait(|state| state.is_open),
        }
        stream.flush()?;
    }
    Ok(())
}

/// A port of the loopback interface that nobody should connect to.
pub struct Trap(TcpListener);

impl Trap {
    /// `None` where the port cannot be had.
    pub fn on(address: &str) -> Option<Self> {
        let listener = TcpListener::bind(address).ok()?;
        listener.set_nonblocking(true).ok()?;
        Some(Self(listener))
    }

    pub fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// That nobody has connected. What connected before an answer was read waits in the queue by now.
    #[track_caller]
    pub fn assert_untouched(&self) {
        match self.0.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => panic!("a connection was made: {other:?}"),
        }
    }
}
