//! Watches: a name or a wallet that is screened again at every new publication, or a domain that is looked at again every
//! day, for thirty days.
//!
//! ```text
//! POST /watch -> screened -> WATCHING, and the watch, in one transaction
//!   a new publication -> screened again -> the same verdict: kept
//!                                       -> another: a receipt, and the watch's verdict, in one transaction
//!                                          -> its webhook, until it is taken
//! ```
//!
//! A domain is looked at again a day after the last look, and a fact that has changed is a change as a verdict is.
//!
//! A watch asks no question of its own: it is screened by the judge of /screen-entity, /screen-wallet or /trust-score, and
//! the receipt of a change is a receipt of that judge, for the request that opened the watch. So it is verified, replayed
//! and disputed like any other receipt.
//!
//! # Invariants
//!
//! - A watch that was paid for exists.
//! - A change is reported with exactly one receipt.
//! - The id of a watch is in no receipt, since anybody with a receipt's hash may read the receipt.
//! - An agent whose webhooks are not answered does not delay another agent's webhooks.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`judge`] | the judge of `/watch`, and the allowed addresses of webhooks |
//! | `finding` | the finding of a watch's receipt, and the evidence behind it |
//! | `screens` | the judges that screen |
//! | `facts` | the facts of a look at a domain, and the changes between two looks |
//! | `page` | a watch and its changes in words, for the pages of receipts |
//! | [`rescreen`] | screens again if the lists have changed, or a day is over |
//! | [`webhook`] | signs webhooks (Standard Webhooks) |
//! | [`deliver`] | sends webhooks until they are accepted |

pub mod deliver;
#[cfg(test)]
mod domain_tests;
mod facts;
mod finding;
pub mod judge;
mod page;
pub mod rescreen;
mod screens;
pub mod webhook;

use client_network::ClientNetwork;
use ledger::{Ledger, LiveWatches, WatchKey};
use receipt::hash::sha256;
use verdict::{AgentName, EffectKind, Objection, Timestamp, Unavailable};

pub use facts::{MAX_FACT_BYTES, shown as facts};
pub use finding::{SECRET_ROLE, Secret, for_others, screening, secret, tell_id};
pub use judge::{WatchJudge, WatchService};
pub use page::changes as section_of_changes;
pub use webhook::WebhookKey;

/// The receipt class of watches.
pub const CLASS: &str = "watch";
/// An example of a first question.
pub const EXAMPLE: &str = r#"{"agent":"my-agent","entity":"Viktor Anatolyevich Bout","type":"person"}"#;
/// The module that watches belong to, as a 503 names it.
const MODULE: &str = "sanctions";
/// Maximum length of a webhook's URL, in Unicode characters.
pub const WEBHOOK_CHARS: usize = 2048;
/// The duration of a watch, in days.
pub const DAYS: i64 = 30;
/// Number of days for which an ended watch is still shown.
pub const SHOWN_DAYS: i64 = 30;

const DAY_MS: i64 = 86_400_000;

/// The agent has the greatest number of watches that it may have.
pub const LIMIT: Objection = Objection::Impossible {
    code: "watch_limit",
    detail: "this agent, or this payer, has 100 live watches; end one of them first",
};
const _: () = assert!(ledger::MAX_WATCHES == 100, "the text above says how many");

/// The callers who may open another watch, under an agent name and from a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// Everybody.
    All,
    /// Callers who pay, or have been granted calls.
    Granted,
    /// Callers who pay.
    Paying,
}

impl Room {
    fn beside(live: &LiveWatches) -> Self {
        if live.of_agent >= ledger::MAX_WATCHES {
            Self::Paying
        } else if live.in_all >= ledger::MAX_WATCHES_FOR_FREE
            || live.of_network >= ledger::MAX_FREE_WATCHES_PER_NETWORK
            || live.of_wide_network >= ledger::MAX_FREE_WATCHES_PER_WIDE_NETWORK
        {
            Self::Granted
        } else {
            Self::All
        }
    }
}

