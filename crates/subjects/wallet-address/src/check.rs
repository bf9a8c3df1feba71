//! The forms of addresses, and their checksums.

use std::borrow::Cow;

use alloy_primitives::{Address, keccak256};
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Bech32m, Fe32, Fe32IterExt as _};

use super::error::{ADDRESS_BYTES, AddressError};
use super::form::Form;

/// Bech32's data characters.
const CHARSET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// URI schemes of coins (BIP 21, ERC-681 and similar ones).
const SCHEMES: [&str; 11] = [
    "bitcoin",
    "bitcoincash",
    "dash",
    "dogecoin",
    "ethereum",
    "litecoin",
    "monero",
    "ripple",
    "solana",
    "tron",
    "zcash",
];

/// CAIP-2's namespaces, which a reference follows: `eip155:1:`.
const NAMESPACES: [&str; 9] =
    ["aptos", "bip122", "cosmos", "eip155", "solana", "starknet", "sui", "tron", "xrpl"];

/// The address without a coin's URI scheme or a CAIP-10 chain before it. What else stands before a colon is left, and
/// no form has a colon.
pub(super) fn bare(address: &str) -> &str {
    let is_one_of = |word: &str, known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    let mut parts = address.split(':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(scheme), Some(rest), None, _) if is_one_of(scheme, &SCHEMES) => rest,
        (Some(namespace), Some(_), Some(rest), None) if is_one_of(namespace, &NAMESPACES) => rest,
        _ => address,
    }
}

/// The form of a bare address. An unknown form is refused: it could be another spelling of a listed
/// address.
pub(super) fn form(address: &str) -> Result<Form, AddressError> {
    if address.is_empty()
        || address.len() > ADDRESS_BYTES
        || !address.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(AddressError::Malformed);
    }
    if tron_digits(address).is_some() {
        return Ok(Form::Other);
    }
    if let Some(digits) = hex_digits(address) {
        return hex(digits);
    }
    if let Some(digits) = xdc_digits(address) {
        return hex(digits).map(|_| Form::Other);
    }
    if cash_addr(address).is_some_and(|address| cash_addr_checksum(&address)) {
        return Ok(Form::CashAddr);
    }
    if has_bech32_checksum(&address.to_ascii_lowercase()) {
        // BIP 173 refuses mixed case.
        return if is_mixed(address) { Err(AddressError::Checksum("bech32")) } else { Ok(Form::Bech32) };
    }
    if is_bech32_shaped(address) {
        let is_32_bytes = bs58::decode(address).into_vec().is_ok_and(|bytes| bytes.len() == 32);
        return if is_32_bytes { Ok(Form::Base58) } else { Err(AddressError::Checksum("bech32")) };
    }
    if cash_addr(address).is_some() {
        return Err(AddressError::Checksum("CashAddr"));
    }
    if is_monero_shaped(address) {
        return if monero_data(address).is_some() {
            Ok(Form::Other)
        } else {
            Err(AddressError::Checksum("Monero"))
        };
    }
    base58(address)
}

