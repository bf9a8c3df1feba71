//! Scans of texts that an agent is about to trust: what speaks against them, where, and why.
//!
//! [`scan_text`] reads a text in every [view](text_views) of it, so that an encoding or a disguise hides nothing, and gives the
//! rules that speak against it. No verdict says that a text is safe.
//!
//! The crate has no judge yet: the rules for injected instructions and for addresses are to come, and a route without them
//! would find nothing where there is something.
//!
//! # Invariants
//!
//! - A text that could not be read as a whole, or a feed that could not be asked, never gives `NO_FINDING`.
//!
//! - No secret stands in a finding, nor in the text that [`TextScan::redacted`] gives.
//!
//! - The worst hit is always listed, whatever else is left out.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`scan_text`], [`TextScan`] | the scan of a text |
//! | [`TextQuestion`], [`TextContext`], [`TEXT_BYTES`] | the question of `/scan-text` |
//! | [`ScanVerdict`], [`RuleHit`], [`Severity`], [`Span`], [`MAX_HITS`], [`EXCERPT_CHARS`] | the members of a finding |

mod finding;
mod hidden;
mod places;
mod scan_text;

pub use finding::{EXCERPT_CHARS, MAX_HITS, RuleHit, ScanVerdict, Severity, Span};
pub use scan_text::{TEXT_BYTES, TextContext, TextQuestion, TextScan, scan_text};
