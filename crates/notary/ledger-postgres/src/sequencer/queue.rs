//! The bounded queue before a sequencer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ledger::{LedgerError, MAX_BATCH, MAX_BATCH_BYTES, MAX_QUEUE, MAX_QUEUE_BYTES};
use tokio::sync::mpsc;

/// The bytes that a job adds to the queue.
pub(crate) trait Weight {
    fn bytes(&self) -> usize;
}

/// The state that a queue shares with its sequencer.
pub(super) struct Shared {
    pub(super) queued_bytes: AtomicUsize,
    /// False while the sequencer cannot commit, or has stopped.
    pub(super) is_writable: AtomicBool,
}

/// The sending end: jobs for one sequencer.
pub(crate) struct Queue<J> {
    jobs: mpsc::Sender<J>,
    shared: Arc<Shared>,
}

impl<J> Clone for Queue<J> {
    fn clone(&self) -> Self {
        Self { jobs: self.jobs.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<J: Weight> Queue<J> {
    pub(super) fn new() -> (Self, Jobs<J>) {
        let (jobs, waiting) = mpsc::channel(MAX_QUEUE);
        let shared =
            Arc::new(Shared { queued_bytes: AtomicUsize::new(0), is_writable: AtomicBool::new(true) });
        let queue = Self { jobs, shared: Arc::clone(&shared) };
        (queue, Jobs { waiting, shared })
    }

    /// Queues a job; `Busy` where the queue is full, or the sequencer has stopped or cannot reach the store.
    pub(crate) fn submit(&self, job: J) -> Result<(), LedgerError> {
        if !self.is_writable() {
            return Err(LedgerError::Busy);
        }
        let bytes = job.bytes();
        let queued = &self.shared.queued_bytes;
        let room = |queued: usize| queued.checked_add(bytes).filter(|&sum| sum <= MAX_QUEUE_BYTES);
        queued.fetch_update(Ordering::AcqRel, Ordering::Acquire, room).map_err(|_| LedgerError::Busy)?;
        self.jobs.try_send(job).map_err(|_| {
            queued.fetch_sub(bytes, Ordering::AcqRel);
            LedgerError::Busy
        })
    }

    /// Returns true if the sequencer runs, and its last transaction did not fail.
    pub(crate) fn is_writable(&self) -> bool {
        self.shared.is_writable.load(Ordering::Acquire) && !self.jobs.is_closed()
    }

    /// The number of jobs that wait.
    pub(crate) fn depth(&self) -> usize {
        self.jobs.max_capacity().saturating_sub(self.jobs.capacity())
    }
}

/// The receiving end.
pub(super) struct Jobs<J> {
    waiting: mpsc::Receiver<J>,
    pub(super) shared: Arc<Shared>,
}

impl<J: Weight> Jobs<J> {
    /// The first job and what else waits, within the bounds of a batch; `None` where the queue is closed and empty.
    pub(super) async fn next_batch(&mut self) -> Option<Vec<J>> {
        let mut batch = Vec::new();
        let first = self.waiting.recv().await?;
        self.take(first, &mut batch);
        self.add_waiting(&mut batch);
        Some(batch)
    }

    /// Adds the jobs that wait by now, within the bounds of a batch: a transaction costs much the same for one job as for
    /// many.
    pub(super) fn add_waiting(&mut self, batch: &mut Vec<J>) {
        let mut bytes: usize = batch.iter().map(Weight::bytes).sum();
        while batch.len() < MAX_BATCH && bytes < MAX_BATCH_BYTES {
            let Ok(job) = self.waiting.try_recv() else { break };
            bytes += self.take(job, batch);
        }
    }

    /// Takes a job out of the queue's account, and returns its bytes.
    fn take(&self, job: J, batch: &mut Vec<J>) -> usize {
        let bytes = job.bytes();
        self.shared.queued_bytes.fetch_sub(bytes, Ordering::AcqRel);
        batch.push(job);
        bytes
    }

    /// Takes no more jobs; those that wait are still received.
    pub(super) fn close(&mut self) {
        self.waiting.close();
    }
}
