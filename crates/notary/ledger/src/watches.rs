//! Watches: requests that are screened again whenever a list changes, the alerts that follow, and the webhooks that report them.
//!
//! A watch begins in the transaction that logs its receipt ([`WatchStep::Opened`]), and an alert is logged in the one
//! that makes its verdict the watch's ([`WatchStep::Changed`]). So nobody has paid for a watch that is not there, and a
//! change is told once, whatever crashes in between.
//!
//! ```text
//! live -> ended     by its agent, or when its time is over
//!
//! an alert's webhook: waiting -> delivered
//!                       |  ^---- tried again
//!                       +-> failed, dropped
//! ```
//!
//! An agent is sent one webhook at a host at a time. Agents take turns at a host, and hosts do, each within a bound of its
//! own: a host or an agent whose webhooks are not answered keeps no other waiting.

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use crate::{ClientNetwork, LeaseRequest, LedgerError, Owner, WIDE_FACTOR};

/// The most live watches of one agent from one network that were not paid for.
pub const MAX_WATCHES: u32 = 100;
/// The live watches of one narrow network, over all names, from which on none is opened for free.
pub const MAX_FREE_WATCHES_PER_NETWORK: u32 = 30;
/// The live watches of one wide network, over all names, from which on none is opened for free.
pub const MAX_FREE_WATCHES_PER_WIDE_NETWORK: u32 = WIDE_FACTOR * MAX_FREE_WATCHES_PER_NETWORK;
/// The most live watches in all. The service refuses new ones past it before they are judged: names are free to make up.
pub const MAX_WATCHES_IN_ALL: u32 = 100_000;
/// The live watches in all from which on none is opened for free: the rest is for those that were paid for or granted.
pub const MAX_WATCHES_FOR_FREE: u32 = MAX_WATCHES_IN_ALL / 2;
/// The most webhooks that are sent to one host at once, each of another agent: many agents may be served there.
pub const MAX_WEBHOOKS_PER_HOST: u32 = 4;
/// The most webhooks of one agent that are sent at once, each to another host.
pub const MAX_WEBHOOKS_PER_AGENT: u32 = 4;
/// The newest alerts that are read of a watch.
pub const MAX_ALERTS_READ: u32 = 100;

/// Watches, their alerts and webhooks, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). A change by a task that does not own the watch
/// or webhook is refused with [`LedgerError::NotOwner`].
#[async_trait]
pub trait Watches: Send + Sync + 'static {
    /// The watch of a key, ended ones too until they are forgotten, with its newest alerts, the newest first.
    async fn watch(&self, key: &WatchKey) -> Result<Option<Watch>, LedgerError>;

    /// Counts the live watches: of an agent from a network, of the network and in all.
    async fn live_watches(
        &self,
        agent: &str,
        network: ClientNetwork,
        now: Timestamp,
    ) -> Result<LiveWatches, LedgerError>;

    /// Counts the live watches that a payer has opened.
    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> Result<u32, LedgerError>;

    /// Ends a watch, and drops the webhooks that wait; says whether there is such a watch. One that has ended stays as it
    /// is.
    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> Result<bool, LedgerError>;

    /// Leases live watches that were last screened on another edition of their lists than the current one, and that
    /// nobody works on, to a new owner: of each class as many as of another, while it has any. Watches whose time is over
    /// are passed over, and end once the log has come to that time: the clock alone may be wrong.
    async fn take_watches(
        &self,
        wish: LeaseRequest,
        current: Vec<CurrentEdition>,
    ) -> Result<Vec<ScreeningTask>, LedgerError>;

    /// Leaves watches that could not be screened alone until a time. Those that are another owner's by now, or have ended,
    /// are passed over.
    async fn postpone_watches(
        &self,
        owner: Owner,
        watches: Vec<WatchId>,
        until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Stores the screenings of watches whose verdict is the same as before, and ends their leases. Those that are another
    /// owner's by now, or have ended, are passed over.
    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screening)>) -> Result<(), LedgerError>;

    /// Leases webhooks that are due to a new owner, at most one of each host, and of those hosts first that were due the
    /// longest. None is handed out of an agent whose webhook is being sent to the host, nor past
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

    /// Deletes at most `most` watches that ended before a time, with their alerts, and returns their number. The receipts stay.
    async fn forget_watches(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;
}

/// The key of a watch: the SHA-256 of the id that its agent holds. Watches are looked up by the hash, so that the time of a
/// look-up leaks nothing about an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WatchKey(pub [u8; 32]);

/// A watch's number within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WatchId(pub u64);

/// An alert's number within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AlertId(pub u64);

/// The change that a receipt makes to a watch, in the transaction that logs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchStep {
    /// The receipt opens a watch. Over [`MAX_WATCHES`] it is refused with [`LedgerError::WatchLimit`], unless it was paid for. Over
    /// [`MAX_WATCHES_FOR_FREE`] it is refused with [`LedgerError::FreeWatchLimit`], and over
    /// [`MAX_FREE_WATCHES_PER_NETWORK`] with [`LedgerError::NetworkWatchLimit`], unless it was paid for or granted.
    Opened(NewWatch),
    /// The receipt says that the verdict has changed.
    Changed(WatchChange),
}

