//! The rules of reading JSON.

use proptest::prelude::*;
use receipt::json::{Json, JsonErrorKind, MAX_DEPTH, parse, parse_lenient};

fn refusal(text: &[u8]) -> (&'static str, String) {
    let error = parse(text).expect_err("a refused text");
    (error.code(), error.path.dotted())
}

#[test]
fn sixty_four_levels_are_read_and_one_more_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |levels: usize| format!("{}{}{}", open.repeat(levels), "1", close.repeat(levels));
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        for read in [parse, parse_lenient] {
            let error = read(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.path.is_root()), (JsonErrorKind::TooDeep, true));
        }
    }
}

#[test]
fn a_hundred_thousand_levels_do_not_exhaust_the_stack() {
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        assert_eq!(refusal(open.repeat(100_000).as_bytes()).0, "too_deep");
    }
}

#[test]
fn a_duplicate_name_is_refused_with_its_path_even_when_escaped_otherwise() {
    assert_eq!(refusal(br#"{"a":[{"b":1,"\u0062":2}]}"#), ("duplicate_key", "a.0.b".into()));
    let mut many: Vec<String> = (0..1000).map(|n| format!("\"n{n}\":{n}")).collect();
    assert!(parse(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
    many.push("\"n500\":0".into());
    assert_eq!(refusal(format!("{{{}}}", many.join(",")).as_bytes()), ("duplicate_key", "n500".into()));
}

#[test]
fn a_lenient_reader_keeps_duplicates_and_numbers_as_they_are() {
    let document = parse_lenient(br#"{"a":1,"b":0.1000000000000000055,"a":1e999}"#).unwrap();
    let object = document.as_object().unwrap();
    assert!(object.is_duplicated("a") && !object.is_duplicated("b"));
    assert_eq!(object.get_all("a").map(ToString::to_string).collect::<Vec<_>>(), ["1", "1e999"]);
    assert_eq!(document.to_string(), r#"{"a":1,"b":0.1000000000000000055,"a":1e999}"#);
}

#[test]
fn a_surrogate_without_its_other_half_is_refused() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\uD83D\u0041""#,
    ] {
        assert_eq!(refusal(text.as_bytes()).0, "lone_surrogate", "{text}");
        assert_eq!(parse_lenient(text.as_bytes()).unwrap_err().code(), "lone_surrogate");
        assert_eq!(refusal(format!("{{\"a\":[{text}]}}").as_bytes()).1, "a.0");
    }
    assert_eq!(parse(br#""\ud83d\ude00""#).unwrap(), Json::from("😀"));
}

#[test]
fn what_is_not_utf8_is_refused_wherever_it_stands() {
    for text in [
        &b"\"\xff\""[..],
        b"{\"\xc0\xaf\":1}",
        b"[1]\xfe",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\"\xe2\x82",
    ] {
        assert_eq!(refusal(text), ("invalid_utf8", String::new()));
    }
}

#[test]
fn what_is_not_json_is_malformed() {
    let texts = [
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "-01",
        "1.",
        ".5",
        "+1",
        "1e",
        "1e+",
        "-",
        "0x1",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\"}",
        "{\"a\":}",
        "[1 2]",
        "1 2",
        "{} {}",
        "\"\u{1}\"",
        "\"\n\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"abc",
        "'a'",
        "[",
        "]",
        "{\"a\":1",
        "/*c*/1",
        "\u{feff}1",
        "{1:2}",
        "\"\\ud800",
    ];
    for text in texts {
        assert_eq!(refusal(text.as_bytes()), ("malformed", String::new()), "{text}");
    }
}

#[test]
fn numbers_longer_than_the_parser_underneath_takes_are_still_json() {
    let digits = "7".repeat(10_000);
    for text in [digits.clone(), format!("-{digits}.5"), format!("{digits}e-10000"), format!("0.{digits}")] {
        let document = format!("[{text}, {{\"a\": {text}}}, 1]");
        let read = parse_lenient(document.as_bytes()).unwrap();
        assert_eq!(read.get("a"), None);
        assert_eq!(read.as_array().unwrap()[0].as_number().unwrap().text(), text);
        assert_eq!(read.as_array().unwrap()[1].get("a").unwrap().as_number().unwrap().text(), text);
        assert_eq!(refusal(document.as_bytes()), ("number_not_exact", "0".into()));
    }
    assert!(parse_lenient(format!("[{digits}x]").as_bytes()).is_err());
    assert!(parse_lenient(format!("[{digits}.]").as_bytes()).is_err());
    // 10^5000 × 10^-5000 is 1, exactly.
    assert!(parse(format!("[1{}e-5000]", "0".repeat(5000)).as_bytes()).is_ok());
}

#[test]
fn a_number_that_is_not_exact_is_refused_with_its_path() {
    assert_eq!(
        refusal(br#"{"trades":[{},{"pnl_net":9007199254740993}]}"#),
        ("number_not_exact", "trades.1.pnl_net".into())
    );
}

/// JSON texts, cut and changed in a few places.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let splice = (any::<prop::sample::Index>(), 0_usize..3, prop::collection::vec(any::<u8>(), 0..3));
    let soup =
        prop::collection::vec(prop::sample::select(br#"{}[]",:\u0041deD8cntrfals+-.eE19 "#.to_vec()), 0..40);
    prop_oneof![
        (crate::common::tree(), prop::collection::vec(splice, 0..4)).prop_map(|(tree, splices)| {
            let mut text = tree.to_string().into_bytes();
            for (at, cut, put) in splices {
                let at = at.index(text.len() + 1);
                let end = (at + cut).min(text.len());
                text.splice(at..end, put);
            }
            text
        }),
        soup,
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_written_is_read_back_as_it_was(tree in crate::common::tree()) {
        prop_assert_eq!(parse(tree.to_string().as_bytes()).unwrap(), tree.clone());
        prop_assert_eq!(parse_lenient(tree.to_string().as_bytes()).unwrap(), tree);
    }

    #[test]
    fn serde_json_accepts_exactly_what_the_lenient_reader_does(text in mutated()) {
        let theirs = serde_json::from_slice::<serde_json::Value>(&text);
        match parse_lenient(&text) {
            Ok(ours) => match theirs {
                Ok(theirs) => {
                    let unique = parse(&text).map_err(|error| error.kind) != Err(JsonErrorKind::DuplicateKey);
                    prop_assert!(!unique || serde_json::Value::from(ours) == theirs);
                }
                // Only numbers past the greatest double, which it does not hold.
                Err(error) => prop_assert!(error.to_string().contains("number out of range"), "{error}"),
            },
            // Only nesting, which it bounds at 128.
            Err(error) => prop_assert!(theirs.is_err() || error.kind == JsonErrorKind::TooDeep, "{error}"),
        }
    }

    #[test]
    fn the_strict_reader_accepts_what_the_lenient_one_does_but_for_three_refusals(text in mutated()) {
        match (parse(&text), parse_lenient(&text)) {
            (Ok(strict), Ok(lenient)) => prop_assert_eq!(strict, lenient),
            (Err(error), Ok(_)) => prop_assert!(matches!(
                error.kind, JsonErrorKind::DuplicateKey | JsonErrorKind::NumberNotExact
            )),
            (Ok(_), Err(error)) => prop_assert!(false, "only the strict reader accepts: {error}"),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn trees_pass_through_serde_json_values(tree in crate::common::tree()) {
        let value = serde_json::Value::from(tree.clone());
        prop_assert_eq!(Json::from(&value).canonical(), tree.canonical());
    }
}
