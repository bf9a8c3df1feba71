//! The judge of domains: what the probes see of real servers, and of the lab's, and what that comes to.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod first_rules;
mod lab_dnssec;
mod lab_site;
mod lab_tls;
mod mute;
mod records;
#[path = "../../../../net/dns/tests/it/stub.rs"]
mod stub;
mod tls_openssl;
#[path = "../../../../subjects/probe/tests/it/tls/support.rs"]
#[allow(dead_code, reason = "the tests of the probe use the rest")]
mod tls_support;
#[path = "../../../../subjects/probe/tests/it/web/support.rs"]
#[allow(dead_code, reason = "the tests of the probe use the rest")]
mod web_support;
mod web_texts;
