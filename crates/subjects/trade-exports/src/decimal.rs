//! Exact decimals, so that the sums of an export are those that the platform would find.
//!
//! No library stands in its place. `rust_decimal` keeps 28 digits, and a position is flat only if the sum of its fills is
//! exact: sizes of tokens with 18 places take up to 36. `bigdecimal` has no bound on digits and exponents, so that each
//! operation here would stay as a wrapper that checks and rounds.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// The most decimal places that are kept. A number with more is rounded, half to even.
pub const MAX_PLACES: u32 = 20;
/// The most digits before the decimal point.
const MAX_WHOLE_DIGITS: usize = 18;
/// The decimal places of a quotient, such as an average price.
const QUOTIENT_PLACES: u32 = 12;

/// A decimal number: `units` / 10^`places`, without trailing zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    units: i128,
    places: u32,
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self { units: 0, places: 0 };
    /// One.
    pub const ONE: Self = Self { units: 1, places: 0 };

    /// Parses a number as programs write it: `-12.50`, `1e-05`. `None` for any other text, and for a number of more than
    /// 18 digits before the point.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => {
                let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
                (digits, exponent.parse::<i32>().ok().filter(|exponent| exponent.abs() <= 400)?)
            }
            None => (text, 0),
        };
        let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + places.len() == 0 || !is_digits(whole) || !is_digits(places) || digits.len() > 400 {
            return None;
        }
        let all = format!("{whole}{places}");
        // The number of digits before the point, which may be below 0 or beyond those that were written.
        let point = i32::try_from(whole.len()).ok()? + exponent;
        let zeros = all.len() - all.trim_start_matches('0').len();
        if zeros == all.len() {
            return Some(Self::ZERO);
        }
        if point - i32::try_from(zeros).ok()? > i32::try_from(MAX_WHOLE_DIGITS).ok()? {
            return None;
        }
        let units = Self::units_at(all.as_bytes(), point)?;
        Some(Self { units: if is_negative { -units } else { units }, places: MAX_PLACES }.trimmed())
    }

    /// The digits with the point after `point` of them, in units of 10^-[`MAX_PLACES`], rounded half to even.
    fn units_at(digits: &[u8], point: i32) -> Option<i128> {
        let kept = point + i32::try_from(MAX_PLACES).ok()?;
        let digit =
            |at: i32| usize::try_from(at).ok().and_then(|at| digits.get(at)).map_or(0, |byte| byte - b'0');
        let mut units = 0_i128;
        for at in 0..kept.max(0) {
            units = units.checked_mul(10)?.checked_add(i128::from(digit(at)))?;
        }
        let rest =
            usize::try_from(kept.max(0) + 1).ok().and_then(|from| digits.get(from..)).unwrap_or_default();
        let is_above = kept >= 0 && rest.iter().any(|byte| *byte != b'0');
        let next = if kept >= 0 { digit(kept) } else { 0 };
        let rounds_up = next > 5 || (next == 5 && (is_above || units % 2 == 1));
        Some(units + i128::from(rounds_up))
    }

    /// The whole number.
    #[must_use]
    pub fn whole(number: i64) -> Self {
        Self { units: i128::from(number), places: 0 }
    }

    /// True for zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.units == 0
    }

    /// True below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.units < 0
    }

    /// True above zero.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.units > 0
    }

    /// The number without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self { units: self.units.abs(), ..self }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { units: -self.units, ..self }
    }

    /// The sum; `None` if it is too great.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let mut places_tried = places;
        loop {
            let sum = self
                .rounded(places_tried)
                .units_with(places_tried)
                .zip(other.rounded(places_tried).units_with(places_tried));
            if let Some(units) =
                sum.and_then(|(one, other)| one.checked_add(other)).filter(|units| *units != i128::MIN)
            {
                return Some(Self { units, places: places_tried }.trimmed());
            }
            places_tried = places_tried.checked_sub(1)?;
        }
    }

    /// The difference; `None` if it is too great.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated())
    }

    /// The product; `None` if it is too great. Where its digits are more than 38, those at the end are rounded away.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        let (mut one, mut two) = (self, other);
        loop {
            if let Some(units) = one.units.checked_mul(two.units).filter(|units| *units != i128::MIN) {
                return Some(Self { units, places: one.places + two.places }.trimmed().rounded(MAX_PLACES));
            }
            let longer = if one.places >= two.places { &mut one } else { &mut two };
            *longer = longer.rounded(longer.places.checked_sub(1)?);
        }
    }

    /// The quotient, rounded to 12 places, fewer for great numbers; `None` by zero or if it is too great.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let mut one = self;
        loop {
            let mut places = QUOTIENT_PLACES;
            loop {
                let shift = (places + other.places).checked_sub(one.places);
                let scaled = shift.and_then(power_of_ten).and_then(|power| one.units.checked_mul(power));
                if let Some(scaled) = scaled {
                    let units = half_even(scaled, other.units)?;
                    return Some(Self { units, places }.trimmed());
                }
                let Some(fewer) = places.checked_sub(1) else { break };
                places = fewer;
            }
            one = one.rounded(one.places.checked_sub(1)?);
        }
    }

    /// The number rounded to at most so many places, half to even.
    #[must_use]
    pub fn rounded(self, places: u32) -> Self {
        let Some(power) = self.places.checked_sub(places).filter(|cut| *cut > 0).and_then(power_of_ten)
        else {
            return self;
        };
        let units = half_even(self.units, power).unwrap_or(0);
        Self { units, places }.trimmed()
    }

    /// The nearest double, for comparisons with a tolerance.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::MAX)
    }

    fn units_with(self, places: u32) -> Option<i128> {
        self.units.checked_mul(power_of_ten(places.checked_sub(self.places)?)?)
    }

    fn trimmed(mut self) -> Self {
        while self.places > 0 && self.units % 10 == 0 {
            self.units /= 10;
            self.places -= 1;
        }
        self
    }
}

