//! The addresses of lists, found in whatever spelling either side writes them.

use std::collections::HashMap;
use std::sync::Arc;

use watchlist::{Entry, EntryWallet, List};

use super::error::AddressError;
use super::key::AccountKey;
use super::spelling::form;

/// The position of a listed wallet: its list, entry and wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWallet {
    /// Index of the list, in the order of [`WalletIndex::new`].
    pub list: usize,
    /// Index of the entry in its list.
    pub entry: usize,
    /// Index of the wallet in its entry.
    pub wallet: usize,
}

/// An index of all addresses of several lists.
#[derive(Debug)]
pub struct WalletIndex {
    lists: Vec<Arc<List>>,
    by_address: HashMap<AccountKey, Vec<ListedWallet>>,
}

impl WalletIndex {
    /// Builds the index of these lists.
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

    /// Returns true if there is no address. Such an index cannot answer "not listed".
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Returns the number of different addresses. Several spellings of one address count once.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// Looks an address up, in any spelling. The result is empty if it is not listed.
    ///
    /// # Errors
    /// [`AddressError`] if the address is not listed and cannot be valid.
    pub fn find(&self, address: &str) -> Result<&[ListedWallet], AddressError> {
        match self.listed(address) {
            [] => form(address).map(|_| &[][..]),
            found => Ok(found),
        }
    }

    /// Looks an address up without checking its form. The result is empty if it is not listed.
    pub fn listed(&self, address: &str) -> &[ListedWallet] {
        self.by_address.get(&AccountKey::of(address.trim())).map_or(&[], |found| &found[..])
    }

    /// Returns the list, the entry and the wallet at a position; `None` if the position is of another index.
    pub fn resolve(&self, found: &ListedWallet) -> Option<(&List, &Entry, &EntryWallet)> {
        let list = self.lists.get(found.list)?;
        let entry = list.entries.get(found.entry)?;
        Some((list, entry, entry.wallets.get(found.wallet)?))
    }
}
