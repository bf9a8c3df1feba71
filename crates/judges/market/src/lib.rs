//! Numbers and records of markets and governments: each with what was asked of which source, when, what came back, and what
//! was derived from it by which published formula.
//!
//! # Invariants
//!
//! - A good verdict rests on fresh and complete answers alone.
//!
//! - An answer that is older than it may be is labelled `stale`.
//!
//! - A finding is a pure function of the question, the time and the gathered answers, so a replay needs no network.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`module`] | the module |
//! | [`DistressJudge`], [`DistressQuestion`], [`DistressFinding`] | `/distress-score` |
//! | [`CompositeJudge`], [`CompositeQuestion`], [`CompositeFinding`] | `/composite` |
//! | [`RegisterJudge`], [`RegisterQuestion`], [`RegisterFinding`] | `/federal-register` |
//! | [`AwardsJudge`], [`AwardsQuestion`], [`AwardsFinding`] | `/awards` |
//! | [`source`] | published sources, for the judges that ask them |
//! | [`SourcesView`] | `/sources` |

mod awards;
mod composite;
mod day;
mod distress_score;
mod federal_register;
mod module;
mod page;
mod records;
pub mod source;
mod sources_view;
mod work;

pub use awards::{AwardsEvidence, AwardsFinding, AwardsJudge, AwardsQuestion};
pub use composite::{
    CompositeEvidence, CompositeFinding, CompositeJudge, CompositeQuestion, CompositeReason, CompositeVerdict,
};
pub use distress_score::{
    Company, CompanyKey, DistressEvidence, DistressFinding, DistressJudge, DistressQuestion, EarlierScore,
    FiledQuestion, LateNotice, Report, Supplement,
};
pub use federal_register::{
    RegisterEvidence, RegisterFinding, RegisterJudge, RegisterPart, RegisterQuestion,
};
pub use module::module;
pub use records::SearchVerdict;
pub use source::Settings;
pub use sources_view::{SourceStates, SourcesView};

/// The name of the module.
const MODULE: &str = "market";

/// Maximum length of a source's answer in bytes.
pub const MAX_BODY_BYTES: usize = 32 << 20;
