//! The load generator: one thread, one event loop, keep-alive connections, one request at a time on each.
//!
//! Requests are bytes that lie ready before the clock starts; answers are read by their length. Each connection
//! asks again as soon as it is answered (a closed loop), so latencies are those at the throughput reached. A
//! latency runs from the write of the request to the moment when its whole answer has been read.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Registry, Token};

use crate::http;
use crate::usage::Usage;

/// The plan of a load: the requests, the servers and the duration.
#[derive(Clone)]
pub struct Plan<'a> {
    /// The servers, on loopback. Connections are shared out evenly.
    pub addresses: Vec<SocketAddr>,
    /// The process IDs under test, to read their processor time.
    pub servers: Vec<u32>,
    /// Whole requests; asked in turn, over and over.
    pub requests: &'a [Vec<u8>],
    /// The bytes that every answer must contain.
    pub must_contain: &'a [u8],
    /// Connections that ask at once.
    pub connections: usize,
    /// Not counted.
    pub warm_up: Duration,
    /// Counted.
    pub measured: Duration,
    /// Keeps the body of each answer of this many; 0 keeps none.
    pub keep_each: u64,
}

/// The answers that came while the clock ran.
pub struct Outcome {
    /// Right answers.
    pub answers: u64,
    /// Seconds measured.
    pub seconds: f64,
    /// In microseconds.
    pub latencies: Histogram<u64>,
    /// The bodies that were kept.
    pub kept: Vec<Vec<u8>>,
    /// Bytes of all answers.
    pub bytes: u64,
    /// Processor seconds.
    pub usage: Usage,
}

impl Outcome {
    /// Answers a second.
    pub fn rate(&self) -> f64 {
        self.answers as f64 / self.seconds
    }

    /// A percentile of the latency in milliseconds.
    pub fn latency_ms(&self, percentile: f64) -> f64 {
        self.latencies.value_at_percentile(percentile) as f64 / 1000.0
    }
}

/// The time for which answers are still awaited after the last request.
const DRAIN: Duration = Duration::from_secs(10);
const MINUTE_US: u64 = 60_000_000;
const FIRST_BUFFER_BYTES: usize = 96 << 10;

