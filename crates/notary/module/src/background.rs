//! Background loops of the service: they run for as long as it does, and are started again where one ends.
//!
//! A loop ends only by its own faults: it panics, or it returns. Loops keep their state in the ledger under leases, or
//! find it again in the stores of lists, so a restarted loop goes on where it stopped: work in progress becomes free
//! when its lease ends, and nothing is lost or done twice.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{sleep, timeout};

/// The pause before the first restart of a loop; it doubles with each further restart.
pub const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause before a restart.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The running time after which a restarted loop counts as sound.
pub const SOUND_AFTER: Duration = Duration::from_secs(60);

/// The background loops of a service, the parts that failed lately, and the reported troubles. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Background(
    Arc<Mutex<BTreeMap<&'static str, u32>>>,
    Arc<Mutex<BTreeMap<&'static str, &'static str>>>,
);

impl Background {
    /// Runs a loop for as long as the service runs. `part` is the name of its work in `/health`.
    pub fn start<F>(&self, part: &'static str, start: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        tokio::spawn(self.clone().keep(part, start));
    }

    /// Runs the loop, and starts it again each time that it ends.
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

    /// The parts with a loop that has failed and has not been sound since.
    #[must_use]
    pub fn failed(&self) -> Vec<&'static str> {
        self.failing().keys().copied().collect()
    }

    /// The trouble of each part that works, but not as it should.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<&'static str, &'static str> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the trouble of a part, as one word, or clears it with `None`.
    pub fn set_trouble(&self, part: &'static str, trouble: Option<&'static str>) {
        let mut troubles = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        match trouble {
            Some(trouble) => troubles.insert(part, trouble),
            None => troubles.remove(part),
        };
    }

    /// Counts a failed loop of this part. Several loops may work for one part.
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
