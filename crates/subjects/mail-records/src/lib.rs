//! Evaluators of the DNS records that say who may send a domain's mail and who may certify its names.
//!
//! | module | specification | says |
//! |---|---|---|
//! | [`spf`] | RFC 7208 | what a sender's address is to a domain; what a domain published |
//! | [`dmarc`] | RFC 9989, and RFC 7489 beside it | which policy applies to a name |
//! | [`caa`] | RFC 8659, RFC 8657 | which certification authorities may issue for a name |
//!
//! All three are pure over [`dns::Dns`]: over name servers, over a zone in memory, or over a transcript of earlier answers they
//! say the same.
//!
//! What never happens: a look-up that failed read as a record that is not there; a record judged by a part of it where its
//! specification calls the whole an error.

pub mod caa;
pub mod dmarc;
pub mod spf;
