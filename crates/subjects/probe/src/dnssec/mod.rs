//! DNSSEC (RFC 4033 to 4035): observes whether a name's zone is signed, and whether its signatures are valid.
//!
//! Three sources are queried at the same time, and recorded separately in a [`DnssecObservation`], from which a judge
//! finds a verdict:
//!
//! | source | content |
//! |---|---|
//! | [`Validation`] | our own validation: hickory, from the trust anchor down, over data that no resolver has validated (CD=1) |
//! | [`ResolverAnswers`] | a resolver: its answers with and without validation |
//! | [`Delegation`] | the parent zone: its DS records, and the keys of the zone |
//!
//! # Invariants
//!
//! - A failed look-up never counts as an invalid signature. hickory reports both as bogus (its issues 3932, 3964 and
//!   3974), so if a look-up failed on the way, or no answer had a signature, the result is [`SecurityStatus::Failed`].
//!
//! - Only configured name servers are queried.

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
