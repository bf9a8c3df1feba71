//! One read of the log's head for all who ask at once.

use std::sync::atomic::{AtomicU64, Ordering};

use ledger::LedgerError;
use tokio::sync::Mutex;

/// The reads of the head. Anybody may ask for it as often as they like, and a read takes a connection and perhaps a commit, so
/// there is one at a time.
#[derive(Default)]
pub(super) struct HeadReads {
    /// The number of reads that have begun.
    begun: AtomicU64,
    last: Mutex<LastRead>,
}

/// The read that has ended last.
#[derive(Default)]
struct LastRead {
    number: u64,
    is_ok: bool,
}

impl HeadReads {
    /// Waits for the end of a read that begins after this call: another's, where one has begun meanwhile, else `read`.
    ///
    /// # Errors
    /// The read failed.
    pub(super) async fn share(
        &self,
        read: impl Future<Output = Result<(), LedgerError>>,
    ) -> Result<(), LedgerError> {
        let begun = self.begun.load(Ordering::Acquire);
        let mut last = self.last.lock().await;
        if last.number > begun {
            return if last.is_ok { Ok(()) } else { Err(LedgerError::Busy) };
        }
        let number = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        let outcome = read.await;
        *last = LastRead { number, is_ok: outcome.is_ok() };
        outcome
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn those_who_ask_during_a_read_share_the_next_one() {
        let (reads, made, permits) =
            (Arc::new(HeadReads::default()), Arc::new(AtomicU64::new(0)), Arc::new(Semaphore::new(0)));
        let ask = || {
            let (reads, made, permits) = (Arc::clone(&reads), Arc::clone(&made), Arc::clone(&permits));
            tokio::spawn(async move {
                let read = async {
                    made.fetch_add(1, Ordering::AcqRel);
                    permits.acquire().await.unwrap().forget();
                    Ok(())
                };
                reads.share(read).await
            })
        };
        let first = ask();
        while made.load(Ordering::Acquire) == 0 {
            tokio::task::yield_now().await;
        }
        let later: Vec<_> = (0..100).map(|_| ask()).collect();
        // All of them ask before the first read ends.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        permits.add_permits(1);
        first.await.unwrap().unwrap();
        permits.add_permits(1);
        for asked in later {
            asked.await.unwrap().unwrap();
        }
        assert_eq!(made.load(Ordering::Acquire), 2, "none is told of the read that began before it asked");
        permits.add_permits(1);
        ask().await.unwrap().unwrap();
        assert_eq!(made.load(Ordering::Acquire), 3);
    }

    #[tokio::test]
    async fn who_shares_a_read_that_failed_or_was_given_up_is_told_so_or_reads_itself() {
        let reads = HeadReads::default();
        let never = reads.share(std::future::pending());
        assert!(tokio::time::timeout(std::time::Duration::from_millis(1), never).await.is_err());
        assert!(matches!(reads.share(async { Err(LedgerError::Busy) }).await, Err(LedgerError::Busy)));
        reads.share(async { Ok(()) }).await.unwrap();
    }
}
