//! Other forms of a receipt, for readers that do not know ours: each says no more than the receipt does.
//!
//! Pure: no network, no clock and no files. A form is made from the stored payload and its signature when somebody asks
//! for it, and is not stored: Ed25519 is deterministic (RFC 8032), and nothing in a form depends on when it is made, so
//! that the same receipt and the same keys give the same bytes on every machine.
//!
//! | module | content | standard |
//! |---|---|---|
//! | [`cose`] | `COSE_Sign1` with the log's COSE Receipt | RFC 9052, RFC 9597, RFC 9942 |
//! | [`credential`] | verifiable credential with a Data Integrity proof | W3C VC Data Model 2.0, `eddsa-jcs-2022` |
//! | [`validation`] | a validator's answer to the Validation Registry | ERC-8004 |
//!
//! # Invariants
//!
//! - A form of a receipt whose entry is not in the log is never signed: [`cose`] holds the inclusion path against a
//!   signed checkpoint before the log key signs.
//!
//! - The bytes of the payload are those that the receipt's hash and signature are over. No form rewrites them.

pub mod cose;
pub mod credential;
mod error;
mod statement;
pub mod validation;

pub use error::FormError;
pub use statement::Statement;
