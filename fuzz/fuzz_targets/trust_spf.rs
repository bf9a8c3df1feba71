#![no_main]
//! SPF: whatever records say of each other, a check and an assessment end within their limits.

use std::net::IpAddr;

use dns::{Name, Record, Zone};
use futures_util::FutureExt;
use libfuzzer_sys::fuzz_target;
use mail_records::spf::{MAX_LOOK_UPS, MAX_WALKED, Session, assess, check_host};
use verdict::Timestamp;

const OWNERS: [&str; 4] = ["example.com", "a.example.com", "b.example.com", "1.2.0.192.in-addr.arpa"];

/// Answers by their kind; the sender's address, mailbox and HELO.
type Input<'a> = (Vec<(u8, &'a [u8])>, Option<[u8; 16]>, &'a str, &'a str);

fuzz_target!(|input: Input| {
    let (records, ip, mail_from, helo) = input;
    let mut zone = Zone::default();
    for (owner, text) in records {
        let owner = OWNERS[usize::from(owner) % OWNERS.len()];
        let text = [b"v=spf1 ", text].concat();
        zone.add(&Name::parse(owner).expect("a name"), Record::Txt(text));
    }
    let ip = ip.map_or(IpAddr::from([192, 0, 2, 1]), IpAddr::from);
    let mail_from = format!("{mail_from}@example.com");
    let session = Session { ip, helo, mail_from: &mail_from, receiver: "", at: 0 };
    let checked = check_host(&zone, &session).now_or_never().expect("zones in memory answer at once");
    assert!(checked.look_ups <= MAX_LOOK_UPS + 1);
    let domain = Name::parse("example.com").expect("a name");
    let assessed =
        assess(&zone, &domain, Timestamp::EPOCH).now_or_never().expect("zones in memory answer at once");
    assert!(assessed.visits.len() <= MAX_WALKED);
});
