//! Signs webhooks by Standard Webhooks 1.0.0, its asymmetric scheme `v1a`.
//!
//! The signature is Ed25519 over `id.timestamp.body`. The id is the hash of the receipt in the body, the same for each
//! attempt; the timestamp is that of the attempt, in Unix seconds.

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use receipt::hash::ReceiptHash;
use receipt::key::{PublicKey, SigningKey};
use receipt::time::Timestamp;

/// The key that webhooks are signed with. It is different from the receipt key, so that no webhook can be taken for a
/// receipt. Clones share the key, which may be replaced while webhooks are sent.
#[derive(Clone, Debug)]
pub struct WebhookKey(Arc<RwLock<Arc<SigningKey>>>);

impl WebhookKey {
    /// Makes a webhook key from a signing key.
    #[must_use]
    pub fn new(key: SigningKey) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(key))))
    }

    /// Signs with another key from now on.
    pub fn replace(&self, key: SigningKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key);
    }

    fn current(&self) -> Arc<SigningKey> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the public key in the form that receivers get: `whpk_` and base64.
    #[must_use]
    pub fn public(&self) -> String {
        public_text(&self.current().public_key())
    }

    /// The header fields of an attempt.
    pub(super) fn headers(&self, id: &ReceiptHash, at: Timestamp, body: &[u8]) -> HeaderMap {
        let (id, timestamp) = (id.to_string(), at.unix_seconds().to_string());
        let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
        let signature = format!("v1a,{}", STANDARD.encode(self.current().sign(&signed)));
        let fields = [("webhook-id", id), ("webhook-timestamp", timestamp), ("webhook-signature", signature)];
        let field = |(name, value): (&'static str, String)| {
            let value = HeaderValue::try_from(value).expect("digits and base64 are visible ASCII");
            (HeaderName::from_static(name), value)
        };
        fields.into_iter().map(field).collect()
    }
}

/// Formats a public key as `whpk_` and its 32 bytes in base64.
fn public_text(key: &PublicKey) -> String {
    format!("whpk_{}", STANDARD.encode(key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use receipt::key::VerifyingKey;

    use super::*;

    #[test]
    fn a_webhook_is_verified_with_the_public_key_and_every_part_is_signed() {
        let key = WebhookKey::new(SigningKey::from_seed(&[9; 32]));
        let public = STANDARD.decode(key.public().strip_prefix("whpk_").unwrap()).unwrap();
        let public = VerifyingKey::new(PublicKey(public.try_into().unwrap())).unwrap();
        let (id, at) = (ReceiptHash([3; 32]), "2026-11-21T02:00:00.900Z".parse().unwrap());
        let headers = key.headers(&id, at, b"{\"a\":1}");
        let text = |name: &str| headers[name].to_str().unwrap();
        assert_eq!((text("webhook-id"), text("webhook-timestamp")), (&*"03".repeat(32), "1795226400"));
        let signature = STANDARD.decode(text("webhook-signature").strip_prefix("v1a,").unwrap()).unwrap();
        let holds = |id: &str, timestamp: &str, body: &str| {
            public
                .verify(format!("{id}.{timestamp}.{body}").as_bytes(), &signature.clone().try_into().unwrap())
                .is_ok()
        };
        let id = "03".repeat(32);
        assert!(holds(&id, "1795226400", "{\"a\":1}"));
        assert!(!holds(&"04".repeat(32), "1795226400", "{\"a\":1}"));
        assert!(!holds(&id, "1795226401", "{\"a\":1}"));
        assert!(!holds(&id, "1795226400", "{\"a\":2}"));
    }
}
