#![no_main]
//! CAA: whatever a set says, it is decided, and no set without the issuer's name permits it.

use dns::{Caa, Name};
use libfuzzer_sys::fuzz_target;
use mail_records::caa::{CaaDecision, IssuanceRequest, Property, permits};

/// Flags, whether for wildcards, and value of each property; the method; the account.
type Input<'a> = (Vec<(u8, bool, &'a [u8])>, Option<&'a str>, Option<&'a str>);

fuzz_target!(|input: Input| {
    let (set, method, account_uri) = input;
    let properties: Vec<Property> = set
        .iter()
        .map(|(flags, wild, value)| {
            let tag = if *wild { b"issuewild".as_slice() } else { b"issue" };
            Property::read(&Caa { flags: *flags, tag: tag.to_vec(), value: value.to_vec() })
        })
        .collect();
    let domain = Name::parse("*.example.com").expect("a name");
    let decision =
        permits(&properties, &IssuanceRequest { domain: &domain, issuer: "ca.example", method, account_uri });
    let named = |value: &[u8]| value.windows(10).any(|part| part.eq_ignore_ascii_case(b"ca.example"));
    if !set.is_empty() && !set.iter().any(|(_, _, value)| named(value)) {
        assert!(matches!(decision, CaaDecision::Refused(_)));
    }
    for (flags, _, tag) in set {
        let _property = Property::read(&Caa { flags, tag: tag.to_vec(), value: Vec::new() });
    }
});
