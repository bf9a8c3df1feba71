//! The addresses of lists, found in whatever spelling either side writes them.

use std::collections::HashMap;
use std::sync::Arc;

use watchlist::{Entry, List, Wallet};

use super::error::AddressError;
use super::key::Key;
use super::spelling::form;

/// An entry that the address is listed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWallet {
    /// Which of the index's lists.
    pub list: usize,
    /// Which of its entries.
    pub entry: usize,
    /// Which of the entry's wallets.
    pub wallet: usize,
}

/// All addresses of some lists.
#[derive(Debug)]
pub struct WalletIndex {
    lists: Vec<Arc<List>>,
    by_address: HashMap<Key, Vec<ListedWallet>>,
}

impl WalletIndex {
    /// Indexes the lists.
    pub fn new(lists: Vec<Arc<List>>) -> Self {
        let mut by_address: HashMap<Key, Vec<ListedWallet>> = HashMap::new();
        for (list, wallets) in lists.iter().enumerate() {
            for (entry, listed) in wallets.entries.iter().enumerate() {
                for (wallet, address) in listed.wallets.iter().enumerate() {
                    let listed = ListedWallet { list, entry, wallet };
                    by_address.entry(Key::of(&address.address)).or_default().push(listed);
                }
            }
        }
        Self { lists, by_address }
    }

    /// Whether there is any address. Without one, "not listed" would say nothing.
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// How many different addresses there are, in however many forms each is listed.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// Where the address is listed; empty where it is not.
    ///
    /// # Errors
    /// [`AddressError`] where it is not listed and cannot be right.
    pub fn find(&self, address: &str) -> Result<&[ListedWallet], AddressError> {
        match self.listed(address) {
            [] => form(address).map(|_| &[][..]),
            found => Ok(found),
        }
    }

    /// The same of an address that was taken before, whether or not it can be right.
    pub fn listed(&self, address: &str) -> &[ListedWallet] {
        self.by_address.get(&Key::of(address.trim())).map_or(&[], |found| &found[..])
    }

    /// The list, the entry and the wallet that were found.
    pub fn resolve(&self, found: &ListedWallet) -> Option<(&List, &Entry, &Wallet)> {
        let list = self.lists.get(found.list)?;
        let entry = list.entries.get(found.entry)?;
        Some((list, entry, entry.wallets.get(found.wallet)?))
    }
}
