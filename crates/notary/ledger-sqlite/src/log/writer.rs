//! The writer thread: one transaction for all that waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use ledger::back_end::PublishedHead;
use ledger::{LedgerError, MAX_BATCH, MAX_BATCH_BYTES, MAX_QUEUE, MAX_QUEUE_BYTES};
use tokio::sync::{mpsc, oneshot};
use verdict::{Clock, Repeats};

use super::batch::{Batch, BatchOutcome, PendingRecord};
use super::commit::{LogWriter, RolledBack};
use super::step::AnyChange;
use super::wal::{PATIENCE, WalCheckpointer};
use crate::retention::asked_rows;

/// The number of times that the writer lets others run before it takes the queue for empty.
const YIELDS: usize = 2;
/// Jobs for which the writer does not keep the disk waiting any longer: the next batch is made while this one is
/// committed.
const SMALL_BATCH: usize = 16;
/// For this long after a failed transaction the ledger is said to be down, unless one succeeds before.
const FAILURE_SHOWS: Duration = Duration::from_secs(10);

/// A job of the writer.
pub(crate) enum Job {
    Append(Box<PendingRecord>),
    Step(Box<dyn AnyChange>),
    /// Empties the WAL, and says whether it is empty.
    EmptyWal(oneshot::Sender<bool>),
    /// Lets a test change the log writer between two batches.
    #[cfg(test)]
    Inspect(Inspection),
}

#[cfg(test)]
pub(crate) type Inspection = Box<dyn FnOnce(&mut LogWriter) + Send>;

impl Job {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Append(pending) => pending.record.bytes(),
            Self::Step(step) => step.bytes(),
            Self::EmptyWal(_) => 0,
            #[cfg(test)]
            Self::Inspect(_) => 0,
        }
    }
}

/// The jobs of one transaction.
#[derive(Default)]
struct NextBatch {
    batch: Batch,
    /// Those who want the WAL to be emptied after it.
    emptied: Vec<oneshot::Sender<bool>>,
    #[cfg(test)]
    inspections: Vec<Inspection>,
}

impl NextBatch {
    fn add(&mut self, job: Job) {
        match job {
            Job::Append(pending) => self.batch.records.push(*pending),
            Job::Step(step) => self.batch.steps.push(step),
            Job::EmptyWal(reply) => self.emptied.push(reply),
            #[cfg(test)]
            Job::Inspect(inspection) => self.inspections.push(inspection),
        }
    }
}

/// The state that the writer thread and its handle share.
struct WriterState {
    /// False once the store's state is not known to be sound. It never becomes true again.
    sound: AtomicBool,
    /// The time at which the last transaction failed, where none has succeeded since.
    failed_at: Mutex<Option<Duration>>,
    queued_bytes: AtomicUsize,
    repeats: Repeats,
    clock: Arc<dyn Clock>,
}

impl WriterState {
    fn note(&self, outcome: &BatchOutcome) {
        let failed_at = match outcome {
            BatchOutcome::Committed(_) => None,
            BatchOutcome::RolledBack => Some(self.clock.monotonic()),
            BatchOutcome::Unchanged => return,
        };
        *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = failed_at;
    }

    /// Counts a transaction that was rolled back, and logs it at most once a minute for each reason.
    fn rolled_back(&self, why: &str) {
        metrics::counter!("touchstone_ledger_commits_failed_total").increment(1);
        if let Some(repeats) = self.repeats.due(why, self.clock.monotonic()) {
            tracing::error!(why, repeats, "a transaction failed, and was rolled back");
        }
    }

    /// Logs at most once a minute that the WAL only grows.
    fn wal_stays(&self, error: &rusqlite::Error) {
        let why = error.to_string();
        if let Some(repeats) = self.repeats.due(&format!("WAL: {why}"), self.clock.monotonic()) {
            tracing::error!(why, repeats, "the WAL cannot be moved into the database file");
        }
    }
}

/// The handle to the writer thread; dropping it lets the thread finish what waits and joins it.
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<WriterState>,
}

