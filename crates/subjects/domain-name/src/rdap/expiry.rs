//! The end of a registration, as it is known.

use super::Registration;

/// What became of asking the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expiry<'a> {
    /// It answered.
    Answered(&'a Registration),
    /// The whole top-level domain has no RDAP service.
    NoService,
    /// It could not be asked, for this reason.
    Failed(&'static str),
}
