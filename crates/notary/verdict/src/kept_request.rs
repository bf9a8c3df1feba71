//! A request in the form in which it is stored.

use receipt::hash::sha256;

/// A request in the form in which it is stored, with the SHA-256 of the request as it was sent.
///
/// The two differ where the request held a secret: the receipt signs the hash of what was sent, and nobody but its sender
/// has that. See [`Judge::kept_request`](crate::Judge::kept_request).
///
/// ```
/// use receipt::hash::sha256;
/// use verdict::KeptRequest;
///
/// let sent = KeptRequest::as_sent(b"{}".to_vec());
/// assert!(!sent.is_redacted());
/// let kept = KeptRequest::redacted(br#"{"text":"[secret]"}"#.to_vec(), sha256(br#"{"text":"hunter2"}"#));
/// assert_eq!(kept.body(), br#"{"text":"[secret]"}"#);
/// assert_eq!(kept.redacted_from(), Some(sha256(br#"{"text":"hunter2"}"#)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptRequest {
    body: Vec<u8>,
    redacted_from: Option<[u8; 32]>,
}

impl KeptRequest {
    /// A request that is stored as it was sent, in canonical form (RFC 8785).
    #[must_use]
    pub fn as_sent(body: Vec<u8>) -> Self {
        Self { body, redacted_from: None }
    }

    /// A request that is stored without its secrets, in canonical form. `sent` is the SHA-256 of the canonical form of
    /// what was sent.
    #[must_use]
    pub fn redacted(body: Vec<u8>, sent: [u8; 32]) -> Self {
        Self { body, redacted_from: Some(sent) }
    }

    /// A request as a store returns it: what is stored, and the SHA-256 of what was sent where that differs.
    #[must_use]
    pub fn stored(body: Vec<u8>, redacted_from: Option<[u8; 32]>) -> Self {
        Self { body, redacted_from }
    }

    /// What is stored, in canonical form (RFC 8785).
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// What is stored, in canonical form (RFC 8785).
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The SHA-256 of what was sent, where that is not what is stored.
    #[must_use]
    pub fn redacted_from(&self) -> Option<[u8; 32]> {
        self.redacted_from
    }

    /// True if something of the request is not stored.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.redacted_from.is_some()
    }

    /// The SHA-256 of what was sent: the receipt's `request_hash`.
    #[must_use]
    pub fn sent_sha256(&self) -> [u8; 32] {
        self.redacted_from.unwrap_or_else(|| sha256(&self.body))
    }
}
