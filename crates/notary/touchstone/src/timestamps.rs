//! The time-stamping of the log's checkpoints, from the authority that the settings name.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use module::Host;
use notary::Notary;
use time_stamp::Authority;
use time_stamping::{Stamping, limits};

use crate::settings::Settings;

/// The most bytes of a file of roots.
const MAX_ROOTS_BYTES: u64 = 1 << 20;

/// The time-stamping that the settings name; `None` where there is none.
///
/// # Errors
/// The roots cannot be read, the policy is none, or the address is no address to call.
pub fn of(settings: &Settings, host: &Host, notary: &Arc<Notary>) -> anyhow::Result<Option<Arc<Stamping>>> {
    let Some(set) = &settings.timestamps else { return Ok(None) };
    let (authority, roots) = authority(&set.roots, set.policy.as_deref())?;
    let endpoint = host.endpoint("timestamp_authority", &set.authority, limits())?;
    let stamping = Stamping::new(Arc::clone(notary), endpoint, authority, roots);
    Ok(Some(Arc::new(stamping)))
}

/// Checks that the settings name an authority that can be asked, or none.
///
/// # Errors
/// As [`of`].
pub fn check(settings: &Settings, host: &Host) -> anyhow::Result<()> {
    let Some(set) = &settings.timestamps else { return Ok(()) };
    authority(&set.roots, set.policy.as_deref())?;
    host.endpoint("timestamp_authority", &set.authority, limits())?;
    Ok(())
}

/// Reads the roots of an authority, and gives their text too.
pub fn authority(roots: &Path, policy: Option<&str>) -> anyhow::Result<(Authority, String)> {
    let shown = || format!("read the roots {}", roots.display());
    let length = std::fs::metadata(roots).with_context(shown)?.len();
    if length > MAX_ROOTS_BYTES {
        bail!("the roots {} have {length} bytes, more than {MAX_ROOTS_BYTES}", roots.display());
    }
    let pem = std::fs::read_to_string(roots).with_context(shown)?;
    let authority = Authority::new(pem.as_bytes(), policy);
    Ok((authority.with_context(|| format!("timestamp_roots {}", roots.display()))?, pem))
}
