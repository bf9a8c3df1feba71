//! Attackers at work: each has an address and a connection that it keeps, asks one thing after the other, and is paced.
//!
//! The pace is about what the published limits let in. A flood of calls that are refused at once would measure the
//! loopback and the attackers' own processor time, which is the notary's too.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout_at};

use super::client::{Answer, Failure, Request, ask};
use super::scene::Scene;

/// The time limit of an attacker for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The least time between two tries of one that was not let in.
const PAUSE: Duration = Duration::from_millis(50);

/// All who work on one attack.
pub struct Crew {
    scene: Arc<Scene>,
    until: Instant,
    /// The delay before attackers that are enlisted from now on begin.
    pub delay: Duration,
    tasks: JoinSet<()>,
}

impl Crew {
    /// Nobody yet; work ends at this time.
    pub fn new(scene: &Arc<Scene>, until: Instant) -> Self {
        Self { scene: Arc::clone(scene), until, delay: Duration::ZERO, tasks: JoinSet::new() }
    }

    /// One more, who asks `request` with its number, so many times a second at most.
    pub fn asks(
        &mut self,
        call: &'static str,
        from: Ipv4Addr,
        a_second: f64,
        request: impl FnMut(u64) -> Request + Send + 'static,
    ) {
        self.looks_at(call, from, a_second, request, |_, _| {});
    }

    /// The same, who looks at each answer.
    pub fn looks_at(
        &mut self,
        call: &'static str,
        from: Ipv4Addr,
        a_second: f64,
        mut request: impl FnMut(u64) -> Request + Send + 'static,
        mut look: impl FnMut(u64, &Answer) + Send + 'static,
    ) {
        let scene = Arc::clone(&self.scene);
        let every = Duration::from_secs_f64(1.0 / (a_second * scene.strength));
        self.works(move |until| async move {
            let mut ticks = interval(every);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut connection = None;
            for number in 0.. {
                if timeout_at(until, ticks.tick()).await.is_err() {
                    break;
                }
                let given_up = (Instant::now() + PATIENCE).min(until);
                let request = request(number);
                let asking = ask(&mut connection, from, scene.address, &request);
                match timeout_at(given_up, asking).await {
                    Ok(answer) => {
                        count(&scene, call, &answer);
                        match answer {
                            Ok(answer) => look(number, &answer),
                            Err(_) => sleep(PAUSE).await,
                        }
                    }
                    Err(_) if given_up < until => scene.count(call, "no answer"),
                    Err(_) => {
                        scene.count(call, "waiting at the end");
                        break;
                    }
                }
            }
        });
    }

    /// One more, with work of another kind, who is told when it ends; past that the work is dropped.
    pub fn works<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        work: impl FnOnce(Instant) -> F + Send + 'static,
    ) {
        let (delay, until) = (self.delay, self.until);
        self.tasks.spawn(async move {
            let delayed = async {
                sleep(delay).await;
                work(until).await;
            };
            // Dropped where it is, whatever it waits for.
            drop(timeout_at(until, delayed).await);
        });
    }

    /// Waits until the work ends.
    ///
    /// # Errors
    /// An attacker panicked: the attack was not what it should be.
    pub async fn finish(mut self) -> anyhow::Result<()> {
        while let Some(ended) = self.tasks.join_next().await {
            ended?;
        }
        Ok(())
    }
}

/// Counts an answer, or why there is none.
pub fn count(scene: &Scene, call: &'static str, answer: &Result<Answer, Failure>) {
    match answer {
        Ok(answer) => scene.count(call, answer.status),
        Err(failure) => scene.count(call, failure.word()),
    }
}

/// Lets many attackers do something in turn, so many times a second in all.
#[derive(Clone)]
pub struct Pace {
    next: Arc<Mutex<Instant>>,
    every: Duration,
}

impl Pace {
    /// From now on.
    pub fn new(a_second: f64) -> Self {
        Self { next: Arc::new(Mutex::new(Instant::now())), every: Duration::from_secs_f64(1.0 / a_second) }
    }

    /// Waits for a turn.
    pub async fn turn(&self) {
        let at = {
            let mut next = self.next.lock().await;
            let at = (*next).max(Instant::now());
            *next = at + self.every;
            at
        };
        sleep_until(at).await;
    }
}
