//! Probes: each looks once at one thing that a domain shows to everybody, and records what it saw as plain data.
//!
//! | module | looks at | by |
//! |---|---|---|
//! | [`dnssec`] | whether the zone is signed, and whether its signatures hold | RFC 4033 to 4035 |
//! | [`tls`] | how a host speaks TLS, and what its certificate is worth | RFC 8446, RFC 5246, RFC 5280 |
//! | [`site`] | the page, its redirects, and the texts at well-known places | RFC 9110, RFC 9116, RFC 8461 |
//! | [`registry`] | the registration, asked for over RDAP | RFC 7480, RFC 9224 |
//!
//! A probe gives no verdict: what it saw is stored as evidence, and whoever judges finds from that alone, so that the same
//! finding can be made again without a network. Every connection goes through [`fetch`], or to the name servers that were
//! configured.
//!
//! What never happens: a part that could not be seen is left out or made up, it says why; a probe waits beyond its published
//! bound, or keeps more than its published bytes, whatever a server sends.

pub mod dnssec;
pub mod elapsed;
pub mod registry;
pub mod site;
pub mod tls;