impl Writer {
    pub(crate) fn start(
        log_writer: LogWriter,
        checkpointer: WalCheckpointer,
        board: Arc<PublishedHead>,
        clock: Arc<dyn Clock>,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(MAX_QUEUE);
        let state = Arc::new(WriterState {
            sound: AtomicBool::new(true),
            failed_at: Mutex::default(),
            queued_bytes: AtomicUsize::new(0),
            repeats: Repeats::default(),
            clock,
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || run(log_writer, checkpointer, &board, jobs, &shared))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), state })
    }

    /// Queues a job; `Busy` where the queue is full or the writer has stopped.
    pub(crate) fn submit(&self, job: Job) -> Result<(), LedgerError> {
        let queue = self.queue.as_ref().ok_or(LedgerError::Busy)?;
        let bytes = job.bytes();
        let queued = &self.state.queued_bytes;
        let room = |queued: usize| queued.checked_add(bytes).filter(|&sum| sum <= MAX_QUEUE_BYTES);
        queued.fetch_update(Ordering::AcqRel, Ordering::Acquire, room).map_err(|_| LedgerError::Busy)?;
        queue.try_send(job).map_err(|_| {
            queued.fetch_sub(bytes, Ordering::AcqRel);
            LedgerError::Busy
        })?;
        let depth = queue.max_capacity().saturating_sub(queue.capacity());
        metrics::gauge!("touchstone_ledger_queue_jobs").set(depth as f64);
        Ok(())
    }

    /// The number of jobs that the queue still takes.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        self.queue.as_ref().map_or(0, mpsc::Sender::capacity)
    }

    /// Says whether records can be appended: the writer lives, and has not failed within the last seconds.
    pub(crate) fn is_writable(&self) -> bool {
        let failed_at = *self.state.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_failing = failed_at.is_some_and(|at| self.state.clock.monotonic() < at + FAILURE_SHOWS);
        self.state.sound.load(Ordering::Acquire) && !is_failing
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the ledger's writer panicked");
        }
    }
}

/// The interval at which the WAL is emptied where that did not succeed after an erasure: each try moves pages and waits for the disk.
const EMPTIED_EVERY: Duration = Duration::from_secs(1);

