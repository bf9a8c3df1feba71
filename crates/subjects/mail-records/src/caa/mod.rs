//! CAA: the certification authorities that may issue for a name.
//!
//! RFC 8659 says where the properties that count are found (the nearest name upwards that has any) and what `issue` and
//! `issuewild` mean; RFC 8657 adds who may ask (`accounturi`) and how control is proven (`validationmethods`).
//!
//! What never happens: an authority permitted by a set that could not be looked up; a property that cannot be read
//! taken for one that permits.
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
