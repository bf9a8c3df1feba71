//! The settings of the authority that stamps the log's checkpoints.

use std::path::PathBuf;

use anyhow::bail;

/// The authority that stamps the log's checkpoints (RFC 3161).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimestampSettings {
    /// Its address.
    pub authority: String,
    /// PEM file of the roots that its certificates must lead to.
    pub roots: PathBuf,
    /// The policy that its tokens must have; `None` where any will do.
    pub policy: Option<String>,
}

impl TimestampSettings {
    /// The settings, if an authority is named.
    ///
    /// # Errors
    /// An authority without roots, by which its tokens would be believed, and the other way round.
    pub(super) fn of(
        authority: Option<String>,
        roots: Option<PathBuf>,
        policy: Option<String>,
    ) -> anyhow::Result<Option<Self>> {
        match (authority, roots) {
            (Some(authority), Some(roots)) => Ok(Some(Self { authority, roots, policy })),
            (None, None) if policy.is_none() => Ok(None),
            (Some(_), None) => bail!(
                "timestamp_authority needs timestamp_roots, a PEM file of the roots of its certificates: without them \
                 anybody could stamp"
            ),
            (None, _) => bail!("timestamp_roots and timestamp_policy need timestamp_authority"),
        }
    }
}
