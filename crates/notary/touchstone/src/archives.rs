//! The archives that agents fetch from the running service.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use audit_archive::{Filter, Published, PublishedHead, export_to};
use notary::Notary;
use receipt::key::jwks;
use server::exports::{Archives, AskedArchive};
use store_transfer::{Place, StoreReader};

/// Reads the store beside the ledger, on a connection of its own.
pub struct StoreArchives {
    pub place: Place,
    pub notary: Arc<Notary>,
    /// The policy of witnesses, where there is one.
    pub policy: Option<Vec<u8>>,
}

impl Archives for StoreArchives {
    fn write(&self, asked: &AskedArchive, to: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
        // The keys before the head: the newest log key of these has signed it, or signs beside one that has.
        let keys = self.notary.keys.current();
        // A head that this process has published: the store's newest may not be durable everywhere yet.
        let head = self.notary.ledger.head();
        let head = PublishedHead { size: head.size, checkpoint: head.checkpoint.to_string() };
        let published = Published {
            log_key: keys.log_key().clone(),
            log_keys: keys.log_keys.clone(),
            jwks: format!("{:#}\n", jwks(&keys.published, &keys.log_keys)).into_bytes(),
            policy: self.policy.clone(),
        };
        let filter = Filter {
            since: asked.since,
            until: asked.until,
            agent: Some(asked.agent.as_str().to_owned()),
            class: None,
        };
        let mut store = StoreReader::open(&self.place)?;
        export_to(&mut store, &published, &filter, &head, to)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_id_of_a_watch_is_in_no_archive() {
        assert_eq!(audit_archive::layout::SECRET_ROLE, watch::SECRET_ROLE);
    }
}
