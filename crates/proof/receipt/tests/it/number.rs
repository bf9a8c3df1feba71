//! The rules of numbers, against an oracle that computes with whole numbers of any size.

use num_bigint::BigInt;
use proptest::prelude::*;
use receipt::json::Number;

/// The value of a JSON number's text: mantissa × 10^exponent.
fn value(text: &str) -> (BigInt, i64) {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap()),
        None => (text, 0),
    };
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64);
    (mantissa.replace('.', "").parse().unwrap(), exponent - fraction)
}

fn equal(one: &str, other: &str) -> bool {
    let ((mut one, one_exponent), (mut other, other_exponent)) = (value(one), value(other));
    let zero = BigInt::ZERO;
    if one == zero || other == zero {
        return one == other;
    }
    let ten = BigInt::from(10);
    let lower = one_exponent.min(other_exponent);
    one *= ten.pow(u32::try_from(one_exponent - lower).unwrap());
    other *= ten.pow(u32::try_from(other_exponent - lower).unwrap());
    one == other
}

/// Exact means: the text's value is that of its canonical form, as another crate writes it.
fn oracle_is_exact(text: &str) -> bool {
    let double: f64 = text.parse().unwrap();
    double.is_finite() && equal(text, &serde_jcs::to_string(&double).unwrap())
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

#[test]
fn exactness_at_the_edges_of_doubles() {
    let exact = [
        "0",
        "-0",
        "0.0",
        "-0.000",
        "0e5",
        "1",
        "1.0",
        "1.10",
        "1e2",
        "0.1",
        "-2.50",
        "9007199254740992",
        "9007199254740994",
        "9007199254740991.0",
        "1e308",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072014e-308",
        "1e21",
        "1e22",
        "1e23",
        "123456789012345",
        "12345678901234567890e0",
        "333333333.3333333",
        "0.000001",
        "1E-7",
        "100000000000000000000000",
    ];
    for text in exact {
        assert_eq!(number(text).is_exact(), oracle_is_exact(text), "{text}");
    }
    for text in
        ["0e999999999999999999999", "1", "-0", "1e23", "5e-324", "1.7976931348623157e308", "9007199254740992"]
    {
        assert!(number(text).is_exact(), "{text}");
    }
    let inexact = [
        "9007199254740993",
        "0.1000000000000000055511151231257827",
        "1e309",
        "-1e309",
        "1e999999999999999999999",
        "1e-400",
        "4e-324",
        "2e-324",
        "1.7976931348623158e308",
        "1e-999999999999999999999",
        "0.30000000000000004441",
        "12345678901234567",
    ];
    for text in inexact {
        assert!(!number(text).is_exact(), "{text}");
        // The oracle writes powers of ten out, so it stays within reach.
        assert!(text.contains("99999999") || !oracle_is_exact(text), "{text}");
    }
}

#[test]
fn canonical_decimals_say_the_value_and_nothing_else() {
    let cases = [
        ("1.0", "1"),
        ("100", "100"),
        ("1e2", "100"),
        ("-0", "0"),
        ("0.10", "0.1"),
        ("1.0e-2", "0.01"),
        ("-12.50", "-12.5"),
        ("12.5e1", "125"),
        ("12.5e3", "12500"),
        ("0.00120e2", "0.12"),
        ("1200e-2", "12"),
        ("1205e-2", "12.05"),
        ("0e99999999999", "0"),
        ("0.000", "0"),
        ("9007199254740993", "9007199254740993"),
        ("123.456e+1", "1234.56"),
        ("0.5E0", "0.5"),
        ("1E00000000000000000003", "1000"),
    ];
    for (text, plain) in cases {
        assert_eq!(number(text).canonical_decimal().as_deref(), Some(plain), "{text}");
    }
    for text in ["1e999", "1e-999", "1e99999999999999999999", "-1e-99999999999999999999"] {
        assert_eq!(number(text).canonical_decimal(), None, "{text}");
    }
    assert_eq!(number("5e-324").canonical_decimal().unwrap().len(), 326);
    assert_eq!(number("1e308").canonical_decimal().unwrap().len(), 309);
}

#[test]
fn integers_are_read_whatever_their_spelling() {
    assert_eq!(number("1e2").as_i64(), Some(100));
    assert_eq!(number("-1.0").as_i64(), Some(-1));
    assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!((number("1.5").as_i64(), number("-1").as_u64(), number("1e30").as_u64()), (None, None, None));
}

#[test]
fn what_is_not_a_json_number_is_none() {
    for text in
        ["", "-", "01", "1.", ".1", "1e", "1e+", "+1", "1 ", " 1", "0x1", "1_0", "NaN", "inf", "1e5.0", "--1"]
    {
        assert!(text.parse::<Number>().is_err(), "{text}");
    }
}

fn spelled() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?",
        "-?(0|[1-9][0-9]{0,18})(\\.0{0,3}[0-9]{1,20})?([eE][+-]?[0-3][0-9]{2})?",
        // Close to a double: its shortest form, and the same with a digit more.
        (any::<u64>(), "[0-9]?").prop_filter_map("finite", |(bits, digit)| {
            let double = f64::from_bits(bits);
            let text = format!("{double:e}");
            let (mantissa, exponent) = text.split_once('e')?;
            let point = if digit.is_empty() || mantissa.contains('.') { "" } else { "." };
            Some(format!("{mantissa}{point}{digit}e{exponent}"))
        }),
        (any::<u64>(), 0_usize..4).prop_map(|(integer, zeros)| format!("{integer}{}", "0".repeat(zeros))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn exactness_is_what_the_oracle_says(text in spelled()) {
        prop_assert_eq!(number(&text).is_exact(), oracle_is_exact(&text), "{}", text);
    }

    #[test]
    fn a_canonical_decimal_has_the_source_value_and_one_spelling(text in spelled()) {
        let Some(plain) = number(&text).canonical_decimal() else { return Ok(()) };
        prop_assert!(equal(&text, &plain), "{} is not {}", plain, text);
        prop_assert!(number(&plain).text() == plain && !plain.contains(['e', 'E', '+']));
        prop_assert!(!plain.contains('.') || !plain.ends_with(['0', '.']));
        prop_assert!(plain != "-0");
        prop_assert_eq!(number(&plain).canonical_decimal(), Some(plain));
    }

    #[test]
    fn every_double_is_exact_in_its_canonical_form(bits in any::<u64>()) {
        let Some(number) = Number::from_f64(f64::from_bits(bits)) else { return Ok(()) };
        prop_assert!(number.is_exact());
        prop_assert!(number.as_f64() == f64::from_bits(bits));
    }
}
