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
    /// True once a sequencer of the ledger has stopped for good: then all of them take nothing more.
    pub(super) is_stopped: Arc<AtomicBool>,
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
    pub(super) fn new(is_stopped: Arc<AtomicBool>) -> (Self, Jobs<J>) {
        let (jobs, waiting) = mpsc::channel(MAX_QUEUE);
        let shared = Arc::new(Shared {
            queued_bytes: AtomicUsize::new(0),
            is_writable: AtomicBool::new(true),
            is_stopped,
        });
        let queue = Self { jobs, shared: Arc::clone(&shared) };
        (queue, Jobs { waiting, gathered: Vec::new(), shared })
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

    /// Returns true if the ledger runs, and the last transaction of this sequencer did not fail.
    pub(crate) fn is_writable(&self) -> bool {
        self.shared.is_writable.load(Ordering::Acquire) && !self.is_stopped()
    }

    /// Returns true if the ledger takes nothing more until it is opened anew.
    pub(crate) fn is_stopped(&self) -> bool {
        self.shared.is_stopped.load(Ordering::Acquire) || self.jobs.is_closed()
    }

    /// The number of jobs that wait.
    pub(crate) fn depth(&self) -> usize {
        self.jobs.max_capacity().saturating_sub(self.jobs.capacity())
    }
}

/// The receiving end.
pub(super) struct Jobs<J> {
    waiting: mpsc::Receiver<J>,
    /// The jobs of the next batch so far. They are kept here, so that who stops waiting for a batch loses none.
    gathered: Vec<J>,
    pub(super) shared: Arc<Shared>,
}

impl<J: Weight> Jobs<J> {
    /// The first job and what else waits, within the bounds of a batch; `None` where the queue is closed and empty.
    /// The future may be dropped: no job is lost.
    pub(super) async fn next_batch(&mut self) -> Option<Vec<J>> {
        if self.gathered.is_empty() {
            let first = self.waiting.recv().await?;
            self.take(first);
        }
        // Those who are about to queue a job run first: the transaction costs much the same for one as for many.
        tokio::task::yield_now().await;
        Some(self.gather())
    }

    /// The jobs that wait now, within the bounds of a batch, or none; `None` where the queue is closed and empty.
    pub(super) fn waiting_now(&mut self) -> Option<Vec<J>> {
        let batch = self.gather();
        let is_over = batch.is_empty() && self.waiting.is_closed() && self.waiting.is_empty();
        (!is_over).then_some(batch)
    }

    /// Adds the jobs that wait by now, within the bounds of a batch.
    pub(super) fn add_waiting(&mut self, batch: &mut Vec<J>) {
        self.gathered.splice(0..0, std::mem::take(batch));
        *batch = self.gather();
    }

    fn gather(&mut self) -> Vec<J> {
        let mut bytes: usize = self.gathered.iter().map(J::bytes).sum();
        while self.gathered.len() < MAX_BATCH && bytes < MAX_BATCH_BYTES {
            let Ok(job) = self.waiting.try_recv() else { break };
            bytes += job.bytes();
            self.take(job);
        }
        std::mem::take(&mut self.gathered)
    }

    /// Takes a job out of the queue's account.
    fn take(&mut self, job: J) {
        self.shared.queued_bytes.fetch_sub(job.bytes(), Ordering::AcqRel);
        self.gathered.push(job);
    }

    /// Takes no more jobs; those that wait are still received.
    pub(super) fn close(&mut self) {
        self.waiting.close();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    impl Weight for u32 {
        fn bytes(&self) -> usize {
            8
        }
    }

    fn queue() -> (Queue<u32>, Jobs<u32>) {
        Queue::new(Arc::default())
    }

    #[tokio::test]
    async fn who_stops_waiting_for_a_batch_loses_no_job() {
        let (queue, mut jobs) = queue();
        queue.submit(7).unwrap();
        // It ends after the first job was received, and before the batch is complete.
        assert!(futures_util::FutureExt::now_or_never(jobs.next_batch()).is_none());
        queue.submit(8).unwrap();
        assert_eq!(jobs.next_batch().await.unwrap(), [7, 8]);
        let idle = tokio::time::timeout(Duration::from_millis(1), jobs.next_batch()).await;
        assert!(idle.is_err());
        drop(queue);
        assert!(jobs.next_batch().await.is_none());
    }

    #[tokio::test]
    async fn all_that_waits_is_received_at_once_up_to_the_bound_and_a_closed_queue_is_over() {
        let (queue, mut jobs) = queue();
        assert!(jobs.waiting_now().unwrap().is_empty());
        let most = u32::try_from(MAX_BATCH).unwrap();
        (0..most + 5).for_each(|job| queue.submit(job).unwrap());
        assert_eq!(jobs.waiting_now().unwrap().len(), MAX_BATCH);
        drop(queue);
        assert_eq!(jobs.waiting_now().unwrap().len(), 5);
        assert!(jobs.waiting_now().is_none());
    }

    #[tokio::test]
    async fn a_queue_of_a_ledger_that_has_stopped_takes_nothing() {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (queue, _jobs) = Queue::<u32>::new(Arc::clone(&is_stopped));
        queue.submit(1).unwrap();
        is_stopped.store(true, Ordering::Release);
        assert!(!queue.is_writable());
        assert!(matches!(queue.submit(2), Err(LedgerError::Busy)));
    }
}
