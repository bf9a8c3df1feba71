//! Answers of a registry (RFC 9083), with the dates that the tests need from now on.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// A registration that began and ends so many days from now; it has no end where none is given.
#[must_use]
pub fn registration(domain: &str, begun: i64, ends: Option<i64>) -> Value {
    let mut events = vec![
        json!({"eventAction": "registration", "eventDate": from_now(begun)}),
        json!({"eventAction": "last changed", "eventDate": from_now(begun / 2)}),
    ];
    events.extend(ends.map(|days| json!({"eventAction": "expiration", "eventDate": from_now(days)})));
    json!({
        "rdapConformance": ["rdap_level_0"],
        "objectClassName": "domain",
        "handle": format!("LAB-{}", domain.to_ascii_uppercase()),
        "ldhName": domain,
        "status": ["client transfer prohibited"],
        "events": events,
        "nameservers": [{"objectClassName": "nameserver", "ldhName": "ns.test"}],
        "secureDNS": {"delegationSigned": true},
    })
}

/// An answer over the bound of any client: 10 MiB of it, well formed.
pub(super) fn huge(domain: &str) -> String {
    let mut answer = registration(domain, -1000, Some(400));
    let remark = "Nothing to see here. ".repeat(10 * 1024 * 1024 / 21 + 1);
    answer["remarks"] = json!([{"title": "Remark", "description": [remark]}]);
    answer.to_string()
}

/// A bootstrap file (RFC 9224) that names one service for these top-level domains.
#[must_use]
pub fn bootstrap(domains: &[&str], base: &str) -> Value {
    json!({
        "version": "1.0",
        "publication": from_now(-1),
        "description": "RDAP services of the lab",
        "services": [[domains, [base]]],
    })
}

/// An hour later than so many days from now: what has 3 days to come has 3 full ones when it is looked at.
fn from_now(days: i64) -> String {
    let now = Timestamp::from_second(Timestamp::now().as_second()).expect("it was a time before");
    (now + SignedDuration::from_hours(days * 24 + 1)).to_string()
}
