//! A signer elsewhere: one thread asks it, and whoever waits for an answer waits for a limited time.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tlog::{NoteSigner, SIGNATURE_BYTES, SignError, VerifierKey};
use tokio::sync::watch;

/// The most messages that wait for the signer. The ledger has one at a time.
pub const MAX_WAITING: usize = 4;
/// A signature that takes longer than this is slow. It is used all the same.
pub const SLOW: Duration = Duration::from_secs(1);
/// For this long after a call that was late the ledger is not kept waiting by another one, unless a probe is answered before.
pub const REST: Duration = Duration::from_secs(5);
/// The longest wait for the signer's thread to let go of the signer, when that is given up.
const PARTING: Duration = Duration::from_secs(1);
/// The first line of a message that is signed to see if the signer answers. It is no origin, so the message is no checkpoint.
const PROBE: &str = "touchstone asks if the signer of its log answers";

/// The way to a signer. It is used by one thread alone.
pub trait Backend: Send + 'static {
    /// Signs the message itself with Ed25519 (no prehash). It should give up after the limit.
    ///
    /// # Errors
    /// There is no signature.
    fn sign(&mut self, message: &[u8], limit: Duration) -> Result<[u8; SIGNATURE_BYTES], Failure>;
}

/// The reason why there is no signature.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The limit was over.
    Late,
    /// Any other reason, for the operator. It has no secret.
    Other(String),
}

/// The outcome of the newest attempt at a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerState {
    /// Nothing was signed yet.
    Untried,
    /// The signer answers.
    Sound,
    /// The signer answers, and takes longer than [`SLOW`].
    Slow,
    /// The signer does not answer in time, or not with a signature.
    Down(SignError),
}

struct Job {
    message: Box<[u8]>,
    /// After this nobody waits for the answer.
    until: Instant,
    reply: SyncSender<Result<[u8; SIGNATURE_BYTES], Failure>>,
}

/// How the signer's thread gets on.
#[derive(Debug, Default)]
struct Pace {
    /// Since when it is busy with one message.
    busy_since: Option<Instant>,
    /// The end of the [`REST`] after a call that was late; `None` once a call has ended in time.
    rests_until: Option<Instant>,
}

/// A signer elsewhere.
///
/// Its thread ends when this is dropped and the signer has answered. The drop waits a second for that: a module that is still used
/// while the process ends may fail in it.
pub struct RemoteSigner {
    key: VerifierKey,
    limit: Duration,
    /// `None` once it is dropped.
    jobs: Option<SyncSender<Job>>,
    /// Disconnected once the thread has ended.
    end: Mutex<Receiver<Infallible>>,
    pace: Arc<Mutex<Pace>>,
    probes: AtomicU64,
    state: watch::Sender<SignerState>,
}

impl fmt::Debug for RemoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteSigner({})", self.key)
    }
}

