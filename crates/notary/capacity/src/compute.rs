//! Schedules processor time and look-ups fairly among the networks of clients.
//!
//! Work that takes less than a millisecond is done on the thread that serves the request. Other work waits for a turn:
//! large bodies, questions with a processor [cost](verdict::Question::cost), and look-ups of domains. Each lane has a
//! fixed number of slots. While all are taken, work with the priority of a plan goes before paid work, and that before free
//! work; among the work of one rank the turn goes to the network that has had the least work (start-time fair queueing, Goyal, Vin and Cheng 1996), an IPv4
//! /24 or IPv6 /48 as a whole counting as [`WIDE_FACTOR`] of its parts. Short work never waits for long work: it has a
//! lane of its own.

use std::any::Any;
use std::collections::HashMap;
use std::net::Ipv6Addr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use client_network::{ClientNetwork, WIDE_FACTOR};
use ipnet::IpNet;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use verdict::{Cost, Unavailable};

/// The longest estimated work of the short lane. Longer work is done in the long lane, one piece at a time.
pub const SHORT: Duration = Duration::from_millis(100);
/// The most pieces of work that wait in one lane. Beyond it, the work with the last turn is refused with 503.
pub const MAX_WAITING: usize = 256;
/// The nice value of the threads that compute: where a serving thread wants the same core, it gets nine tenths of its
/// time.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
/// The cost of a look in its lane. All cost the same; a tenth of it, which a wide network is charged, must not be zero.
const LOOK: Duration = Duration::from_millis(1);
/// The most simultaneous look-ups in all.
pub const LOOKS: usize = 256;
/// The most simultaneous look-ups of one narrow network. Its wide network may have [`LOOKS_PER_WIDE_NETWORK`].
pub const LOOKS_PER_NETWORK: u32 = 32;
/// The most simultaneous look-ups of one wide network.
pub const LOOKS_PER_WIDE_NETWORK: u32 = 128;
/// The look-ups of [`LOOKS`] that only work with priority may make.
pub const LOOKS_RESERVED: usize = 16;
/// The most bytes of a body or of a receipt that are parsed on the serving thread; the slowest take 1.5 milliseconds.
pub const READ_HERE: usize = 16 << 10;
/// Bytes of JSON that are read in a microsecond, by the slowest form that was measured (many small objects).
const JSON_BYTES_PER_MICROSECOND: u64 = 10;

/// The client for which work is done, and whether the work is paid for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComputeClient {
    /// The client's networks.
    pub network: ClientNetwork,
    /// True if the work is paid for. Paid work goes before free work.
    pub is_paid: bool,
    /// True if a plan gives the work priority. It goes before all other work, and may take what is reserved for it.
    pub has_priority: bool,
}

impl ComputeClient {
    /// The party of the service itself, for continuing work that was paid for.
    #[must_use]
    pub fn ourselves() -> Self {
        let network = ClientNetwork::of(Ipv6Addr::UNSPECIFIED.into());
        Self { network, is_paid: true, has_priority: false }
    }
}

/// The scheduling lanes of the processor and of look-ups.
pub struct Compute {
    short: Workers,
    long: Workers,
    looks: Arc<Lane>,
}

/// A lane with threads of its own: as many as there are cores, among which the system divides the processor.
struct Workers {
    lane: Arc<Lane>,
    threads: ThreadPool,
}

impl Workers {
    fn new(
        name: &'static str,
        lane: &'static str,
        slots: usize,
        cores: usize,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let threads = ThreadPoolBuilder::new()
            .num_threads(cores)
            .thread_name(move |number| format!("{name}-{number}"))
            .start_handler(|_| step_back())
            .build()?;
        Ok(Self { lane: Lane::new(lane, slots, Shares::NONE), threads })
    }
}

