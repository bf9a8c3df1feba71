//! The writer thread: one transaction for all that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::commit::{Books, Pending};
use crate::published::Board;
use crate::{Appended, LedgerError, Record, TrialRequest};

/// The most records in one transaction.
const MAX_BATCH: usize = 1024;
/// The most bytes of payload, request and evidence in one transaction, so that one commit stays short.
const MAX_BATCH_BYTES: usize = 16 << 20;
/// The most jobs that wait for the writer; past it the ledger is busy.
const MAX_QUEUE: usize = 4096;

pub(super) enum Job {
    Append(Box<Record>, oneshot::Sender<Result<Appended, LedgerError>>),
    Trial(TrialRequest, oneshot::Sender<Result<(), LedgerError>>),
}

impl Job {
    fn bytes(&self) -> usize {
        match self {
            Self::Append(record, _) => {
                let evidence: usize = record.evidence.iter().map(|blob| blob.bytes.len()).sum();
                record.payload.len() + record.request.len() + evidence
            }
            Self::Trial(..) => 0,
        }
    }
}

/// The handle to the writer thread; dropping it lets the thread finish what waits and joins it.
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    sound: Arc<AtomicBool>,
}

impl Writer {
    pub(super) fn start(books: Books, board: Arc<Board>) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(MAX_QUEUE);
        let sound = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&sound);
        let thread = std::thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || run(books, &board, jobs, &flag))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), sound })
    }

    /// Queues a job; `Busy` where the queue is full or the writer has stopped.
    pub(super) fn submit(&self, job: Job) -> Result<(), LedgerError> {
        let queue = self.queue.as_ref().ok_or(LedgerError::Busy)?;
        queue.try_send(job).map_err(|_| LedgerError::Busy)
    }

    pub(super) fn is_sound(&self) -> bool {
        self.sound.load(Ordering::Acquire)
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

/// Ends when the queue is closed and empty, or when the books can no longer be trusted.
fn run(mut books: Books, board: &Board, mut jobs: mpsc::Receiver<Job>, sound: &AtomicBool) {
    while let Some(first) = jobs.blocking_recv() {
        let batch = gather(first, &mut jobs);
        let (mut pending, mut trials) = (Vec::new(), Vec::new());
        for job in batch {
            match job {
                Job::Append(record, reply) => pending.push(Pending { record: *record, reply }),
                Job::Trial(request, reply) => trials.push((request, reply)),
            }
        }
        if let Err(error) = books.commit(pending, trials, board) {
            tracing::error!(%error, "the ledger has stopped: the store's state is not known to be sound");
            sound.store(false, Ordering::Release);
            return;
        }
    }
}

fn gather(first: Job, jobs: &mut mpsc::Receiver<Job>) -> Vec<Job> {
    let mut bytes = first.bytes();
    let mut batch = vec![first];
    while batch.len() < MAX_BATCH && bytes < MAX_BATCH_BYTES {
        let Ok(job) = jobs.try_recv() else { break };
        bytes += job.bytes();
        batch.push(job);
    }
    batch
}
