//! Watches: requests that are screened again when a list changes or a time is over, the alerts that follow, and the webhooks that report them.
//!
//! A watch begins in the transaction that logs its receipt ([`WatchStep::Opened`]), and an alert is logged in the one
//! that makes its verdict the watch's ([`WatchStep::Changed`]). So every paid watch exists, and each change is reported
//! once, also after a crash.
//!
//! ```text
//! live -> ended     by its agent, or when its time is over
//!
//! an alert's webhook: waiting -> delivered
//!                       |  ^---- tried again
//!                       +-> failed, dropped
//! ```
//!
//! One webhook of an agent is sent to a host at a time. The agents of a host take turns, and so do the hosts, each
//! within a bound of its own: a host that does not answer delays no other host or agent.

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use crate::{ClientNetwork, LeaseRequest, LedgerError, Owner, SharedVersion, WIDE_FACTOR};

/// The most live unpaid watches of one agent from one network.
pub const MAX_WATCHES: u32 = 100;
/// The number of live watches of one narrow network, with all names, at which no further free one is opened.
pub const MAX_FREE_WATCHES_PER_NETWORK: u32 = 30;
/// The number of live watches of one wide network, with all names, at which no further free one is opened.
pub const MAX_FREE_WATCHES_PER_WIDE_NETWORK: u32 = WIDE_FACTOR * MAX_FREE_WATCHES_PER_NETWORK;
/// The most live watches in all. Beyond it the service refuses new ones before they are judged.
pub const MAX_WATCHES_IN_ALL: u32 = 100_000;
/// The number of live watches in all at which no further free one is opened; the rest is for paid and granted ones.
pub const MAX_WATCHES_FOR_FREE: u32 = MAX_WATCHES_IN_ALL / 2;
/// The most simultaneous webhooks to one host, each of another agent.
pub const MAX_WEBHOOKS_PER_HOST: u32 = 4;
/// The most simultaneous webhooks of one agent, each to another host.
pub const MAX_WEBHOOKS_PER_AGENT: u32 = 4;
/// The most alerts of a watch that are read, the newest first.
pub const MAX_ALERTS_READ: u32 = 100;

/// Watches, their alerts and webhooks, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). A change by a task that does not own the watch
/// or webhook is refused with [`LedgerError::NotOwner`].
#[async_trait]
pub trait Watches: Send + Sync + 'static {
    /// The watch with this key and its newest alerts, the newest first; `None` where there is none. An ended watch is
    /// returned until it is deleted.
    async fn watch(&self, key: &WatchKey) -> Result<Option<Watch>, LedgerError>;

    /// The watch that the receipt with this hash has opened, as [`watch`](Self::watch) gives it.
    async fn watch_opened_by(&self, receipt: &ReceiptHash) -> Result<Option<Watch>, LedgerError>;

    /// Counts the live watches of an agent from a network, of the network, of its wide network and in all.
    async fn live_watches(
        &self,
        agent: &str,
        network: ClientNetwork,
        now: Timestamp,
    ) -> Result<LiveWatches, LedgerError>;

    /// Counts the live watches that a payer has paid for.
    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> Result<u32, LedgerError>;

    /// Ends a watch and drops its waiting webhooks. Returns true if there is such a watch; one that has ended before
    /// does not change.
    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> Result<bool, LedgerError>;

    /// Leases live watches that are due, and without an owner, to a new owner. Each class gets an equal share while it
    /// has watches. Where several processes have the store open, nothing is due on an edition that is not the store's: its
    /// [lists](CurrentEdition::lists) are of another version than the store's, or its day is over for another process. Watches whose time is over are skipped; they end
    /// once the newest receipt has a later time, because the clock may be wrong.
    async fn take_watches(
        &self,
        wish: LeaseRequest,
        due: Vec<DueClass>,
    ) -> Result<Vec<ScreeningTask>, LedgerError>;

    /// Postpones watches that could not be screened until a time. Watches that have another owner by now, or have
    /// ended, are skipped.
    async fn postpone_watches(
        &self,
        owner: Owner,
        watches: Vec<WatchId>,
        until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Stores the screenings of watches whose verdict is the same as before, and ends their leases. Watches that have
    /// another owner by now, or have ended, are skipped.
    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screening)>) -> Result<(), LedgerError>;

    /// Leases due webhooks to a new owner: at most one of each host, and those of the hosts that have been due longest
    /// first. A webhook is not leased while another of the same agent is being sent to the same host, or beyond
    /// [`MAX_WEBHOOKS_PER_HOST`] and [`MAX_WEBHOOKS_PER_AGENT`].
    async fn take_webhooks(&self, wish: LeaseRequest) -> Result<Vec<WebhookTask>, LedgerError>;

    /// Stores the outcome of a webhook, and ends its lease, so that the next can be sent.
    async fn webhook_sent(
        &self,
        id: AlertId,
        owner: Owner,
        sent: WebhookOutcome,
        at: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Deletes at most `most` watches that ended before a time, with their alerts, and returns the number deleted.
    /// Their receipts stay.
    async fn forget_watches(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;
}

/// The key of a watch: the SHA-256 of the id that its agent has. Watches are looked up by the hash, so that the time of
/// a look-up leaks nothing about an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WatchKey(pub [u8; 32]);

/// The number of a watch within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WatchId(pub u64);

/// The number of an alert within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AlertId(pub u64);

/// The change of a watch in the transaction that logs a receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchStep {
    /// The receipt opens a watch. Over [`MAX_WATCHES`] it is refused with [`LedgerError::WatchLimit`], unless it was paid for. Over
    /// [`MAX_WATCHES_FOR_FREE`] it is refused with [`LedgerError::FreeWatchLimit`], and over
    /// [`MAX_FREE_WATCHES_PER_NETWORK`] with [`LedgerError::NetworkWatchLimit`], unless it was paid for or granted.
    Opened(NewWatch),
    /// The receipt reports a changed verdict.
    Changed(WatchChange),
}

