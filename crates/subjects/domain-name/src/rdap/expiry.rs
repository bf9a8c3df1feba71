//! The end of a registration, as far as it is known.

use super::Registration;

/// The result of looking up a registration, from which its end is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expiry<'a> {
    /// The registry answered.
    Answered(&'a Registration),
    /// The whole top-level domain has no RDAP service.
    NoService,
    /// The registry gave no usable answer, for the reason with this stable code.
    Failed(&'static str),
}
