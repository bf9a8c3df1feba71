//! Asynchronous work for callers that are not asynchronous.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Runtime};

/// A runtime with a thread of its own, which moves connections and timers, while a caller polls its work on the caller's
/// thread. So callers may wait within another runtime, where a second one may not block, and their work need not be
/// [`Send`].
pub(crate) struct Blocking {
    /// It is taken when this is dropped.
    runtime: Option<Runtime>,
}

impl Blocking {
    pub(crate) fn start() -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name("operator-store").enable_all().build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Waits on this thread until the work is done.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        let runtime = self.runtime.as_ref().expect("it is taken by drop alone");
        let _context = runtime.enter();
        // Where the caller is a task of another runtime, its budget would soon be used up, and nothing here renews it.
        let mut work = pin!(tokio::task::unconstrained(work));
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match work.as_mut().poll(&mut context) {
                Poll::Ready(done) => return done,
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// A runtime that is dropped in the usual way waits for its threads, which is forbidden within another runtime.
impl Drop for Blocking {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Wakes the thread that polls.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;

    /// Work that needs timers and another task, and is not `Send`.
    async fn work(number: u32) -> u32 {
        let number = Rc::new(number);
        tokio::time::sleep(Duration::from_millis(1)).await;
        let one = tokio::spawn(async { 1 }).await.unwrap();
        *number + one
    }

    #[test]
    fn work_is_done_outside_of_a_runtime() {
        assert_eq!(Blocking::start().unwrap().wait(work(6)), 7);
    }

    #[tokio::test]
    async fn work_is_done_within_another_runtime_however_much_it_is() {
        let blocking = Blocking::start().unwrap();
        assert_eq!(blocking.wait(work(6)), 7);
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let received = blocking.wait(async {
            for number in 0..1000 {
                sender.send(number).unwrap();
                assert_eq!(receiver.recv().await, Some(number));
            }
            receiver.len()
        });
        assert_eq!(received, 0);
    }
}