/// A new watch. The request of the receipt that opens it is screened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewWatch {
    /// The key of the watch.
    pub key: WatchKey,
    /// The name of the agent that owns the watch.
    pub agent: String,
    /// The networks of the client that opened it; required where nobody paid for it.
    pub network: Option<ClientNetwork>,
    /// The class of the judge that screens the request.
    pub class: String,
    /// The end of the watch.
    pub until: Timestamp,
    /// The webhook for alerts; `None` where there is none.
    pub webhook: Option<Webhook>,
    /// The first screening.
    pub screened: Screening,
}

/// The webhook that a watch's alerts are sent to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// The https address of the webhook.
    pub url: String,
    /// The host of the address. The hosts of webhooks take turns.
    pub host: String,
}

/// The result of a screening: a verdict, and the snapshots that it depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Screening {
    /// The verdict.
    pub verdict: String,
    /// The ids of the used snapshots, or what else the screening rests on, separated by spaces.
    pub snapshots: String,
    /// The [`edition`] of these snapshots.
    pub edition: [u8; 32],
    /// The time of the screening.
    pub at: Timestamp,
}

impl Screening {
    /// Makes the result from a verdict and the ids of its snapshots.
    #[must_use]
    pub fn new(verdict: String, snapshots: &[String], at: Timestamp) -> Self {
        Self { verdict, edition: edition(snapshots), snapshots: snapshots.join(" "), at }
    }

    /// Sets the edition to that for which the screening was due: a question that asks some of the lists alone is due when any
    /// of them changes, and is then not due again.
    #[must_use]
    pub fn for_edition(self, edition: [u8; 32]) -> Self {
        Self { edition, ..self }
    }
}

/// The edition of a set of snapshots: the SHA-256 of their ids in order, with spaces between.
#[must_use]
pub fn edition(snapshots: &[String]) -> [u8; 32] {
    receipt::hash::sha256(snapshots.join(" ").as_bytes())
}

/// The [edition] of the lists that the judge of a class uses now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentEdition {
    /// The class of the judge.
    pub class: String,
    /// The SHA-256 that identifies the edition.
    pub edition: [u8; 32],
    /// The UTC day of the edition, in days since 1970.
    pub day: u32,
    /// The file that says which lists these are, where all processes of the store have it in common.
    pub lists: Option<SharedVersion>,
}

/// A class, and the condition on which its watches are due to be screened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DueClass {
    /// The watches whose last screening was on another edition than this one.
    OtherEdition(CurrentEdition),
    /// The watches whose last screening was at a time or before it. Those of the oldest screenings are the first.
    ScreenedBy {
        /// The class of the judge.
        class: String,
        /// The time.
        time: Timestamp,
    },
}

