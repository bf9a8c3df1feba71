//! The set of live lists that are searched together.

use std::sync::Arc;

use receipt::time::Timestamp;
use wallet_address::WalletIndex;
use watchlist::snapshot::Age;
use watchlist::{ListName, Topic};

use super::indexed::Indexed;
use super::links::PartyLinks;

/// A live list with the time of its last confirmation.
#[derive(Clone, Debug)]
pub struct LiveList {
    /// The snapshot with its indexes.
    pub indexed: Arc<Indexed>,
    /// Time at which the list was last confirmed to be current; `None` for the demo list.
    pub confirmed_at: Option<Timestamp>,
}

impl LiveList {
    /// Returns the name of the list.
    pub fn name(&self) -> &ListName {
        &self.indexed.list().name
    }

    /// Returns why parties are on the list.
    pub fn topic(&self) -> Topic {
        self.indexed.list().topic
    }

    /// Returns the age of the list at `now`, since its last confirmation.
    pub fn age(&self, now: Timestamp) -> Age {
        self.confirmed_at.map_or(Age::Demo, |confirmed_at| Age::between(confirmed_at, now))
    }
}

/// The live lists that are searched together, grouped by coverage of names and of wallets.
#[derive(Debug)]
pub struct LiveLists {
    all: Vec<LiveList>,
    names: Vec<LiveList>,
    wallets: Vec<LiveList>,
    wallet_index: WalletIndex,
    links: PartyLinks,
}

impl LiveLists {
    /// Builds the set, with the SDN list first and the others ordered by name.
    pub fn new(mut all: Vec<LiveList>) -> Self {
        all.sort_by(|one, other| {
            let key = |list: &LiveList| {
                let name = list.indexed.list().name.clone();
                (name.as_str() != ListName::OFAC_SDN, name)
            };
            key(one).cmp(&key(other))
        });
        let those = |answers: fn(&Indexed) -> bool| -> Vec<LiveList> {
            all.iter().filter(|list| answers(&list.indexed)).cloned().collect()
        };
        let (names, wallets) = (those(Indexed::answers_names), those(Indexed::answers_wallets));
        let wallet_index =
            WalletIndex::new(wallets.iter().map(|list| Arc::clone(list.indexed.list())).collect());
        let links = PartyLinks::of(&names);
        Self { all, names, wallets, wallet_index, links }
    }

    /// Returns all live lists, the SDN list first, the others ordered by name.
    pub fn all(&self) -> &[LiveList] {
        &self.all
    }

    /// Returns the live lists that cover names.
    pub fn names(&self) -> &[LiveList] {
        &self.names
    }

    /// Returns the live lists that cover wallets.
    pub fn wallets(&self) -> &[LiveList] {
        &self.wallets
    }

    /// Returns the entries of [`names`](Self::names) that are one party, by position in that slice.
    pub(crate) fn links(&self) -> &PartyLinks {
        &self.links
    }

    /// Returns the index of the addresses of [`wallets`](Self::wallets), by position in that slice.
    pub fn wallet_index(&self) -> &WalletIndex {
        &self.wallet_index
    }
}
