//! DNSSEC (RFC 4033 to 4035): tells if a name's zone is signed, and if its signatures hold.
//!
//! Three witnesses are asked at once, and recorded apart in a [`DnssecObservation`], from which a verdict can be drawn:
//!
//! | witness | what it is |
//! |---|---|
//! | [`Validation`] | our own: hickory walks from the trust anchor down, over data that nobody has checked before (CD=1) |
//! | [`ResolverAnswers`] | a resolver's: what it answers when it checks, and when it is asked not to |
//! | [`Delegation`] | the parent's: the DS records there, and the keys that the zone has |
//!
//! What never happens: a fetch that failed taken for a signature that does not hold. hickory says bogus of both (its
//! issues 3932, 3964 and 3974); so its word alone makes nothing bogus, and where any fetch failed on the way, or no
//! answer carried a signature at all, it counts as [`SecurityStatus::Failed`].
//!
//! Only the name servers that were configured are asked.

mod anchors;
mod delegation;
mod hickory_workarounds;
mod observation;
mod probe;
mod resolver_answers;
mod validation;
mod walk;
mod witnesses;

pub use anchors::{Anchors, AnchorsError};
pub use observation::{
    Delegation, Dnskey, DnssecObservation, Ds, LookFailure, LookTimes, MAX_ERRORS, MAX_RECORDS,
    PairedReplies, Parent, ReplySummary, ResolverAnswers, ResolverReply, SecurityStatus, Validation,
};
pub use probe::{DnssecConfig, DnssecProbe};