/// Ends when the queue is closed and empty, or when the log writer can no longer be trusted.
fn run(
    mut log_writer: LogWriter,
    mut checkpointer: WalCheckpointer,
    board: &PublishedHead,
    mut jobs: mpsc::Receiver<Job>,
    state: &WriterState,
) {
    // A process before this one may have ended between an erasure and the emptying.
    let mut has_erased = !is_emptied(&checkpointer, &log_writer, state, PATIENCE, true);
    let mut tried_at = state.clock.monotonic();
    while let Some(first) = jobs.blocking_recv() {
        let next_batch = gather(first, &mut jobs, state);
        #[cfg(test)]
        next_batch.inspections.into_iter().for_each(|work| work(&mut log_writer));
        let (mut batch, emptied) = (next_batch.batch, next_batch.emptied);
        metrics::gauge!("touchstone_ledger_queue_jobs").set(jobs.len() as f64);
        let began = state.clock.monotonic();
        // A panic is a bug, and all the same no caller may wait for ever.
        let committed = catch_unwind(AssertUnwindSafe(|| log_writer.commit(&mut batch, board)));
        let why = match committed {
            Ok(Ok(outcome)) => {
                let rolled_back = log_writer.rolled_back.take();
                // The log's signer says in `/health` for itself that it gives no signatures.
                if rolled_back.as_ref().is_none_or(|reason| !reason.is_of_signer) {
                    state.note(&outcome);
                }
                if let Some(RolledBack { why, .. }) = rolled_back {
                    state.rolled_back(&why);
                }
                if let BatchOutcome::Committed(appended) = &outcome {
                    measure(appended.len(), state.clock.monotonic().saturating_sub(began));
                }
                let erases = matches!(outcome, BatchOutcome::Committed(_)) && batch.has_erasures();
                let is_wanted = erases || !emptied.is_empty();
                has_erased |= erases;
                let is_due = has_erased && began >= tried_at + EMPTIED_EVERY;
                if is_due || is_wanted {
                    // Only the first try may wait: while a backup reads, no later commit is to take longer for it.
                    let patience = if is_wanted { PATIENCE } else { Duration::ZERO };
                    let is_empty = is_emptied(&checkpointer, &log_writer, state, patience, has_erased);
                    tried_at = state.clock.monotonic();
                    has_erased &= !is_empty;
                    for reply in emptied {
                        // Who has gone away is not told.
                        let _told = reply.send(is_empty);
                    }
                }
                batch.answer(outcome);
                if let Err(error) = checkpointer.after_commit(&log_writer.connection) {
                    state.wal_stays(&error);
                }
                continue;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the writer panicked".to_owned(),
        };
        tracing::error!(why, "the ledger has stopped: the store's state is not known to be sound");
        // In this order: who learns of it finds the ledger closed.
        state.sound.store(false, Ordering::Release);
        jobs.close();
        drop(batch);
        while let Some(job) = jobs.blocking_recv() {
            let mut next_batch = NextBatch::default();
            next_batch.add(job);
            next_batch.batch.answer(BatchOutcome::RolledBack);
        }
        return;
    }
}

/// Empties the WAL, which has deleted bytes until then, and notes it with the erasures. Where a reader is in the way of an erasure it
/// is tried again after a later job.
fn is_emptied(
    checkpointer: &WalCheckpointer,
    LogWriter { connection, .. }: &LogWriter,
    state: &WriterState,
    patience: Duration,
    has_erased: bool,
) -> bool {
    let emptied = checkpointer.empty(connection, patience).and_then(|is_empty| {
        if is_empty && has_erased {
            asked_rows::overwritten(connection, state.clock.now())?;
        }
        Ok(is_empty)
    });
    emptied.unwrap_or_else(|error| {
        state.wal_stays(&error);
        false
    })
}

/// Records a committed batch of so many receipts.
fn measure(receipts: usize, took: Duration) {
    metrics::histogram!("touchstone_ledger_batch_receipts").record(receipts as f64);
    metrics::histogram!("touchstone_ledger_commit_duration_seconds").record(took.as_secs_f64());
}

/// The first job and what else waits, within the bounds of a batch.
fn gather(first: Job, jobs: &mut mpsc::Receiver<Job>, state: &WriterState) -> NextBatch {
    let mut next_batch = NextBatch::default();
    let (mut count, mut bytes) = (0, 0);
    let mut next = Some(first);
    while let Some(job) = next {
        count += 1;
        bytes += job.bytes();
        state.queued_bytes.fetch_sub(job.bytes(), Ordering::AcqRel);
        next_batch.add(job);
        let is_full = count == MAX_BATCH || bytes >= MAX_BATCH_BYTES;
        let yields = if count < SMALL_BATCH { YIELDS } else { 0 };
        next = if is_full { None } else { waiting(jobs, yields) };
    }
    next_batch
}

/// The next job, where one waits. Before it says that none does, it lets those run who are about to queue one: on an
/// idle machine that takes no time, and under load it fills the batch, whose commit costs much the same for one
/// record as for many.
fn waiting(jobs: &mut mpsc::Receiver<Job>, yields: usize) -> Option<Job> {
    for _ in 0..yields {
        if let Ok(job) = jobs.try_recv() {
            return Some(job);
        }
        std::thread::yield_now();
    }
    jobs.try_recv().ok()
}

#[cfg(test)]
mod tests {
    use std::io;

    use receipt::time::Timestamp;

    use super::*;

    /// A clock that stands at these seconds.
    #[derive(Default)]
    struct StoppedClock(AtomicUsize);

    impl Clock for StoppedClock {
        fn now(&self) -> Timestamp {
            Timestamp::EPOCH
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed) as u64)
        }
    }

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn commits_that_fail_for_one_reason_are_one_line_a_minute_with_their_number() {
        let (buffer, clock) = (Buffer::default(), Arc::new(StoppedClock::default()));
        let state = WriterState {
            sound: AtomicBool::new(true),
            failed_at: Mutex::default(),
            queued_bytes: AtomicUsize::new(0),
            repeats: Repeats::default(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
        };
        let writer = buffer.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            for second in [0, 1, 60] {
                clock.0.store(second, Ordering::Relaxed);
                (0..1000).for_each(|_| state.rolled_back("database or disk is full"));
            }
            state.rolled_back("disk I/O error");
        });
        let said =
            String::from_utf8(buffer.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 3, "{said}");
        let parts = [("full", "repeats=0"), ("full", "repeats=1999"), ("I/O", "repeats=0")];
        for (line, (why, repeats)) in lines.iter().zip(parts) {
            assert!(line.contains("ERROR") && line.contains(why) && line.contains(repeats), "{line}");
        }
    }
}
