//! The honest client: `/health`, `/claim-verdict`, `/verify` and a paid `/commit`, each every 100 ms, from addresses of
//! its own and within what the limits allow.
//!
//! Each call is made on a connection of its own, as by somebody who comes for the first time, and is made when its time
//! has come, whatever became of the calls before it: a notary that stops for a second is seen by all the calls of that
//! second. A latency runs from before the connection is asked for to the last byte of the answer. Whatever is not a 200
//! of the expected form within five seconds is a failure.
//!
//! Every second claim is a free one of a new name at a new address. All else comes from customers, who have names,
//! addresses and wallets that stay: a customer's claims and commits are paid, its names are known, and it calls at half
//! the published rate or less.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hdrhistogram::Histogram;
use memchr::memmem;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::client::{Request, ask_once};
use super::records;
use super::wallets::{Prices, WalletGroup, paid};
use crate::questions::{Random, asked_by};

/// The time limit of an honest client for an answer.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The interval between two requests of each route.
const EVERY: Duration = Duration::from_millis(100);
/// The interval between two requests for a grade.
const EVERY_GRADE: Duration = Duration::from_secs(1);
/// Settlement days of an honest record.
const HONEST_DAYS: u32 = 500;

/// Customers that pay for claims. Five paid claims a second make five a minute of each, of the ten it may make.
pub const CUSTOMERS: u32 = 60;
/// Customers that pay for commits: thirty a minute of each, of sixty.
pub const COMMITTERS: u32 = 20;
/// Customers that pay for grades: one and a half a minute of each, of five.
const GRADERS: u32 = 20;
/// Addresses that receipts are looked up from: 150 lookups a minute of each, of 600.
const READERS: u32 = 4;

/// A customer's name, which everybody may read in its receipts.
pub fn customer(number: u32) -> String {
    format!("customer-{}", number % CUSTOMERS)
}

/// The name of a customer that commits.
pub fn committer(number: u32) -> String {
    format!("committer-{}", number % COMMITTERS)
}

/// The routes that are asked, as the table shows them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// `GET /health`.
    Health,
    /// `POST /claim-verdict`.
    Claim,
    /// `GET /verify?hash=`.
    Verify,
    /// `POST /commit`, paid.
    Commit,
    /// `POST /grade-strategy`, 500 days.
    Grade,
}

impl Route {
    /// The path of the route.
    pub fn path(self) -> &'static str {
        match self {
            Self::Health => "/health",
            Self::Claim => "/claim-verdict",
            Self::Verify => "/verify",
            Self::Commit => "/commit",
            Self::Grade => "/grade-strategy",
        }
    }

    /// The bytes that every answer of the route must contain.
    fn must_contain(self) -> &'static [u8] {
        match self {
            Self::Health => br#""status":"#,
            Self::Claim => br#""CONFIRMED""#,
            Self::Verify => br#""valid":true"#,
            Self::Commit => br#""COMMITTED""#,
            // A whole bootstrap.
            Self::Grade => br#""observed":"#,
        }
    }
}

/// The results of the calls of one route.
pub struct Series {
    /// Calls.
    pub asked: u64,
    /// Failures, by what happened.
    pub failures: BTreeMap<String, u64>,
    /// In microseconds; a failure counts with the time until it was known.
    pub latencies: Histogram<u64>,
}

impl Series {
    fn new() -> anyhow::Result<Self> {
        let latencies = Histogram::new_with_bounds(1, 60_000_000, 3).context("the histogram's bounds")?;
        Ok(Self { asked: 0, failures: BTreeMap::new(), latencies })
    }

    fn add(&mut self, call: Made) {
        self.asked += 1;
        self.latencies.saturating_record(u64::try_from(call.took.as_micros()).unwrap_or(u64::MAX));
        if let Err(why) = call.came {
            *self.failures.entry(why).or_default() += 1;
        }
    }

    /// Calls that failed.
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// A percentile of the latency in milliseconds.
    pub fn ms(&self, percentile: f64) -> f64 {
        self.latencies.value_at_percentile(percentile) as f64 / 1000.0
    }
}

/// The results of all calls, by route.
pub type Seen = BTreeMap<Route, Series>;

/// A call that was made.
struct Made {
    route: Route,
    at: Instant,
    took: Duration,
    came: Result<(), String>,
}

/// The honest client.
pub struct Honest {
    address: SocketAddr,
    prices: Prices,
    /// Hashes of receipts that it has.
    receipts: Vec<String>,
    /// True if the client asks for grades too.
    pub grades: bool,
    random: Random,
}

/// Receipts that it gets before all else.
const RECEIPTS: u32 = 10;

impl Honest {
    /// Gets itself some receipts.
    pub async fn settle_in(address: SocketAddr, prices: Prices) -> anyhow::Result<Self> {
        let mut honest =
            Self { address, prices, receipts: Vec::new(), grades: false, random: Random::new(77) };
        for number in 0..RECEIPTS {
            let (from, request) = honest.free_claim(60_000 + number);
            let answer = ask_once(from, address, &request).await;
            let answer = answer.map_err(|failure| anyhow::anyhow!("a first claim: {failure}"))?;
            ensure!(answer.status == 200, "a first claim: {}", String::from_utf8_lossy(&answer.body));
            honest.receipts.push(answer.text("receipt_hash").context("a receipt has a hash")?);
        }
        Ok(honest)
    }

