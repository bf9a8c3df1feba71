//! A witness on loopback that does what its script says.

use std::sync::{Arc, Mutex, PoisonError};

use tlog::{Checkpoint, CosignerKey, KeyKind, VerifierKey};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use witness::{AddCheckpoint, MemoryStore, Witness};

/// How a scripted witness behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Script {
    /// As the standard says.
    Honest,
    /// Takes the request, and answers only when it is released.
    Late,
    /// Cosigns another checkpoint than it was sent.
    WrongNote,
    /// Cosigns with a key that is not its own.
    WrongKey,
    /// Cosigns at a time of a day ago.
    WrongTime,
    /// Answers with this status and no more.
    Status(u16),
    /// Says that it has this size, whatever it is asked.
    Conflict(u64),
    /// Cosigns, and after that says that it has this smaller size.
    RolledBack(u64),
    /// Answers with a body that never ends.
    Endless,
    /// Answers with text that is no signature.
    Garbage,
}

/// A witness on a port of its own. Its script can be changed.
pub struct Scripted {
    pub name: String,
    pub url: String,
    key: CosignerKey,
    script: Mutex<Script>,
    /// The number of requests that came, and the most that were in flight at once.
    requests: Mutex<(u32, u32, u32)>,
    pub release: Notify,
    witness: Witness,
    store: MemoryStore,
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

impl Scripted {
    pub async fn start(number: u8, script: Script, log: &VerifierKey) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let name = format!("w{number}.example");
        let key = || CosignerKey::from_seed(&name, KeyKind::CosignatureV1, &[number; 32]).unwrap();
        let witness = Witness::new(vec![key()]).unwrap().with_log(log.name(), vec![log.clone()]).unwrap();
        let scripted = Arc::new(Self {
            url: format!("http://{}/w", listener.local_addr().unwrap()),
            key: key(),
            name,
            script: Mutex::new(script),
            requests: Mutex::default(),
            release: Notify::new(),
            witness,
            store: MemoryStore::default(),
        });
        let of_task = Arc::clone(&scripted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let scripted = Arc::clone(&of_task);
                tokio::spawn(async move { scripted.answer(stream).await });
            }
        });
        scripted
    }

    pub fn line(&self) -> String {
        format!("witness {} {} {}\n", self.name, self.key.verifier(), self.url)
    }

    pub fn script(&self, script: Script) {
        *self.script.lock().unwrap() = script;
    }

    pub fn requests(&self) -> u32 {
        self.requests.lock().unwrap().0
    }

    pub fn most_at_once(&self) -> u32 {
        self.requests.lock().unwrap().2
    }

    async fn answer(&self, mut stream: TcpStream) {
        let Some(body) = request(&mut stream).await else { return };
        {
            let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.0 += 1;
            requests.1 += 1;
            requests.2 = requests.2.max(requests.1);
        }
        self.write(&mut stream, &body).await;
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).1 -= 1;
    }

    async fn write(&self, stream: &mut TcpStream, body: &str) {
        let script = *self.script.lock().unwrap();
        let (status, kind, text) = match script {
            Script::Late => {
                self.release.notified().await;
                self.honest(body).await
            }
            Script::Endless => {
                let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
                drop(stream.write_all(head.as_bytes()).await);
                let chunk = format!("1000\r\n{}\r\n", "a".repeat(0x1000));
                while stream.write_all(chunk.as_bytes()).await.is_ok() {}
                return;
            }
            Script::Honest => self.honest(body).await,
            Script::Conflict(size) => (409, "text/x.tlog.size", format!("{size}\n")),
            Script::RolledBack(size) => {
                self.script(Script::Conflict(size));
                self.honest(body).await
            }
            Script::Status(status) => (status, "text/plain", "no\n".to_owned()),
            Script::Garbage => (200, "text/plain", "OK\n".to_owned()),
            Script::WrongNote | Script::WrongKey | Script::WrongTime => {
                (200, "text/plain", self.lie(script, body))
            }
        };
        let length = text.len();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
        drop(stream.write_all((head + &text).as_bytes()).await);
    }

    async fn honest(&self, body: &str) -> (u16, &'static str, String) {
        let answer = self.witness.add_checkpoint(&self.store, body.as_bytes(), &now).await;
        (answer.status(), answer.content_type(), answer.body())
    }

    fn lie(&self, script: Script, body: &str) -> String {
        let request: AddCheckpoint = body.parse().unwrap();
        let checkpoint = request.checkpoint();
        let other = Checkpoint::new(checkpoint.origin(), checkpoint.size() + 1, checkpoint.root()).unwrap();
        let stranger = CosignerKey::from_seed(&self.name, KeyKind::CosignatureV1, &[99; 32]).unwrap();
        let signature = match script {
            Script::WrongNote => self.key.cosign(&other, now()),
            Script::WrongKey => stranger.cosign(checkpoint, now()),
            _ => self.key.cosign(checkpoint, now() - 86_400),
        };
        format!("{}\n", signature.unwrap())
    }
}

/// The body of a `POST` to the witness's path.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8(bytes.clone()).ok()?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("POST /w/add-checkpoint HTTP/1.1\r\n"), "{head}");
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if length.is_some_and(|length: usize| body.len() >= length) {
            return Some(body.to_owned());
        }
    }
}
