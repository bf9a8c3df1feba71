//! What works beside the answers: loops that run for as long as the service does, and are started again where one ends.
//!
//! A loop is given up to nothing but its own mistakes: a panic, or that it ends. All that they do is kept in the ledger
//! under leases, or found again in the stores of lists, so one that is started anew goes on where the other was: what it
//! had in hand comes back when its lease is over, and nothing is lost or done twice.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{sleep, timeout};

/// Before a loop is started again for the first time; twice as long each time after.
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Before it is started again at most.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After so long a loop that was started again is sound.
pub const SOUND_AFTER: Duration = Duration::from_secs(60);

/// The loops of a service, which of them have failed lately, and what is the matter with others. A clone is the same.
#[derive(Clone, Debug, Default)]
pub struct Background(
    Arc<Mutex<BTreeMap<&'static str, u32>>>,
    Arc<Mutex<BTreeMap<&'static str, &'static str>>>,
);

impl Background {
    /// Has a loop run for as long as the service does. `part` is what `/health` calls what it does.
    pub fn start<F>(&self, part: &'static str, start: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        tokio::spawn(self.clone().keep(part, start));
    }

    /// Starts a loop as often as it ends.
    async fn keep<F>(self, part: &'static str, start: impl Fn() -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (mut pause, mut has_failed) = (FIRST_PAUSE, false);
        loop {
            // A task of its own, so that its panic ends nothing else.
            let mut running = tokio::spawn(start());
            let ended = match timeout(SOUND_AFTER, &mut running).await {
                Ok(ended) => ended,
                Err(_) => {
                    pause = FIRST_PAUSE;
                    if std::mem::take(&mut has_failed) {
                        self.is_sound(part);
                    }
                    running.await
                }
            };
            match ended {
                Err(error) if error.is_cancelled() => return,
                Err(_) => {
                    tracing::error!(part, ?pause, "a background loop has panicked, and is started again")
                }
                Ok(()) => tracing::error!(part, ?pause, "a background loop has ended, and is started again"),
            }
            metrics::counter!("touchstone_background_restarts_total", "part" => part).increment(1);
            if !std::mem::replace(&mut has_failed, true) {
                self.has_failed(part);
            }
            sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    /// The parts of which a loop has failed and was not sound since.
    #[must_use]
    pub fn failed(&self) -> Vec<&'static str> {
        self.failing().keys().copied().collect()
    }

    /// What is the matter with the parts that work, but not as they should.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<&'static str, &'static str> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what is the matter with a part in one word, or that nothing is any more.
    pub fn set_trouble(&self, part: &'static str, trouble: Option<&'static str>) {
        let mut troubles = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        match trouble {
            Some(trouble) => troubles.insert(part, trouble),
            None => troubles.remove(part),
        };
    }

    /// Several loops may do the same part.
    fn has_failed(&self, part: &'static str) {
        *self.failing().entry(part).or_default() += 1;
    }

    fn is_sound(&self, part: &'static str) {
        let mut failing = self.failing();
        let left = failing.get(part).map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            failing.remove(part);
        } else {
            failing.insert(part, left);
        }
    }

    fn failing(&self) -> MutexGuard<'_, BTreeMap<&'static str, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_loop_that_panics_is_started_again_after_a_pause_that_grows_up_to_a_bound() {
        let begun = Instant::now();
        let (started, mut starts) = tokio::sync::mpsc::unbounded_channel();
        Background::default().start("webhooks", move || {
            let started = started.clone();
            async move {
                started.send(begun.elapsed().as_secs()).unwrap();
                panic!("a mistake");
            }
        });
        for expected in [0, 1, 3, 7, 15, 31, 63, 123, 183, 243] {
            assert_eq!(starts.recv().await, Some(expected));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_has_failed_until_its_loop_has_been_sound_for_a_while() {
        let background = Background::default();
        let begun = Instant::now();
        background.start("payouts", move || async move {
            // It ends once, which is a mistake too.
            if begun.elapsed() > Duration::from_millis(500) {
                std::future::pending().await
            }
        });
        let mut failed = Vec::new();
        for _ in 0..120 {
            sleep(Duration::from_secs(1)).await;
            failed.push(background.failed());
        }
        let seconds = failed.iter().filter(|parts| **parts == ["payouts"]).count();
        assert!((59..=62).contains(&seconds), "{seconds}");
        assert_eq!((&failed[2], &failed[119]), (&vec!["payouts"], &Vec::new()));
    }

    #[test]
    fn a_part_of_several_loops_has_failed_as_long_as_one_has() {
        let background = Background::default();
        background.has_failed("lists");
        background.has_failed("lists");
        background.is_sound("lists");
        assert_eq!(background.failed(), ["lists"]);
        background.is_sound("lists");
        assert_eq!(background.failed(), Vec::<&str>::new());
    }
}
