//! The receipts that record changes of keys.

use std::sync::Arc;

use ledger::{KeyStep, LedgerRecord};
use receipt::hash::sha256;
use receipt::history::{KEY_CLASS, KeyChange, KeyRecord};
use receipt::json::{Json, Object};
use receipt::sign::Signer;

use crate::{Notary, NotaryError, ReceiptContents, SignedReceipt, take_verdict};

/// The agent of receipts that the notary asks for itself.
pub const OWN_AGENT: &str = "notary";

impl Notary {
    /// Logs a change of a key, signed by one of the two receipt keys that it is about, else by the present one, and
    /// [follows](crate::KeyRing::follow) it. Returns its leaf.
    ///
    /// # Errors
    /// [`NotaryError`]. The log does not have the record; with [`LedgerError::Duplicate`](ledger::LedgerError::Duplicate)
    /// it has one of the same change.
    pub async fn log_key(&self, record: &KeyRecord, signer: Arc<Signer>) -> Result<u64, NotaryError> {
        let mut request = Object::new();
        request.insert("change", record.change.verdict());
        request.insert("key", record.key.name());
        let request = Json::Object(request).canonical();
        let mut finding = record.finding();
        let verdict = take_verdict(&mut finding)?;
        self.mark_scope(&mut finding);
        let contents = ReceiptContents {
            class: KEY_CLASS,
            agent: OWN_AGENT,
            request_hash: sha256(&request),
            is_request_redacted: false,
            verdict: &verdict,
            payment: None,
            reference: None,
            finding: &Json::Object(finding),
        };
        let SignedReceipt { signed, entry, signed_at } = self.sign(&signer, &contents)?;
        let logged = LedgerRecord {
            key: Some(step(record)),
            ..LedgerRecord::new(signed, signer.kid().as_str(), KEY_CLASS, entry, signed_at, request)
        };
        let appended = self.ledger.append(logged).await?;
        if let Err(error) = self.keys.follow(&*self.ledger).await {
            tracing::error!(%error, "a change of a key is logged, and cannot be followed");
        }
        Ok(appended.leaf)
    }
}

/// The step of the ledger that goes with a record.
fn step(record: &KeyRecord) -> KeyStep {
    let name = record.key.name().to_owned();
    match (&record.replaces, record.change, &record.possession) {
        (Some(former), KeyChange::Ended, _) => KeyStep::LogKeyEnded { name: former.clone(), successor: name },
        (Some(former), KeyChange::Revoked, None) => {
            KeyStep::RevokedFormer { role: record.key.role(), name: former.clone(), current: name }
        }
        (Some(replaces), _, _) => {
            KeyStep::Replaced { role: record.key.role(), name, replaces: replaces.clone() }
        }
        (None, _, _) => KeyStep::Introduced { name },
    }
}
