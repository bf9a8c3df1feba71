//! The witnesses of the log, from the policy file that the settings name.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use cosigning::{Cosigning, LogPolicy, WitnessEndpoint, collect};
use ledger::{Identity, Ledger};
use module::Host;
use tlog::VerifierKey;
use tlog::policy::MAX_POLICY_BYTES;
use verdict::Clock;

use crate::settings::Settings;

/// The cosigning under the settings' policy; `None` where there is none.
///
/// # Errors
/// The file cannot be read, is no policy of this log, can never be met, or a witness's address is no address to call.
pub fn of(
    settings: &Settings,
    host: &Host,
    ledger: &Arc<dyn Ledger>,
    clock: &Arc<dyn Clock>,
    log_keys: (&[VerifierKey], &[VerifierKey]),
) -> anyhow::Result<Option<Arc<Cosigning>>> {
    let Some((policy, endpoints)) = policy(settings, host, log_keys)? else { return Ok(None) };
    Ok(Some(Arc::new(Cosigning::new(Arc::clone(ledger), Arc::clone(clock), policy, endpoints)?)))
}

/// The log keys that the store has records of, former ones too.
pub fn known_log_keys(bound: Option<&Identity>) -> Vec<VerifierKey> {
    let recorded = bound.map(|bound| bound.recorded.iter());
    recorded.into_iter().flatten().filter_map(|mark| mark.parse().ok()).collect()
}

/// The policy that the settings name, and a client of each of its witnesses; `None` where there is none. The log keys are those
/// in use, and the [known](known_log_keys) ones.
///
/// # Errors
/// As [`of`].
pub fn policy(
    settings: &Settings,
    host: &Host,
    (in_use, known): (&[VerifierKey], &[VerifierKey]),
) -> anyhow::Result<Option<(LogPolicy, Vec<WitnessEndpoint>)>> {
    let Some(path) = &settings.log_policy else { return Ok(None) };
    let policy = LogPolicy::read(&read(path)?, in_use, known);
    let policy = policy.with_context(|| format!("log_policy {}", path.display()))?;
    let endpoint = |witness: &cosigning::PolicyWitness| {
        let endpoint = host.endpoint("log_policy", &witness.url, collect::limits());
        endpoint.map(WitnessEndpoint).with_context(|| format!("the address of the witness {}", witness.name))
    };
    let endpoints = policy.witnesses().iter().map(endpoint).collect::<anyhow::Result<_>>()?;
    Ok(Some((policy, endpoints)))
}

/// Reads a policy file.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = || format!("read the policy {}", path.display());
    let length = std::fs::metadata(path).with_context(shown)?.len();
    if length > MAX_POLICY_BYTES as u64 {
        bail!("the policy {} has {length} bytes, more than {MAX_POLICY_BYTES}", path.display());
    }
    std::fs::read(path).with_context(shown)
}
