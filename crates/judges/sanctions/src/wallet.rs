//! Whether a digital currency address is listed: exactly, under whatever currency the list files it and in whatever
//! spelling either side writes it.
//!
//! A list's address is compared and never judged: some fail base58check and are listed all the same. Only
//! where nothing was found is the caller's address looked at: a mistyped one would otherwise be answered with
//! "not listed".

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;
use watchlist::{Entry, List, Wallet};

mod check;
mod key;

use key::Key;

pub use check::Form;

/// Bytes of an address. The longest in use, Monero's integrated ones, have 106.
pub const ADDRESS_BYTES: usize = 256;

/// The caller's address cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Empty, too long, or not printable ASCII without spaces.
    #[error("an address is 1 to {ADDRESS_BYTES} printable ASCII characters without spaces")]
    Malformed,
    /// Its checksum does not hold.
    #[error("the address's {0} checksum does not hold: it is mistyped")]
    Checksum(&'static str),
    /// It is in no form that is known: a name, a link, or another spelling. It was not understood, so nothing can be
    /// said of it.
    #[error("the address is in no known form: a name or a link must be resolved first")]
    Unknown,
}

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

/// The one spelling of an address in its form: without a URI scheme or a CAIP-10 chain before it, hex in lower case
/// behind `0x` (`xdc` is another way to write that), bech32 and `CashAddr` in lower case. Base58 is left as it is: there,
/// case is part of the number. What is looked for is the account, in every form that it has.
pub fn normalise(address: &str) -> Cow<'_, str> {
    let bare = check::bare(address);
    if let Some(address) = check::normal_hex(bare).or_else(|| check::cash_addr(bare)) {
        return Cow::Owned(address);
    }
    if check::is_upper_bech32(bare) {
        return Cow::Owned(bare.to_ascii_lowercase());
    }
    Cow::Borrowed(bare)
}

/// The form of a caller's address, its checksum checked.
///
/// # Errors
/// [`AddressError`].
pub fn form(address: &str) -> Result<Form, AddressError> {
    check::form(check::bare(address.trim()))
}
