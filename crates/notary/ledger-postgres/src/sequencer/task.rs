//! The task of a sequencer: gathers jobs, commits them, resolves what is in doubt, and recovers by itself.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ledger::LedgerError;
use tokio::task::JoinHandle;
use tokio_postgres::error::SqlState;
use verdict::{Clock, Repeats};

use super::queue::{Jobs, Queue, Weight};
use super::session::Session;
use crate::config::{Server, StoreClock};
use crate::connection::{Connection, Result, within};
use crate::failure::ConnectionError;

/// The longest time for the statements of a transaction, and for its COMMIT.
const TRANSACTION_BOUND: Duration = Duration::from_secs(20);
/// The number of times that a transaction which was rolled back for the sake of others is tried.
const CONFLICT_ATTEMPTS: u32 = 20;
/// The number of connections on which a transaction is tried: the first may be one that the server has closed.
const CONNECTION_ATTEMPTS: u32 = 2;
/// The time after which callers are told that the outcome of their jobs is unknown.
const DOUBT_BOUND: Duration = Duration::from_secs(15);
/// The pause between two attempts to reach a store that is away.
const RECOVERY_PAUSE: Duration = Duration::from_millis(300);

/// The result of a batch, for its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The batch is durable, or there was nothing to be written.
    Durable,
    /// Nothing was changed.
    RolledBack,
    /// Nobody knows whether the batch is durable.
    Unknown,
}

/// The state of a transaction whose statements have succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    /// There is something to be committed.
    Something,
    /// Nothing was changed that must be committed.
    Nothing,
}

/// The work of one sequencer.
pub(crate) trait Sequence: Send + Sync + 'static {
    type Job: Weight + Send + 'static;

    /// Returns the name of the sequencer, for logs and metrics.
    fn name(&self) -> &'static str;

    /// The statements that begin a transaction.
    fn begin(&self) -> &'static str {
        "BEGIN ISOLATION LEVEL READ COMMITTED"
    }

    /// The time after which a transaction without jobs is made; `None` where there is none.
    fn idle(&self) -> Option<Duration> {
        None
    }

    /// Prepares the statements that are sent at the same time as others, on a new connection.
    fn prepare<'a>(&'a self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;

    /// Locks the row of this sequencer, and returns the time of the store in milliseconds since 1970.
    fn lock<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<i64>>;

    /// Does the jobs, within a transaction that holds the lock. They are done again where it was rolled back. `now` is
    /// the store's time in milliseconds since 1970.
    fn write<'a>(
        &'a mut self,
        connection: Connection<'a>,
        now: i64,
        jobs: &'a mut Vec<Self::Job>,
    ) -> BoxFuture<'a, Result<Written>>;

    /// Answers the callers. The lock is no longer held.
    fn answer(&mut self, jobs: Vec<Self::Job>, outcome: Outcome);

    /// Ends the work, on a connection without a transaction: the queue is closed and empty.
    fn close<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;
}

/// The handle to a sequencer: its queue. The task ends when all queues are dropped and what waits is done.
pub(crate) struct Sequencer<J> {
    pub(crate) queue: Queue<J>,
    task: JoinHandle<()>,
}

impl<J> Sequencer<J> {
    /// Takes no more jobs. The task, which is returned, ends what waits.
    pub(crate) fn close(self) -> JoinHandle<()> {
        self.task
    }
}

impl<J: Weight + Send + 'static> Sequencer<J> {
    pub(crate) fn start<S: Sequence<Job = J>>(
        sequence: S,
        server: Server,
        clock: Arc<dyn Clock>,
    ) -> std::result::Result<Self, LedgerError> {
        let (queue, jobs) = Queue::new();
        let mut writer = [0; 16];
        getrandom::fill(&mut writer).map_err(|error| LedgerError::Unfit(error.to_string()))?;
        let task = Task {
            sequence,
            jobs,
            server,
            clock,
            writer,
            token: 0,
            session: None,
            repeats: Repeats::default(),
        };
        Ok(Self { queue, task: tokio::spawn(task.run()) })
    }
}

struct Task<S: Sequence> {
    sequence: S,
    jobs: Jobs<S::Job>,
    server: Server,
    clock: Arc<dyn Clock>,
    /// The key of this task's row in `writers`.
    writer: [u8; 16],
    /// The token of the last transaction.
    token: i64,
    session: Option<Session>,
    repeats: Repeats,
}

/// The end of one attempt at a transaction.
enum Attempt {
    Committed,
    Unchanged,
    Failed(ConnectionError),
    InDoubt,
}