    /// Calls until a time; what is answered well before the other is not counted.
    pub async fn call(mut self, counted_from: Instant, until: Instant) -> anyhow::Result<Seen> {
        let mut calls = JoinSet::new();
        let started = Instant::now();
        for tick in 0_u32.. {
            let at = started + EVERY * tick;
            if at >= until {
                break;
            }
            let every_grade = u32::try_from(EVERY_GRADE.as_millis() / EVERY.as_millis()).unwrap_or(1);
            let mut routes = vec![Route::Health, Route::Claim, Route::Verify, Route::Commit];
            if self.grades && tick.is_multiple_of(every_grade) {
                routes.push(Route::Grade);
            }
            // Beside each other, not one behind the other, and not all in the same instant.
            for (place, route) in (0..).zip(routes) {
                let (from, request) = self.request(route, tick);
                sleep_until(at + EVERY / 5 * place).await;
                calls.spawn(make(route, from, self.address, request));
            }
        }
        let mut seen = Seen::new();
        while let Some(made) = calls.join_next().await {
            let made = made.context("a call of the honest client ended")?;
            // A failure counts whenever it is; an attack may have been prepared before.
            if made.at >= counted_from || made.came.is_err() {
                seen.entry(made.route).or_insert(Series::new()?).add(made);
            }
        }
        Ok(seen)
    }

    fn request(&mut self, route: Route, number: u32) -> (Ipv4Addr, Request) {
        match route {
            Route::Health => (Ipv4Addr::new(127, 101, 1, 1), Request::get("/health")),
            Route::Claim if number.is_multiple_of(2) => self.free_claim(number),
            Route::Claim => {
                let name = customer(number / 2);
                let request = Request::post("/claim-verdict", &asked_by(&name, number));
                let place = number / 2 % CUSTOMERS;
                let wallet = WalletGroup::Customer.wallet(place);
                (fixed(102, place), paid(request, &self.prices.claim, &wallet, &mut self.random))
            }
            Route::Verify => {
                let hash = &self.receipts[number as usize % self.receipts.len()];
                (fixed(103, number % READERS), Request::get(&format!("/verify?hash={hash}")))
            }
            Route::Commit => {
                let body = json!({"agent": committer(number), "content": {"note": number}}).to_string();
                let wallet = WalletGroup::Committer.wallet(number % COMMITTERS);
                let request = Request::post("/commit", &body);
                let request = paid(request, &self.prices.commit, &wallet, &mut self.random);
                (fixed(104, number % COMMITTERS), request)
            }
            Route::Grade => self.grade(number / 10),
        }
    }

    /// A claim of a new name at a new address.
    fn free_claim(&self, number: u32) -> (Ipv4Addr, Request) {
        let body = asked_by(&format!("guest-{number}"), number);
        (guest(110, number), Request::post("/claim-verdict", &body))
    }

    /// A grade, in turn free to a new name at a new address, and paid by a customer.
    fn grade(&mut self, number: u32) -> (Ipv4Addr, Request) {
        let is_free = number.is_multiple_of(2);
        let place = number / 2 % GRADERS;
        let name = if is_free { format!("grade-guest-{number}") } else { format!("grader-{place}") };
        let request = records::graded(&name, HONEST_DAYS, u64::from(number));
        if is_free {
            return (guest(120, number), request);
        }
        let wallet = WalletGroup::Grader.wallet(place);
        (fixed(105, place), paid(request, &self.prices.grade, &wallet, &mut self.random))
    }
}

/// A customer's address.
fn fixed(second: u8, place: u32) -> Ipv4Addr {
    Ipv4Addr::new(127, second, 1 + (place % 250) as u8, 1)
}

/// The address of somebody who comes once, in a /24 that nobody else comes from for 2,500 numbers.
fn guest(second: u8, number: u32) -> Ipv4Addr {
    Ipv4Addr::new(127, second + (number / 250 % 10) as u8, 1 + (number % 250) as u8, 1)
}

async fn make(route: Route, from: Ipv4Addr, address: SocketAddr, request: Request) -> Made {
    let at = Instant::now();
    let came = match timeout(PATIENCE, ask_once(from, address, &request)).await {
        Err(_) => Err(format!("no answer in {} s", PATIENCE.as_secs())),
        Ok(Err(failure)) => Err(failure.to_string()),
        Ok(Ok(answer)) if answer.status != 200 => {
            let why = answer.text("code").or_else(|| answer.text("detail")).unwrap_or_default();
            Err(format!("{} {why}", answer.status))
        }
        Ok(Ok(answer)) if memmem::find(&answer.body, route.must_contain()).is_none() => {
            Err("200, but not what was asked for".to_owned())
        }
        Ok(Ok(_)) => Ok(()),
    };
    Made { route, at, took: at.elapsed(), came }
}

/// Runs the client on a thread and a clock of its own, so that the attackers' work does not count as the notary's.
pub fn on_its_own_thread(
    honest: Honest,
    counted_from: Instant,
    until: Instant,
) -> std::thread::JoinHandle<anyhow::Result<Seen>> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(honest.call(counted_from, until))
    })
}
