//! Numbers: finite ones in results, and amounts as the caller or a filing wrote them.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The most characters that an amount may have.
pub const MAX_AMOUNT_CHARS: usize = 30;

/// Decimals to which a number is rounded where it leaves the crate.
pub const DECIMALS: usize = 9;

/// A number that is neither infinite nor NaN. It is kept as computed, and serialised rounded to [`DECIMALS`] decimals.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, JsonSchema)]
#[schemars(transparent)]
pub struct Finite(f64);

impl Finite {
    /// Returns the number, or `None` where it is infinite or NaN. Negative zero becomes zero.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// Returns the number as computed.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the number rounded to [`DECIMALS`] decimals, as it is serialised.
    #[must_use]
    pub fn rounded(self) -> f64 {
        let text = format!("{:.*}", DECIMALS, self.0);
        let rounded: f64 = text.parse().expect("a formatted finite number is a number");
        rounded + 0.0
    }
}

impl Serialize for Finite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.rounded())
    }
}

/// An amount: its text as it came, and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Amount {
    text: String,
    value: Finite,
}

impl Amount {
    /// Reads a decimal: an optional minus sign, digits, and at most one point between digits; no exponent, at most
    /// [`MAX_AMOUNT_CHARS`] characters.
    ///
    /// # Errors
    ///
    /// [`AmountError`], if the text is none.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        if text.len() > MAX_AMOUNT_CHARS {
            return Err(AmountError::TooLong);
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(AmountError::NotDecimal);
        }
        let value = text.parse().ok().and_then(Finite::new).ok_or(AmountError::NotDecimal)?;
        Ok(Self { text: text.to_owned(), value })
    }

    /// The text as it came.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value.get()
    }
}

/// The reason why a text is no amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AmountError {
    /// More than [`MAX_AMOUNT_CHARS`] characters.
    #[error("longer than {MAX_AMOUNT_CHARS} characters; send a decimal such as \"-1250000.50\"")]
    TooLong,
    /// Another character than digits, a leading minus sign and one point between digits.
    #[error("not a decimal without exponent; send one such as \"-1250000.50\"")]
    NotDecimal,
}

/// Returns the standard normal distribution function, 0 to 1.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Returns the standard logistic function, 0 to 1, without overflow for any finite argument.
pub(crate) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let power = libm::exp(x);
        power / (1.0 + power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_plain_decimal() {
        for (text, value) in [("0", 0.0), ("-12.50", -12.5), ("1000000000000000000", 1e18), ("007", 7.0)] {
            let amount = Amount::parse(text).unwrap();
            assert_eq!((amount.text(), amount.value()), (text, value));
        }
        for text in
            ["", "-", "+1", "1e3", "1E3", ".5", "5.", "1.2.3", "--1", "1,000", " 1", "NaN", "inf", "0x1", "١"]
        {
            assert_eq!(Amount::parse(text), Err(AmountError::NotDecimal), "{text}");
        }
        assert!(Amount::parse(&"9".repeat(30)).is_ok());
        assert_eq!(Amount::parse(&"9".repeat(31)), Err(AmountError::TooLong));
    }

    #[test]
    fn a_number_is_serialised_with_nine_decimals_and_never_as_nan() {
        assert_eq!(serde_json::to_string(&Finite::new(1.0 / 3.0)).unwrap(), "0.333333333");
        assert_eq!(serde_json::to_string(&Finite::new(-1e-12)).unwrap(), "0.0");
        assert_eq!(serde_json::to_string(&Finite::new(-0.0)).unwrap(), "0.0");
        assert_eq!((Finite::new(f64::NAN), Finite::new(f64::NEG_INFINITY)), (None, None));
    }

    #[test]
    fn the_distribution_functions_have_their_tabled_values() {
        assert!((normal_cdf(1.96) - 0.975_002_104_851_780).abs() < 1e-15);
        assert!((normal_cdf(-1.140_8) - 0.126_976).abs() < 1e-5);
        assert_eq!((logistic(0.0), logistic(-1e9), logistic(1e9)), (0.5, 0.0, 1.0));
        assert!((logistic(-2.0) - 0.119_202_922_022_118).abs() < 1e-15);
    }
}