fn power_of_ten(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

/// The quotient, rounded half to even.
fn half_even(units: i128, by: i128) -> Option<i128> {
    let (quotient, rest) = (units.checked_div(by)?, units.checked_rem(by)?);
    let twice = rest.unsigned_abs().checked_mul(2)?;
    let away = match twice.cmp(&by.unsigned_abs()) {
        Ordering::Greater => true,
        Ordering::Equal => quotient % 2 != 0,
        Ordering::Less => false,
    };
    let step = if (units < 0) == (by < 0) { 1 } else { -1 };
    Some(if away { quotient + step } else { quotient })
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = self.places.max(other.places);
        match (self.units_with(places), other.units_with(places)) {
            (Some(one), Some(other)) => one.cmp(&other),
            // One of the two is too great for the places of the other, so their signs and sizes differ.
            _ => self.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let places = usize::try_from(self.places).unwrap_or(usize::MAX);
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = places.saturating_add(1));
        let (whole, rest) = digits.split_at(digits.len() - places.min(digits.len()));
        let point = if rest.is_empty() { "" } else { "." };
        write!(out, "{sign}{whole}{point}{rest}")
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        let text = match &value {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text.clone(),
            _ => String::new(),
        };
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("must be a number, or a decimal in a string: \"0.0001\""))
    }
}

impl JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = r"^-?(?:[0-9]{1,18}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})$";
        json_schema!({"oneOf": [
            {"type": "number", "exclusiveMinimum": -1e18, "exclusiveMaximum": 1e18},
            {"type": "string", "pattern": text},
        ]})
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_read_as_programs_write_them() {
        for (text, read) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("007", "7"),
            ("1.50", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1.2e-05", "0.000012"),
            ("-1E+3", "-1000"),
            ("1e-30", "0"),
            ("0.123456789012345678905", "0.1234567890123456789"),
            ("999999999999999999.9", "999999999999999999.9"),
        ] {
            assert_eq!(parse(text).to_string(), read, "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "+5",
            "1,5",
            "=1+1",
            "1e",
            "1e999",
            "NaN",
            "inf",
            "1000000000000000000",
            "--1",
            "١",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sums_products_and_quotients_are_exact_or_rounded_half_to_even() {
        assert_eq!(parse("0.1").plus(parse("0.2")), Some(parse("0.3")));
        assert_eq!(parse("0.00002").times(parse("90595.8")), Some(parse("1.811916")));
        assert_eq!(parse("1").over(parse("3")), Some(parse("0.333333333333")));
        assert_eq!(parse("-2").over(parse("3")), Some(parse("-0.666666666667")));
        assert_eq!(parse("2.5").rounded(0), parse("2"));
        assert_eq!(parse("-3.5").rounded(0), parse("-4"));
        assert_eq!(parse("1").over(Decimal::ZERO), None);
        assert!(parse("999999999999999999").times(parse("0.00000000000000000001")).is_some());
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_again(units in any::<i64>(), places in 0_u32..15) {
            let number = Decimal { units: i128::from(units), places }.trimmed();
            if let Some(read) = Decimal::parse(&number.to_string()) {
                prop_assert_eq!(read, number);
            }
        }

        #[test]
        fn no_operation_panics(one in "-?[0-9]{1,18}(\\.[0-9]{0,25})?", two in "-?[0-9]{1,18}(\\.[0-9]{0,25})?") {
            let (one, two) = (parse(&one), parse(&two));
            let _ = (one.plus(two), one.times(two), one.over(two), one.cmp(&two));
            prop_assert_eq!(one.plus(two), two.plus(one));
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,60}") {
            let _ = Decimal::parse(&text);
        }
    }
}
