//! The identity of the notary under test: a base address that does not depend on the port in use, and keys in its
//! folder.

use std::path::Path;

use anyhow::Context as _;
use receipt::key::{KeyId, PublishedKey, SigningKey, log_origin_from_base_url};
use receipt::verify::{Keys, Verifier};

/// The public base address of every notary here.
pub const BASE_URL: &str = "http://localhost:8402";

/// The keys of a data folder.
pub struct Identity {
    /// Signs receipts.
    pub receipt: SigningKey,
    /// The key's name.
    pub kid: KeyId,
    /// Signs the log.
    pub log: tlog::SigningKey,
}

impl Identity {
    /// Reads the keys as the notary does, or makes them where there are none.
    pub fn of(data_folder: &Path) -> anyhow::Result<Self> {
        let folder = data_folder.join("keys");
        std::fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        let receipt = SigningKey::load_or_create(&folder.join("receipt.pem"))?;
        let kid = receipt.id(BASE_URL)?;
        let log_seed = SigningKey::load_or_create(&folder.join("log.pem"))?.seed();
        // Signs nothing here, but a folder of keys without it is not whole.
        SigningKey::load_or_create(&folder.join("rerun.pem"))?;
        let log = tlog::SigningKey::from_seed(&log_origin_from_base_url(BASE_URL)?, &log_seed)?;
        Ok(Self { receipt, kid, log })
    }

    /// Returns the verifier of the notary's receipts.
    pub fn verifier(&self) -> anyhow::Result<Verifier> {
        let published = PublishedKey::active(self.kid.clone(), self.receipt.public_key());
        Ok(Verifier::new(Keys::new(vec![published], vec![self.log.verifier()])?))
    }

    /// The names that a store is bound to.
    pub fn binding(&self) -> ledger::Identity {
        ledger::Identity {
            receipt_kid: self.kid.as_str().to_owned(),
            log_vkey: self.log.verifier().to_string(),
            ..ledger::Identity::default()
        }
    }
}
