//! Watches: what is screened anew whenever a list changes, the alerts that follow, and the webhooks that tell of them.
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

use crate::{ClientNetwork, LedgerError, Owner, TakeOver, WIDE_FACTOR};

/// The most live watches of one agent from one network that were not paid for.
pub const MAX_WATCHES: u32 = 100;
/// The most live watches of one narrow network, over all names, from which on none is opened for free.
pub const MAX_FREE_WATCHES_PER_NETWORK: u32 = 30;
/// The same of its wide network.
pub const MAX_FREE_WATCHES_PER_WIDE_NETWORK: u32 = WIDE_FACTOR * MAX_FREE_WATCHES_PER_NETWORK;
/// The most live watches in all, which new ones are held against before they are asked for: names are free to make up.
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
/// As with [`Payments`](crate::Payments) each change is one durable transaction, and who is not the owner of what is
/// changed is refused with [`LedgerError::NotOwner`].
#[async_trait]
pub trait Watches: Send + Sync + 'static {
    /// The watch of a key, ended ones too until they are forgotten, with its newest alerts, the newest first.
    async fn watch(&self, key: &WatchKey) -> Result<Option<Watch>, LedgerError>;

    /// How many watches are live: of an agent from a network, of the network and in all.
    async fn live_watches(
        &self,
        agent: &str,
        network: ClientNetwork,
        now: Timestamp,
    ) -> Result<LiveWatches, LedgerError>;

    /// How many live watches a payer has opened.
    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> Result<u32, LedgerError>;

    /// Ends a watch, and drops the webhooks that wait; says whether there is such a watch. One that has ended stays as it
    /// is.
    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> Result<bool, LedgerError>;

    /// Hands live watches that were last screened on another edition of their lists than the current one, and that
    /// nobody works on, to a new owner: of each class as many as of another, while it has any. Watches whose time is over
    /// are passed over, and end once the log has come to that time: the clock alone may be wrong.
    async fn take_watches(
        &self,
        wish: TakeOver,
        current: Vec<CurrentEdition>,
    ) -> Result<Vec<DueWatch>, LedgerError>;

    /// Leaves watches that could not be screened alone until a time. Those that are another owner's by now, or have ended,
    /// are passed over.
    async fn postpone_watches(
        &self,
        owner: Owner,
        watches: Vec<WatchId>,
        until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Keeps what was found of watches whose verdict is the same as before, and gives them back. Those that are another
    /// owner's by now, or have ended, are passed over.
    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screened)>) -> Result<(), LedgerError>;

    /// Hands webhooks that are due to a new owner, at most one of each host, and of those hosts first that were due the
    /// longest. None is handed out of an agent whose webhook is being sent to the host, nor past
    /// [`MAX_WEBHOOKS_PER_HOST`] and [`MAX_WEBHOOKS_PER_AGENT`].
    async fn take_webhooks(&self, wish: TakeOver) -> Result<Vec<DueWebhook>, LedgerError>;

    /// Keeps what became of a webhook, and lets the next be sent.
    async fn webhook_sent(
        &self,
        id: AlertId,
        owner: Owner,
        sent: Sent,
        at: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Forgets at most so many watches that ended before a time, and their alerts; says how many. The receipts stay.
    async fn forget_watches(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;
}

/// What a watch is found by: the SHA-256 of the id that its agent holds. No time that a look-up takes says anything of
/// an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WatchKey(pub [u8; 32]);

/// A watch's number within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WatchId(pub u64);

/// An alert's number within the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AlertId(pub u64);

/// What a receipt does to a watch, in the transaction that logs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchStep {
    /// It opens one. Over [`MAX_WATCHES`] it is refused with [`LedgerError::WatchLimit`], unless it was paid for. Over
    /// [`MAX_WATCHES_FOR_FREE`] it is refused with [`LedgerError::FreeWatchLimit`], and over
    /// [`MAX_FREE_WATCHES_PER_NETWORK`] with [`LedgerError::NetworkWatchLimit`], unless it was paid for or granted.
    Opened(NewWatch),
    /// It says that the verdict has changed.
    Changed(WatchChange),
}

/// A watch that begins. What is screened is the request of the receipt that opens it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewWatch {
    /// What it is found by.
    pub key: WatchKey,
    /// Whose it is.
    pub agent: String,
    /// From where it was asked for, where nobody paid for it.
    pub network: Option<ClientNetwork>,
    /// The class of the judge who screens.
    pub class: String,
    /// When it ends by itself.
    pub until: Timestamp,
    /// Where alerts are sent.
    pub webhook: Option<Webhook>,
    /// What was found at first.
    pub screened: Screened,
}

