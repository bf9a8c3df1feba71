//! Key of an account: the same for all spellings of its address.

use bech32::Bech32;
use bech32::primitives::decode::CheckedHrpstring;

use super::check;
use super::spelling::normalise;

/// Account behind an address, the same for all its spellings. An address whose checksum does not hold is its own
/// text: a list may have it in exactly this form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum AccountKey {
    /// 20 bytes that stand for an account of Ethereum's kind, which hex, Tron's base58check and bech32 under any prefix
    /// (Injective, Harmony, Cosmos and its kin) write each in its own way. Two that agree are of one key's.
    Account([u8; 20]),
    /// 20 bytes of a public key's or a script's hash: Bitcoin's older addresses, Litecoin's of scripts, `CashAddr`.
    Hash { is_script: bool, hash: [u8; 20] },
    /// The public spend key and view key, in Monero's addresses and in those with a payment's number.
    Monero([u8; 64]),
    /// Any other, in its [one spelling](normalise).
    Text(Box<str>),
}

/// Version bytes of base58check: Bitcoin's and Bitcoin Cash's for keys and scripts, Litecoin's later one for scripts,
/// Tron's.
const PUBLIC_KEY: u8 = 0x00;
const SCRIPT: u8 = 0x05;
const LITECOIN_SCRIPT: u8 = 0x32;
const TRON: u8 = 0x41;

/// Monero's networks, of an address and of one with a payment's number. A subaddress has keys of its own.
const MONERO: u8 = 18;
const MONERO_INTEGRATED: u8 = 19;

impl AccountKey {
    pub(super) fn of(address: &str) -> Self {
        let bare = check::bare(address);
        let key = check::hex_account(bare).map(Self::Account);
        key.or_else(|| cash_addr(bare))
            .or_else(|| bech32_account(bare).map(Self::Account))
            .or_else(|| base58check(bare))
            .or_else(|| monero(bare))
            .unwrap_or_else(|| Self::Text(normalise(bare).into()))
    }
}

/// The 20 bytes of a bech32 account. A segregated-witness address has its version before them, so it gives `None`.
fn bech32_account(address: &str) -> Option<[u8; 20]> {
    let checked = CheckedHrpstring::new::<Bech32>(address).ok()?;
    let is_whole = checked.data_part_ascii_no_checksum().len() == 32;
    if is_whole { checked.byte_iter().collect::<Vec<_>>().try_into().ok() } else { None }
}

fn cash_addr(address: &str) -> Option<AccountKey> {
    let (kind, hash) = check::cash_addr_payload(&check::cash_addr(address)?)?;
    match kind {
        // Those that say that the wallet takes tokens are of the same keys and scripts.
        0 | 2 => Some(AccountKey::Hash { is_script: false, hash }),
        1 | 3 => Some(AccountKey::Hash { is_script: true, hash }),
        _ => None,
    }
}

fn base58check(address: &str) -> Option<AccountKey> {
    // Nothing longer is one, and decoding takes time by the square of the length.
    if address.len() > 36 {
        return None;
    }
    let payload = bs58::decode(address).with_check(None).into_vec().ok()?;
    let (version, hash) = payload.split_first()?;
    let hash = hash.try_into().ok()?;
    match *version {
        PUBLIC_KEY => Some(AccountKey::Hash { is_script: false, hash }),
        SCRIPT | LITECOIN_SCRIPT => Some(AccountKey::Hash { is_script: true, hash }),
        TRON => Some(AccountKey::Account(hash)),
        _ => None,
    }
}

fn monero(address: &str) -> Option<AccountKey> {
    let data = check::monero_data(address)?;
    let (network, rest) = data.split_first()?;
    let keys = rest.first_chunk::<64>()?;
    let is_known = [MONERO, MONERO_INTEGRATED].contains(network);
    is_known.then_some(AccountKey::Monero(*keys))
}