/// Runs the plan.
///
/// # Errors
/// An answer that is not 200, or not what it must be; a connection that ended; no answers for ten seconds.
pub fn run(plan: &Plan<'_>) -> anyhow::Result<Outcome> {
    let is_local = plan.addresses.iter().all(|address| address.ip().is_loopback());
    anyhow::ensure!(
        is_local && !plan.addresses.is_empty(),
        "load goes to loopback only, not to {:?}",
        plan.addresses
    );
    anyhow::ensure!(!plan.requests.is_empty(), "there is nothing to ask");
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(plan.connections * 2);
    let mut connections = (0..plan.connections)
        .map(|number| {
            let address = plan.addresses[number % plan.addresses.len()];
            Connection::open(address, Token(number), poll.registry())
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut round = Round::start(plan)?;
    for connection in &mut connections {
        let now = Instant::now();
        round.ask(connection, now)?;
    }
    let give_up = round.begins + plan.measured + DRAIN;
    while round.in_flight > 0 {
        if let Err(error) = poll.poll(&mut events, Some(Duration::from_secs(1)))
            && error.kind() != ErrorKind::Interrupted
        {
            return Err(error).context("wait for answers");
        }
        for event in &events {
            round.serve(&mut connections[event.token().0])?;
        }
        if Instant::now() > give_up {
            bail!("{} requests were not answered within {DRAIN:?}", round.in_flight);
        }
    }
    round.finish()
}

/// The state of a run.
struct Round<'a> {
    plan: &'a Plan<'a>,
    must_contain: Finder<'a>,
    begins: Instant,
    phase: Phase,
    next: usize,
    in_flight: usize,
    outcome: Outcome,
}

#[derive(Clone, Copy)]
enum Phase {
    WarmUp,
    Measuring { since: Instant, from: Usage },
    Over,
}

impl<'a> Round<'a> {
    fn start(plan: &'a Plan<'a>) -> anyhow::Result<Self> {
        Ok(Self {
            plan,
            must_contain: Finder::new(plan.must_contain),
            begins: Instant::now() + plan.warm_up,
            phase: Phase::WarmUp,
            next: 0,
            in_flight: 0,
            outcome: Outcome {
                answers: 0,
                seconds: 0.0,
                latencies: Histogram::new_with_bounds(1, MINUTE_US, 3).context("the histogram's bounds")?,
                kept: Vec::new(),
                bytes: 0,
                usage: Usage::default(),
            },
        })
    }

    fn ask(&mut self, connection: &mut Connection, now: Instant) -> anyhow::Result<()> {
        connection.request = self.next;
        self.next = (self.next + 1) % self.plan.requests.len();
        connection.asked_at = now;
        connection.sent = 0;
        self.in_flight += 1;
        connection.send(self.plan.requests)
    }

    /// Goes on with a connection about which there is news.
    fn serve(&mut self, connection: &mut Connection) -> anyhow::Result<()> {
        connection.send(self.plan.requests)?;
        let Some(answer) = connection.receive()? else { return Ok(()) };
        let now = Instant::now();
        let bytes = &connection.buffer[..answer.end];
        let body = &bytes[answer.body_at..];
        if answer.status != 200 || self.must_contain.find(body).is_none() {
            bail!("a wrong answer: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]));
        }
        connection.received = 0;
        self.in_flight -= 1;
        self.turn_phase(now)?;
        if let Phase::Measuring { .. } = self.phase {
            let took = now - connection.asked_at;
            let outcome = &mut self.outcome;
            outcome.answers += 1;
            outcome.bytes += answer.end as u64;
            outcome.latencies.saturating_record(u64::try_from(took.as_micros()).unwrap_or(MINUTE_US));
            if self.plan.keep_each > 0 && outcome.answers.is_multiple_of(self.plan.keep_each) {
                outcome.kept.push(body.to_vec());
            }
        }
        match self.phase {
            Phase::Over => Ok(()),
            Phase::WarmUp | Phase::Measuring { .. } => self.ask(connection, now),
        }
    }

    fn turn_phase(&mut self, now: Instant) -> anyhow::Result<()> {
        match self.phase {
            Phase::WarmUp if now >= self.begins => {
                self.phase = Phase::Measuring { since: now, from: Usage::now(&self.plan.servers)? };
            }
            Phase::Measuring { since, from } if now >= self.begins + self.plan.measured => {
                self.outcome.seconds = (now - since).as_secs_f64();
                self.outcome.usage = Usage::now(&self.plan.servers)?.since(from);
                self.phase = Phase::Over;
            }
            Phase::WarmUp | Phase::Measuring { .. } | Phase::Over => {}
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Outcome> {
        anyhow::ensure!(self.outcome.answers > 0, "nothing was answered while the clock ran");
        Ok(self.outcome)
    }
}

/// A connection with at most one request in flight.
struct Connection {
    stream: TcpStream,
    request: usize,
    sent: usize,
    asked_at: Instant,
    buffer: Vec<u8>,
    received: usize,
}

impl Connection {
    fn open(address: SocketAddr, token: Token, registry: &Registry) -> anyhow::Result<Self> {
        let stream =
            std::net::TcpStream::connect(address).with_context(|| format!("connect to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        let buffer = vec![0; FIRST_BUFFER_BYTES];
        Ok(Self { stream, request: 0, sent: usize::MAX, asked_at: Instant::now(), buffer, received: 0 })
    }

    /// Sends what is left of the request.
    fn send(&mut self, requests: &[Vec<u8>]) -> anyhow::Result<()> {
        while let Some(rest) = requests[self.request].get(self.sent..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(written) => self.sent += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).context("send a request"),
            }
        }
        Ok(())
    }

    /// Reads what has arrived; the head once the answer is there whole.
    fn receive(&mut self) -> anyhow::Result<Option<http::Head>> {
        loop {
            let room = self.buffer.len() - self.received;
            let read = match self.stream.read(&mut self.buffer[self.received..]) {
                Ok(0) => bail!("the server ended a connection"),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error).context("read an answer"),
            };
            self.received += read;
            let head = http::head(&self.buffer[..self.received])?;
            match head {
                Some(head) if head.end <= self.received => return Ok(Some(head)),
                Some(head) if head.end > self.buffer.len() => self.buffer.resize(head.end, 0),
                Some(_) | None => {}
            }
            // Fewer bytes than there was room for: all has been read, and more will be told of.
            if read < room {
                return Ok(None);
            }
        }
    }
}
