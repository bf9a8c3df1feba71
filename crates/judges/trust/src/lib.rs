//! The judge of `/trust-score`: what a domain's own records and servers say of it, weighed by a published model.
//!
//! The look-ups and the probes are the crates `dns`, `domain-name`, `mail-records`, `http-headers` and `probe`. This one runs
//! all of them at once, stores what they saw as evidence, and finds from the evidence alone.
//!
//! What never happens: what could not be looked up is called good, or bad; it is unknown, and says why.
//!
//! | module | holds |
//! |---|---|
//! | [`records`] | all that is looked up in the DNS, read |
//! | [`score`] | checks, weights, caps, flags and the verdict |
//! | [`trust_score`] | the judge: every probe at once, and the finding on what they saw |
//! | [`model`] | the constants of the score, published |

mod bounds;
pub mod model;
pub mod module;
pub mod records;
pub mod score;
pub mod trust_score;

pub use bounds::bounds;
pub use module::{Settings, module};
