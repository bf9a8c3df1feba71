//! Scans of addresses and texts that an agent is about to trust: what speaks against them, where, and why.
//!
//! `/scan-url` reads the letters of an address and looks it up in feeds; where the caller asks for it, it follows the redirects
//! and asks the registry. `/scan-text` reads a text in every [view](text_views) of it, so that an encoding or a disguise hides
//! nothing, and looks at the addresses in it. No verdict says that something is safe.
//!
//! # Invariants
//!
//! - A text that could not be read as a whole, or a feed that is out of date, never gives `NO_FINDING`.
//!
//! - No secret stands in a finding, in evidence, or in a kept request.
//!
//! - The worst hit is always listed, whatever else is left out.
//!
//! - A replay reads the observations that were kept, and asks nobody.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`module`], [`UrlSources`] | the module, and whom it asks |
//! | [`TextJudge`], [`TextQuestion`], [`TextFinding`], [`TextScan`] | `/scan-text` |
//! | [`UrlJudge`], [`UrlQuestion`], [`UrlFinding`], [`scan_url`] | `/scan-url` |
//! | [`ScanResult`], [`ScanVerdict`], [`RuleHit`], [`Severity`], [`Span`], [`Excerpt`] | the members of a finding |

mod finding;
mod hidden;
mod injection;
mod lexical;
mod links;
mod module;
mod observations;
mod page;
mod places;
mod ruleset;
mod scan_text;
mod scan_url;
mod secret_places;

use receipt::json::{Json, Object};

pub use finding::{
    EXCERPT_CHARS, Excerpt, MAX_HITS, RuleHit, ScanEvidence, ScanResult, ScanVerdict, Severity, Span,
};
pub use links::MAX_LINKS;
pub use module::module;
pub use observations::AskedFeed;
pub use ruleset::Ruleset;
pub use scan_text::{TEXT_BYTES, TextContext, TextFinding, TextJudge, TextQuestion, TextScan};
pub use scan_url::{FOLLOWED_AT_ONCE, UrlFinding, UrlHop, UrlJudge, UrlQuestion, UrlSources, scan_url};
use secret_places::redacted;

/// The form of a request that is stored: who asks, the members of these names, and the scanned one without its secrets. All
/// other members are left out, since nobody has looked for secrets in them.
fn kept(request: &Object, names: &[&str], scanned: &str, without_secrets: impl Into<Json>) -> Object {
    let mut kept = Object::new();
    for (name, value) in request.iter().filter(|(name, _)| *name == "agent" || names.contains(name)) {
        kept.insert(name, value.clone());
    }
    kept.insert(scanned, without_secrets);
    kept
}
