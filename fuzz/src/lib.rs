//! Invariants of the parsers of what strangers send: requests, receipts, lists, answers of registries, nodes and web sites.
//!
//! An invariant is a function of any bytes. It panics where the parser breaks it, and returns true where the parser
//! accepted the input. Two callers drive each:
//!
//! - the fuzz target `MODULE_FUNCTION` in `fuzz_targets/`, which runs without end: `cargo +nightly fuzz run rpc_answer`;
//! - the test of that name in this crate, on the stable toolchain: arbitrary bytes, and valid samples that are cut, spliced
//!   and overwritten. `PROPTEST_CASES=200000 cargo test -p fuzz rpc_answer` runs it for longer.
//!
//! | module | parsers |
//! |---|---|
//! | [`archive`] | archives for audits |
//! | [`claim`] | questions, dot paths and comparisons of claims |
//! | [`dns`] | names, and transcripts of look-ups |
//! | [`domain`] | host names, RDAP and its bootstrap file, feeds of bad domains |
//! | [`exports`] | exports of trading platforms |
//! | [`fetch`] | URLs that callers name, gzip |
//! | [`follower`] | states of what follows a log, proofs of forks |
//! | [`forms`] | payloads of receipts, for their other forms |
//! | [`grading`] | track records |
//! | [`headers`] | Content-Security-Policy, HTML, header fields |
//! | [`market`] | accounts, company facts, histories of markets, answers of federal services |
//! | [`payment`] | x402 proofs |
//! | [`receipt`] | I-JSON, canonical forms, numbers, receipts, records of keys |
//! | [`rpc`] | JSON-RPC answers and values |
//! | [`safety`] | texts and addresses that are scanned |
//! | [`tlog`] | checkpoints, tiles, notes, proofs, policies, cosignatures |
//! | [`trust`] | CAA, DMARC, SPF |
//! | [`watchlist`] | files of sanctions lists, maps of columns, snapshots |
//! | [`witness`] | requests to a witness, and its answers |

pub mod archive;
pub mod claim;
pub mod dns;
pub mod domain;
pub mod exports;
pub mod fetch;
pub mod follower;
pub mod forms;
pub mod grading;
pub mod headers;
pub mod market;
pub mod payment;
pub mod receipt;
pub mod rpc;
pub mod safety;
mod split;
pub mod tlog;
pub mod trust;
pub mod watchlist;
pub mod witness;

#[cfg(test)]
mod tests;
