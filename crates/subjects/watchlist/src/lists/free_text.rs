//! Wallets in the free text of a list.
//!
//! The UK and the EU have no field for wallets and name them in their remarks. Only those are read that are certain by
//! their form: `0x` with 40 hex digits, and Bitcoin's and Tron's addresses with a right checksum. Of other forms numbers
//! and hashes may have the shape too.

use sha2::{Digest, Sha256};

use crate::model::{Entry, EntryWallet};

/// Characters of a base58 number.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Characters of bech32 data (BIP 173).
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// The longest text of 90 characters that bech32 protects (BIP 173).
const BECH32_LENGTH: usize = 90;
/// First bytes of base58 addresses: Bitcoin's of keys and of scripts, and Tron's.
const VERSIONS: [u8; 3] = [0x00, 0x05, 0x41];

/// Adds the wallets that the text names, without a currency: an address of the form `0x...` is one on many chains.
pub(super) fn wallets(entry: &mut Entry, text: &str) {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric());
    let addresses = words.filter(|word| is_evm(word) || is_base58_check(word) || is_segwit(word));
    entry
        .wallets
        .extend(addresses.map(|address| EntryWallet { address: address.into(), currency: "".into() }));
}

fn is_evm(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Base58 of a version, 20 bytes and the first four bytes of their double SHA-256.
fn is_base58_check(word: &str) -> bool {
    if !(26..=35).contains(&word.len()) {
        return false;
    }
    let mut bytes = [0_u8; 25];
    for sign in word.bytes() {
        let Some(digit) = BASE58.iter().position(|known| *known == sign) else { return false };
        let mut carry = digit;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return false;
        }
    }
    let (address, checksum) = bytes.split_at(21);
    VERSIONS.contains(&address[0]) && Sha256::digest(Sha256::digest(address)).starts_with(checksum)
}

/// Bech32 or bech32m under `bc`, in small or in capital letters (BIP 173, BIP 350).
fn is_segwit(word: &str) -> bool {
    let is_mixed = word.bytes().any(|sign| sign.is_ascii_uppercase())
        && word.bytes().any(|sign| sign.is_ascii_lowercase());
    if is_mixed || word.len() > BECH32_LENGTH {
        return false;
    }
    let word = word.to_ascii_lowercase();
    let Some(data) = word.strip_prefix("bc1") else { return false };
    let values = data.bytes().map(|sign| BECH32.iter().position(|known| *known == sign));
    let Some(values) = values.collect::<Option<Vec<_>>>() else { return false };
    // The human-readable part `bc` as BIP 173 expands it.
    let checked = [3, 3, 0, 2, 3].into_iter().chain(values.iter().copied());
    // Version, 20 or 32 bytes of a program, and six characters of checksum at least.
    values.len() >= 39 && matches!(checksum(checked), 1 | 0x2bc8_30a3)
}

/// BIP 173's checksum: 1 for bech32, BIP 350's constant for bech32m.
fn checksum(values: impl Iterator<Item = usize>) -> usize {
    const GENERATOR: [usize; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    values.fold(1, |sum, value| {
        let next = ((sum & 0x01ff_ffff) << 5) ^ value;
        let feedback = GENERATOR.iter().enumerate().filter(|(bit, _)| (sum >> (25 + bit)) & 1 == 1);
        feedback.fold(next, |next, (_, term)| next ^ term)
    })
}

#[cfg(test)]
mod tests {
    use super::wallets;
    use crate::model::{EntityKind, Entry, ListName};

    fn found(text: &str) -> Vec<String> {
        let mut entry = Entry::new("1", &ListName::new("?"), EntityKind::Person, "MUSTER");
        wallets(&mut entry, text);
        entry.wallets.iter().map(|wallet| wallet.address.to_string()).collect()
    }

    const EVM: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const TRON: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
    const BITCOIN: [&str; 2] = ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"];
    const SEGWIT: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";

    #[test]
    fn addresses_that_are_certain_by_their_form_are_found_in_a_sentence() {
        let text = format!("Wallets: ETH {EVM}, ({TRON}); XBT:{SEGWIT}.{TAPROOT} {}", SEGWIT.to_uppercase());
        assert_eq!(found(&text), [EVM, TRON, SEGWIT, TAPROOT, &SEGWIT.to_uppercase()]);
        assert_eq!(found(&BITCOIN.join(", ")), BITCOIN);
    }

    #[test]
    fn a_wrong_checksum_a_hash_or_a_word_is_no_address() {
        let hash = format!("{EVM}000000000000000000000000");
        let wrong = [&TRON.replace("R7", "R8"), &SEGWIT.replace("w5", "w6"), &SEGWIT.replace("bc1q", "bc1Q")];
        for text in wrong.into_iter().map(String::as_str).chain([
            &*hash,
            &EVM[..41],
            &EVM[2..],
            "bc1",
            "Tttttttttttttttttttttttttttttttttt",
            "11111111111111111111111111111111",
            "International Standard Book Numbers",
            "tel. 0x12, bc1988, 1 Test Street, Янек",
            "",
        ]) {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