/// A change of a watch's verdict, or of another fact that it watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchChange {
    /// The number of the watch.
    pub id: WatchId,
    /// The task that screened it.
    pub owner: Owner,
    /// The screening that differs from the one before.
    pub screened: Screening,
}

/// The numbers of live watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveWatches {
    /// The live watches of the agent from the narrow network.
    pub of_agent: u32,
    /// The live watches of the narrow network.
    pub of_network: u32,
    /// The live watches of the wide network.
    pub of_wide_network: u32,
    /// The live watches in all.
    pub in_all: u32,
}

/// A stored watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The number of the watch.
    pub id: WatchId,
    /// The name of the agent that owns the watch.
    pub agent: String,
    /// The class of the judge that screens the request.
    pub class: String,
    /// The receipt that opened the watch.
    pub opened_by: ReceiptHash,
    /// The time at which the watch ends at the latest.
    pub until: Timestamp,
    /// The time at which the watch has ended, at most [`until`](Self::until); `None` while it is live.
    pub ended_at: Option<Timestamp>,
    /// The webhook for alerts; `None` where there is none.
    pub webhook: Option<Webhook>,
    /// The time at which the webhook's receiver answered HTTP 410, after which nothing is sent; `None` where it did
    /// not.
    pub gone_at: Option<Timestamp>,
    /// The last screening.
    pub screened: Screening,
    /// The newest alerts, the newest first.
    pub alerts: Vec<Alert>,
}

/// A receipt that reports a changed verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// The hash of the receipt.
    pub receipt: ReceiptHash,
    /// The verdict of the receipt.
    pub verdict: String,
    /// The time of the receipt's signature.
    pub at: Timestamp,
    /// The state of the alert's webhook; `None` where the watch has none.
    pub webhook: Option<AlertWebhook>,
}

/// The state of an alert's webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertWebhook {
    /// The state of the webhook.
    pub state: WebhookState,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The time of the next attempt while the webhook waits, and otherwise of the last attempt.
    pub at: Timestamp,
    /// The reason why the last attempt failed; `None` where it did not.
    pub error: Option<String>,
}

/// The states of an alert's webhook.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WebhookState {
    /// The webhook waits for its first or next attempt.
    Waiting,
    /// The receiver accepted the webhook.
    Delivered,
    /// The webhook was given up after the last attempt.
    Failed,
    /// The webhook was given up because the watch has ended or its receiver is gone.
    Dropped,
}

impl WebhookState {
    /// All states, in the order in which they are stored.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Delivered, Self::Failed, Self::Dropped];

    /// The name of the state for callers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// A watch to be screened again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScreeningTask {
    /// The number of the watch.
    pub id: WatchId,
    /// The key of the watch.
    pub key: WatchKey,
    /// The name of the agent that owns the watch.
    pub agent: String,
    /// The class of the judge that screens the request.
    pub class: String,
    /// The last screening.
    pub screened: Screening,
    /// The request to be screened, in canonical form; `None` where it is not stored any more.
    pub request: Option<Vec<u8>>,
}

/// A webhook to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookTask {
    /// The number of the alert.
    pub id: AlertId,
    /// The receipt to be reported.
    pub receipt: ReceiptHash,
    /// The https address of the webhook.
    pub url: String,
    /// The number of earlier attempts.
    pub attempts: u32,
    /// The time of the receipt's signature.
    pub since: Timestamp,
}

/// The outcome of an attempt to send a webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebhookOutcome {
    /// The receiver accepted it.
    Delivered,
    /// The receiver did not accept the webhook, and it will be sent again.
    Again {
        /// The time of the next attempt.
        at: Timestamp,
        /// The reason.
        error: String,
    },
    /// Nothing could be sent, because of a fault of this service. It does not count as an attempt, and it will be tried
    /// again.
    NotSent {
        /// The time of the next attempt.
        at: Timestamp,
    },
    /// The receiver did not accept the webhook, and it will not be sent again.
    Failed {
        /// The reason.
        error: String,
    },
    /// The receiver is gone for good (HTTP 410). Nothing more is sent for this watch.
    Gone,
}
