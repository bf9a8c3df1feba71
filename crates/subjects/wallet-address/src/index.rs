//! The addresses of lists, found in whatever spelling either side writes them.

use std::collections::HashMap;
use std::sync::Arc;

use watchlist::{Entry, EntryWallet, List};

use super::error::AddressError;
use super::key::AccountKey;
use super::spelling::form;

/// An entry that the address is listed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWallet {
    /// Index of the list.
    pub list: usize,
    /// Index of the entry in its list.
    pub entry: usize,
    /// Index of the wallet in its entry.
    pub wallet: usize,
}

/// All addresses of some lists.
#[derive(Debug)]
pub struct WalletIndex {
    lists: Vec<Arc<List>>,
    by_address: HashMap<AccountKey, Vec<ListedWallet>>,
}

impl WalletIndex {
    /// Indexes the lists.
    pub fn new(lists: Vec<Arc<List>>) -> Self {
        let mut by_address: HashMap<AccountKey, Vec<ListedWallet>> = HashMap::new();
        for (list, wallets) in lists.iter().enumerate() {
            for (entry, listed) in wallets.entries.iter().enumerate() {
                for (wallet, address) in listed.wallets.iter().enumerate() {
                    let listed = ListedWallet { list, entry, wallet };
                    by_address.entry(AccountKey::of(&address.address)).or_default().push(listed);
                }
            }
        }
        Self { lists, by_address }
    }

    /// Tests that there is no address at all. Such an index cannot answer "not listed".
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Number of different addresses; several spellings of one count once.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// Looks an address up; the result is empty where it is not listed.
    ///
    /// # Errors
    /// [`AddressError`] where it is not listed and cannot be right.
    pub fn find(&self, address: &str) -> Result<&[ListedWallet], AddressError> {
        match self.listed(address) {
            [] => form(address).map(|_| &[][..]),
            found => Ok(found),
        }
    }

    /// Looks an address up without checking its form.
    pub fn listed(&self, address: &str) -> &[ListedWallet] {
        self.by_address.get(&AccountKey::of(address.trim())).map_or(&[], |found| &found[..])
    }

    /// The list, the entry and the wallet that were found.
    pub fn resolve(&self, found: &ListedWallet) -> Option<(&List, &Entry, &EntryWallet)> {
        let list = self.lists.get(found.list)?;
        let entry = list.entries.get(found.entry)?;
        Some((list, entry, entry.wallets.get(found.wallet)?))
    }
}
