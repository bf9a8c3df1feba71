//! The public keys of a notary, by which a copy is verified.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::key::{KeyState, PublishedKey, VerifyingKey};
use receipt::sign::{jws_header, signing_input};
use tlog::VerifierKey;

use crate::error::{Result, TransferError};

/// The keys of one notary: that of its log, and those of its receipts, former ones too.
pub struct NotaryKeys {
    log: VerifierKey,
    receipts: HashMap<String, ReceiptKey>,
}

struct ReceiptKey {
    key: VerifyingKey,
    encoded_header: String,
}

impl NotaryKeys {
    /// Makes the set from the key of the log and the published keys. Those of reruns sign no receipts and are left out.
    ///
    /// # Errors
    /// A published key is no Ed25519 key.
    pub fn new(log: VerifierKey, published: &[PublishedKey]) -> Result<Self> {
        let of_receipts = published.iter().filter(|key| key.state != KeyState::Rerun);
        let ready = of_receipts.map(|key| {
            let kid = key.kid.as_str().to_owned();
            let unfit = |_| TransferError::OtherNotary(format!("{kid} is not an Ed25519 public key"));
            let verifying = VerifyingKey::new(key.key).map_err(unfit)?;
            let encoded_header = URL_SAFE_NO_PAD.encode(jws_header(&kid));
            Ok((kid, ReceiptKey { key: verifying, encoded_header }))
        });
        Ok(Self { log, receipts: ready.collect::<Result<_>>()? })
    }

    /// The key of the log.
    #[must_use]
    pub fn log(&self) -> &VerifierKey {
        &self.log
    }

    /// Checks that a store is bound to these keys.
    pub(crate) fn check_identity(&self, receipt_kid: &str, log_vkey: &str) -> Result<()> {
        // While another key signs beside it, the store has that one as well.
        if log_vkey.split(' ').next() != Some(&*self.log.to_string()) {
            let ours = &self.log;
            return Err(TransferError::OtherNotary(format!(
                "its log key is {log_vkey}, and the keys folder and base address give {ours}"
            )));
        }
        if !self.receipts.contains_key(receipt_kid) {
            return Err(TransferError::OtherNotary(format!(
                "its receipt key is {receipt_kid}, which the keys folder does not have"
            )));
        }
        Ok(())
    }

    /// Checks the signature of a receipt by the key that it names.
    pub(crate) fn check_signature(&self, kid: &str, payload: &[u8], signature: &[u8]) -> Result<()> {
        let Some(ReceiptKey { key, encoded_header }) = self.receipts.get(kid) else {
            return Err(TransferError::OtherNotary(format!(
                "a receipt is signed by {kid}, which is neither the key in the keys folder nor in retired.jwks"
            )));
        };
        let signature: Option<&[u8; 64]> = signature.try_into().ok();
        let holds = signature
            .is_some_and(|signature| key.verify(&signing_input(encoded_header, payload), signature).is_ok());
        if holds { Ok(()) } else { Err(TransferError::unsound("a receipt's signature does not hold")) }
    }
}
