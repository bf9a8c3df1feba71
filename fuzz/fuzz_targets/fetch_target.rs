//! No text makes the URL check panic, and no literal address that is denied gets through it.

#![no_main]

use fetch::{Policy, Target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for policy in [Policy::production(), Policy::dev()] {
        let Ok(target) = Target::parse(text, &policy) else { continue };
        if let Some(address) = target.address() {
            assert_eq!(policy.judge(address), Ok(()), "{text:?}");
        }
        assert!(policy.ports.contains(target.port()));
        // What was checked is what is asked for: the URL parses to itself.
        let again = Target::parse(target.url(), &policy);
        assert_eq!(again.as_ref().map(Target::url), Ok(target.url()));
        assert_eq!(again.as_ref().map(Target::host), Ok(target.host()));
    }
});
