//! The judges, over the demo list, over lists of the tests' own, and over the real one where it is at hand.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bad_input;
mod batch;
mod clearance;
mod common;
mod entity;
mod live;
mod members;
mod nodes;
mod party_names;
mod replay;
mod several_lists;
mod signals;
mod wallet;
