//! Probes: each looks once at one thing that a domain shows to everybody, and records what it saw as plain data.
//!
//! | module | looks at | by |
//! |---|---|---|
//! | [`dnssec`] | the zone's signatures and their validity | RFC 4033 to 4035 |
//! | [`tls`] | the TLS versions of a host, and the validity of its certificate | RFC 8446, RFC 5246, RFC 5280 |
//! | [`site`] | the page, its redirects, and the texts at well-known places | RFC 9110, RFC 9116, RFC 8461 |
//! | [`redirects`] | where an address leads, through every redirect and refresh | RFC 9110, the HTML standard |
//! | [`registry`] | the registration, asked for over RDAP | RFC 7480, RFC 9224 |
//! | [`ct`] | the first certificate that public logs know, at a configured service | RFC 6962 |
//! | [`payee`] | the addresses to which the domain says that it is paid | x402 |
//! | [`dangling`] | aliases to names of platforms that nobody holds; pure | can-i-take-over-xyz |
//! | [`whois`] | the date of the registration where there is no RDAP | RFC 3912 |
//!
//! A probe gives no verdict: its observation is stored as evidence, and a judge finds from that alone, so that the same
//! finding can be made again without a network.
//!
//! # Invariants
//!
//! - Every connection goes through [`fetch`], or to the configured name servers.
//! - Every part of an observation is a value or the reason why there is none.
//! - A probe ends within its published time and keeps at most its published number of bytes, whatever a server sends.

mod answer_cache;
pub mod ct;
pub mod dangling;
pub mod dnssec;
pub mod elapsed;
pub mod payee;
pub mod redirects;
pub mod registry;
pub mod site;
pub mod tls;
pub mod whois;
