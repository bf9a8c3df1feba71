//! Amounts of a request.

use std::fmt;

use record_search::{FieldError, FieldProblem};

/// The greatest amount of a request, in dollars, above and below zero.
pub const MAX_AMOUNT: i64 = 10_000_000_000_000;

/// An amount of a request, in whole cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(i64);

impl Amount {
    /// The amount of a decimal text such as `1000000` or `-12.50`.
    ///
    /// # Errors
    /// [`FieldError`] where the text is no such amount, has more than two decimals or is past [`MAX_AMOUNT`].
    pub fn parse(field: &'static str, text: &str) -> Result<Self, FieldError> {
        let wrong =
            || FieldError::new(field, "it is no amount in dollars; send a decimal text such as 1000000.00");
        let text = text.trim();
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_plain(whole) || !is_plain(decimals) || decimals.len() > 2 || whole.len() > 18 {
            return Err(wrong());
        }
        let dollars: i64 = whole.parse().map_err(|_| wrong())?;
        let cents: i64 = format!("{decimals:0<2}").parse().map_err(|_| wrong())?;
        if dollars > MAX_AMOUNT || (dollars == MAX_AMOUNT && cents > 0) {
            return Err(FieldError::new(field, format!("it is past {MAX_AMOUNT} dollars"))
                .of(FieldProblem::OutOfRange));
        }
        let amount = dollars * 100 + cents;
        Ok(Self(if is_negative { -amount } else { amount }))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(out, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}
