//! The processes that share a store: what each says of itself, and whether the store can be reached.

use async_trait::async_trait;
use receipt::time::Timestamp;

use crate::LedgerError;

/// The greatest distance of a process's clock from that of a shared store at which receipts are signed, in milliseconds.
pub const MAX_CLOCK_OFFSET_MS: u64 = 2_000;
/// The time after which a process that was not heard of no longer counts as alive, in milliseconds.
pub const REPLICA_ALIVE_MS: i64 = 10_000;
/// The most bytes of each text of a [`ReplicaReport`]; the rest is cut off.
pub const MAX_REPORT_TEXT: usize = 4 << 10;

/// The texts by which a process describes itself to the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplicaReport {
    /// The name of the machine and the address that it listens on.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The lists that it screens on: their names and days, in one line.
    pub lists: String,
    /// `ok`, or the parts that do not work as they should, in one line.
    pub health: String,
    /// The [hash](crate::PriceTable::hash) of the prices that it asks for.
    pub prices: String,
    /// The `kid` of the receipt key that it is ready to sign with next; empty where there is none.
    pub next_key: String,
}

impl ReplicaReport {
    /// This report with each text cut to [`MAX_REPORT_TEXT`], and without characters that no store takes.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let Self { name, version, lists, health, prices, next_key } = &mut self;
        for text in [name, version, lists, health, prices, next_key] {
            text.retain(|sign| !sign.is_control());
            text.truncate(text.floor_char_boundary(MAX_REPORT_TEXT));
        }
        self
    }
}

/// A process that has a store open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replica {
    /// Random bits of the process.
    pub id: [u8; 16],
    /// The description that it gave.
    pub report: ReplicaReport,
    /// The time at which it opened the store.
    pub started_at: Timestamp,
    /// The time at which it was heard of last.
    pub seen_at: Timestamp,
    /// The number of leaves of the head that it knows.
    pub head: u64,
    /// The store's clock less its own, in milliseconds.
    pub clock_offset_ms: i64,
}

impl Replica {
    /// Returns true if the process was heard of in time; `now` is the store's time.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        now.millis_since(self.seen_at) < REPLICA_ALIVE_MS
    }
}

/// The state of a store, as an operator sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreStatus {
    /// The store's time.
    pub now: Timestamp,
    /// The version of the store's schema.
    pub schema: u64,
    /// The number of leaves of the log.
    pub head: u64,
    /// The greatest time of a receipt in the log.
    pub latest: Timestamp,
    /// The [hash](crate::PriceTable::hash) of the prices that it is bound to; `None` where it is bound to none.
    pub prices: Option<String>,
    /// The processes that have it open and say so in the store, by name; none where the store is embedded.
    pub replicas: Vec<Replica>,
}

/// The part of the ledger about the processes that share its store.
#[async_trait]
pub trait Replicas {
    /// Sets the description of this process, which the others see within some seconds.
    fn report(&self, report: ReplicaReport);

    /// The processes that have the store open, this one too, by name. One that was not heard of for a minute is left out.
    async fn replicas(&self) -> Result<Vec<Replica>, LedgerError>;

    /// Reads from the store.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    async fn ping(&self) -> Result<(), LedgerError>;

    /// The store's clock less that of this process, in milliseconds, as read last; `None` where the store has no clock of
    /// its own. Beyond [`MAX_CLOCK_OFFSET_MS`] nothing is signed.
    fn clock_offset_ms(&self) -> Option<i64>;

    /// Returns true while the store takes no changes, and the ledger itself waits for it to come back: until then, every
    /// change would be refused.
    fn is_away(&self) -> bool;

    /// Updates the gauges of the store, just before they are read.
    fn observe(&self);
}
