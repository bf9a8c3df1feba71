//! Receivers of webhooks, and a check of their signatures that shares no code with the product.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;

use super::HANG;

/// What a receiver does with what it was sent.
#[derive(Clone, Copy)]
pub enum Reaction {
    /// Answers with a status.
    Status(u16),
    /// Says nothing for as long as the sender waits.
    Silence,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    head: String,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.unwrap_or_else(|| panic!("no {name} in {}", self.head)).1
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// That it is signed by the key as Standard Webhooks has it, over every part.
    #[track_caller]
    pub fn verify(&self, key: &str) {
        let key = STANDARD.decode(key.strip_prefix("whpk_").unwrap()).unwrap();
        let key = VerifyingKey::from_bytes(&key.try_into().unwrap()).unwrap();
        let signature = self.header("webhook-signature").strip_prefix("v1a,").unwrap();
        let signature = Signature::from_slice(&STANDARD.decode(signature).unwrap()).unwrap();
        let (id, timestamp) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let mut signed = format!("{id}.{timestamp}.").into_bytes();
        signed.extend_from_slice(&self.body);
        key.verify_strict(&signed, &signature).expect("the signature");
        signed.push(b' ');
        assert!(key.verify_strict(&signed, &signature).is_err());
    }
}

/// A receiver on a port of its own, under every name of the loopback interface.
pub struct Hook {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Hook {
    /// It reacts by the path, and by how often that was asked for before.
    pub fn start(script: impl Fn(&str, usize) -> Reaction + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (kept, script) = (Arc::clone(&received), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
                thread::spawn(move || drop(serve(stream.unwrap(), &kept, &*script)));
            }
        });
        Self { port, received }
    }

    /// One that takes everything.
    pub fn willing() -> Self {
        Self::start(|_, _| Reaction::Status(204))
    }

    /// An address of it, under `localhost` or another name of the loopback interface.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// What was sent to a path so far.
    pub fn received(&self, path: &str) -> Vec<Received> {
        let received = self.received.lock().unwrap();
        received.iter().filter(|received| received.path == path).cloned().collect()
    }
}

fn serve(
    mut stream: TcpStream,
    kept: &Mutex<Vec<Received>>,
    script: &dyn Fn(&str, usize) -> Reaction,
) -> io::Result<()> {
    stream.set_read_timeout(Some(HANG))?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut received = Received { path: path.clone(), head, body: Vec::new() };
    received.body.resize(received.header("content-length").parse().unwrap(), 0);
    stream.read_exact(&mut received.body)?;
    let before = {
        let mut kept = kept.lock().unwrap();
        kept.push(received);
        kept.iter().filter(|received| received.path == path).count() - 1
    };
    match script(&path, before) {
        Reaction::Status(status) => {
            write!(stream, "HTTP/1.1 {status} Status\r\nContent-Length: 0\r\n\r\n")
        }
        // Until the sender goes away.
        Reaction::Silence => stream.read(&mut [0]).map(drop),
    }
}
