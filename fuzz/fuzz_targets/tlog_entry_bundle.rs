#![no_main]
//! Entry bundles and hash tiles: any bytes are refused or given back as they were.

use libfuzzer_sys::fuzz_target;
use tlog::tile::{decode_bundle, decode_hashes, encode_bundle, encode_hashes};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(entries) = decode_bundle(bytes) {
        assert_eq!(encode_bundle(&entries).as_deref(), Ok(bytes));
    }
    if let Ok(hashes) = decode_hashes(bytes) {
        assert_eq!(encode_hashes(&hashes), bytes);
    }
});
