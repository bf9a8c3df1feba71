#![no_main]
//! Dot paths: any text is refused or given back as it was, and following it through any document never
//! panics.

use claim::DotPath;
use libfuzzer_sys::fuzz_target;
use receipt::json::parse_lenient;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, document) = input;
    let Ok(path) = DotPath::parse(text) else { return };
    assert_eq!(path.to_string(), text);
    assert!((1..=DotPath::MAX_SEGMENTS).contains(&path.segments().len()));
    if let Ok(document) = parse_lenient(document) {
        let _value = path.follow(&document);
    }
});
