//! The lab is what it says it is, by the verdict of programs that are not ours.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod lifetime;
mod names;
mod web;

/// The tests that this machine skips if the lab's programs are not installed.
const UNTESTED: &str = "the lab of zones and certificates itself";
