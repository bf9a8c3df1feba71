//! No bytes make the gzip decoder panic or give more than its limit.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    let (limit, coded) = input;
    if let Ok(decoded) = fetch::gunzip(coded, usize::from(limit)) {
        assert!(decoded.len() <= usize::from(limit));
    }
});
