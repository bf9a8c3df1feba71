//! Starts the rerun process, within bounds of time, number and length.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use receipt::key::{KeyId, VerifyingKey};
use thiserror::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::Span;

use super::case::{CaseError, RerunCase};
use super::signed::{Rerun, SignedError, verify};

/// Timeout of a process, from its start to its last byte.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum wait of a case for its turn. The sum with [`TIMEOUT`] is less than any judge's timeout.
pub const WAIT: Duration = Duration::from_secs(4);
/// Maximum number of concurrent processes.
pub const MAX_AT_ONCE: usize = 2;
/// Maximum number of cases, running or waiting. Each holds its record's evidence in memory; a running case also holds
/// the evidence that judges keep.
pub const MAX_IN_HAND: usize = 8;
/// Maximum size of an answer, in bytes. A finding is a part of a record.
pub const MAX_ANSWER_BYTES: usize = ledger::MAX_JUDGEMENT_BYTES / 2;

/// Starts rerun processes for cases, and checks their answers.
#[derive(Debug)]
pub struct Reruns {
    program: PathBuf,
    arguments: Vec<OsString>,
    keys: RerunKeys,
    in_hand: Semaphore,
    running: Semaphore,
}

/// The keys that answers are accepted under: first the one in use. Clones share them.
#[derive(Clone, Debug)]
pub struct RerunKeys(Arc<RwLock<Vec<(KeyId, VerifyingKey)>>>);

impl RerunKeys {
    fn new(kid: KeyId, key: VerifyingKey) -> Self {
        Self(Arc::new(RwLock::new(vec![(kid, key)])))
    }

    /// The name of the key in use.
    #[must_use]
    pub fn kid(&self) -> Option<KeyId> {
        self.accepted().into_iter().next().map(|(kid, _)| kid)
    }

    /// Accepts answers under another key from now on. A process that was started before may still sign with the one before
    /// it, unless that `is_revoked`.
    pub fn replace(&self, kid: KeyId, key: VerifyingKey, is_revoked: bool) {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|(known, _)| *known != kid);
        keys.truncate(usize::from(!is_revoked));
        keys.insert(0, (kid, key));
    }

    /// Accepts answers under a key that is to come, too: a process may sign with it before this one knows that it is in use.
    pub fn expect(&self, kid: KeyId, key: VerifyingKey) {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if keys.iter().all(|(known, _)| *known != kid) {
            keys.push((kid, key));
        }
    }

    /// Accepts answers under these of the keys alone.
    pub fn keep_only(&self, is_kept: impl Fn(&KeyId) -> bool) {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|(kid, _)| is_kept(kid));
    }

    /// The keys that answers are accepted under at this moment.
    #[must_use]
    pub fn accepted(&self) -> Vec<(KeyId, VerifyingKey)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Verifies an answer under the key that it names.
fn verify_any(answer: &[u8], case: &RerunCase, keys: &[(KeyId, VerifyingKey)]) -> Result<Rerun, SignedError> {
    for (kid, key) in keys {
        match verify(answer, case, kid, key) {
            Err(SignedError::OtherKey) => {}
            verified => return verified,
        }
    }
    Err(SignedError::OtherKey)
}

/// The reason why a case was not rerun.
#[derive(Debug, Error)]
pub enum RerunError {
    /// The case cannot be replayed.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// [`MAX_IN_HAND`] cases run or wait. A later attempt may succeed.
    #[error("too many cases are being replayed")]
    Busy,
    /// The process could not be started, or its answer could not be read.
    #[error("the rerun's process failed: {0}")]
    Process(#[from] io::Error),
    /// The process was killed after [`TIMEOUT`], before it had used up its processor time. A later attempt may succeed.
    #[error("the rerun took more than {} s", TIMEOUT.as_secs())]
    TimedOut,
    /// The process ended without success. It wrote the reason to the standard error that it shares with this process.
    #[error("the rerun's process ended with {0}")]
    Failed(ExitStatus),
    /// The process wrote more than [`MAX_ANSWER_BYTES`].
    #[error("the rerun's answer has more than {MAX_ANSWER_BYTES} bytes")]
    TooLong,
    /// The answer of the process is rejected.
    #[error(transparent)]
    Signed(#[from] SignedError),
}

impl Reruns {
    /// Makes reruns by `program` with these arguments, which runs without any environment. Only answers signed by this
    /// key are accepted.
    #[must_use]
    pub fn new(program: PathBuf, arguments: Vec<OsString>, kid: KeyId, key: VerifyingKey) -> Self {
        let (in_hand, running) = (Semaphore::new(MAX_IN_HAND), Semaphore::new(MAX_AT_ONCE));
        Self { program, arguments, keys: RerunKeys::new(kid, key), in_hand, running }
    }

    /// The keys that answers are accepted under.
    #[must_use]
    pub fn keys(&self) -> RerunKeys {
        self.keys.clone()
    }

    /// Reserves one of the [`MAX_IN_HAND`] places, before the evidence of a case is loaded.
    ///
    /// # Errors
    /// [`RerunError::Busy`].
    pub fn permit(&self) -> Result<RerunPermit<'_>, RerunError> {
        let in_hand = self.in_hand.try_acquire().map_err(|_| RerunError::Busy)?;
        Ok(RerunPermit { reruns: self, _in_hand: in_hand })
    }

    /// Returns true if no further case would be accepted now.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.in_hand.available_permits() == 0
    }

