//! SPF, to RFC 7208.
//!
//! Two questions: [`check_host`] says what a sender's address is to a domain; [`assess`] has no sender and says what the
//! domain published: one record, free of permanent errors, within the limits on look-ups, and its final `all`.
//!
//! What never happens: a look-up that failed read as a mechanism that did not match, but where RFC 7208 says so (`ptr`,
//! `%{p}`, `exp`); an evaluation over the limits of 4.6.4; a record judged by a part of it, since a syntax error anywhere
//! in a record is an error of the record (4.6).
//!
//! | module | holds |
//! |---|---|
//! | `record`, `parse` | a record's terms; reading one |
//! | `macros` | macro strings (7): reading and expanding |
//! | `check` | the evaluation of a record for a sender (4, 5, 6) |
//! | `mechanisms` | which mechanism matches, by look-ups |
//! | `session` | the sender that macros speak of |
//! | `assess`, `walk` | what a domain published, without a sender; the walk through all its records |
//! | `reach` | whom a record lets in, all networks taken together |
//! | `random_senders`, `allocated_ipv6` | results for senders that nobody means; the address space they are drawn from |

mod allocated_ipv6;
mod assess;
mod assessment;
mod check;
mod macros;
mod mechanisms;
mod parse;
mod random_senders;
mod reach;
mod record;
mod session;
mod walk;

pub use assess::assess;
pub use assessment::{MAX_WALKED, SpfAssessment, SpfStatus, VisitedRecord};
pub use check::{CheckHostResult, MAX_LOOK_UPS, MAX_VOID_LOOK_UPS, Problem, SpfResult, check_host};
pub use macros::{DomainSpec, MacroError, MacroString};
pub use parse::{SyntaxError, TermError};
pub use random_senders::{OPEN_THRESHOLD, RANDOM_SENDERS};
pub use reach::{EVERYBODY_PERCENT, OpenTo};
pub use record::{Directive, DualCidr, Mechanism, Qualifier, Select, SpfRecord, select};
pub use session::Session;
