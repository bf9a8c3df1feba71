//! The successor of the log's key: `log.next.pem` signs each checkpoint beside `log.pem` from its record on, and alone once an
//! operator has ended that overlap.

use std::sync::Arc;

use anyhow::bail;
use cosigning::Cosigning;
use ledger::LogKeyRing;
use notary::KeySet;
use receipt::history::{KeyRecord, KeyRole, NotedKey};
use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::Signer;
use tlog::VerifierKey;

use super::{Coming, KeyChanges};

/// The keys of the log, as the parts of this process have them.
pub struct LogKeys {
    /// The key with which the process has started.
    pub first: VerifierKey,
    /// The keys that the ledger signs checkpoints with.
    pub ring: LogKeyRing,
    /// The cosigning of checkpoints, which accepts those of these keys; `None` where there is none.
    pub cosigning: Option<Arc<Cosigning>>,
    /// True if the key with which the process has started is not in the keys folder.
    pub is_elsewhere: bool,
}

/// A private log key as one that signs checkpoints of the notary at a base address.
pub fn checkpoint_key(private: &SigningKey, base_url: &str) -> anyhow::Result<tlog::SigningKey> {
    Ok(tlog::SigningKey::from_seed(&log_origin_from_base_url(base_url)?, &private.seed())?)
}

/// A private log key as the log's records name it.
pub fn noted(private: &SigningKey, base_url: &str) -> anyhow::Result<NotedKey> {
    let key = checkpoint_key(private, base_url)?.verifier();
    NotedKey::log(&key).ok_or_else(|| anyhow::anyhow!("the log's key is not of Ed25519"))
}

/// The log keys that sign checkpoints now, in the order in which they came.
fn in_use(set: &KeySet) -> Vec<NotedKey> {
    set.history.log_keys_in_use().map(|period| period.key.clone()).collect()
}

impl KeyChanges {
    /// Makes the files, and the keys that the ledger signs with, those that the log's records say.
    ///
    /// # Errors
    /// This process does not have a log key that is in use.
    pub(super) fn settle_log_key(&self) -> anyhow::Result<()> {
        let (set, files) = (self.notary.keys.current(), self.files(KeyRole::Log));
        let in_use = in_use(&set);
        let LogKeys { ring, cosigning, .. } = &self.others.log;
        if in_use.is_empty() {
            return Ok(());
        }
        // In this order: another process with this folder may rename the first to the second meanwhile.
        let (next, current) = (files.next()?, files.current()?);
        for private in [&current, &next].into_iter().flatten() {
            ring.add(Arc::new(checkpoint_key(private, &self.notary.iss)?));
        }
        let mut kept: Vec<String> = in_use.iter().map(|key| key.name().to_owned()).collect();
        let has = ring.vkeys();
        let missing = kept.iter().find(|vkey| !has.contains(vkey));
        if let Some(cosigning) = cosigning {
            let keys: Vec<VerifierKey> = set.log_keys.iter().map(|key| key.key.clone()).collect();
            let now: Vec<VerifierKey> = kept.iter().filter_map(|vkey| vkey.parse().ok()).collect();
            cosigning.set_log_keys(&now, &keys);
        }
        if let Some(missing) = missing {
            bail!(
                "the log key in use is {missing}, which this process does not have: copy log.pem, or log.next.pem, from where \
                 it is"
            );
        }
        if let [only] = &*in_use {
            let is_alone = |private: &&SigningKey| private.public_key() == only.public();
            // Another process with this folder may have renamed the file already.
            if let Some(private) = [&next, &current].into_iter().flatten().find(is_alone) {
                self.sign_alone_with(private, only)?;
            }
            files.take_over(only.public())?;
        }
        if let Some(next) = next {
            kept.push(noted(&next, &self.notary.iss)?.name().to_owned());
        }
        ring.keep_only(&kept.iter().map(String::as_str).collect::<Vec<_>>());
        if files
            .asked_end()?
            .is_some_and(|asked| set.history.key(&asked).is_none_or(|key| key.range.until.is_some()))
        {
            files.forget_end()?;
        }
        Ok(())
    }

    /// Signs what is not a checkpoint with the one log key in use, where another one does.
    fn sign_alone_with(&self, private: &SigningKey, only: &NotedKey) -> anyhow::Result<()> {
        let (keys, kid) = (&self.notary.keys, private.id(&self.notary.iss)?);
        let is_used = match keys.log_signer() {
            Some(signer) => *signer.kid() == kid,
            None => self.others.log.first.to_string() == only.name(),
        };
        if !is_used {
            keys.set_log_signer(Signer::new(SigningKey::from_seed(&private.seed()), kid));
            tracing::info!(key = only.name(), "the log's key has changed");
        }
        Ok(())
    }

    /// The log key that is to come; `None` where there is none, or it signs already. The inner error is the reason why the key
    /// of the file can never come.
    pub(super) fn coming_log_key(&self) -> anyhow::Result<Result<Option<Coming>, String>> {
        let set = self.notary.keys.current();
        let in_use = in_use(&set);
        let [current] = &*in_use else { return Ok(Ok(None)) };
        let files = self.files(KeyRole::Log);
        let Some(private) = files.next()? else { return Ok(Ok(None)) };
        let key = noted(&private, &self.notary.iss)?;
        if key.name() == current.name() {
            return Ok(Ok(None));
        }
        if self.others.log.is_elsewhere {
            return Ok(Err(format!(
                "{} is there, and the log's key is elsewhere (log_signer), which no key of the folder replaces: delete the file",
                files.next_path().display()
            )));
        }
        if let Err(why) = files.check_next(private.public_key(), &set.history) {
            return Ok(Err(why));
        }
        // Before the others are told that this process is ready: from the record on it has to sign with it.
        self.others.log.ring.add(Arc::new(checkpoint_key(&private, &self.notary.iss)?));
        Ok(Ok(Some(Coming { key, private, replaces: current.name().to_owned(), reason: None })))
    }

    /// Logs the end of the log key that another one signs beside, where an operator has asked for it.
    pub(super) async fn end_log_key(&self) -> anyhow::Result<()> {
        let Some(asked) = self.files(KeyRole::Log).asked_end()? else { return Ok(()) };
        let set = self.notary.keys.current();
        let in_use = in_use(&set);
        let [old, new] = &*in_use else { return Ok(()) };
        if old.name() != asked {
            return Ok(());
        }
        // For those who know the old key alone and come later. A replica that does not know of the overlap's head yet looks again.
        let note = self.notary.ledger.head().checkpoint.to_string();
        if !set.history.is_handover(&note) {
            return Ok(());
        }
        let record = KeyRecord::ending(new.clone(), old.name(), Some(note));
        self.log(&record, Arc::clone(&set.signer)).await
    }
}
