//! Starting the process, within bounds of time, number and length.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use receipt::key::{KeyId, VerifyingKey};
use thiserror::Error;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::Span;

use super::case::{Case, CaseError};
use super::signed::{Rerun, SignedError, verify};

/// How long a process may take, from its start to its last byte.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a case waits for its turn. With [`TIMEOUT`] it is less than any judge may take.
pub const WAIT: Duration = Duration::from_secs(4);
/// How many processes run at once.
pub const MAX_AT_ONCE: usize = 2;
/// How many cases are in hand at once, running or waiting: each holds its record's evidence, those that run what judges
/// keep besides.
pub const MAX_IN_HAND: usize = 8;
/// The most bytes of an answer: a finding is a part of a record.
pub const MAX_ANSWER_BYTES: usize = ledger::MAX_JUDGEMENT_BYTES / 2;

/// Who has cases replayed.
#[derive(Debug)]
pub struct Reruns {
    program: PathBuf,
    arguments: Vec<OsString>,
    kid: KeyId,
    key: VerifyingKey,
    in_hand: Semaphore,
    running: Semaphore,
}

/// Why there is no rerun of a case.
#[derive(Debug, Error)]
pub enum RerunError {
    /// There is nothing to replay.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// Too many cases are in hand. Another try makes sense.
    #[error("too many cases are being replayed")]
    Busy,
    /// The process could not be started, or its answer not be read.
    #[error("the rerun's process failed: {0}")]
    Process(#[from] io::Error),
    /// It was killed after [`TIMEOUT`].
    #[error("the rerun took more than {} s", TIMEOUT.as_secs())]
    TimedOut,
    /// It ended without success; why is on our standard error, which it shares.
    #[error("the rerun's process ended with {0}")]
    Failed(ExitStatus),
    /// It wrote more than [`MAX_ANSWER_BYTES`].
    #[error("the rerun's answer has more than {MAX_ANSWER_BYTES} bytes")]
    TooLong,
    /// Its answer is not to be believed.
    #[error(transparent)]
    Signed(#[from] SignedError),
}

impl Reruns {
    /// Cases are given to `program` with these arguments, without any environment, and answers are believed under this
    /// key alone.
    #[must_use]
    pub fn new(program: PathBuf, arguments: Vec<OsString>, kid: KeyId, key: VerifyingKey) -> Self {
        let (in_hand, running) = (Semaphore::new(MAX_IN_HAND), Semaphore::new(MAX_AT_ONCE));
        Self { program, arguments, kid, key, in_hand, running }
    }

    /// Takes a case in hand, before anybody loads what it is made of.
    ///
    /// # Errors
    /// [`RerunError::Busy`].
    pub fn turn(&self) -> Result<Turn<'_>, RerunError> {
        let in_hand = self.in_hand.try_acquire().map_err(|_| RerunError::Busy)?;
        Ok(Turn { reruns: self, _in_hand: in_hand })
    }

    /// Whether no further case would be taken in hand now.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.in_hand.available_permits() == 0
    }

    /// Takes a turn, and has a case replayed in it that has all its evidence.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn) and [`Turn::run`].
    pub async fn run(&self, case: &Case) -> Result<Rerun, RerunError> {
        self.turn()?.run(case.clone(), |_| None).await
    }

    /// Has a case replayed that has all its evidence, and checks the answer.
    async fn replay(&self, case: Case) -> Result<Rerun, RerunError> {
        let answer = self.ask(&case).await?;
        let (kid, key) = (self.kid.clone(), self.key.clone());
        // Evidence is hashed, of which there may be a hundred megabytes: not where calls are answered.
        let span = Span::current();
        let checked = spawn_blocking(move || span.in_scope(|| verify(&answer, &case, &kid, &key))).await;
        Ok(checked.map_err(io::Error::other)??)
    }

    /// Runs one process to its end. It is killed where this future is dropped.
    async fn ask(&self, case: &Case) -> Result<Vec<u8>, RerunError> {
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

/// One of the [`MAX_IN_HAND`] cases that are in hand.
#[derive(Debug)]
pub struct Turn<'a> {
    reruns: &'a Reruns,
    _in_hand: SemaphorePermit<'a>,
}

impl Turn<'_> {
    /// Has the case replayed, and checks the answer. `kept` gives what judges keep themselves, which is read only when
    /// the case's turn has come, on a thread of its own. A caller that stops waiting has the process killed.
    ///
    /// # Errors
    /// [`RerunError`]. [`RerunError::TimedOut`] says something of the case, and so may [`RerunError::Failed`] by a signal,
    /// which is how memory past its bound ends; the others say something of this machine.
    pub async fn run(
        self,
        mut case: Case,
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