    /// Reserves a place, and replays in it a case that has all its evidence.
    ///
    /// # Errors
    /// The errors of [`permit`](Self::permit) and [`RerunPermit::run`].
    pub async fn run(&self, case: &RerunCase) -> Result<Rerun, RerunError> {
        self.permit()?.run(case.clone(), |_| None).await
    }

    /// Replays a case that has all its evidence, and checks the answer.
    async fn replay(&self, case: RerunCase) -> Result<Rerun, RerunError> {
        let answer = self.ask(&case).await?;
        let keys = self.keys.accepted();
        // Evidence is hashed, of which there may be a hundred megabytes: not where calls are answered.
        let span = Span::current();
        let checked = spawn_blocking(move || span.in_scope(|| verify_any(&answer, &case, &keys))).await;
        Ok(checked.map_err(io::Error::other)??)
    }

    /// Runs one process to its end. The process is killed where this future is dropped.
    async fn ask(&self, case: &RerunCase) -> Result<Vec<u8>, RerunError> {
        let head = case.head()?;
        let mut command = Command::new(&self.program);
        // Nothing of the environment, where secrets may be, is its business.
        command.args(&self.arguments).env_clear().kill_on_drop(true);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stdin = process.stdin.take().expect("it is piped");
        let stdout = process.stdout.take().expect("it is piped");
        let write = async move {
            for bytes in std::iter::once(&*head).chain(case.following()) {
                // A process that does not read to the end tells by its exit why.
                if stdin.write_all(bytes).await.is_err() {
                    break;
                }
            }
        };
        let mut answer = Vec::new();
        let mut stdout = stdout.take(MAX_ANSWER_BYTES as u64 + 1);
        let ((), read) = tokio::join!(write, stdout.read_to_end(&mut answer));
        read?;
        if answer.len() > MAX_ANSWER_BYTES {
            return Err(RerunError::TooLong);
        }
        let status = process.wait().await?;
        if status.success() { Ok(answer) } else { Err(RerunError::Failed(status)) }
    }
}

/// One of the [`MAX_IN_HAND`] places, given back when it is dropped.
#[derive(Debug)]
pub struct RerunPermit<'a> {
    reruns: &'a Reruns,
    _in_hand: SemaphorePermit<'a>,
}

impl RerunPermit<'_> {
    /// Replays the case, and checks the answer. `kept` returns the evidence that judges keep themselves. It is called
    /// only when the case's turn has come, on a thread of its own. If the caller stops waiting, the process is killed.
    ///
    /// # Errors
    /// [`RerunError`]. [`RerunError::TooLong`] says something of the case, and so may [`RerunError::Failed`] by a signal,
    /// which is how processor time and memory past their bounds end; the others say something of this machine.
    pub async fn run(
        self,
        mut case: RerunCase,
        kept: impl Fn(&[u8; 32]) -> Option<Vec<u8>> + Send + 'static,
    ) -> Result<Rerun, RerunError> {
        let reruns = self.reruns;
        let running = timeout(WAIT, reruns.running.acquire()).await.map_err(|_| RerunError::Busy)?;
        let _running = running.expect("it is never closed");
        let replay = async move {
            if case.evidence.iter().any(|blob| blob.bytes.is_none()) {
                let span = Span::current();
                let whole = spawn_blocking(move || span.in_scope(|| case.with_kept(kept)));
                case = whole.await.map_err(io::Error::other)??;
            }
            reruns.replay(case).await
        };
        timeout(TIMEOUT, replay).await.map_err(|_| RerunError::TimedOut)?
    }
}
