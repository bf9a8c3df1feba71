//! The canonical form is byte for byte that of serde_json_canonicalizer and of serde_jcs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use receipt::json::parse;

fuzz_target!(|bytes: &[u8]| {
    let Ok(tree) = parse(bytes) else { return };
    let canonical = tree.canonical();
    assert_eq!(
        canonical,
        serde_json_canonicalizer::to_vec(&tree).expect("a strict tree has a canonical form")
    );
    assert_eq!(canonical, serde_jcs::to_vec(&tree).expect("a strict tree has a canonical form"));
    assert_eq!(canonical, receipt::canonical::to_vec(&tree).expect("a strict tree has a canonical form"));
});
