//! The judge behind `POST /commit`: a receipt for a content, without a resolver that decides anything.
//!
//! A caller hands in a content, or only its hash, and gets a receipt that it was handed in by then. A content is
//! known by the SHA-256 of its canonical form (RFC 8785), so that the order of members, white space and the
//! spelling of numbers do not matter.
//!
//! What never happens: a finding says more than that this agent name handed this in; a hash that only the caller
//! knows the content of is told as if the content had been seen, or is found again in a dispute.
//!
//! | module | holds |
//! |---|---|
//! | `question` | what may be handed in: fields and bounds |
//! | `finding` | what is found, as the receipt shows it |
//! | `page` | the same in words, for the receipt's page |
//! | `judge` | [`CommitJudge`]: the above behind [`verdict::Judge`] |

mod finding;
mod judge;
mod page;
mod question;

pub use finding::{CommitEvidence, CommitFinding, CommitVerdict, METHOD};
pub use judge::CommitJudge;
pub use question::{CommitQuestion, Content, ContentHash, LABEL_CHARS};
