//! The trust anchors of DNSSEC.

use std::sync::Arc;

use hickory_resolver::proto::dnssec::TrustAnchors;

/// The trust anchors of DNSSEC validation: the root's keys as IANA publishes them, or the keys of a laboratory.
#[derive(Clone)]
pub struct Anchors(Arc<TrustAnchors>);

/// The text is not a usable set of trust anchors. The reason in it is for the log.
#[derive(Debug, thiserror::Error)]
#[error("failed to read the trust anchors: {0}")]
pub struct AnchorsError(String);

impl Anchors {
    /// Reads DNSKEY records, one a line, as unbound's `trust-anchor-file` has them. DS records are not supported.
    ///
    /// ```
    /// use probe::dnssec::Anchors;
    ///
    /// let key = "mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==";
    /// assert!(Anchors::parse(&format!(". IN DNSKEY 257 3 13 {key}\n")).is_ok());
    /// assert!(Anchors::parse("").is_err());
    /// ```
    ///
    /// # Errors
    /// [`AnchorsError`]: the text is malformed, or has no key.
    pub fn parse(text: &str) -> Result<Self, AnchorsError> {
        let has_record =
            text.lines().any(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with(';'));
        if !has_record {
            return Err(AnchorsError("it has no key".to_owned()));
        }
        let anchors = text.parse::<TrustAnchors>().map_err(|error| AnchorsError(error.to_string()))?;
        Ok(Self(Arc::new(anchors)))
    }

    pub(super) fn keys(&self) -> Arc<TrustAnchors> {
        Arc::clone(&self.0)
    }
}

impl Default for Anchors {
    /// IANA's keys of the root: 20326 of 2017 and 38696 of 2024.
    fn default() -> Self {
        Self(Arc::new(TrustAnchors::default()))
    }
}

impl std::fmt::Debug for Anchors {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Anchors").finish_non_exhaustive()
    }
}
