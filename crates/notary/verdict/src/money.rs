//! Money: whole millionths of a US dollar, a decimal string at the edge, never a float.

use std::fmt;
use std::str::FromStr;

/// An amount in US dollars (or in USDC, which also has six decimals), stored as a whole number of millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Usd(u64);

/// The text is not an amount. The field is the text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an amount: digits, optionally a point and one to six more")]
pub struct ParseUsdError(String);

impl Usd {
    /// The amount 0.
    pub const ZERO: Self = Self(0);

    /// Makes an amount from millionths, the unit that tokens with six decimals settle in.
    #[must_use]
    pub const fn from_atomic(millionths: u64) -> Self {
        Self(millionths)
    }

    /// Makes an amount from whole cents.
    #[must_use]
    pub const fn from_cents(cents: u64) -> Self {
        Self(cents * 10_000)
    }

    /// Multiplies the amount by a number of units. The result is at most the greatest possible amount.
    #[must_use]
    pub const fn times(self, units: u32) -> Self {
        Self(self.0.saturating_mul(units as u64))
    }

    /// The amount in millionths.
    #[must_use]
    pub const fn atomic(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Usd {
    /// Prints at least two decimal places: `0.05`, `1.00`, `0.000001`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let places = format!("{rest:06}");
        let kept = places.trim_end_matches('0').len().max(2);
        write!(f, "{whole}.{}", &places[..kept])
    }
}

impl FromStr for Usd {
    type Err = ParseUsdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseUsdError(text.to_owned());
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
        if !digits(whole) || !digits(places) || places.len() > 6 {
            return Err(refuse());
        }
        let whole: u64 = whole.parse().map_err(|_| refuse())?;
        let places: u64 = format!("{places:0<6}").parse().map_err(|_| refuse())?;
        whole.checked_mul(1_000_000).and_then(|w| w.checked_add(places)).map(Self).ok_or_else(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_that_are_not_plain_decimals_are_refused() {
        for text in ["", ".5", "1.", "-1", "+1", "1e3", "0.0000001", "1,5", "18446744073709.551616", " 1"] {
            assert!(text.parse::<Usd>().is_err(), "{text:?}");
        }
        assert_eq!("0.05".parse::<Usd>().unwrap(), Usd::from_cents(5));
        assert_eq!(Usd::from_cents(100).to_string(), "1.00");
    }

    proptest! {
        #[test]
        fn an_amount_survives_its_own_text(millionths: u64) {
            let amount = Usd::from_atomic(millionths);
            prop_assert_eq!(amount.to_string().parse::<Usd>(), Ok(amount));
        }
    }
}