/// A watch that begins. The request of the receipt that opens it is what is screened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewWatch {
    /// The key that it is found by.
    pub key: WatchKey,
    /// The name of the agent that it belongs to.
    pub agent: String,
    /// The network of the client that opened it; needed where nobody paid for it.
    pub network: Option<ClientNetwork>,
    /// The class of the judge who screens.
    pub class: String,
    /// The time at which it ends by itself.
    pub until: Timestamp,
    /// The webhook that alerts are sent to.
    pub webhook: Option<Webhook>,
    /// The first screening.
    pub screened: Screening,
}

/// The webhook that a watch's alerts are sent to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// The address's host, by which webhooks take turns.
    pub host: String,
}

/// The result of screening: a verdict, and the snapshots that it is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Screening {
    /// The verdict.
    pub verdict: String,
    /// The ids of the snapshots that were looked at, with spaces between.
    pub snapshots: String,
    /// The [`edition`] of these snapshots.
    pub edition: [u8; 32],
    /// The time of the screening.
    pub at: Timestamp,
}

impl Screening {
    /// A verdict on these snapshots.
    #[must_use]
    pub fn new(verdict: String, snapshots: &[String], at: Timestamp) -> Self {
        Self { verdict, edition: edition(snapshots), snapshots: snapshots.join(" "), at }
    }
}

/// The edition of a set of snapshots: the SHA-256 of their ids in order, with spaces between.
#[must_use]
pub fn edition(snapshots: &[String]) -> [u8; 32] {
    receipt::hash::sha256(snapshots.join(" ").as_bytes())
}

/// The [edition] of the lists that a class's judge looks at now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentEdition {
    /// The class.
    pub class: String,
    /// The edition.
    pub edition: [u8; 32],
}

/// A change of the verdict on what is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchChange {
    /// The watch.
    pub id: WatchId,
    /// The task that has screened it.
    pub owner: Owner,
    /// The screening with the new verdict.
    pub screened: Screening,
}

/// Counts of live watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveWatches {
    /// Live watches of the agent from the narrow network.
    pub of_agent: u32,
    /// Live watches of the narrow network.
    pub of_network: u32,
    /// Live watches of the wide network.
    pub of_wide_network: u32,
    /// Live watches in all.
    pub in_all: u32,
}

/// A watch as the store has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The watch's number.
    pub id: WatchId,
    /// The name of the agent that it belongs to.
    pub agent: String,
    /// The class of the judge who screens.
    pub class: String,
    /// The receipt that it was opened by.
    pub opened_by: ReceiptHash,
    /// The time at which it ends by itself.
    pub until: Timestamp,
    /// The time at which it ended; its own [`until`](Self::until) where its time was over.
    pub ended_at: Option<Timestamp>,
    /// The webhook that alerts are sent to.
    pub webhook: Option<Webhook>,
    /// The time at which the webhook's receiver said that it is gone for good (HTTP 410).
    pub gone_at: Option<Timestamp>,
    /// The last screening.
    pub screened: Screening,
    /// The newest alerts, the newest first.
    pub alerts: Vec<Alert>,
}

/// A receipt that says that the verdict has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// The receipt.
    pub receipt: ReceiptHash,
    /// The receipt's verdict.
    pub verdict: String,
    /// The time at which it was signed.
    pub at: Timestamp,
    /// The state of its webhook, where it has one.
    pub webhook: Option<AlertWebhook>,
}

/// The state of an alert's webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertWebhook {
    /// The state.
    pub state: WebhookState,
    /// The number of attempts.
    pub attempts: u32,
    /// The time of the next attempt while it waits, else of the last one.
    pub at: Timestamp,
    /// The reason why the last attempt did not deliver it.
    pub error: Option<String>,
}

/// The states of an alert's webhook.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WebhookState {
    /// Waiting for its first or next attempt.
    Waiting,
    /// Accepted by its receiver.
    Delivered,
    /// Given up after the last attempt.
    Failed,
    /// Given up because the watch was ended, or its webhook is gone.
    Dropped,
}

impl WebhookState {
    /// All states, in the order in which they are stored.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Delivered, Self::Failed, Self::Dropped];

    /// The name that callers read.
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

/// A watch that is to be screened again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScreeningTask {
    /// The watch's number.
    pub id: WatchId,
    /// The key that it is found by.
    pub key: WatchKey,
    /// The name of the agent that it belongs to.
    pub agent: String,
    /// The class of the judge who screens.
    pub class: String,
    /// The verdict until now.
    pub verdict: String,
    /// The request that is screened, in canonical form, where it is still kept.
    pub request: Option<Vec<u8>>,
}

/// A webhook that is to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookTask {
    /// The alert's number.
    pub id: AlertId,
    /// The receipt that it reports.
    pub receipt: ReceiptHash,
    /// The address.
    pub url: String,
    /// The number of attempts before.
    pub attempts: u32,
    /// The time at which the receipt was signed.
    pub since: Timestamp,
}

/// The outcome of an attempt to send a webhook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebhookOutcome {
    /// The receiver accepted it.
    Delivered,
    /// The receiver did not accept it, and it is sent again.
    Again {
        /// The time of the next attempt.
        at: Timestamp,
        /// The reason.
        error: String,
    },
    /// Nothing could be sent from here: this counts as no attempt, and it is tried again.
    NotSent {
        /// The time of the next attempt.
        at: Timestamp,
    },
    /// The receiver did not accept it, and it is not sent again.
    Failed {
        /// The reason.
        error: String,
    },
    /// The receiver says that it is gone for good: nothing more is sent for this watch.
    Gone,
}