impl<S: Sequence> Task<S> {
    async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            // A panic is a bug, and all the same no caller may wait for ever: the batch's replies are dropped with it.
            match AssertUnwindSafe(self.commit(batch)).catch_unwind().await {
                Ok(true) => {}
                Ok(false) => return self.stop("the store is not sound").await,
                Err(_) => return self.stop("the sequencer panicked").await,
            }
        }
        let Ok(session) = self.session().await else { return };
        let closed = within(TRANSACTION_BOUND, self.sequence.close(session.connection(0))).await;
        let removed = session.connection(0).run(FORGET_WRITER, &[&self.writer.as_slice()]).await;
        if let Err(error) = closed.and(removed) {
            tracing::warn!(%error, sequencer = self.sequence.name(), "a sequencer has not closed cleanly");
        }
    }

    /// The next batch, which is empty where the sequencer was idle for its time; `None` where the queue is closed.
    async fn next_batch(&mut self) -> Option<Vec<S::Job>> {
        let Some(idle) = self.sequence.idle() else { return self.jobs.next_batch().await };
        tokio::time::timeout(idle, self.jobs.next_batch()).await.unwrap_or_else(|_| Some(Vec::new()))
    }

    /// Refuses all further jobs.
    async fn stop(mut self, why: &str) {
        tracing::error!(why, sequencer = self.sequence.name(), "the ledger has stopped");
        self.jobs.shared.is_writable.store(false, Ordering::Release);
        self.jobs.close();
        while let Some(batch) = self.jobs.next_batch().await {
            self.sequence.answer(batch, Outcome::RolledBack);
        }
    }

    /// Commits a batch and answers it. Returns false where nothing more may be written.
    async fn commit(&mut self, mut batch: Vec<S::Job>) -> bool {
        let (mut conflicts, mut connections) = (0, 0);
        loop {
            let failure = match self.attempt(&mut batch).await {
                Attempt::Committed | Attempt::Unchanged => {
                    self.sequence.answer(batch, Outcome::Durable);
                    return true;
                }
                Attempt::InDoubt => {
                    self.end_doubt(batch).await;
                    return true;
                }
                Attempt::Failed(failure) => failure,
            };
            if failure.is_conflict() && conflicts < CONFLICT_ATTEMPTS {
                conflicts += 1;
                metrics::counter!("touchstone_store_retries_total", "sequencer" => self.sequence.name())
                    .increment(1);
                continue;
            }
            connections += 1;
            if failure.is_of_connection() && connections < CONNECTION_ATTEMPTS {
                continue;
            }
            return self.give_up(batch, failure).await;
        }
    }

    /// Answers a batch that was rolled back, and waits until the store takes transactions again.
    async fn give_up(&mut self, batch: Vec<S::Job>, failure: ConnectionError) -> bool {
        let why = failure.to_string();
        let is_corrupt = failure.is_corrupt();
        let is_of_connection = failure.is_of_connection();
        metrics::counter!("touchstone_ledger_commits_failed_total").increment(1);
        if let Some(repeats) = self.repeats.due(&why, self.clock.monotonic()) {
            tracing::error!(why, repeats, sequencer = self.sequence.name(), "a transaction was rolled back");
        }
        if is_of_connection || is_corrupt {
            // In this order: who learns of it finds the ledger closed.
            self.jobs.shared.is_writable.store(false, Ordering::Release);
        }
        self.sequence.answer(batch, Outcome::RolledBack);
        if is_corrupt {
            return false;
        }
        if is_of_connection {
            self.recover().await;
        }
        true
    }

    async fn attempt(&mut self, batch: &mut Vec<S::Job>) -> Attempt {
        let session = match self.session().await {
            Ok(session) => session,
            Err(error) => return Attempt::Failed(error),
        };
        self.token += 1;
        let written = within(TRANSACTION_BOUND, self.fill(&session, batch)).await;
        match written {
            // The session is dropped, and with it the transaction.
            Err(error) => {
                if error.is_of_connection() {
                    self.server.retire_readers();
                }
                return Attempt::Failed(error);
            }
            Ok(Written::Nothing) => {
                if within(TRANSACTION_BOUND, session.connection(0).batch("ROLLBACK")).await.is_ok() {
                    self.session = Some(session);
                }
                return Attempt::Unchanged;
            }
            Ok(Written::Something) => {}
        }
        match commit(&session).await {
            Ok(()) => {
                self.session = Some(session);
                Attempt::Committed
            }
            Err(error) if is_surely_rolled_back(&error) => Attempt::Failed(error),
            Err(error) => {
                self.server.retire_readers();
                tracing::warn!(%error, sequencer = self.sequence.name(), "a commit is in doubt");
                Attempt::InDoubt
            }
        }
    }

    /// Begins the transaction, locks, and does the jobs.
    async fn fill(&mut self, session: &Session, batch: &mut Vec<S::Job>) -> Result<Written> {
        let before = self.clock.now().as_millis();
        let token: [crate::connection::Param<'_>; 2] = [&self.writer.as_slice(), &self.token];
        let connection = session.connection(0);
        let begin = self.sequence.begin();
        let (_, at, _) = tokio::try_join!(
            connection.batch(begin),
            self.sequence.lock(connection),
            connection.rows(WRITE_TOKEN, &token),
        )?;
        session.take_changed();
        // Those that have come while another replica held the lock.
        self.jobs.add_waiting(batch);
        let own = self.clock.now().as_millis();
        let now = match self.server.clock() {
            StoreClock::Database => {
                self.server.note_time(before, at, own);
                at
            }
            StoreClock::Process => own,
        };
        let written = self.sequence.write(session.connection(self.server.offset()), now, batch).await?;
        Ok(if session.take_changed() { written } else { Written::Nothing })
    }

    /// The connection, which is made where there is none. It is put back after a transaction that has succeeded.
    async fn session(&mut self) -> Result<Session> {
        if let Some(session) = self.session.take() {
            return Ok(session);
        }
        let session = Session::open(&self.server).await?;
        let connection = session.connection(0);
        let prepared = async {
            connection.prepare(WRITE_TOKEN).await?;
            self.sequence.prepare(connection).await
        };
        within(TRANSACTION_BOUND, prepared).await?;
        Ok(session)
    }

    /// Finds out whether a transaction in doubt has landed, and answers its batch. Callers wait for a bounded time; the
    /// sequencer waits for as long as it takes, and writes nothing else before.
    async fn end_doubt(&mut self, batch: Vec<S::Job>) {
        metrics::counter!("touchstone_store_unknown_commits_total").increment(1);
        let landed = tokio::time::timeout(DOUBT_BOUND, self.resolve()).await;
        match landed {
            Ok(true) => self.sequence.answer(batch, Outcome::Durable),
            Ok(false) => {
                self.sequence.answer(batch, Outcome::RolledBack);
            }
            Err(_) => {
                tracing::error!(
                    sequencer = self.sequence.name(),
                    "a commit stays in doubt: callers are told so"
                );
                self.jobs.shared.is_writable.store(false, Ordering::Release);
                self.sequence.answer(batch, Outcome::Unknown);
                self.recover().await;
            }
        }
    }

    /// Waits until the store acknowledges a transaction. Jobs that wait are refused, and no further ones are taken.
    async fn recover(&mut self) {
        loop {
            while let Some(Some(batch)) = self.jobs.next_batch().now_or_never() {
                self.sequence.answer(batch, Outcome::RolledBack);
            }
            if self.try_to_resolve().await.is_some() {
                break;
            }
        }
        self.jobs.shared.is_writable.store(true, Ordering::Release);
        tracing::info!(sequencer = self.sequence.name(), "the store takes transactions again");
    }

    /// Returns true if the transaction of the last token has landed. It does not return before the store has
    /// acknowledged a transaction that says so.
    async fn resolve(&mut self) -> bool {
        loop {
            if let Some(has_landed) = self.try_to_resolve().await {
                return has_landed;
            }
        }
    }

    /// Asks once whether the transaction of the last token has landed; `None`, after a pause, where the store is away.
    async fn try_to_resolve(&mut self) -> Option<bool> {
        match within(TRANSACTION_BOUND, self.read_token()).await {
            Ok(token) => Some(token == Some(self.token)),
            Err(error) => {
                if let Some(repeats) = self.repeats.due("resolve", self.clock.monotonic()) {
                    tracing::warn!(%error, repeats, sequencer = self.sequence.name(), "the store is away");
                }
                tokio::time::sleep(RECOVERY_PAUSE).await;
                None
            }
        }
    }

    /// The token of the last transaction that has landed, read by a transaction that writes and commits as well.
    async fn read_token(&mut self) -> Result<Option<i64>> {
        let session = self.session().await?;
        let connection = session.connection(0);
        connection.batch("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        self.sequence.lock(connection).await?;
        let row = connection.maybe(READ_TOKEN, &[&self.writer.as_slice()]).await?;
        let token = row.map(|row| row.try_get(0)).transpose()?;
        connection.run(RESOLVE, &[&self.writer.as_slice()]).await?;
        commit(&session).await?;
        self.session = Some(session);
        Ok(token)
    }
}

const WRITE_TOKEN: &str = "INSERT INTO writers (writer, token, resolved) VALUES ($1, $2, 0)
    ON CONFLICT (writer) DO UPDATE SET token = excluded.token";
const READ_TOKEN: &str = "SELECT token FROM writers WHERE writer = $1";
const RESOLVE: &str = "INSERT INTO writers (writer, token, resolved) VALUES ($1, -1, 1)
    ON CONFLICT (writer) DO UPDATE SET resolved = writers.resolved + 1";
const FORGET_WRITER: &str = "DELETE FROM writers WHERE writer = $1";

/// Commits. An error, also one for a warning that came with the acknowledgement, does not say that nothing happened.
async fn commit(session: &Session) -> Result<()> {
    let before = session.warnings();
    within(TRANSACTION_BOUND, session.connection(0).batch("COMMIT")).await?;
    if session.warnings() == before {
        return Ok(());
    }
    Err(ConnectionError::NoConnection("the server has acknowledged a commit with a warning".to_owned()))
}

/// Returns true if no transaction whose COMMIT failed so can have happened.
fn is_surely_rolled_back(error: &ConnectionError) -> bool {
    let ConnectionError::Postgres(error) = error else { return false };
    error.code().is_some_and(|state| {
        [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(state)
            || state.code().starts_with("23")
    })
}
