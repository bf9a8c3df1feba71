//! The rules in force, by their name and hash.

use std::borrow::Cow;
use std::sync::LazyLock;

use receipt::hash::sha256;
use schemars::JsonSchema;
use serde::Serialize;

/// The name of the rules. A change that makes a scan find something else gives them another name.
const NAME: &str = "safety/1";

static SHA256: LazyLock<String> = LazyLock::new(|| {
    let own = [
        include_str!("hidden.rs"),
        include_str!("links.rs"),
        include_str!("injection.rs"),
        include_str!("lexical.rs"),
        include_str!("scan_text/scan.rs"),
        include_str!("scan_url/scan.rs"),
        include_str!("finding.rs"),
    ]
    .concat();
    let all = [
        own.into_bytes(),
        secrets::canonical_rules().into_bytes(),
        prompt_injection::canonical_rules().into_bytes(),
        url_signals::canonical_rules(),
    ];
    // Each by its hash, so that no text can pass from one to the next unseen.
    hex::encode(sha256(&all.map(|rules| sha256(&rules)).concat()))
});

/// The rules that a scan asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Ruleset {
    /// The name and version.
    pub name: Cow<'static, str>,
    /// The SHA-256 of all rules, tables and models.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: Cow<'static, str>,
}

impl Ruleset {
    /// The rules in force.
    #[must_use]
    pub fn current() -> Self {
        Self { name: NAME.into(), sha256: SHA256.as_str().into() }
    }
}
