//! What a claim keeps so that any process can settle it: the signed authorization, or the transfer that was shown.

use payment::{Authorization, B256, Bytes, SignedAuthorization, Transfer, U256};
use serde::{Deserialize, Serialize};

/// A proof as the ledger keeps it, in JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredProof {
    Authorization {
        from: String,
        to: String,
        value: String,
        valid_after: String,
        valid_before: String,
        nonce: String,
        signature: String,
    },
    Transfer {
        transaction: String,
        log_index: u64,
        payer: String,
        value: String,
    },
}

/// A proof, read again.
pub(super) enum Kept {
    Authorization(SignedAuthorization),
    Transfer(Transfer),
}

impl StoredProof {
    pub(super) fn authorization(signed: &SignedAuthorization) -> Self {
        let Authorization { from, to, value, valid_after, valid_before, nonce } = &signed.authorization;
        Self::Authorization {
            from: from.to_string(),
            to: to.to_string(),
            value: value.to_string(),
            valid_after: valid_after.to_string(),
            valid_before: valid_before.to_string(),
            nonce: nonce.to_string(),
            signature: signed.signature.to_string(),
        }
    }

    pub(super) fn transfer(transfer: &Transfer) -> Self {
        Self::Transfer {
            transaction: transfer.transaction.to_string(),
            log_index: transfer.log_index,
            payer: transfer.payer.to_string(),
            value: transfer.value.to_string(),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers always serialize")
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` where the store has something else.
    pub(super) fn read(bytes: &[u8]) -> Option<Kept> {
        Some(match serde_json::from_slice(bytes).ok()? {
            Self::Authorization { from, to, value, valid_after, valid_before, nonce, signature } => {
                let number = |text: &str| U256::from_str_radix(text, 10).ok();
                let authorization = Authorization {
                    from: from.parse().ok()?,
                    to: to.parse().ok()?,
                    value: number(&value)?,
                    valid_after: number(&valid_after)?,
                    valid_before: number(&valid_before)?,
                    nonce: nonce.parse().ok()?,
                };
                Kept::Authorization(SignedAuthorization {
                    authorization,
                    signature: signature.parse::<Bytes>().ok()?,
                })
            }
            Self::Transfer { transaction, log_index, payer, value } => Kept::Transfer(Transfer {
                transaction: transaction.parse::<B256>().ok()?,
                log_index,
                payer: payer.parse().ok()?,
                value: U256::from_str_radix(&value, 10).ok()?,
            }),
        })
    }
}
