//! What a notary publishes about itself.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use serde_json::Value;

use super::service::Service;

/// The keys that its receipts are checked with.
#[derive(Clone, Debug)]
pub struct Notary {
    pub iss: String,
    pub kid: String,
    pub key: VerifyingKey,
    pub vkey: String,
    /// The set as it is published.
    pub jwks: Value,
}

impl Notary {
    /// As discovery gives them.
    pub fn of(service: &Service) -> Self {
        let jwks = service.get("/.well-known/jwks.json").expect(200).json();
        let about = service.get("/.well-known/service.json").expect(200).json();
        let jwk = &jwks["keys"][0];
        let key = URL_SAFE_NO_PAD.decode(jwk["x"].as_str().unwrap()).unwrap();
        Self {
            iss: about["base_url"].as_str().unwrap().to_owned(),
            kid: jwk["kid"].as_str().unwrap().to_owned(),
            key: VerifyingKey::from_bytes(&key.try_into().unwrap()).unwrap(),
            vkey: about["log"]["vkey"].as_str().unwrap().to_owned(),
            jwks,
        }
    }

    /// Its host and port, without the scheme.
    pub fn host(&self) -> String {
        self.iss.split_once("://").unwrap().1.to_ascii_lowercase()
    }
}
