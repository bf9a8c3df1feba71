//! The judge of `/trust-score`: it finds the risk of a domain, and scores its hygiene, under a published model.
//!
//! The look-ups and the probes are the crates `dns`, `domain-name`, `mail-records`, `http-headers` and `probe`. This
//! crate runs all of them concurrently, stores their observations as evidence, and finds from the evidence alone.
//!
//! # Invariants
//!
//! - A fact that could not be looked up counts neither as good nor as bad: it is unknown, with its reason.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`records`] | the parsed DNS records of a domain |
//! | [`score`] | checks and their score, risks and the verdict |
//! | [`trust_score`] | the judge: it runs every probe concurrently and finds on their observations |
//! | [`model`] | the constants of the rules, published |
//! | [`popularity`] | the operator's popularity list |

mod bounds;
pub mod model;
pub mod module;
pub mod popularity;
pub mod records;
pub mod score;
pub mod trust_score;

pub use bounds::bounds;
pub use module::{Settings, Sources, judge, module, sources};
