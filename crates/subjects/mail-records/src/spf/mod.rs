//! SPF (RFC 7208).
//!
//! [`check_host`] evaluates a domain's record for a sender. [`assess`] evaluates the record without a sender: whether
//! there is exactly one, without permanent errors and within the limits on look-ups, and its final `all`.
//!
//! # Invariants
//!
//! - A failed look-up is an error, and not a mechanism that does not match, except where RFC 7208 says so (`ptr`,
//!   `%{p}`, `exp`).
//!
//! - Every evaluation stays within the limits of 4.6.4.
//!
//! - A syntax error anywhere in a record is an error of the whole record (4.6).
//!
//! | module | content |
//! |---|---|
//! | `record`, `parse` | a record's terms; reading one |
//! | `macros` | macro strings (7): reading and expanding |
//! | `check` | the evaluation of a record for a sender (4, 5, 6) |
//! | `mechanisms` | the matching of mechanisms, by look-ups |
//! | `session` | the sender, to which macros refer |
//! | `assess`, `walk` | the assessment of a domain's record without a sender; the walk through all its records |
//! | `reach` | the senders that a record permits, all networks taken together |
//! | `random_senders`, `allocated_ipv6` | the results for random senders; the address space from which they are drawn |

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