impl RemoteSigner {
    /// Starts the thread that asks a signer with this public key, each time for at most `limit`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(key: VerifierKey, backend: Box<dyn Backend>, limit: Duration) -> io::Result<Self> {
        let (jobs, received) = sync_channel(MAX_WAITING);
        let pace = Arc::new(Mutex::new(Pace::default()));
        let of_thread = Arc::clone(&pace);
        let name = "log-signer".to_owned();
        // An alarm on their growth must see the first one.
        for outcome in ["signed", "late", "failed", "invalid"] {
            metrics::counter!("touchstone_log_signatures_total", "outcome" => outcome).increment(0);
        }
        let (at_end, end) = sync_channel(0);
        std::thread::Builder::new().name(name).spawn(move || {
            work(backend, &received, &of_thread);
            drop(at_end);
        })?;
        let state = watch::Sender::new(SignerState::Untried);
        Ok(Self {
            key,
            limit,
            jobs: Some(jobs),
            end: Mutex::new(end),
            pace,
            probes: AtomicU64::new(0),
            state,
        })
    }

    /// The limit of time for a signature.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// The outcome of the newest attempt, and those that follow.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<SignerState> {
        self.state.subscribe()
    }

    /// Asks for a signature over a message that is no checkpoint, to see if the signer answers. It blocks up to the limit. Each
    /// message is another one: a signer that repeats its last answer is not sound.
    ///
    /// # Errors
    /// It does not.
    pub fn probe(&self) -> Result<(), SignError> {
        let number = self.probes.fetch_add(1, Ordering::Relaxed);
        self.noted(|| self.ask(format!("{PROBE}\n{number}\n").as_bytes(), true)).map(drop)
    }

    /// Notes the outcome of an attempt, and the time that it took.
    fn noted<T>(&self, attempt: impl FnOnce() -> Result<T, SignError>) -> Result<T, SignError> {
        let begun = Instant::now();
        let outcome = attempt();
        self.note(outcome.as_ref().map(drop), begun.elapsed());
        outcome
    }

    /// Asks the signer. A probe asks it also while the ledger does not.
    fn ask(&self, message: &[u8], is_probe: bool) -> Result<[u8; SIGNATURE_BYTES], SignError> {
        let (name, until) = (self.key.name(), Instant::now() + self.limit);
        let late = || SignError::Late {
            key: name.to_owned(),
            limit_ms: u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX),
        };
        // A signer that hangs is not waited for again and again: what else the ledger has to do would stand still.
        let is_spared = {
            let Pace { busy_since, rests_until } = *lock(&self.pace);
            let is_resting = rests_until.is_some_and(|until| Instant::now() < until);
            busy_since.is_some_and(|since| since.elapsed() > self.limit) || is_resting && !is_probe
        };
        if is_spared {
            return Err(late());
        }
        let (reply, answer) = sync_channel(1);
        let jobs = self.jobs.as_ref().ok_or_else(late)?;
        jobs.try_send(Job { message: message.into(), until, reply }).map_err(|_| late())?;
        let failed = |why: String| SignError::Failed { key: name.to_owned(), why };
        match answer.recv_timeout(self.limit) {
            Ok(Ok(signature)) if self.key.has_signed(message, &signature) => Ok(signature),
            Ok(Ok(_)) => Err(SignError::Invalid(name.to_owned())),
            Ok(Err(Failure::Other(why))) => Err(failed(why)),
            Ok(Err(Failure::Late)) | Err(RecvTimeoutError::Timeout) => Err(late()),
            Err(RecvTimeoutError::Disconnected) => Err(late()),
        }
    }

    fn note(&self, outcome: Result<(), &SignError>, took: Duration) {
        let (word, state) = match outcome {
            Ok(()) if took > SLOW => ("signed", SignerState::Slow),
            Ok(()) => ("signed", SignerState::Sound),
            Err(error) => {
                let word = match error {
                    SignError::Late { .. } => "late",
                    SignError::Failed { .. } => "failed",
                    SignError::Invalid(_) => "invalid",
                };
                (word, SignerState::Down(error.clone()))
            }
        };
        metrics::counter!("touchstone_log_signatures_total", "outcome" => word).increment(1);
        metrics::histogram!("touchstone_log_signature_duration_seconds").record(took.as_secs_f64());
        self.state.send_if_modified(|present| {
            let is_new = *present != state;
            *present = state;
            is_new
        });
    }
}

impl Drop for RemoteSigner {
    fn drop(&mut self) {
        self.jobs = None;
        // One that hangs is left behind.
        let _ended = lock(&self.end).recv_timeout(PARTING);
    }
}

impl NoteSigner for RemoteSigner {
    fn verifier(&self) -> &VerifierKey {
        &self.key
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], SignError> {
        self.noted(|| self.ask(message, false))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks the signer about one message after another. Each answer goes to whoever asked, who may be gone.
fn work(mut backend: Box<dyn Backend>, jobs: &Receiver<Job>, pace: &Mutex<Pace>) {
    while let Ok(Job { message, until, reply }) = jobs.recv() {
        let now = Instant::now();
        let left = until.saturating_duration_since(now);
        if left.is_zero() {
            continue;
        }
        lock(pace).busy_since = Some(now);
        // A panic is a bug, and all the same the notary goes on once it is over.
        let answer = catch_unwind(AssertUnwindSafe(|| backend.sign(&message, left)));
        // A module has no limit of its own: what it answers after the limit is late too.
        let is_late = matches!(answer, Ok(Err(Failure::Late))) || now.elapsed() > left;
        *lock(pace) = Pace { busy_since: None, rests_until: is_late.then(|| Instant::now() + REST) };
        let answer = answer.unwrap_or_else(|panic| Err(Failure::Other(said(&*panic))));
        // Nobody waits for a late answer.
        let _ = reply.try_send(answer);
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().unwrap_or("its thread panicked");
    format!("panic: {text}")
}
