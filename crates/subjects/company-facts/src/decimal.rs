//! Exact decimals: a number as JSON writes it, its sums, and its roundings.

/// The most digits, before and after the point together, of an exact decimal. With sign and point its text fits an amount.
pub const MAX_DIGITS: usize = 27;

/// The largest difference of a value from its rounding, as one part in so many of the value: 5 %.
const ROUNDING_PART: i128 = 20;

/// The largest exponent that is read; any beyond has no exact decimal within [`MAX_DIGITS`].
const MAX_EXPONENT: i32 = 400;

/// An exact decimal, `mantissa / 10^scale`. The fraction has no trailing zero, so that equal numbers are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decimal {
    mantissa: i128,
    scale: u32,
}

impl Decimal {
    pub(crate) const ZERO: Self = Self { mantissa: 0, scale: 0 };

    /// Reads a number of JSON's grammar, with or without exponent. `None`, if it has more than [`MAX_DIGITS`] digits, or is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() <= MAX_EXPONENT)?;
        let (is_negative, unsigned) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = digits.trim_end_matches('0');
        let dropped = i32::try_from(digits.len() - significant.len()).ok()?;
        let power = exponent - i32::try_from(fraction.len()).ok()? + dropped;
        let significant = significant.trim_start_matches('0');
        if significant.is_empty() {
            return Some(Self::ZERO);
        }
        let zeros = usize::try_from(power.max(0)).ok()?;
        let scale = u32::try_from((-power).max(0)).ok()?;
        if significant.len() + zeros > MAX_DIGITS || scale as usize > MAX_DIGITS {
            return None;
        }
        let mantissa: i128 = significant.parse().ok()?;
        let mantissa = mantissa.checked_mul(10_i128.checked_pow(u32::try_from(zeros).ok()?)?)?;
        Some(Self { mantissa: if is_negative { -mantissa } else { mantissa }, scale })
    }

    /// Returns `self + sign * other`, or `None` beyond [`MAX_DIGITS`] digits.
    pub(crate) fn add(self, sign: i8, other: Self) -> Option<Self> {
        let (left, right, scale) = self.aligned(other)?;
        let sum = left.checked_add(right.checked_mul(i128::from(sign))?)?;
        Self { mantissa: sum, scale }.reduced()
    }

    pub(crate) fn is_greater(self, other: Self) -> bool {
        self.aligned(other).is_some_and(|(left, right, _)| left > right)
    }

    /// True if `self` is `exact` rounded to fewer significant digits, and is within 5 % of it.
    pub(crate) fn is_rounding_of(self, exact: Self) -> bool {
        if self.significant_digits() >= exact.significant_digits() {
            return false;
        }
        let Some((rounded, value, _)) = self.aligned(exact) else { return false };
        let difference = (rounded - value).abs();
        let (Some(double), Some(share)) = (difference.checked_mul(2), difference.checked_mul(ROUNDING_PART))
        else {
            return false;
        };
        double <= last_place(rounded) && share <= value.abs()
    }

    pub(crate) fn significant_digits(self) -> usize {
        self.mantissa.unsigned_abs().to_string().trim_end_matches('0').len()
    }

    /// Both mantissas at one scale. The digits are few enough that nothing overflows: 27 + 27 digits do not fit, so it is checked.
    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let at = |decimal: Self| {
            let factor = 10_i128.checked_pow(scale - decimal.scale)?;
            decimal.mantissa.checked_mul(factor)
        };
        Some((at(self)?, at(other)?, scale))
    }

    fn reduced(mut self) -> Option<Self> {
        while self.scale > 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        let bound = 10_i128.checked_pow(u32::try_from(MAX_DIGITS).ok()?)?;
        (self.mantissa.abs() < bound).then_some(self)
    }
}

/// The unit of the last digit that is not zero; 1 for zero.
fn last_place(mantissa: i128) -> i128 {
    let mut unit = 1;
    let mut rest = mantissa;
    while rest != 0 && rest % 10 == 0 {
        rest /= 10;
        unit *= 10;
    }
    unit
}

/// True if the text is a number of JSON's grammar.
pub(crate) fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}

impl std::fmt::Display for Decimal {
    /// Writes plain decimal text: a minus sign, digits and at most one point, no exponent.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let scale = self.scale as usize;
        let digits = format!("{:0>width$}", self.mantissa.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let point = if fraction.is_empty() { "" } else { "." };
        write!(out, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn a_number_of_json_becomes_plain_decimal_text() {
        for (text, plain) in [
            ("1.5E9", "1500000000"),
            ("123.0", "123"),
            ("-0.0", "0"),
            ("0e9", "0"),
            ("5e-3", "0.005"),
            ("-12.50", "-12.5"),
            ("1e+2", "100"),
            ("999999999999999999999999999", "999999999999999999999999999"),
            ("0.000000000000000000000000001", "0.000000000000000000000000001"),
        ] {
            assert_eq!(decimal(text).to_string(), plain, "{text}");
            assert!(distress::Amount::parse(plain).is_ok());
        }
        for text in
            ["", "-", "1e401", "1e27", "1e-28", "NaN", "0x1", "1e", ".5", "9999999999999999999999999999"]
        {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(decimal("0.1").add(1, decimal("0.2")), Some(decimal("0.3")));
        assert_eq!(decimal("1").add(-1, decimal("0.75")).unwrap().to_string(), "0.25");
        assert_eq!(decimal("1e26").add(1, decimal("1e-20")), None);
        assert_eq!(decimal("9e26").add(1, decimal("9e26")), None);
    }

    #[test]
    fn a_rounding_keeps_the_leading_digits() {
        for (rounded, exact) in
            [("57.4e9", "57411000000"), ("1.24", "1.235"), ("60000", "57411"), ("-3e6", "-2999500")]
        {
            assert!(decimal(rounded).is_rounding_of(decimal(exact)), "{rounded}");
            assert!(!decimal(exact).is_rounding_of(decimal(rounded)), "{exact}");
        }
        for (other, exact) in
            [("57.5e9", "57411000000"), ("1000", "1400"), ("0", "5"), ("7", "7"), ("-57.4e9", "57411000000")]
        {
            assert!(!decimal(other).is_rounding_of(decimal(exact)), "{other}");
        }
    }
}
