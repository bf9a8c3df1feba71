//! CAA: the certification authorities that may issue for a name.
//!
//! RFC 8659 defines the relevant properties (those of the nearest name upwards that has any) and the meaning of `issue`
//! and `issuewild`. RFC 8657 adds the permitted account (`accounturi`) and the permitted proofs of control
//! (`validationmethods`).
//!
//! # Invariants
//!
//! - If a look-up fails, the decision is [`CaaDecision::Unknown`], and no authority is permitted.
//!
//! - A malformed property permits nobody.
//!
//! | module | holds |
//! |---|---|
//! | `property` | one property, read |
//! | `check` | the climb, and whether a request is permitted |

mod check;
mod property;

pub use check::{
    CaaCheck, CaaDecision, CaaRefusal, IssuanceRequest, RelevantSet, check, permits, relevant_set,
};
pub use property::{Authority, MAX_SHOWN, Property, ValueError};
