//! The canonical form, against two other implementations of RFC 8785.

use proptest::prelude::*;
use receipt::canonical::to_vec;
use receipt::json::{Json, Number, SerializeError, from_serialize, parse};
use serde::Serialize;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_canonical_form_is_that_of_two_other_crates(tree in crate::common::tree()) {
        let ours = String::from_utf8(tree.canonical()).unwrap();
        prop_assert_eq!(&ours, &serde_json_canonicalizer::to_string(&tree).unwrap());
        prop_assert_eq!(&ours, &serde_jcs::to_string(&tree).unwrap());
        prop_assert_eq!(ours.as_bytes(), to_vec(&tree).unwrap());
    }

    #[test]
    fn the_canonical_form_of_a_canonical_form_is_itself(tree in crate::common::tree()) {
        let once = tree.canonical();
        prop_assert_eq!(parse(&once).unwrap().canonical(), once);
    }

    #[test]
    fn white_space_and_the_order_of_members_do_not_matter(tree in crate::common::tree()) {
        let value = serde_json::Value::from(tree.clone());
        let spaced = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(parse(spaced.as_bytes()).unwrap().canonical(), tree.canonical());
    }

    #[test]
    fn doubles_are_written_as_the_other_crates_write_them(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        let Some(number) = Number::from_f64(double) else { return Ok(()) };
        prop_assert_eq!(Json::Number(number).canonical(), serde_json_canonicalizer::to_vec(&double).unwrap());
    }
}

#[test]
fn members_are_sorted_by_utf16_units_and_not_by_code_points() {
    // U+1F600 begins with the unit 0xD83D, below U+FB33, and its code point is above.
    let tree = parse(br#"{"\ufb33":1,"\ud83d\ude00":2,"\u00e9":3,"":4,"a":5,"aa":6}"#).unwrap();
    let sorted = "{\"\":4,\"a\":5,\"aa\":6,\"\u{e9}\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}";
    assert_eq!(String::from_utf8(tree.canonical()).unwrap(), sorted);
}

#[test]
fn members_can_be_left_out() {
    let tree = parse(br#"{"b":1,"proof":2,"a":{"proof":3}}"#).unwrap();
    assert_eq!(tree.as_object().unwrap().canonical_without(&["proof"]), br#"{"a":{"proof":3},"b":1}"#);
    assert_eq!(parse(br#"{"proof":2}"#).unwrap().as_object().unwrap().canonical_without(&["proof"]), b"{}");
}

#[derive(Serialize)]
enum Kind {
    Unit,
    Tuple(u8, u8),
    Struct { b: Option<u8>, a: &'static str },
    Newtype(f64),
}

#[test]
fn every_kind_of_rust_value_has_the_form_that_serde_json_gives_it() {
    let kinds = (Kind::Unit, Kind::Tuple(1, 2), Kind::Struct { b: None, a: "x" }, Kind::Newtype(0.5));
    let map = BTreeMap::from([(2_u8, 'c'), (10, '"')]);
    let all = (kinds, map, (), i8::MIN, 1.5_f32, [b'a'; 2], "text", Some(true), BTreeMap::from([(true, 1)]));
    assert_eq!(to_vec(&all).unwrap(), serde_json_canonicalizer::to_vec(&all).unwrap());
}

#[test]
fn what_the_canonical_form_would_change_is_an_error() {
    #[derive(Serialize)]
    struct Twice {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, u8>,
    }
    assert!(matches!(to_vec(&[f64::NAN]), Err(SerializeError::NotFinite(_))));
    assert!(matches!(to_vec(&f32::INFINITY), Err(SerializeError::NotFinite(_))));
    assert!(matches!(to_vec(&u64::MAX), Err(SerializeError::NotExact(_))));
    assert!(matches!(
        to_vec(&Twice { a: 1, rest: BTreeMap::from([("a", 2)]) }),
        Err(SerializeError::DuplicateKey(_))
    ));
    assert!(matches!(to_vec(&BTreeMap::from([([1], 2)])), Err(SerializeError::NameNotString)));
    assert!(matches!(to_vec(&from_serialize(&1).unwrap()), Ok(one) if one == b"1"));
}
