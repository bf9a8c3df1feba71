//! Receipts that a thief of the receipt's and the log's key could sign: the notary's log does not have them.

use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::Signer;
use serde_json::{Value, json};
use tlog::{Checkpoint, EMPTY_ROOT, RightEdge, TlogProof, leaf_hash};

use super::claims::with;
use super::notary::Notary;
use super::receipt::{entry, payload};
use super::service::Service;

/// Who has the keys of a service.
pub struct Thief {
    signer: Signer,
    log: tlog::SigningKey,
}

impl Thief {
    pub fn of(service: &Service) -> Self {
        let key = |name| SigningKey::load(&service.path("keys").join(name)).unwrap();
        let iss = Notary::of(service).iss;
        let (receipt, origin) = (key("receipt.pem"), log_origin_from_base_url(&iss).unwrap());
        let kid = receipt.id(&iss).unwrap();
        let log = tlog::SigningKey::from_seed(&origin, &key("log.pem").seed()).unwrap();
        Self { signer: Signer::new(receipt, kid), log }
    }

    /// The receipt as it stands, signed anew, and alone in a tree of the thief's own.
    pub fn sign(&self, receipt: Value) -> Value {
        self.sign_at(receipt, 0)
    }

    /// The same at a leaf of a tree of the thief's own, after leaves of nothing.
    pub fn sign_at(&self, receipt: Value, leaf: u64) -> Value {
        let receipt = with(receipt, "/kid", json!(self.signer.kid().as_str()));
        let head = json!({"size": 0, "root": EMPTY_ROOT.to_hex()});
        let receipt = with(receipt, "/log_head", head);
        let signed = self.signer.sign(payload(&receipt));
        let receipt = with(receipt, "/receipt_hash", json!(signed.hash.to_string()));
        let mut tree = RightEdge::new().stage();
        for filler in 0..leaf {
            tree.append(leaf_hash(&filler.to_be_bytes()));
        }
        let index = tree.append(leaf_hash(&entry(&receipt)));
        let path = tree.inclusion_path(index).unwrap();
        let checkpoint = Checkpoint::new(self.log.name(), tree.size(), tree.root()).unwrap();
        let checkpoint = checkpoint.sign(&self.log).unwrap();
        let proof = TlogProof { extra: None, index, path, checkpoint }.to_string();
        serde_json::from_slice(&signed.to_json(Some(&proof))).unwrap()
    }
}
