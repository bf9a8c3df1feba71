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

mod downloads;
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

/// The form of a request that is stored: the scanned member without its secrets, the members of these names, and of all others
/// those in which no secret stands.
fn kept(request: &Object, names: &[&str], scanned: &str, without_secrets: impl Into<Json>) -> Object {
    let mut kept = Object::new();
    let without_secrets = without_secrets.into();
    for (name, value) in request.iter() {
        if name == scanned {
            kept.insert(name, without_secrets.clone());
        } else if name == "agent" || names.contains(&name) || is_without_secrets(name, value) {
            kept.insert(name, value.clone());
        }
    }
    kept
}

/// Maximum length of a member that is looked through although no question reads it.
const UNREAD_BYTES: usize = 4096;

fn is_without_secrets(name: &str, value: &Json) -> bool {
    let text = match value {
        Json::String(text) => text,
        Json::Number(number) => number.text(),
        Json::Bool(_) | Json::Null => return true,
        Json::Array(_) | Json::Object(_) => return false,
    };
    let line = format!("{name}={text}");
    line.len() <= UNREAD_BYTES && redacted(&line) == line && redacted(text) == *text
}
