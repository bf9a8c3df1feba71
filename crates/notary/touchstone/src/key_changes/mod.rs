//! Changes of the notary's keys beside the running service: the log's records of them, and the files of the keys folder.
//!
//! An operator's command puts a key into the keys folder (see [`files`]), and never writes the log. Every second the service
//!
//! 1. follows the log's records of keys, and makes the files those of the keys in use;
//! 2. logs the records that are missing: of its keys at the first start, and of those that were exchanged while it was
//!    stopped;
//! 3. reads the key that is to come. When all replicas are ready for the same one, one of them logs its record, and from that
//!    leaf on the store takes nothing that the former key signed.
//!
//! | module | content |
//! |---|---|
//! | [`files`] | the files of the keys folder |
//! | [`log_key`] | the log's key, which has its successor beside it for a while |

pub mod files;
pub mod log_key;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use dispute::rerun::RerunKeys;
use ledger::LedgerError;
use module::Background;
use notary::{KeyRingError, KeySet, NextKey, Notary, NotaryError};
use receipt::history::{KeyHistory, KeyRecord, KeyRole, NotedKey};
use receipt::key::{KeyId, KeyState, PublishedKey, SigningKey, VerifyingKey};
use receipt::sign::Signer;
use verdict::Repeats;
use watch::WebhookKey;

use self::files::{KeyFiles, write_retired};
use self::log_key::LogKeys;

/// The time after which the keys folder and the log's records are looked at again.
const INTERVAL: Duration = Duration::from_secs(1);
/// The name of this part in `/health`.
pub const PART: &str = "keys";
/// The reason that is logged for a receipt key which was exchanged while nothing served: it could not sign its own end.
const EXCHANGED: &str = "it was exchanged while the notary was stopped";

/// The roles of keys that change with one record. The log's key needs two: see [`log_key`].
pub const CHANGEABLE: [KeyRole; 3] = [KeyRole::Receipt, KeyRole::Rerun, KeyRole::Webhook];

/// The keys that a process works with besides the receipt key.
pub struct OtherKeys {
    /// Signs webhooks.
    pub webhook: WebhookKey,
    /// The keys that the answers of reruns are accepted under.
    pub reruns: RerunKeys,
    /// The log's keys.
    pub log: LogKeys,
}

/// Keeps the log's records of keys and the keys folder in step.
pub struct KeyChanges {
    notary: Arc<Notary>,
    folder: PathBuf,
    others: OtherKeys,
    background: Background,
}

/// A key that is to take the place of the one in use.
struct Coming {
    key: NotedKey,
    private: SigningKey,
    /// The name of the key in use.
    replaces: String,
    /// The reason for revoking that one; `None` where it is only replaced.
    reason: Option<String>,
}

impl KeyChanges {
    /// The changes of a notary whose keys are in this folder. Troubles go to `background`.
    pub fn new(notary: Arc<Notary>, folder: PathBuf, others: OtherKeys, background: Background) -> Self {
        Self { notary, folder, others, background }
    }

    /// Looks once before the service is open, so that the log begins with the records of its keys. Where the store cannot be
    /// read or written, that is only told: what is missing is logged later.
    ///
    /// # Errors
    /// What this process signs would not hold: the log's records break a rule, another receipt key is in use than it has, or
    /// the record of the one that it has cannot be logged.
    pub async fn begin(&self) -> anyhow::Result<()> {
        let Notary { ledger, keys, .. } = &*self.notary;
        // An archive takes no changes, and still tells which keys it was signed with.
        let begun = if ledger.is_away() { self.follow().await } else { self.round().await };
        if let Err(error) = begun {
            match error.downcast_ref() {
                None | Some(KeyRingError::Ledger(_)) => {
                    tracing::warn!("the keys are not in step with the log's records yet: {error:#}");
                }
                // An archive signs nothing.
                Some(_) if !ledger.is_away() => return Err(error.context("the log's records of keys")),
                Some(_) => tracing::error!("the log's records of keys: {error:#}"),
            }
        }
        let set = keys.current();
        let in_use = set.history.current(KeyRole::Receipt).map(|current| current.key.name());
        // Before its record a key that was exchanged signs nothing that holds.
        if let Some(in_use) = in_use.filter(|kid| *kid != set.signer.kid().as_str() && !ledger.is_away()) {
            let kid = set.signer.kid();
            bail!(
                "the receipt key in use is {in_use}, and the record of {kid} is not logged yet: start again"
            );
        }
        Ok(())
    }

