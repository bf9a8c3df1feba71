//! The task of a sequencer: gathers jobs, commits them, resolves what is in doubt, and recovers by itself.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt as _;
use ledger::LedgerError;
use tokio::task::JoinHandle;
use verdict::{Clock, Repeats};

use super::queue::{Jobs, Queue, Weight};
use super::sequence::{Outcome, Sequence, Written};
use super::session::Session;
use crate::config::{Server, StoreClock};
use crate::connection::{Result, within};
use crate::failure::ConnectionError;
use crate::together::together;

/// The longest time for the statements of a transaction, and for its COMMIT.
pub(super) const TRANSACTION_BOUND: Duration = Duration::from_secs(20);
/// The number of times that a transaction which was rolled back for the sake of others is tried.
const CONFLICT_ATTEMPTS: u32 = 20;
/// The number of connections on which a transaction is tried: the first may be one that the server has closed.
const CONNECTION_ATTEMPTS: u32 = 2;
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
        let (queue, jobs) = Queue::new(server.stopping());
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
            is_compared: true,
            repeats: Repeats::default(),
        };
        Ok(Self { queue, task: tokio::spawn(task.run()) })
    }
}

pub(super) struct Task<S: Sequence> {
    pub(super) sequence: S,
    pub(super) jobs: Jobs<S::Job>,
    server: Server,
    pub(super) clock: Arc<dyn Clock>,
    /// The key of this task's row in `writers`.
    pub(super) writer: [u8; 16],
    /// The token of the last transaction.
    pub(super) token: i64,
    pub(super) session: Option<Session>,
    /// False until the store was compared with what is known to be durable, over the present connection.
    is_compared: bool,
    pub(super) repeats: Repeats,
}

/// The end of one attempt at a transaction.
enum Attempt {
    Committed,
    Unchanged,
    Failed(ConnectionError),
    InDoubt,
}

/// The state of the ledger after a part of a batch was answered.
pub(super) enum After {
    /// The next transaction may be begun.
    Ready,
    /// The store takes no transactions at the moment.
    Away,
    /// Nothing more may be written.
    Unsound,
}

impl<S: Sequence> Task<S> {
    async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            if self.server.stopping().load(Ordering::Acquire) {
                self.sequence.answer(batch, Outcome::RolledBack);
                return self.stop("another sequencer has stopped").await;
            }
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

    /// Refuses all further jobs, of all sequencers of the ledger.
    async fn stop(mut self, why: &str) {
        tracing::error!(why, sequencer = self.sequence.name(), "the ledger has stopped");
        self.server.stopping().store(true, Ordering::Release);
        self.jobs.close();
        while let Some(batch) = self.jobs.next_batch().await {
            self.sequence.answer(batch, Outcome::RolledBack);
        }
    }

    /// Commits a batch and answers it. Returns false where nothing more may be written.
    ///
    /// A transaction that one job makes fail is rolled back with all its jobs. So a batch that fails for a reason that may
    /// be one job's is halved until that job is alone: it does not keep others waiting, however often it comes again.
    async fn commit(&mut self, batch: Vec<S::Job>) -> bool {
        let mut parts = vec![batch];
        let mut is_halved = false;
        while let Some(mut batch) = parts.pop() {
            let after = match self.attempts(&mut batch, is_halved).await {
                Attempt::Committed | Attempt::Unchanged => {
                    self.sequence.answer(batch, Outcome::Durable);
                    After::Ready
                }
                Attempt::InDoubt => self.end_doubt(batch).await,
                Attempt::Failed(failure) if failure.is_of_values() && batch.len() > 1 => {
                    tracing::debug!(%failure, jobs = batch.len(), "a batch is halved");
                    is_halved = true;
                    let second = batch.split_off(batch.len().div_ceil(2));
                    parts.extend([second, batch]);
                    After::Ready
                }
                Attempt::Failed(failure) => self.give_up(batch, &failure),
            };
            if matches!(after, After::Ready) {
                continue;
            }
            parts.into_iter().rev().for_each(|rest| self.sequence.answer(rest, Outcome::RolledBack));
            if matches!(after, After::Unsound) {
                return false;
            }
            return self.recover().await;
        }
        true
    }

