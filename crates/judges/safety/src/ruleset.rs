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
        include_str!("finding.rs"),
        include_str!("hidden.rs"),
        include_str!("injection.rs"),
        include_str!("lexical.rs"),
        include_str!("links.rs"),
        include_str!("observations.rs"),
        include_str!("places.rs"),
        include_str!("secret_places.rs"),
        include_str!("scan_text/scan.rs"),
        include_str!("scan_url/scan.rs"),
    ]
    .concat();
    let all = [
        own.into_bytes(),
        text_views::canonical_rules().into_bytes(),
        web_address::canonical_rules().into_bytes(),
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The files in which nothing is found: the borders to the pipeline and to the page.
    const OTHERS: [&str; 11] = [
        "downloads.rs",
        "lib.rs",
        "module.rs",
        "page.rs",
        "ruleset.rs",
        "scan_text/judge.rs",
        "scan_text/mod.rs",
        "scan_text/question.rs",
        "scan_url/judge.rs",
        "scan_url/mod.rs",
        "scan_url/question.rs",
    ];

    #[test]
    fn the_hash_covers_every_file_that_finds_something() {
        let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ruleset.rs")).unwrap();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(&folder);
            for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
                let name = format!("{folder}{}", entry.file_name().to_str().unwrap());
                if entry.path().is_dir() {
                    folders.push(format!("{name}/"));
                } else if !OTHERS.contains(&&*name) {
                    assert!(own.contains(&format!("include_str!(\"{name}\")")), "{name}");
                }
            }
        }
    }
}
