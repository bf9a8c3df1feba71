//! The words that every judge and the desk share.
//!
//! A caller's question is read once, at the edge, into a [`Question`]; a [`Judge`] turns it and its
//! sources into a finding; the desk notarizes the finding. A judge knows nothing of HTTP, money, quotas
//! or storage, and the desk knows nothing of a judge but this trait.
//!
//! What never happens: a question that was not bounded at the edge reaches a judge; a judge that could
//! not look says "good" (it answers with the careful verdict, or is [`Unavailable`]); a finding depends
//! on anything but the question, the evidence it names and the time it was given.

mod agent;
mod case;
mod clock;
mod error;
mod fields;
mod judge;
mod misnamed;
mod money;
mod register;

pub use agent::AgentName;
pub use case::{AnyJudge, Case, Ruling};
pub use clock::{Clock, SystemClock};
pub use error::{EvidenceMissing, FieldError, Objection, Reason, Unavailable};
pub use fields::Fields;
pub use judge::{Cost, EvidenceBlob, Judge, Judged, Question, Sitting};
pub use misnamed::{MISNAMED, Member, refuse_misnamed};
pub use money::{ParseUsdError, Usd};
pub use receipt::time::Timestamp;
pub use register::{AnyRegister, Looking, Register};
