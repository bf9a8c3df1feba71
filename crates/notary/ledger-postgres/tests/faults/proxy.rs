//! A proxy before a PostgreSQL server, which fails at the COMMIT of a sequencer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use peers::postgres::Database;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{oneshot, watch};

/// The name that clients expect of a server's socket.
const SOCKET: &str = ".s.PGSQL.5432";

/// A failure at a COMMIT.
pub enum Fault {
    /// The connection is cut before the COMMIT reaches the server.
    CutBefore,
    /// The connection is cut after the server has answered, without the answer.
    CutAfter,
    /// The client's connection is cut. The server's stays, with its transaction, until the sender says whether the COMMIT
    /// reaches it.
    Hold(oneshot::Receiver<bool>),
}

/// A sequencer, by the lock that its connection has prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    Log,
    Work,
    Admission,
}

#[derive(Default)]
struct State {
    fault: Mutex<Option<(Of, Fault)>>,
    is_refusing: AtomicBool,
}

/// A proxy. It ends with the runtime of its test.
pub struct Proxy {
    folder: TempDir,
    database: String,
    state: Arc<State>,
    /// Each change cuts all connections.
    cuts: Arc<watch::Sender<u32>>,
}

impl Proxy {
    /// Starts a proxy before the server of a database.
    pub fn start(database: &Database) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let server = database.server().folder().join(SOCKET);
        let state = Arc::<State>::default();
        let cuts = Arc::new(watch::Sender::new(0));
        tokio::spawn(accept(listener, server, Arc::clone(&state), Arc::clone(&cuts)));
        Self { folder, database: database.name().to_owned(), state, cuts }
    }

    /// The address of the database through this proxy.
    pub fn address(&self) -> String {
        let folder = self.folder.path().to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{folder}/{}", self.database)
    }

    /// Fails once, at the next COMMIT of a sequencer.
    pub fn fail(&self, of: Of, fault: Fault) {
        *self.state.fault.lock().unwrap() = Some((of, fault));
    }

    /// True once the failure that was asked for has begun.
    pub fn has_failed(&self) -> bool {
        self.state.fault.lock().unwrap().is_none()
    }

    /// Cuts all connections, and lets nobody connect until [`restore`](Self::restore).
    pub fn cut(&self) {
        self.state.is_refusing.store(true, Ordering::SeqCst);
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Lets clients connect again.
    pub fn restore(&self) {
        self.state.is_refusing.store(false, Ordering::SeqCst);
    }
}

async fn accept(listener: UnixListener, server: PathBuf, state: Arc<State>, cuts: Arc<watch::Sender<u32>>) {
    while let Ok((client, _)) = listener.accept().await {
        if state.is_refusing.load(Ordering::SeqCst) {
            continue;
        }
        let Ok(server) = UnixStream::connect(&server).await else { continue };
        let (mut cut, state) = (cuts.subscribe(), Arc::clone(&state));
        tokio::spawn(async move {
            tokio::select! {
                _ = cut.changed() => {}
                _ = Pair::new(client, server, state).run() => {}
            }
        });
    }
}

/// The two connections that the proxy moves messages between.
struct Pair {
    client: (OwnedReadHalf, OwnedWriteHalf),
    server: (OwnedReadHalf, OwnedWriteHalf),
    state: Arc<State>,
    /// The bytes of the client's next messages.
    buffer: Vec<u8>,
    has_started: bool,
    of: Option<Of>,
}

impl Pair {
    fn new(client: UnixStream, server: UnixStream, state: Arc<State>) -> Self {
        let (client, server) = (client.into_split(), server.into_split());
        Self { client, server, state, buffer: Vec::new(), has_started: false, of: None }
    }

    /// Moves messages until either side, or a fault, ends the connection.
    async fn run(mut self) -> std::io::Result<()> {
        let (mut sent, mut answered) = ([0; 16 << 10], [0; 16 << 10]);
        loop {
            tokio::select! {
                length = self.client.0.read(&mut sent) => {
                    let length = length?;
                    if length == 0 {
                        return Ok(());
                    }
                    self.buffer.extend_from_slice(&sent[..length]);
                    while let Some(message) = self.next_message() {
                        if let Some(fault) = self.fault_at(&message) {
                            return self.fail(fault, &message).await;
                        }
                        self.server.1.write_all(&message).await?;
                    }
                }
                length = self.server.0.read(&mut answered) => {
                    let length = length?;
                    if length == 0 {
                        return Ok(());
                    }
                    self.client.1.write_all(&answered[..length]).await?;
                }
            }
        }
    }

    /// The client's next message, once it is whole. Only the first one has no type before its length.
    fn next_message(&mut self) -> Option<Vec<u8>> {
        let before = usize::from(self.has_started);
        let length = self.buffer.get(before..before + 4)?;
        let length = before + u32::from_be_bytes(length.try_into().unwrap()) as usize;
        if self.buffer.len() < length {
            return None;
        }
        self.has_started = true;
        Some(self.buffer.drain(..length).collect())
    }

    /// The fault that happens at a message. The locks that a connection prepares say whose it is.
    fn fault_at(&mut self, message: &[u8]) -> Option<Fault> {
        let has = |text: &str| message.windows(text.len()).any(|part| part == text.as_bytes());
        if message[0] == b'P' {
            let locks = [
                ("FROM head FOR UPDATE", Of::Log),
                ("'work' FOR UPDATE", Of::Work),
                ("'admission' FOR UPDATE", Of::Admission),
            ];
            self.of = self.of.or_else(|| Some(locks.iter().find(|(text, _)| has(text))?.1));
        }
        // By its end: a BEGIN names the isolation level READ COMMITTED.
        if message[0] != b'Q' || !message.ends_with(b"COMMIT\0") {
            return None;
        }
        let mut fault = self.state.fault.lock().unwrap();
        let is_here = fault.as_ref().is_some_and(|(of, _)| Some(*of) == self.of);
        if is_here { fault.take().map(|(_, fault)| fault) } else { None }
    }

    async fn fail(self, fault: Fault, commit: &[u8]) -> std::io::Result<()> {
        let Self { client, server: (mut answers, mut requests), .. } = self;
        match fault {
            Fault::CutBefore => Ok(()),
            Fault::CutAfter => {
                requests.write_all(commit).await?;
                ready(&mut answers).await
            }
            Fault::Hold(is_sent) => {
                drop(client);
                if is_sent.await.unwrap_or(false) {
                    requests.write_all(commit).await?;
                    ready(&mut answers).await?;
                }
                Ok(())
            }
        }
    }
}

/// Waits for the server's answer, whose last message is ReadyForQuery outside of a transaction.
async fn ready(answers: &mut OwnedReadHalf) -> std::io::Result<()> {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    while !all.ends_with(b"Z\0\0\0\x05I") {
        match answers.read(&mut part).await? {
            0 => return Ok(()),
            length => all.extend_from_slice(&part[..length]),
        }
    }
    Ok(())
}
