#![no_main]
//! Comparisons: any document and any text; a scalar always matches its own text.

use claim::{FoundValue, matches};
use libfuzzer_sys::fuzz_target;
use receipt::json::parse_lenient;

fuzz_target!(|input: (&[u8], &str)| {
    let (document, expect) = input;
    let Ok(value) = parse_lenient(document) else { return };
    let verdict = matches(&value, expect);
    let found = FoundValue::of(&value);
    assert_eq!(verdict.is_some(), found.value.is_some());
    if let (Some(text), false) = (found.value, found.truncated) {
        assert_eq!(matches(&value, &text), Some(true));
    }
});