fn is_mixed(address: &str) -> bool {
    address.bytes().any(|byte| byte.is_ascii_uppercase())
        && address.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Hex digits of an EVM address.
const EVM_DIGITS: usize = 40;

/// Digits after `0x`, or of an EVM address without it.
fn hex_digits(address: &str) -> Option<&str> {
    let prefixed = address.strip_prefix("0x").or_else(|| address.strip_prefix("0X"));
    prefixed.or_else(|| (address.len() == EVM_DIGITS && is_hex(address)).then_some(address))
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An EVM address as XDC writes it, which puts `xdc` for `0x`. Some without a zero measure as Solana's.
fn xdc_digits(address: &str) -> Option<&str> {
    let prefix = address.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("xdc"));
    let digits = prefix.and(address.get(3..))?;
    (digits.len() == EVM_DIGITS && is_hex(digits)).then_some(digits)
}

/// A Tron address in hex, its version before the 20 bytes.
fn tron_digits(address: &str) -> Option<&str> {
    let digits = hex_digits(address).unwrap_or(address);
    let account = digits.strip_prefix("41")?;
    (account.len() == EVM_DIGITS && is_hex(account)).then_some(account)
}

/// The 20 bytes that hex gives, whether or not the case of its letters is right.
pub(super) fn hex_account(address: &str) -> Option<[u8; 20]> {
    let evm = hex_digits(address).filter(|digits| digits.len() == EVM_DIGITS);
    let digits = evm.or_else(|| xdc_digits(address)).or_else(|| tron_digits(address))?;
    let mut account = [0; 20];
    ::hex::decode_to_slice(digits, &mut account).ok()?;
    Some(account)
}

/// Sui, Aptos and Starknet have 64 hex digits, and leave out zeros at the front.
fn is_long(digits: &str) -> bool {
    (60..=64).contains(&digits.len())
}

/// Hex in its one spelling: `0x`, lower case, and the zeros that a long one may leave out; Tron's begins with 41.
pub(super) fn normal_hex(address: &str) -> Option<String> {
    if let Some(digits) = tron_digits(address) {
        return Some(format!("41{}", digits.to_ascii_lowercase()));
    }
    let digits = hex_digits(address).or_else(|| xdc_digits(address)).filter(|digits| is_hex(digits))?;
    let digits = digits.to_ascii_lowercase();
    if is_long(&digits) {
        return Some(format!("0x{digits:0>64}"));
    }
    (digits.len() == EVM_DIGITS).then(|| format!("0x{digits}"))
}

/// Checks a hex address. EIP-55 puts a checksum into the case of the letters; an address in one case has none.
/// Other lengths belong to other chains.
fn hex(digits: &str) -> Result<Form, AddressError> {
    if !is_hex(digits) {
        return Err(AddressError::Malformed);
    }
    if digits.len() != EVM_DIGITS {
        // A shorter one is an EVM address that lost a digit, and one of many zeros an EVM address in 32 bytes.
        let is_padded = digits.trim_start_matches('0').len() <= EVM_DIGITS;
        return if is_long(digits) && !is_padded { Ok(Form::Other) } else { Err(AddressError::Malformed) };
    }
    if is_mixed(digits) && Address::parse_checksummed(format!("0x{digits}"), None).is_err() {
        return Err(AddressError::Checksum("EIP-55"));
    }
    Ok(Form::Evm)
}

/// Tests the bech32 or bech32m checksum of an address with any prefix. BIP 173 ends at 90 characters; Cardano's
/// addresses are longer.
fn has_bech32_checksum(lower: &str) -> bool {
    let holds =
        CheckedHrpstring::new::<Bech32>(lower).is_ok() || CheckedHrpstring::new::<Bech32m>(lower).is_ok();
    holds && ((40..=90).contains(&lower.len()) || is_bech32_shaped(lower))
}

/// Human-readable prefixes that are in use for addresses: with one of them, nothing else can be meant.
const PREFIXES: [&str; 14] =
    ["addr", "bc", "bcrt", "bnb", "celo", "cosmos", "dgb", "grs", "inj", "ltc", "osmo", "stake", "tb", "vtc"];

/// Lower-case from its beginning, or capitals throughout: Tron's `TB1x...` is none.
fn is_bech32_shaped(address: &str) -> bool {
    let is_upper = !address.bytes().any(|byte| byte.is_ascii_lowercase());
    let lower = if is_upper { Cow::Owned(address.to_ascii_lowercase()) } else { Cow::Borrowed(address) };
    lower.rsplit_once('1').is_some_and(|(prefix, data)| PREFIXES.contains(&prefix) && data.len() >= 6)
}

/// An address in capitals, as QR codes hold it.
pub(super) fn is_upper_bech32(address: &str) -> bool {
    !address.bytes().any(|byte| byte.is_ascii_lowercase())
        && (is_bech32_shaped(address) || has_bech32_checksum(&address.to_ascii_lowercase()))
}

/// The data part of a `CashAddr`, lower-case: 42 characters, of which the first tells its kind. Those of wallets that
/// take tokens begin with `z` and `r`.
pub(super) fn cash_addr(address: &str) -> Option<String> {
    let data = address.to_ascii_lowercase();
    let fits = data.len() == 42
        && data.starts_with(['q', 'p', 'z', 'r'])
        && data.bytes().all(|byte| CHARSET.contains(&byte));
    (fits && !is_mixed(address)).then_some(data)
}

/// The kind and the 20 bytes of a data part whose checksum holds.
pub(super) fn cash_addr_payload(data: &str) -> Option<(u8, [u8; 20])> {
    /// Characters of the checksum.
    const SUM: usize = 8;
    let payload = data.get(..data.len().checked_sub(SUM)?).filter(|_| cash_addr_checksum(data))?;
    let bytes: Vec<u8> =
        payload.chars().filter_map(|letter| Fe32::from_char(letter).ok()).fes_to_bytes().collect();
    let (version, hash) = bytes.split_first()?;
    // The kind stands over three bits of the hash's size, of which 0 says 20 bytes.
    let is_20_bytes = version & 0b111 == 0;
    Some((version >> 3, hash.try_into().ok().filter(|_| is_20_bytes)?))
}

/// The 40-bit BCH code of the `CashAddr` specification, over the prefix `bitcoincash`.
fn cash_addr_checksum(data: &str) -> bool {
    const GENERATORS: [u64; 5] =
        [0x0098_f2bc_8e61, 0x0079_b76d_99e2, 0x00f3_3e5f_b3c4, 0x00ae_2eab_e2a8, 0x001e_4f43_e470];
    let prefix = b"bitcoincash".iter().map(|letter| u64::from(letter & 0x1f)).chain([0]);
    let values = data.bytes().filter_map(|byte| CHARSET.iter().position(|known| *known == byte));
    let sum = prefix.chain(values.map(|value| value as u64)).fold(1_u64, |sum, value| {
        let top = sum >> 35;
        let shifted = ((sum & 0x07_ffff_ffff) << 5) ^ value;
        let chosen = GENERATORS.iter().enumerate().filter(|(bit, _)| top >> bit & 1 == 1);
        chosen.fold(shifted, |sum, (_, generator)| sum ^ generator)
    });
    sum == 1
}

/// Form of a base58 address by its decoded length: 21 to 22 bytes and a checksum of four, or 32 bytes. A length between
/// them is a mistyped address.
fn base58(address: &str) -> Result<Form, AddressError> {
    if address.starts_with('r') && (25..=35).contains(&address.len()) {
        let decoded = bs58::decode(address).with_alphabet(bs58::Alphabet::RIPPLE).with_check(None).into_vec();
        return match decoded {
            Ok(_) => Ok(Form::RippleBase58Check),
            Err(_) => Err(AddressError::Checksum("base58check")),
        };
    }
    let Ok(bytes) = bs58::decode(address).into_vec() else { return Err(not_base58(address)) };
    match bytes.len() {
        24..=27 => match bs58::decode(address).with_check(None).into_vec() {
            Ok(payload) if (21..=22).contains(&payload.len()) => Ok(Form::Base58Check),
            Ok(_) => Err(AddressError::Unknown),
            Err(_) => Err(AddressError::Checksum("base58check")),
        },
        32 => Ok(Form::Base58),
        _ => Err(AddressError::Unknown),
    }
}

/// A letter outside of base58: mistyped in what begins and measures as a Bitcoin or Tron address.
fn not_base58(address: &str) -> AddressError {
    let shaped = address.starts_with(['1', '3', 'T']) && (25..=35).contains(&address.len());
    if shaped && address.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return AddressError::Checksum("base58check");
    }
    AddressError::Unknown
}

/// An address or a subaddress; the longer ones have a payment's number in them.
fn is_monero_shaped(address: &str) -> bool {
    matches!(address.len(), 95 | 106) && address.starts_with(['4', '8'])
}

/// Decodes a Monero address whose checksum holds: the network's byte, two keys, and a payment id where there is one.
/// Monero's base58 works in blocks: 8 bytes in 11 characters, the last 5 in 7. The last four bytes are of Keccak-256.
pub(super) fn monero_data(address: &str) -> Option<Vec<u8>> {
    if !is_monero_shaped(address) {
        return None;
    }
    let mut bytes = Vec::new();
    for block in address.as_bytes().chunks(11) {
        let decoded = bs58::decode(block).into_vec().ok()?;
        let size = if block.len() == 11 { 8_usize } else { 5 };
        let start = decoded.iter().position(|byte| *byte != 0).unwrap_or(decoded.len());
        let number = &decoded[start..];
        bytes.resize(bytes.len() + size.checked_sub(number.len())?, 0);
        bytes.extend_from_slice(number);
    }
    let (data, sum) = bytes.split_last_chunk::<4>()?;
    keccak256(data).starts_with(sum).then(|| data.to_vec())
}
