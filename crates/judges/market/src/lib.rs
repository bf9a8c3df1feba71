//! Numbers and records of markets and governments: each with what was asked of which source, when, what came back, and what
//! was derived from it by which published formula.
//!
//! # Invariants
//!
//! - A good verdict rests on fresh and complete answers alone.
//!
//! - An answer that is older than it may be is labelled `stale`.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`module`] | the module |
//! | [`DistressJudge`], [`DistressQuestion`], [`DistressFinding`] | `/distress-score` |
//! | [`source`] | published sources, for the judges that ask them |

mod distress_score;
mod module;
pub mod source;

pub use distress_score::{DistressEvidence, DistressFinding, DistressJudge, DistressQuestion};
pub use module::module;

/// The name of the module.
const MODULE: &str = "market";

/// Maximum length of a source's answer in bytes.
pub const MAX_BODY_BYTES: usize = 32 << 20;
