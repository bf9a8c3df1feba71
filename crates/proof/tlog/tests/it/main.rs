//! The log: the tree and its proofs, the text formats, and other people's implementations of both.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod common;
mod cosignature;
mod differential;
mod merkle;
mod policy;
mod round_trip;
mod text;
mod tree;
mod vectors;
