//! Lists that are asked together.

use std::sync::Arc;

use receipt::time::Timestamp;
use wallet_address::WalletIndex;
use watchlist::ListName;
use watchlist::snapshot::Age;

use super::indexed::Indexed;

/// A list that answers questions.
#[derive(Clone, Debug)]
pub struct LiveList {
    /// The snapshot.
    pub indexed: Arc<Indexed>,
    /// Time at which the list was last confirmed to be current; `None` for the demo list.
    pub confirmed_at: Option<Timestamp>,
}

impl LiveList {
    /// Age of the list at `now`, since its last confirmation.
    pub fn age(&self, now: Timestamp) -> Age {
        self.confirmed_at.map_or(Age::Demo, |confirmed_at| Age::between(confirmed_at, now))
    }
}

/// Lists that are asked together, by what they can answer.
#[derive(Debug)]
pub struct LiveLists {
    all: Vec<LiveList>,
    names: Vec<LiveList>,
    wallets: Vec<LiveList>,
    wallet_index: WalletIndex,
}

impl LiveLists {
    /// The SDN list comes first, the others by name.
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
        Self { all, names, wallets, wallet_index }
    }

    /// All live lists, the SDN list first, the others by name.
    pub fn all(&self) -> &[LiveList] {
        &self.all
    }

    /// Live lists that cover names.
    pub fn names(&self) -> &[LiveList] {
        &self.names
    }

    /// Live lists that cover wallets.
    pub fn wallets(&self) -> &[LiveList] {
        &self.wallets
    }

    /// The addresses of [`wallets`](Self::wallets), by their places there.
    pub fn wallet_index(&self) -> &WalletIndex {
        &self.wallet_index
    }
}