impl Compute {
    /// Makes the lanes of this machine, with their threads.
    ///
    /// # Errors
    /// The operating system gives no threads.
    pub fn new() -> Result<Self, rayon::ThreadPoolBuildError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            short: Workers::new("compute-short", "short", cores, cores)?,
            long: Workers::new("compute-long", "long", 1, cores)?,
            looks: Lane::new(
                "look",
                LOOKS,
                Shares { narrow: LOOKS_PER_NETWORK, wide: LOOKS_PER_WIDE_NETWORK, reserved: LOOKS_RESERVED },
            ),
        })
    }

    /// The number of pieces of work that wait in each lane, with the lane's name.
    #[must_use]
    pub fn waiting(&self) -> [(&'static str, usize); 3] {
        [&self.short.lane, &self.long.lane, &self.looks].map(|lane| (lane.name, lane.lock().waiting.len()))
    }

    /// Runs work of this estimated cost in its turn, away from the threads that serve.
    ///
    /// # Errors
    /// 503: too much work waits.
    ///
    /// # Panics
    /// The work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        party: ComputeClient,
        cost: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unavailable> {
        let workers = if cost <= SHORT { &self.short } else { &self.long };
        let turn = workers.lane.turn(party, cost).await?;
        let (done, answer) = oneshot::channel();
        let span = tracing::Span::current();
        workers.threads.spawn(move || {
            let result: Result<T, Box<dyn Any + Send>> =
                catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
            // The turn goes along with the work: whoever stops waiting makes no room by that.
            drop(turn);
            drop(done.send(result));
        });
        match answer.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Err(busy("the work was given up")),
        }
    }

    /// Polls a future to its end in its turn, away from the threads that serve. A thread that waits for a part of such
    /// work does other work of its lane, so one future may be polled within another. tokio's `block_on` would panic in
    /// that case.
    ///
    /// # Errors
    /// 503: too much work waits.
    ///
    /// # Panics
    /// The future panics.
    pub async fn poll<T: Send + 'static>(
        &self,
        party: ComputeClient,
        cost: Duration,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let runtime = Handle::current();
        let work = move || {
            let _entered = runtime.enter();
            pollster::block_on(future)
        };
        self.run(party, cost, work).await
    }

    /// Runs work on this many bytes: on the calling thread up to [`READ_HERE`], and otherwise in its turn on another
    /// thread.
    ///
    /// # Errors
    ///
    /// 503: too much work waits.
    pub async fn apart<T: Send + 'static>(
        &self,
        party: ComputeClient,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unavailable> {
        if bytes <= READ_HERE { Ok(work()) } else { self.run(party, reading(bytes), work).await }
    }

    /// Waits for a turn to make look-ups. The turn ends when it is dropped.
    ///
    /// # Errors
    ///
    /// 503: too many look-ups wait.
    pub async fn look(&self, party: ComputeClient) -> Result<Turn, Unavailable> {
        self.looks.turn(party, LOOK).await
    }
}

/// The estimated longest processor time of parsing this many bytes of JSON.
#[must_use]
pub fn reading(bytes: usize) -> Duration {
    Duration::from_micros(bytes as u64 / JSON_BYTES_PER_MICROSECOND)
}

/// The processor time of a cost; `None` where the work needs no turn at the processor.
#[must_use]
pub fn time_of(cost: Cost) -> Option<Duration> {
    match cost {
        Cost::Processor(time) => Some(time),
        Cost::None | Cost::Look => None,
    }
}

/// The most slots of a lane that one network may use at once, and those that only work with priority may take.
#[derive(Clone, Copy)]
struct Shares {
    narrow: u32,
    wide: u32,
    reserved: usize,
}

impl Shares {
    const NONE: Self = Self { narrow: u32::MAX, wide: u32::MAX, reserved: 0 };
}

/// The slots of a lane, and the work that waits for one.
struct Lane {
    /// The name of the lane in the metrics.
    name: &'static str,
    shares: Shares,
    state: Mutex<LaneState>,
}

struct LaneState {
    slots: usize,
    /// The work that waits, in the order in which it came.
    waiting: Vec<Waiting>,
    /// The virtual time: the start of the work that was given a turn last, in microseconds of work of one network.
    now: u64,
    /// When the work of a network that was given a turn or waits will have had its share, in virtual time.
    finish: HashMap<IpNet, u64>,
    running: HashMap<IpNet, u32>,
}

struct Waiting {
    party: ComputeClient,
    start: u64,
    turn: oneshot::Sender<Turn>,
}

impl Waiting {
    /// The sort key of its turn. Work with equal keys goes in the order in which it came.
    fn rank(&self) -> (bool, bool, u64) {
        (!self.party.has_priority, !self.party.is_paid, self.start)
    }
}

/// A slot of a lane, given back when it is dropped.
pub struct Turn {
    lane: Arc<Lane>,
    network: ClientNetwork,
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").field("network", &self.network).finish_non_exhaustive()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.lane.lock().give_back(self.network);
        self.lane.give_turns();
    }
}

