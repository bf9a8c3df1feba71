//! Exactness and canonical decimals agree with each other and with the canonical form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use receipt::json::Number;

fuzz_target!(|text: &str| {
    let json = serde_json::from_str::<serde_json::Number>(text);
    let Ok(number) = text.parse::<Number>() else {
        assert!(json.is_err() || text.trim() != text, "{text}");
        return;
    };
    let plain = number.canonical_decimal();
    if let Some(plain) = &plain {
        let again: Number = plain.parse().expect("a canonical decimal is a JSON number");
        assert_eq!(again.canonical_decimal().as_ref(), Some(plain));
        assert_eq!(again.is_exact(), number.is_exact());
    }
    let Some(nearest) = Number::from_f64(number.as_f64()) else {
        assert!(!number.is_exact());
        return;
    };
    assert!(nearest.is_exact());
    assert_eq!(number.is_exact(), plain.is_some() && plain == nearest.canonical_decimal());
});