/// Where alerts are sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// Its host, by which webhooks take turns.
    pub host: String,
}

/// What a screen found, and on what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Screened {
    /// The verdict.
    pub verdict: String,
    /// The ids of the snapshots that were looked at, with spaces between.
    pub snapshots: String,
    /// What tells these snapshots from others: see [`edition`].
    pub edition: [u8; 32],
    /// When.
    pub at: Timestamp,
}

impl Screened {
    /// A verdict on these snapshots.
    #[must_use]
    pub fn new(verdict: String, snapshots: &[String], at: Timestamp) -> Self {
        Self { verdict, edition: edition(snapshots), snapshots: snapshots.join(" "), at }
    }
}

/// What tells snapshots from others: the SHA-256 of their ids in order.
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

/// The verdict on what is watched has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchChange {
    /// The watch.
    pub id: WatchId,
    /// Who has screened it.
    pub owner: Owner,
    /// What was found.
    pub screened: Screened,
}

/// How many watches are live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveWatches {
    /// Of the agent, from the network.
    pub of_agent: u32,
    /// Of the narrow network.
    pub of_network: u32,
    /// Of the wide network.
    pub of_wide_network: u32,
    /// In all.
    pub in_all: u32,
}

/// A watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// Its number.
    pub id: WatchId,
    /// Whose it is.
    pub agent: String,
    /// The class of the judge who screens.
    pub class: String,
    /// The receipt that it was opened by.
    pub opened_by: ReceiptHash,
    /// When it ends by itself.
    pub until: Timestamp,
    /// When it ended; its own [`until`](Self::until) where its time was over.
    pub ended_at: Option<Timestamp>,
    /// Where alerts are sent.
    pub webhook: Option<Webhook>,
    /// Since when the webhook is gone, by its own answer.
    pub gone_at: Option<Timestamp>,
    /// What was found last.
    pub screened: Screened,
    /// The newest alerts, the newest first.
    pub alerts: Vec<Alert>,
}

/// A receipt that says that the verdict has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// The receipt.
    pub receipt: ReceiptHash,
    /// Its verdict.
    pub verdict: String,
    /// When it was signed.
    pub at: Timestamp,
    /// How its webhook stands, where there is one.
    pub webhook: Option<AlertWebhook>,
}

/// How an alert's webhook stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertWebhook {
    /// Its state.
    pub state: WebhookState,
    /// How often it was sent.
    pub attempts: u32,
    /// When it is sent next, while it waits; when it was sent last, else.
    pub at: Timestamp,
    /// Why it was not delivered when it was sent last.
    pub error: Option<String>,
}

/// The states of an alert's webhook.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WebhookState {
    /// It is sent, or sent again.
    Waiting,
    /// It was taken.
    Delivered,
    /// It was not taken for as long as it is tried.
    Failed,
    /// Nobody is told any more: the watch was ended, or its webhook is gone.
    Dropped,
}

impl WebhookState {
    /// All states, in the order in which they are stored.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Delivered, Self::Failed, Self::Dropped];

    /// As callers read it.
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

/// A watch that is to be screened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DueWatch {
    /// Its number.
    pub id: WatchId,
    /// What it is found by.
    pub key: WatchKey,
    /// Whose it is.
    pub agent: String,
    /// The class of the judge who screens.
    pub class: String,
    /// The verdict until now.
    pub verdict: String,
    /// What is screened, where it is still kept.
    pub request: Option<Vec<u8>>,
}

/// A webhook that is to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DueWebhook {
    /// The alert's number.
    pub id: AlertId,
    /// The receipt that it tells of.
    pub receipt: ReceiptHash,
    /// The address.
    pub url: String,
    /// How often it was sent before.
    pub attempts: u32,
    /// When the receipt was signed.
    pub since: Timestamp,
}

/// What became of a webhook that was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sent {
    /// It was taken.
    Delivered,
    /// It was not, and is sent again.
    Again {
        /// When.
        at: Timestamp,
        /// Why it was not taken.
        error: String,
    },
    /// Nothing could be sent from here: it is no attempt, and is looked at again.
    NotSent {
        /// When.
        at: Timestamp,
    },
    /// It was not, and is not sent again.
    Failed {
        /// Why it was not taken.
        error: String,
    },
    /// The receiver says that it is gone for good: nothing more is sent for this watch.
    Gone,
}
