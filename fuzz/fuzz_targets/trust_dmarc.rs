#![no_main]
//! DMARC: any text is a record or none, and a record's policy is one that it says.

use libfuzzer_sys::fuzz_target;
use mail_records::dmarc::{DmarcPolicy, DmarcRecord};

fuzz_target!(|text: &[u8]| {
    for text in [text.to_vec(), [b"v=DMARC1;", text].concat()] {
        let Some(record) = DmarcRecord::read(&text) else { continue };
        let says = |word: &[u8]| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        for policy in [record.own_policy(), record.subdomain_policy(), record.nonexistent_policy()] {
            assert!(record.enforced(policy) <= policy);
            assert!(match policy {
                DmarcPolicy::None => true,
                DmarcPolicy::Quarantine => says(b"quarantine"),
                DmarcPolicy::Reject => says(b"reject"),
            });
        }
    }
});
