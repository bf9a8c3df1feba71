//! No bytes make the parsers panic, and what the strict one reads has one canonical form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use receipt::json::{parse, parse_lenient};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(tree) = parse_lenient(bytes) {
        assert_eq!(parse_lenient(tree.to_string().as_bytes()).as_ref(), Ok(&tree));
    }
    if let Ok(tree) = parse(bytes) {
        let canonical = tree.canonical();
        let again = parse(&canonical).expect("a canonical form is I-JSON");
        assert_eq!(again.canonical(), canonical);
        assert_eq!(parse_lenient(bytes), Ok(tree), "the lenient parser accepts whatever the strict one does");
    }
});
