//! A publisher of documents in the manner of OFAC's Sanctions List Service: an export redirects to a link that is good
//! once, and what lies there has an `ETag`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::HANG;

/// The path of OFAC's exports.
const SERVICE: &str = "/api/PublicationPreview/exports/";

/// The fault of the publisher's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It answers 500.
    Broken,
    /// It answers 200 with a page for people.
    Page,
    /// It ends in the middle of a document.
    Cut,
    /// It says nothing until the client goes away.
    Silent,
    /// It heeds no conditions: what is known already comes again.
    Heedless,
}

#[derive(Default)]
struct State {
    documents: HashMap<String, String>,
    fault: Option<Fault>,
    /// Links that were given out and not used yet.
    links: HashSet<String>,
    given: usize,
    /// The name and the status of every answer that was no redirect.
    answers: Vec<(String, u16)>,
}

/// A publisher on a port of its own, for as long as the process.
pub struct Publisher {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Publisher {
    /// One that publishes nothing yet.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that goes away in the middle is no fault of ours.
                thread::spawn(move || drop(answer(stream, &state)));
            }
        });
        Self { address, state }
    }

    /// The folder of its exports.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/exports/", self.address)
    }

    /// The same folder where OFAC has it, with the changes beside it: `changes/latest`, once it is published.
    #[must_use]
    pub fn service_url(&self) -> String {
        format!("http://{}{SERVICE}", self.address)
    }

    /// Publishes a document under this name, in place of an earlier one.
    pub fn publish(&self, name: &str, text: &str) {
        self.state.lock().unwrap().documents.insert(name.to_owned(), text.to_owned());
    }

    /// From now on this is wrong with it, or nothing.
    pub fn fail(&self, fault: Option<Fault>) {
        self.state.lock().unwrap().fault = fault;
    }

    /// The name and the status of every answer so far, redirects left out.
    #[must_use]
    pub fn answers(&self) -> Vec<(String, u16)> {
        self.state.lock().unwrap().answers.clone()
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_read_timeout(Some(HANG))?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let said = said(&head, &target, &mut state.lock().unwrap());
    match said {
        Some(text) => stream.write_all(text.as_bytes()),
        None => stream.read_exact(&mut [0]),
    }
}

/// Returns the answer that is sent; `None` if the server says nothing.
fn said(head: &str, target: &str, state: &mut State) -> Option<String> {
    let is_change = target.starts_with("/changes/").then(|| target.trim_start_matches('/'));
    let export = ["/exports/", SERVICE].iter().find_map(|folder| target.strip_prefix(folder));
    if let Some(name) = export.or(is_change) {
        state.given += 1;
        let link = format!("/signed/{name}?once={}", state.given);
        state.links.insert(link.clone());
        return Some(format!("HTTP/1.1 302 Found\r\nLocation: {link}\r\nContent-Length: 0\r\n\r\n"));
    }
    let name = target.trim_start_matches("/signed/").split('?').next().unwrap_or_default();
    let document = state.documents.get(name).cloned();
    let etag = document.as_ref().map(|text| format!("\"{:x}\"", fingerprint(text))).unwrap_or_default();
    let is_known = head.lines().any(|line| {
        line.split_once(": ")
            .is_some_and(|(field, value)| field.eq_ignore_ascii_case("if-none-match") && value == etag)
    });
    let (status, text) = match (state.links.remove(target), document, state.fault) {
        (_, _, Some(Fault::Silent)) => return None,
        (false, _, _) => (403, "the link has expired".to_owned()),
        (_, _, Some(Fault::Broken)) => (500, "<Error>internal</Error>".to_owned()),
        (_, _, Some(Fault::Page)) => {
            (200, "<!DOCTYPE html><html><body>Down for maintenance.</body></html>".to_owned())
        }
        (true, Some(_), None) if is_known => (304, String::new()),
        (true, Some(text), None | Some(Fault::Cut | Fault::Heedless)) => (200, text),
        (true, None, _) => (404, "there is no such export".to_owned()),
    };
    state.answers.push((name.to_owned(), status));
    let length = text.len();
    let sent = if state.fault == Some(Fault::Cut) { &text[..length / 2] } else { &text };
    Some(match status {
        304 => format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n"),
        _ => format!("HTTP/1.1 {status} Status\r\nETag: {etag}\r\nContent-Length: {length}\r\n\r\n{sent}"),
    })
}

/// FNV-1a: enough to tell one version from the next.
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
