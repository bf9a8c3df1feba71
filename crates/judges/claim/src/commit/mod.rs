//! The judge behind `POST /commit`: a receipt for a content, without a resolver that decides anything.
//!
//! A caller hands in a content, or only its hash, and gets a receipt that it was handed in by then. A content is
//! known by the SHA-256 of its canonical form (RFC 8785), so that the order of members, white space and the
//! spelling of numbers do not matter.
//!
//! # Invariants
//!
//! - A finding states only that this agent name handed this in.
//! - A hash without its content is reported as a hash; the finding never states that the content was seen.
//! - A dispute does not repeat the finding on a hash whose content only the caller knows.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | the fields of the question and their bounds |
//! | `finding` | the finding, as the receipt shows it |
//! | `page` | the finding in words, for the receipt's page |
//! | `judge` | [`CommitJudge`]: the above behind [`verdict::Judge`] |

mod finding;
mod judge;
mod page;
mod question;

pub use finding::{CommitEvidence, CommitFinding, CommitVerdict, METHOD};
pub use judge::CommitJudge;
pub use question::{CommitQuestion, Content, ContentHash, LABEL_CHARS};
