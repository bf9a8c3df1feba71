//! Archives for audits that agents fetch: written on a thread of their own while they are sent.
//!
//! A reader that is slower than the store holds nothing but its place and a few buffers: [`Archives::write`] does not read while
//! its bytes wait.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, Receiver, Sender};
use verdict::{AgentName, Timestamp};

use crate::refusal::Refusal;

/// The most archives that are written at once, in this process.
pub const MAX_EXPORTS: usize = 2;
/// The bytes that are sent at once.
pub const BUFFER: usize = 256 << 10;
/// The most buffers that wait for the reader.
pub const WAITING: usize = 4;
/// The longest time that a reader may take for a buffer.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// The module that a refusal names.
const MODULE: &str = "export";
/// The seconds after which another try makes sense.
const RETRY_S: u32 = 30;

/// The receipts of an agent that are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedArchive {
    /// The agent.
    pub agent: AgentName,
    /// Signed at this time or later.
    pub since: Option<Timestamp>,
    /// Signed before this time.
    pub until: Option<Timestamp>,
}

/// Writes archives of the service's own store.
pub trait Archives: Send + Sync + 'static {
    /// Writes the archive of an agent's receipts, on a thread that may block. It holds nothing of the store while `to` takes bytes.
    ///
    /// # Errors
    /// The store failed, or `to` did. What was written is not whole then, and shows it.
    fn write(
        &self,
        asked: &AskedArchive,
        to: &mut dyn Write,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// The archives that are being fetched.
#[derive(Default)]
pub struct Exports {
    archives: Option<Arc<dyn Archives>>,
    running: Arc<Running>,
}

impl fmt::Debug for Exports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exports").field("running", &self.running).finish_non_exhaustive()
    }
}

/// The agents whose archives are being written.
#[derive(Default, Debug)]
struct Running(Mutex<BTreeSet<String>>);

/// A place among the archives that are written at once. Dropping it gives it back.
struct Place {
    running: Arc<Running>,
    agent: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.agent);
    }
}

impl Running {
    fn take(self: &Arc<Self>, agent: &AgentName) -> Result<Place, Refusal> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = |detail| Err(Refusal::unavailable(MODULE, RETRY_S, detail));
        if running.contains(agent.as_str()) {
            return refused("an export of this agent is under way; wait for its end");
        }
        if running.len() >= MAX_EXPORTS {
            return refused("as many exports are under way as the notary makes at once");
        }
        running.insert(agent.as_str().to_owned());
        Ok(Place { running: Arc::clone(self), agent: agent.as_str().to_owned() })
    }
}

impl Exports {
    /// Hands on what `archives` writes.
    #[must_use]
    pub fn new(archives: impl Archives) -> Self {
        Self { archives: Some(Arc::new(archives)), running: Arc::default() }
    }

    /// Begins to write an archive. Returns the body of the answer once its first bytes are there.
    pub(crate) async fn begin(&self, asked: AskedArchive) -> Result<Body, Refusal> {
        let archives = self.archives.clone().ok_or_else(|| Refusal::not_offered(MODULE))?;
        let place = self.running.take(&asked.agent)?;
        let (sender, mut receiver) = mpsc::channel(WAITING);
        let is_whole = Arc::new(AtomicBool::new(false));
        let (span, ended) = (tracing::Span::current(), Arc::clone(&is_whole));
        tokio::task::spawn_blocking(move || {
            // The place is held until the end of the work, not of the answer.
            let _place = place;
            span.in_scope(|| write(&*archives, &asked, &sender, &ended));
        });
        match receiver.recv().await {
            Some(Ok(first)) => Ok(body(first, receiver, is_whole)),
            Some(Err(_)) | None => {
                Err(Refusal::unavailable(MODULE, RETRY_S, "the store cannot be read at the moment"))
            }
        }
    }
}

type Part = io::Result<Bytes>;

/// Writes an archive to the end. A failure ends the answer before its end, so that no client takes it for whole.
fn write(archives: &dyn Archives, asked: &AskedArchive, sender: &Sender<Part>, is_whole: &AtomicBool) {
    let mut buffered = Buffered { sender, buffer: Vec::new() };
    let written = archives.write(asked, &mut buffered).and_then(|()| Ok(buffered.flush()?));
    match written {
        Ok(()) => {
            is_whole.store(true, Ordering::Release);
            tracing::info!(agent = asked.agent.as_str(), "an archive was fetched");
        }
        Err(error) => {
            tracing::warn!(agent = asked.agent.as_str(), %error, "an archive was not fetched to its end");
            // Before the first part it is the answer; the client may be gone.
            let _unread = sender.try_send(Err(not_whole()));
        }
    }
}

/// Sends what is written by the buffer.
struct Buffered<'s> {
    sender: &'s Sender<Part>,
    buffer: Vec<u8>,
}

impl Write for Buffered<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BUFFER - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let part = Ok(Bytes::from(std::mem::take(&mut self.buffer)));
        let sent = Handle::current().block_on(tokio::time::timeout(SEND_TIMEOUT, self.sender.send(part)));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

fn not_whole() -> io::Error {
    io::Error::other("the archive is not whole")
}

/// The body of parts. It fails where the writer ends without having written all, also in a panic: the connection is closed then.
fn body(first: Bytes, receiver: Receiver<Part>, is_whole: Arc<AtomicBool>) -> Body {
    let parts = stream::unfold((Some(first), receiver, is_whole), async |(first, mut receiver, is_whole)| {
        let part = match first {
            Some(first) => Some(Ok(first)),
            None => receiver.recv().await,
        };
        // The end is told once.
        let end = || (!is_whole.swap(true, Ordering::AcqRel)).then(|| Err(not_whole()));
        let part = part.or_else(end)?;
        Some((part, (None, receiver, is_whole)))
    });
    Body::from_stream(parts)
}
