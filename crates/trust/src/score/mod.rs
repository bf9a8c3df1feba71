//! From what was seen to a verdict.
//!
//! Each look is a [`Check`] with its points out of a weight. A check that could not be made is `unknown`: it earns
//! nothing and stays in the denominator, so that a look that failed is never taken for a good one; what the score could
//! have become is told beside it. One that makes no sense for the domain is `not_applicable` and leaves the
//! denominator. [`Cap`]s hold the score down whatever else was found, and [`Flags`] keep a domain from `TRUSTED`
//! without touching its score. [`assess`] puts them together; [`crate::model`] publishes the constants.
//!
//! Points are counted in hundredths and scores rounded down to whole numbers, so no verdict hangs on a float.

mod assess;
mod brands;
mod cap;
mod check;
mod expiration;
mod flags;
mod headers;
mod look_alike;
mod points;

pub use assess::{
    Assessment, CAUTION_FROM, GRADES, MIN_COVERAGE_PERCENT, TRUSTED_FROM, TrustVerdict, assess, grade,
};
pub use brands::BRANDS;
pub use cap::Cap;
pub use check::{Check, CheckId, Status};
pub use expiration::{Expiry, FAIL_DAYS, WARN_DAYS, expiration};
pub use flags::{Flag, FlagId, Flags, YOUNG_DAYS};
pub use headers::{HEADERS_PASS_FROM, HEADERS_WARN_FROM, headers};
pub use look_alike::{LookAlike, MIN_DISTANCE_LETTERS, Resemblance, look_alike};
pub use points::Points;
