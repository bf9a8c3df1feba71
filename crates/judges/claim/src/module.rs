//! The module `claim`: the judges of /claim-verdict and /commit.

use std::sync::Arc;

use fetch::Limits;
use module::{Host, Module, ModuleError};

use crate::ClaimJudge;
use crate::commit::CommitJudge;

/// Test 1 of RFC 8032, section 7.1.
const CLAIM_EXAMPLE: &str = r#"{"agent":"my-agent","claim":"This key signed the empty message.","resolver":{"type":"ed25519_signature","message":"","signature":"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b","signature_encoding":"hex","public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","public_key_encoding":"hex"}}"#;

const COMMIT_EXAMPLE: &str =
    r#"{"agent":"my-agent","content":{"forecast":"rain","day":"2026-11-21"},"label":"forecast-7"}"#;

/// Builds the module, which has no settings.
///
/// # Errors
/// [`ModuleError`] if the host's network cannot be set up.
pub fn module(host: &Host) -> Result<Module, ModuleError> {
    let fetcher = host.fetcher(Limits::default())?;
    Ok(Module::new("claim").route("claim-verdict", Arc::new(ClaimJudge::new(fetcher)), CLAIM_EXAMPLE).route(
        "commit",
        Arc::new(CommitJudge),
        COMMIT_EXAMPLE,
    ))
}
