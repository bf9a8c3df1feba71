//! The probes of the web and of registries, against real servers that do what servers should not.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod hostile;
mod kept;
mod pauses;
mod refresh;
mod registry;
mod site;
mod support;
mod texts;