    /// Looks every second, for as long as it is polled.
    pub async fn keep(self: Arc<Self>) {
        let repeats = Repeats::default();
        loop {
            let round = self.round().await;
            self.background.set_trouble(PART, round.is_err().then_some("out_of_step"));
            if let Err(error) = round {
                let why = format!("{error:#}");
                if let Some(repeats) = repeats.due(&why, self.notary.clock.monotonic()) {
                    tracing::error!(why, repeats, "the keys are not in step with the log's records");
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    async fn round(&self) -> anyhow::Result<()> {
        let Notary { ledger, keys, .. } = &*self.notary;
        // An archive takes no changes, and a store that is away tells nothing.
        if ledger.is_away() {
            return Ok(());
        }
        self.follow().await?;
        self.log_missing().await?;
        self.settle_files()?;
        let (coming, refused) = self.read_coming()?;
        let ready: Vec<String> = coming.iter().map(Coming::report).collect();
        keys.set_ready(ready.join(", "));
        keys.set_next(coming.iter().find_map(|coming| coming.as_receipt_key().ok()?));
        if !coming.is_empty() && self.are_all_ready().await? {
            for coming in coming {
                self.change(coming).await?;
            }
        }
        self.revoke_former().await?;
        self.end_log_key().await?;
        self.settle_files()?;
        // What else is to come does not wait for it.
        refused.map_or(Ok(()), |why| Err(anyhow::Error::msg(why)))
    }

    /// Follows the log's records of keys. A replica that has missed a change has the key that is in use by now in its folder.
    async fn follow(&self) -> anyhow::Result<()> {
        let Notary { ledger, keys, .. } = &*self.notary;
        let Err(error) = keys.follow(&**ledger).await else { return Ok(()) };
        if let KeyRingError::NotHere(kid) = &error
            && let Some(signer) = self.receipt_key_here(kid)?
        {
            keys.set_next(Some(NextKey { signer: Arc::new(signer) }));
            keys.follow(&**ledger).await?;
            return Ok(());
        }
        Err(error.into())
    }

    /// The receipt key of this name, where a file of the folder has it.
    fn receipt_key_here(&self, kid: &str) -> anyhow::Result<Option<Signer>> {
        let files = self.files(KeyRole::Receipt);
        // In this order: another process with this folder may rename the first to the second meanwhile.
        for private in [files.next()?, files.current()?].into_iter().flatten() {
            let id = private.id(&self.notary.iss)?;
            if id.as_str() == kid {
                return Ok(Some(Signer::new(private, id)));
            }
        }
        Ok(None)
    }

    fn files(&self, role: KeyRole) -> KeyFiles<'_> {
        KeyFiles::new(&self.folder, role)
    }

    fn noted(&self, role: KeyRole, private: &SigningKey) -> anyhow::Result<NotedKey> {
        let (kid, public) = (private.id(&self.notary.iss)?, private.public_key());
        Ok(match role {
            KeyRole::Rerun => NotedKey::rerun(&kid, public),
            KeyRole::Webhook => NotedKey::webhook(public),
            KeyRole::Receipt => NotedKey::receipt(&kid, public),
            KeyRole::Log => log_key::noted(private, &self.notary.iss)?,
        })
    }

    /// Makes the files, and the keys that this process works with, those that the log's records say.
    fn settle_files(&self) -> anyhow::Result<()> {
        let set = self.notary.keys.current();
        if set.history.is_empty() {
            return Ok(());
        }
        // In this order: a start between the two finds the former key as one, and takes the new one over.
        write_retired(&self.folder, &former(&set))?;
        for role in CHANGEABLE {
            let files = self.files(role);
            for private in [files.next()?, files.current()?].into_iter().flatten() {
                if set
                    .history
                    .current(role)
                    .is_some_and(|current| current.key.public() == private.public_key())
                {
                    let public = private.public_key();
                    self.work_with(role, private, &set)?;
                    if files.take_over(public)? {
                        tracing::info!(role = role.as_str(), "a key has changed");
                    }
                    break;
                }
            }
            if let Some(asked) = files.revocation()?
                && set.history.key(&asked.kid).is_some_and(|period| period.range.revoked.is_some())
            {
                files.forget_revocation(&asked.kid)?;
            }
        }
        self.settle_rerun_keys(&set)?;
        self.settle_log_key()
    }

    /// Accepts no reruns any more under keys that are revoked, and under those that are not to come any more.
    fn settle_rerun_keys(&self, set: &KeySet) -> anyhow::Result<()> {
        let (files, reruns) = (self.files(KeyRole::Rerun), &self.others.reruns);
        let mut unrecorded: Vec<KeyId> = reruns.kid().into_iter().collect();
        // In this order: another process with this folder may rename the first to the second meanwhile.
        for private in [files.next()?, files.current()?].into_iter().flatten() {
            unrecorded.push(private.id(&self.notary.iss)?);
        }
        reruns.keep_only(|kid| match set.history.key(kid.as_str()) {
            Some(period) => period.range.revoked.is_none(),
            None => unrecorded.contains(kid),
        });
        Ok(())
    }

    /// Works with the key of a role from now on, where another one is worked with. The receipt key is that of the notary's ring.
    fn work_with(&self, role: KeyRole, private: SigningKey, set: &KeySet) -> anyhow::Result<()> {
        let key = self.noted(role, &private)?;
        if self.works_with(&key) {
            return Ok(());
        }
        let OtherKeys { webhook, reruns, .. } = &self.others;
        match role {
            KeyRole::Webhook => webhook.replace(private),
            KeyRole::Rerun => {
                let before = reruns.kid().and_then(|kid| set.history.key(kid.as_str()));
                let is_revoked = before.is_some_and(|before| before.range.revoked.is_some());
                let verifying = VerifyingKey::new(private.public_key())?;
                reruns.replace(private.id(&self.notary.iss)?, verifying, is_revoked);
            }
            KeyRole::Receipt | KeyRole::Log => return Ok(()),
        }
        self.notary.keys.note_change();
        Ok(())
    }

    /// Returns true if this process signs webhooks, or accepts reruns, under this key.
    fn works_with(&self, key: &NotedKey) -> bool {
        let OtherKeys { webhook, reruns, .. } = &self.others;
        match key.role() {
            KeyRole::Webhook => webhook.public() == key.name(),
            KeyRole::Rerun => reruns.kid().is_some_and(|kid| kid.as_str() == key.name()),
            KeyRole::Receipt | KeyRole::Log => false,
        }
    }

    /// The keys that are to come, and the reason why another one cannot.
    fn read_coming(&self) -> anyhow::Result<(Vec<Coming>, Option<String>)> {
        let set = self.notary.keys.current();
        let (mut coming, mut refused) = (Vec::new(), None);
        for role in CHANGEABLE {
            let files = self.files(role);
            let (Some(private), Some(current)) = (files.next()?, set.history.current(role)) else { continue };
            let key = self.noted(role, &private)?;
            if let Err(why) = files.check_next(private.public_key(), &set.history) {
                refused = Some(why);
                continue;
            }
            if role == KeyRole::Rerun {
                // Before the others are told that this process is ready: where they share its folder, its next rerun may sign
                // with the key before this process knows of the record.
                let verifying = VerifyingKey::new(private.public_key())?;
                self.others.reruns.expect(private.id(&self.notary.iss)?, verifying);
            }
            let replaces = current.key.name().to_owned();
            let revoked = files.revocation()?.filter(|asked| asked.kid == replaces);
            coming.push(Coming { key, private, replaces, reason: revoked.map(|asked| asked.reason) });
        }
        match self.coming_log_key()? {
            Ok(log_key) => coming.extend(log_key),
            Err(why) => refused = Some(why),
        }
        Ok((coming, refused))
    }

    /// Returns true if all processes that have the store open are ready for the same keys.
    async fn are_all_ready(&self) -> anyhow::Result<bool> {
        let Notary { ledger, keys, .. } = &*self.notary;
        if !ledger.is_shared() {
            return Ok(true);
        }
        let wanted = keys.ready();
        let replicas = ledger.replicas().await?;
        let newest = replicas.iter().map(|replica| replica.seen_at).max();
        // This process too: its own row shows what the others see.
        let mut alive = replicas
            .iter()
            .filter(|replica| newest.is_some_and(|newest| replica.is_alive(newest)))
            .peekable();
        Ok(alive.peek().is_some() && alive.all(|replica| replica.report.next_key == wanted))
    }

    async fn change(&self, coming: Coming) -> anyhow::Result<()> {
        let next = coming.as_receipt_key()?;
        let Coming { key, private, replaces, reason } = coming;
        let is_revoked = reason.is_some();
        let record = KeyRecord::replacing(key, &private, &replaces, reason);
        let current = self.notary.keys.signer();
        // A receipt key that may be another's by now says nothing of its own end.
        let signer = next.filter(|_| is_revoked).map_or(current, |next| next.signer);
        self.log(&record, signer).await
    }

    /// Logs the revocations of keys that are not in use any more.
    async fn revoke_former(&self) -> anyhow::Result<()> {
        for role in CHANGEABLE {
            let Some(asked) = self.files(role).revocation()? else { continue };
            let set = self.notary.keys.current();
            let is_former = set.history.key(&asked.kid).is_some_and(|period| {
                period.key.role() == role && period.range.until.is_some() && period.range.revoked.is_none()
            });
            let Some(current) = set.history.current(role).filter(|_| is_former) else { continue };
            let record = KeyRecord::revoking(current.key.clone(), &asked.kid, asked.reason);
            self.log(&record, Arc::clone(&set.signer)).await?;
        }
        Ok(())
    }

    /// Logs the records of keys that the log does not have yet.
    async fn log_missing(&self) -> anyhow::Result<()> {
        loop {
            let set = self.notary.keys.current();
            let Some(record) = self.missing(&set)? else { return Ok(()) };
            self.log(&record, Arc::clone(&set.signer)).await?;
            // Each record is one fewer that is missing. Where it is not seen, another round looks again.
            if self.notary.keys.current().records.len() == set.records.len() {
                return Ok(());
            }
        }
    }

    /// The next record that is missing.
    fn missing(&self, set: &KeySet) -> anyhow::Result<Option<KeyRecord>> {
        let KeySet { signer, published, history, .. } = set;
        let own = NotedKey::receipt(signer.kid(), signer.key().public_key());
        match history.current(KeyRole::Receipt) {
            None => return Ok(Some(KeyRecord::introduced(own, false))),
            Some(current) if history.key(own.name()).is_none() => {
                let (before, reason) = (current.key.name(), EXCHANGED.to_owned());
                return Ok(Some(KeyRecord::replacing(own, signer.key(), before, Some(reason))));
            }
            Some(_) => {}
        }
        for role in [KeyRole::Rerun, KeyRole::Webhook] {
            let Some(private) = self.files(role).current()? else { continue };
            let key = self.noted(role, &private)?;
            // A file that was exchanged while this process runs is no key of the notary: what is to come has a file of its own.
            if self.works_with(&key)
                && let Some(record) = missing_of(history, key, &private)
            {
                return Ok(Some(record));
            }
        }
        let log = NotedKey::log(&self.others.log.first).filter(|log| history.current(log.role()).is_none());
        if let Some(log) = log {
            return Ok(Some(KeyRecord::introduced(log, false)));
        }
        let unknown = published.iter().find(|key| history.key(key.kid.as_str()).is_none());
        Ok(unknown.map(|key| {
            let noted = match key.state {
                KeyState::Rerun => NotedKey::rerun(&key.kid, key.key),
                KeyState::Active | KeyState::Retired => NotedKey::receipt(&key.kid, key.key),
            };
            KeyRecord::introduced(noted, true)
        }))
    }

    /// Logs a record, unless another process was quicker.
    async fn log(&self, record: &KeyRecord, signer: Arc<Signer>) -> anyhow::Result<()> {
        match self.notary.log_key(record, signer).await {
            Ok(leaf) => {
                let (verdict, key) = (record.change.verdict(), record.key.name());
                tracing::info!(verdict, key, leaf, "a change of a key is logged");
            }
            Err(NotaryError::Ledger(LedgerError::Duplicate | LedgerError::FormerKey { .. })) => {
                self.follow().await?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl Coming {
    /// The text by which processes that share a store see that they are ready for the same change.
    fn report(&self) -> String {
        let verb = if self.reason.is_some() { "revokes" } else { "replaces" };
        format!("{} {verb} {}", self.key.name(), self.replaces)
    }

    /// The key as one that signs receipts; `None` for another role.
    fn as_receipt_key(&self) -> anyhow::Result<Option<NextKey>> {
        if self.key.role() != KeyRole::Receipt {
            return Ok(None);
        }
        let key = SigningKey::from_seed(&self.private.seed());
        let signer = Arc::new(Signer::new(key, self.key.name().parse()?));
        Ok(Some(NextKey { signer }))
    }
}

/// The record of a key that is none of receipts, where the log does not have it.
fn missing_of(history: &KeyHistory, key: NotedKey, private: &SigningKey) -> Option<KeyRecord> {
    if history.key(key.name()).is_some() {
        return None;
    }
    Some(match history.current(key.role()) {
        None => KeyRecord::introduced(key, false),
        Some(current) => KeyRecord::replacing(key, private, current.key.name(), None),
    })
}

/// The published keys that are not in use any more.
fn former(set: &KeySet) -> Vec<PublishedKey> {
    let in_use = |key: &PublishedKey| {
        let current = [KeyRole::Receipt, KeyRole::Rerun].map(|role| set.history.current(role));
        current.into_iter().flatten().any(|period| period.key.name() == key.kid.as_str())
    };
    set.published.iter().filter(|key| !in_use(key)).cloned().collect()
}
