//! The types and traits that every judge and the pipeline share.
//!
//! A caller's question is read once, at the edge, into a [`Question`]; a [`Judge`] turns it and its
//! sources into a finding; the pipeline notarizes the finding. A judge knows nothing of HTTP, money, quotas
//! or storage, and the pipeline uses a judge through this trait alone.
//!
//! # Invariants
//!
//! A question is bounded at the edge before it reaches a judge; a judge that could not read a source answers with the
//! careful verdict or is [`Unavailable`], and never gives the good verdict; a finding depends only on the question, the
//! evidence that it names and the given time.

mod agent;
mod case;
mod clock;
mod effect;
mod error;
mod field;
mod fields;
mod judge;
mod kept_request;
mod misnamed;
mod money;
mod public_view;
mod quoted;
mod repeats;
mod table;

pub use agent::AgentName;
pub use case::{AnyJudge, Case, Ruling};
pub use clock::{Clock, SystemClock};
pub use effect::{
    CountJudged, DisputeOutcome, Effect, EffectKind, EndDispute, JudgedBefore, MAX_MEMORY_BYTES, Memory,
    OpenWatch, Remember, ScreeningResult,
};
pub use error::{EvidenceMissing, FieldError, Objection, Reason, Unavailable};
pub use field::{AnyField, Array, Field, Flag, Raw, Text, Whole, Words};
pub use fields::Fields;
pub use judge::{
    Cost, EvidenceBlob, EvidencedFinding, Judge, JudgeContext, MAX_WANTED_RECEIPTS, NamedReceipts, Question,
    WantedReceipts,
};
pub use kept_request::KeptRequest;
pub use misnamed::{is_misspelt, refuse_misnamed};
pub use money::{ParseUsdError, Usd};
pub use public_view::{AnyPublicView, Looking, PublicView};
pub use quoted::quoted;
pub use receipt::time::Timestamp;
pub use repeats::Repeats;
pub use table::Table;
