//! Outbound HTTP: addresses that callers name, and packed bodies.

use fetch::{Policy, Target};

use crate::split::number;

/// The largest limit that is tried; a larger one only makes the decoder slower.
const MOST_UNPACKED: u64 = 1 << 16;

/// No bytes make the gzip decoder panic or give more than its limit; the limit decides on refusal alone.
pub fn gzip(data: &[u8]) -> bool {
    let (limit, coded) = number(data);
    let limit = usize::try_from(limit % MOST_UNPACKED).expect("16 bits fit");
    let Ok(decoded) = fetch::gunzip(coded, limit) else { return false };
    assert!(decoded.len() <= limit);
    assert_eq!(fetch::gunzip(coded, decoded.len()).ok().as_ref(), Some(&decoded));
    true
}

/// No text makes the URL check panic, and no literal address that is denied gets through it.
pub fn target(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let mut accepted = false;
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
        accepted = true;
    }
    accepted
}
