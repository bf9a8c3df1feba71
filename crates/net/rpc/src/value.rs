//! The values of Ethereum's JSON-RPC, read strictly: <https://ethereum.github.io/execution-apis/>.
//!
//! A quantity is `0x` and the fewest hex digits that hold it; data is `0x` and two hex digits a byte. Every other
//! spelling is an error, because amounts of money depend on these values.

use alloy_primitives::{Bytes, FixedBytes, U256};
use serde::Deserialize;

/// A quantity of up to 256 bits, as `0x` and the fewest hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Quantity(pub U256);

/// A quantity of up to 64 bits, such as a block number, a time or an amount of gas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Quantity64(pub u64);

/// Bytes of any length, as `0x` and two hexadecimal digits a byte.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Data(pub Bytes);

/// Exactly `N` bytes, as `0x` and two hexadecimal digits a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Fixed<const N: usize>(pub FixedBytes<N>);

impl TryFrom<String> for Quantity {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.strip_prefix("0x").ok_or("a quantity without 0x")?;
        if !matches!(digits.len(), 1..=64) || (digits.len() > 1 && digits.starts_with('0')) {
            return Err("a quantity of a wrong length");
        }
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err("a quantity that is not hex");
        }
        U256::from_str_radix(digits, 16).map(Self).map_err(|_| "a quantity that is not hex")
    }
}

impl TryFrom<String> for Quantity64 {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let Quantity(value) = text.try_into()?;
        value.try_into().map(Self).map_err(|_| "a quantity over 64 bits")
    }
}

impl TryFrom<String> for Data {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        data(&text).map(Self).ok_or("data that is not hex")
    }
}

impl<const N: usize> TryFrom<String> for Fixed<N> {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bytes = data(&text).ok_or("data that is not hex")?;
        FixedBytes::try_from(bytes.as_ref()).map(Self).map_err(|_| "data of a wrong length")
    }
}

/// Reads bytes from `0x` and two hexadecimal digits a byte; `None` for any other text.
pub fn data(text: &str) -> Option<Bytes> {
    hex::decode(text.strip_prefix("0x")?).ok().map(Bytes::from)
}

/// The text of a quantity: `0x` and the fewest hexadecimal digits.
pub fn quantity(value: u64) -> String {
    format!("{value:#x}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(value: &Value) -> Option<T> {
        T::deserialize(value).ok()
    }

    #[test]
    fn quantities_have_the_fewest_digits_that_hold_them() {
        for (text, value) in [("0x0", 0), ("0x1", 1), ("0xfF", 255), ("0x41", 65)] {
            assert_eq!(read(&json!(text)), Some(Quantity64(value)), "{text}");
        }
        for text in ["", "0x", "0x00", "0x01", "1", "0X1", "0x-1", "0x+1", "0x1_0", "0xg", " 0x1", "0x1 "] {
            assert_eq!(read::<Quantity>(&json!(text)), None, "{text}");
        }
        assert_eq!(read::<Quantity>(&json!(1)), None);
        let widest = format!("0x{}", "f".repeat(64));
        assert_eq!(read(&json!(widest)), Some(Quantity(U256::MAX)));
        assert_eq!(read::<Quantity>(&json!(format!("{widest}f"))), None);
        assert_eq!(read(&json!("0xffffffffffffffff")), Some(Quantity64(u64::MAX)));
        assert_eq!(read::<Quantity64>(&json!("0x10000000000000000")), None);
    }

    #[test]
    fn data_has_two_digits_a_byte_and_its_length() {
        assert_eq!(read(&json!("0x")), Some(Data(Bytes::new())));
        assert_eq!(read(&json!("0x00fF")), Some(Data(vec![0, 255].into())));
        for text in ["", "0x0", "00", "0xzz", "0x 00"] {
            assert_eq!(read::<Data>(&json!(text)), None, "{text}");
        }
        assert_eq!(read(&json!("0x0102")), Some(Fixed::<2>([1, 2].into())));
        assert_eq!(read::<Fixed<2>>(&json!("0x01")), None);
        assert_eq!(read::<Fixed<2>>(&json!("0x010203")), None);
    }

    #[test]
    fn what_is_sent_is_read() {
        for value in [0, 1, 16, u64::MAX] {
            assert_eq!(read(&json!(quantity(value))), Some(Quantity64(value)));
        }
    }
}
