//! Evaluators of the DNS records for the permitted senders of a domain's mail and the permitted certification
//! authorities for its names.
//!
//! | module | specification | result |
//! |---|---|---|
//! | [`spf`] | RFC 7208 | whether a sender is authorized by a domain; the assessment of a domain's record |
//! | [`dmarc`] | RFC 9989, and RFC 7489 for comparison | the policy that applies to a name |
//! | [`caa`] | RFC 8659, RFC 8657 | the certification authorities that may issue for a name |
//!
//! All three are pure over [`dns::Dns`]: the same answers give the same result, whether they come from name servers,
//! from a zone in memory or from a transcript.
//!
//! # Invariants
//!
//! - A failed look-up never counts as an absent record.
//!
//! - A record is an error as a whole where its specification says so, and is not evaluated in part.

pub mod caa;
pub mod dmarc;
pub mod spf;
