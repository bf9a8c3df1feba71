//! The forms of addresses, and their checksums.

use std::borrow::Cow;

use alloy_primitives::Address;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Bech32m};

use super::{ADDRESS_BYTES, AddressError};

/// What an address looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// 20 bytes in hex: Ethereum and all chains of its kind.
    Evm,
    /// Bitcoin's segregated-witness addresses and their kin (BIP 173, BIP 350).
    Bech32,
    /// Bitcoin Cash (CashAddr).
    CashAddr,
    /// Base58 with a checksum of four bytes: Bitcoin's older addresses and their kin, Tron.
    Base58Check,
    /// The same in the order of Ripple's alphabet.
    RippleBase58Check,
    /// 32 bytes in base58, without a checksum: Solana.
    Base58,
    /// None of these. It is compared as it is.
    Other,
}

/// Bech32's data characters.
const CHARSET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

pub(super) fn form(address: &str) -> Result<Form, AddressError> {
    if address.is_empty()
        || address.len() > ADDRESS_BYTES
        || !address.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(AddressError::Malformed);
    }
    if let Some(digits) = hex_prefixed(address) {
        return evm(address, digits);
    }
    if cash_addr(address).is_some_and(|address| cash_addr_checksum(&address)) {
        return Ok(Form::CashAddr);
    }
    if is_bech32_shaped(address) {
        let holds = CheckedHrpstring::new::<Bech32>(address).is_ok()
            || CheckedHrpstring::new::<Bech32m>(address).is_ok();
        let is_32_bytes = bs58::decode(address).into_vec().is_ok_and(|bytes| bytes.len() == 32);
        return match (holds, is_32_bytes) {
            (true, _) => Ok(Form::Bech32),
            (false, true) => Ok(Form::Base58),
            (false, false) => Err(AddressError::Checksum("bech32")),
        };
    }
    if cash_addr(address).is_some() {
        return Err(AddressError::Checksum("CashAddr"));
    }
    base58(address)
}

/// What follows `0x`.
fn hex_prefixed(address: &str) -> Option<&str> {
    address.strip_prefix("0x").or_else(|| address.strip_prefix("0X"))
}

pub(super) fn is_evm(address: &str) -> bool {
    let digits = hex_prefixed(address);
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// EIP-55 speaks in the case of the letters; all of one case says nothing. Other lengths are other chains'
/// business.
fn evm(address: &str, digits: &str) -> Result<Form, AddressError> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(AddressError::Malformed);
    }
    if digits.len() != 40 {
        // Sui, Aptos and Starknet have longer ones. A shorter one is an EVM address that lost a digit.
        return if digits.len() >= 60 { Ok(Form::Other) } else { Err(AddressError::Malformed) };
    }
    let upper = digits.bytes().any(|byte| byte.is_ascii_uppercase());
    let lower = digits.bytes().any(|byte| byte.is_ascii_lowercase());
    let mixed = upper && lower;
    if mixed && Address::parse_checksummed(address.replacen("0X", "0x", 1), None).is_err() {
        return Err(AddressError::Checksum("EIP-55"));
    }
    Ok(Form::Evm)
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
    is_bech32_shaped(address) && !address.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// The data part of a `CashAddr`, lower-case: 42 characters, of which the first tells its kind.
pub(super) fn cash_addr(address: &str) -> Option<String> {
    let mixed = address.bytes().any(|byte| byte.is_ascii_uppercase())
        && address.bytes().any(|byte| byte.is_ascii_lowercase());
    let lower = address.to_ascii_lowercase();
    let data = lower.strip_prefix("bitcoincash:").unwrap_or(&lower);
    let fits =
        data.len() == 42 && data.starts_with(['q', 'p']) && data.bytes().all(|byte| CHARSET.contains(&byte));
    (fits && !mixed).then(|| data.to_owned())
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

/// By how many bytes it is: 21 to 22 and a checksum of four, or 32. Between them lies a mistyped address.
fn base58(address: &str) -> Result<Form, AddressError> {
    if address.starts_with('r') && (25..=35).contains(&address.len()) {
        let decoded = bs58::decode(address).with_alphabet(bs58::Alphabet::RIPPLE).with_check(None).into_vec();
        return match decoded {
            Ok(_) => Ok(Form::RippleBase58Check),
            Err(_) => Err(AddressError::Checksum("base58check")),
        };
    }
    let Ok(bytes) = bs58::decode(address).into_vec() else { return mistyped(address) };
    match bytes.len() {
        24..=27 => match bs58::decode(address).with_check(None).into_vec() {
            Ok(payload) if (21..=22).contains(&payload.len()) => Ok(Form::Base58Check),
            _ => Err(AddressError::Checksum("base58check")),
        },
        32 => Ok(Form::Base58),
        _ => Ok(Form::Other),
    }
}

/// A letter outside of base58 in what begins and measures as a Bitcoin or Tron address.
fn mistyped(address: &str) -> Result<Form, AddressError> {
    let shaped = address.starts_with(['1', '3', 'T']) && (25..=35).contains(&address.len());
    if shaped && address.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(AddressError::Checksum("base58check"));
    }
    Ok(Form::Other)
}