    /// Attempts a transaction, again where it was rolled back for the sake of another one, or where its connection failed.
    async fn attempts(&mut self, batch: &mut Vec<S::Job>, is_halved: bool) -> Attempt {
        let (mut conflicts, mut connections) = (0, 1);
        loop {
            let failure = match self.attempt(batch, is_halved).await {
                Attempt::Failed(failure) => failure,
                ended => return ended,
            };
            if failure.is_conflict() && conflicts < CONFLICT_ATTEMPTS {
                conflicts += 1;
                metrics::counter!("touchstone_store_retries_total", "sequencer" => self.sequence.name())
                    .increment(1);
            } else if failure.is_of_connection() && connections < CONNECTION_ATTEMPTS {
                connections += 1;
            } else {
                return Attempt::Failed(failure);
            }
        }
    }

    /// Answers a batch that was rolled back.
    fn give_up(&mut self, batch: Vec<S::Job>, failure: &ConnectionError) -> After {
        let why = failure.to_string();
        metrics::counter!("touchstone_ledger_commits_failed_total").increment(1);
        if let Some(repeats) = self.repeats.due(&why, self.clock.monotonic()) {
            tracing::error!(why, repeats, sequencer = self.sequence.name(), "a transaction was rolled back");
        }
        let after = match failure {
            _ if failure.is_corrupt() => After::Unsound,
            _ if failure.is_of_store() => After::Away,
            _ => After::Ready,
        };
        if !matches!(after, After::Ready) {
            // In this order: who learns of it finds the ledger closed.
            self.jobs.shared.is_writable.store(false, Ordering::Release);
        }
        self.sequence.answer(batch, Outcome::RolledBack);
        after
    }

    async fn attempt(&mut self, batch: &mut Vec<S::Job>, is_halved: bool) -> Attempt {
        let session = match self.session().await {
            Ok(session) => session,
            Err(error) => return Attempt::Failed(error),
        };
        self.token += 1;
        let written = within(TRANSACTION_BOUND, self.fill(&session, batch, is_halved)).await;
        match written {
            // The session is dropped, and with it the transaction.
            Err(error) => {
                if error.is_of_connection() {
                    self.server.retire_connections();
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
        match session.commit().await {
            Ok(()) => {
                self.session = Some(session);
                Attempt::Committed
            }
            Err(error) if error.is_surely_rolled_back() => Attempt::Failed(error),
            Err(error) => {
                self.server.retire_connections();
                tracing::warn!(%error, sequencer = self.sequence.name(), "a commit is in doubt");
                Attempt::InDoubt
            }
        }
    }

    /// Begins the transaction, locks, and does the jobs.
    async fn fill(&mut self, session: &Session, batch: &mut Vec<S::Job>, is_halved: bool) -> Result<Written> {
        let token: [crate::connection::Param<'_>; 2] = [&self.writer.as_slice(), &self.token];
        let connection = session.connection(0);
        let begin = self.sequence.begin();
        let before = self.clock.now().as_millis();
        let ((), (), row) = together!(
            connection.batch(begin),
            self.sequence.lock(connection),
            connection.one(WRITE_TOKEN, &token),
        )?;
        if !self.is_compared {
            // A store that is put back to an earlier state has all its connections cut. An isolated old primary shows such a
            // state too: it acknowledges nothing, so that the ledger stops only where a server does.
            self.sequence.compare(connection).await?;
            if !self.sequence.is_sound() {
                return Err(ConnectionError::Behind("its log is not the known one".to_owned()));
            }
            self.is_compared = true;
        }
        session.take_changed();
        // Those that have come while another replica held the lock; not beside jobs of which one is looked for.
        if !is_halved {
            self.jobs.add_waiting(batch);
        }
        let own = self.clock.now().as_millis();
        let at: i64 = row.try_get(0)?;
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
    pub(super) async fn session(&mut self) -> Result<Session> {
        // One that was idle while the others found the server away would only now begin to wait for it.
        if let Some(session) = self.session.take().filter(|session| !self.server.is_retired(session.made())) {
            return Ok(session);
        }
        let session = Session::open(&self.server).await?;
        self.is_compared = false;
        let connection = session.connection(0);
        let prepared = async {
            connection.prepare(WRITE_TOKEN).await?;
            self.sequence.prepare(connection).await
        };
        within(TRANSACTION_BOUND, prepared).await?;
        Ok(session)
    }
}

/// Writes the token, once the lock is held. The store's time is read here: PostgreSQL computes what a statement selects
/// before that statement waits for a row lock.
const WRITE_TOKEN: &str = "INSERT INTO writers (writer, token, resolved, at)
    VALUES ($1, $2, 0, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT)
    ON CONFLICT (writer) DO UPDATE SET token = excluded.token, at = excluded.at RETURNING at";
const FORGET_WRITER: &str = "DELETE FROM writers WHERE writer = $1";
