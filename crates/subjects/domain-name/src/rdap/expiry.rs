//! The end of a registration, as it is known.

use super::Registration;

/// Result of asking for a registration, from which its end is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expiry<'a> {
    /// The registry answered.
    Answered(&'a Registration),
    /// The whole top-level domain has no RDAP service.
    NoService,
    /// The registry gave no usable answer, for this reason (a stable code).
    Failed(&'static str),
}
