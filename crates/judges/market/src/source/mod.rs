//! Published sources: what is asked of them, what comes back, and for how long an answer serves.
//!
//! A [`Source`] is one service under the operator's configuration: its address, its rate, and its last answer. [`Answers`]
//! keeps what was read from its documents: an answer serves for a while without another request, several callers who want the
//! same share one request, and where the source is down an older answer serves, labelled as stale. [`Gathered`] is what a finding
//! rests on, kept as evidence.

mod answers;
mod client;
mod gathered;
mod pace;
mod record;
mod services;

pub use answers::{Answer, Answers, Document, Reader};
pub use client::{RawAnswer, Source, SourceFault, SourceRequest, SourceState};
pub use gathered::{Gathered, Piece};
pub use pace::Pace;
pub use record::SourceRecord;
pub use services::{LONGEST, Services, Settings};