impl Lane {
    fn new(name: &'static str, slots: usize, shares: Shares) -> Arc<Self> {
        let state =
            LaneState { slots, waiting: Vec::new(), now: 0, finish: HashMap::new(), running: HashMap::new() };
        Arc::new(Self { name, shares, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn turn(self: &Arc<Self>, party: ComputeClient, cost: Duration) -> Result<Turn, Unavailable> {
        let (turn, given) = oneshot::channel();
        let asked = Instant::now();
        self.lock().queue(party, cost, turn);
        self.give_turns();
        match given.await {
            Ok(turn) => {
                metrics::histogram!("touchstone_compute_wait_duration_seconds", "lane" => self.name)
                    .record(asked.elapsed().as_secs_f64());
                Ok(turn)
            }
            Err(_) => {
                metrics::counter!("touchstone_compute_refused_total", "lane" => self.name).increment(1);
                Err(busy("too much work waits to be done"))
            }
        }
    }

    /// Gives the free slots to those whose turn it is.
    fn give_turns(self: &Arc<Self>) {
        loop {
            // In a statement of its own: a turn that nobody takes is dropped below, which locks again.
            let next = self.lock().next(self.shares);
            let Some(Waiting { party, turn, .. }) = next else { return };
            let taken = turn.send(Turn { lane: Arc::clone(self), network: party.network });
            drop(taken);
        }
    }
}

impl LaneState {
    /// Queues work. If too much waits, the work that would have its turn last is dropped, and its caller is told so: a
    /// flood pushes out only itself, however many its calls are.
    fn queue(&mut self, party: ComputeClient, cost: Duration, turn: oneshot::Sender<Turn>) {
        self.waiting.retain(|waiting| !waiting.turn.is_closed());
        let start = self.start(party.network);
        let waiting = Waiting { party, start, turn };
        if self.waiting.len() >= MAX_WAITING {
            let last = self.waiting.iter().enumerate().max_by_key(|(at, waiting)| (waiting.rank(), *at));
            let Some((at, _)) = last.filter(|(_, last)| waiting.rank() < last.rank()) else { return };
            self.waiting.remove(at);
        }
        self.book(party.network, start, cost);
        self.waiting.push(waiting);
    }

    /// The virtual time at which work of a network would begin.
    fn start(&self, ClientNetwork { narrow, wide }: ClientNetwork) -> u64 {
        [narrow, wide]
            .iter()
            .filter_map(|net| self.finish.get(net))
            .fold(self.now, |start, end| start.max(*end))
    }

    /// Books work of a network from this virtual time on.
    fn book(&mut self, network: ClientNetwork, start: u64, cost: Duration) {
        let now = self.now;
        self.finish.retain(|_, finish| *finish > now);
        let cost = u64::try_from(cost.as_micros()).unwrap_or(u64::MAX).max(1);
        self.finish.insert(network.narrow, start.saturating_add(cost));
        self.finish.insert(network.wide, start.saturating_add(cost / u64::from(WIDE_FACTOR)));
    }

    /// Takes a slot for the one whose turn it is.
    fn next(&mut self, shares: Shares) -> Option<Waiting> {
        if self.slots == 0 {
            return None;
        }
        let has_room = |waiting: &&(usize, &Waiting)| {
            if self.slots <= shares.reserved && !waiting.1.party.has_priority {
                return false;
            }
            let ClientNetwork { narrow, wide } = waiting.1.party.network;
            let running = |net| self.running.get(&net).copied().unwrap_or(0);
            running(narrow) < shares.narrow && running(wide) < shares.wide
        };
        let waiting = self.waiting.iter().enumerate();
        let all: Vec<(usize, &Waiting)> = waiting.filter(|(_, waiting)| !waiting.turn.is_closed()).collect();
        let first = all.iter().filter(has_room).min_by_key(|(at, waiting)| (waiting.rank(), *at))?;
        let next = self.waiting.remove(first.0);
        self.now = self.now.max(next.start);
        self.slots -= 1;
        let ClientNetwork { narrow, wide } = next.party.network;
        for net in [narrow, wide] {
            *self.running.entry(net).or_default() += 1;
        }
        Some(next)
    }

    fn give_back(&mut self, ClientNetwork { narrow, wide }: ClientNetwork) {
        self.slots += 1;
        for net in [narrow, wide] {
            if let Some(running) = self.running.get_mut(&net) {
                *running -= 1;
                if *running == 0 {
                    self.running.remove(&net);
                }
            }
        }
    }
}

/// Lets the threads that serve, sign and commit go first: a thread that computes yields the processor to them within the
/// millisecond, not when its slice of time ends. Elsewhere a priority is the whole process's.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "a thread that computes keeps the usual priority");
    }
}

fn busy(detail: &str) -> Unavailable {
    Unavailable { module: "compute", retry_after_s: 2, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests;
