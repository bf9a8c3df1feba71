//! Domain trust: what a domain's own records say about it.
//!
//! What never happens: what could not be looked up is called good, or bad; it is unknown, and says why.
//!
//! | module | holds |
//! |---|---|
//! | [`dnssec`] | whether the zone is signed, and whether its signatures hold |
//! | [`records`] | all that is looked up in the DNS, read |
//! | [`registry`] | asking a registry over RDAP, and IANA's list of whom to ask |
//! | [`site`] | what a site shows to its visitors: pages, redirects, texts at well-known places |
//! | [`tls`] | how a host speaks TLS, and what its certificate is worth |
//! | [`score`] | checks, weights, caps, flags and the verdict |
//! | [`trust_score`] | the judge: every probe at once, and the finding on what they saw |
//! | [`model`] | the constants of the score, published |

mod bounds;
pub mod dnssec;
mod elapsed;
pub mod model;
pub mod records;
pub mod registry;
pub mod score;
pub mod site;
pub mod tls;
pub mod trust_score;

pub use bounds::bounds;