/// Decides who may open one more watch, before anything is paid or counted. A request that opens no watch has room for
/// all.
///
/// # Errors
/// 503: the total number of live watches is at its limit.
pub async fn room(
    ledger: &dyn Ledger,
    effect: EffectKind,
    agent: &AgentName,
    network: ClientNetwork,
    at: Timestamp,
) -> Result<Room, Unavailable> {
    if effect != EffectKind::OpenWatch {
        return Ok(Room::All);
    }
    let live = ledger.live_watches(agent.as_str(), network, at).await.map_err(|error| error.unread())?;
    if live.in_all >= ledger::MAX_WATCHES_IN_ALL {
        return Err(Unavailable {
            module: MODULE,
            retry_after_s: 3600,
            detail: "no more watches are taken at the moment".to_owned(),
        });
    }
    Ok(Room::beside(&live))
}

/// Refuses a watch to a payer that has the greatest number of watches, before it pays.
///
/// # Errors
/// 409: the payer has the greatest number of watches.
pub async fn admit_payer(
    ledger: &dyn Ledger,
    effect: EffectKind,
    payer: Option<[u8; 20]>,
    at: Timestamp,
) -> Result<(), Objection> {
    let Some(payer) = payer.filter(|_| effect == EffectKind::OpenWatch) else { return Ok(()) };
    let live = ledger.watches_of_payer(payer, at).await.map_err(|error| error.unread())?;
    if live >= ledger::MAX_WATCHES { Err(LIMIT) } else { Ok(()) }
}

/// The id of a watch: 128 random bits. It is a capability: its holder may read the watch and end it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CapabilityId([u8; 16]);

impl CapabilityId {
    /// Generates a random id; `None` if the system has no randomness.
    #[must_use]
    pub fn new() -> Option<Self> {
        let mut id = [0; 16];
        getrandom::fill(&mut id).ok().map(|()| Self(id))
    }

    /// Parses an id in the form of receipts and paths: 32 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut id = [0; 16];
        hex::decode_to_slice(text, &mut id).ok()?;
        Some(Self(id)).filter(|id| id.text() == text)
    }

    /// Returns the text of the id, the only form that [`parse`](Self::parse) accepts.
    #[must_use]
    pub fn text(self) -> String {
        hex::encode(self.0)
    }

    /// Returns the key of the watch in the ledger.
    #[must_use]
    pub fn key(self) -> WatchKey {
        WatchKey(sha256(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use ledger::{
        LiveWatches, MAX_FREE_WATCHES_PER_NETWORK, MAX_FREE_WATCHES_PER_WIDE_NETWORK, MAX_WATCHES,
        MAX_WATCHES_FOR_FREE,
    };

    use super::{CapabilityId, Room};

    #[test]
    fn whoever_pays_finds_room_where_others_find_none() {
        let free = LiveWatches {
            of_agent: MAX_WATCHES - 1,
            of_network: MAX_FREE_WATCHES_PER_NETWORK - 1,
            of_wide_network: MAX_FREE_WATCHES_PER_WIDE_NETWORK - 1,
            in_all: MAX_WATCHES_FOR_FREE - 1,
        };
        assert_eq!(Room::beside(&free), Room::All);
        for full in [
            LiveWatches { of_network: MAX_FREE_WATCHES_PER_NETWORK, ..free },
            LiveWatches { of_wide_network: MAX_FREE_WATCHES_PER_WIDE_NETWORK, ..free },
            LiveWatches { in_all: MAX_WATCHES_FOR_FREE, ..free },
        ] {
            assert_eq!(Room::beside(&full), Room::Granted, "{full:?}");
        }
        let full = LiveWatches { of_agent: MAX_WATCHES, in_all: MAX_WATCHES_FOR_FREE, ..free };
        assert_eq!(Room::beside(&full), Room::Paying);
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = CapabilityId::new().unwrap();
        assert_eq!(CapabilityId::parse(&id.text()).unwrap().key(), id.key());
        let upper = "AB".repeat(16);
        for text in ["", "ab", &upper, &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), "é"] {
            assert!(CapabilityId::parse(text).is_none(), "{text}");
        }
    }
}
