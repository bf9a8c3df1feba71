//! The keys folder: `receipt.pem` signs receipts, `log.pem` signs the log unless its key is elsewhere, `rerun.pem` signs what reruns find,
//! `webhook.pem` signs webhooks, `retired.jwks` are former keys of receipts and reruns, and `base_url` says whose keys they are.
//! `log.next.pem` signs the log beside `log.pem`, or is to; `log.new` is there while the log key has signed nothing yet.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use ledger::{Identity, LogKeyRing};
use log_signer::{LogSignerSettings, RemoteSigner};
use receipt::history::{KeyRole, NotedKey};
use receipt::key::file::sync_folder_of;
use receipt::key::{
    KeyFileError, KeyId, KeyState, PublishedKey, SigningKey, log_origin_from_base_url, parse_jwks,
};
use receipt::sign::Signer;
use tlog::{LogSigners, VerifierKey};

use crate::key_changes::files::{KeyFiles, write_retired};
use crate::key_changes::log_key::checkpoint_key;

/// The private keys of a notary at a base address.
pub struct NotaryKeys {
    /// Signs receipts.
    pub receipt: SigningKey,
    /// The key's name.
    pub kid: KeyId,
    /// Signs the log's checkpoints.
    pub log: LogSigners,
    /// Signs the checkpoints beside it, or is to; `None` where there is none.
    pub next_log: Option<tlog::SigningKey>,
    /// Signs with the log's key what is not a checkpoint; `None` where the key is elsewhere.
    pub log_signer: Option<Signer>,
    /// The signer of the log's checkpoints, where the key is elsewhere.
    pub remote_log_signer: Option<Arc<RemoteSigner>>,
    /// The public half of the key of reruns. This process has no use for the other.
    pub rerun: PublishedKey,
    /// Signs webhooks. If keys are only read, this key may be absent.
    pub webhook: Option<SigningKey>,
    /// The keys of receipts and of reruns, former ones too; first the one that signs receipts.
    pub published: Vec<PublishedKey>,
}

impl NotaryKeys {
    /// Reads the keys; with `create`, makes those that are not there yet. A log key elsewhere is not asked for anything.
    pub fn open(
        folder: &Path,
        base_url: &str,
        create: bool,
        elsewhere: &LogSignerSettings,
    ) -> anyhow::Result<Self> {
        if create {
            make_folder(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let open = |name: &str| {
            let path = folder.join(name);
            if create { SigningKey::load_or_create(&path) } else { SigningKey::load(&path) }
        };
        if create {
            let path = folder.join(BASE_URL);
            std::fs::write(&path, base_url).with_context(|| format!("write {}", path.display()))?;
        }
        let receipt = open(RECEIPT)?;
        let kid = receipt.id(base_url)?;
        let log = LogKey::open(folder, base_url, create, elsewhere)?;
        let next_log = KeyFiles::new(folder, KeyRole::Log).next()?;
        let next_log = next_log.map(|key| checkpoint_key(&key, base_url)).transpose()?;
        let rerun = open(RERUN)?.public_key();
        if rerun == receipt.public_key() {
            bail!("{RERUN} and receipt.pem in {} hold one key: a rerun needs its own", folder.display());
        }
        let webhook = if create { Some(open(WEBHOOK)?) } else { None };
        if webhook.as_ref().is_some_and(|key| [receipt.public_key(), rerun].contains(&key.public_key())) {
            bail!("{WEBHOOK} in {} holds the key of another file: webhooks need their own", folder.display());
        }
        let rerun = PublishedKey::rerun(KeyId::new(base_url, &rerun)?, rerun);
        let mut published = vec![PublishedKey::active(kid.clone(), receipt.public_key())];
        // The operator keeps the whole set as it was: a key that is still in use is in it too.
        for former in retired(&folder.join(RETIRED))? {
            if former.kid != rerun.kid && published.iter().all(|key| key.kid != former.kid) {
                published.push(former);
            }
        }
        published.push(rerun.clone());
        let LogKey { signer, statements, remote } = log;
        Ok(Self {
            receipt,
            kid,
            log: signer,
            next_log,
            log_signer: statements,
            remote_log_signer: remote,
            rerun,
            webhook,
            published,
        })
    }

    /// The public halves of the log's keys: the one in use, and the one that signs beside it or is to.
    pub fn log_keys(&self) -> Vec<VerifierKey> {
        let next = self.next_log.as_ref().map(tlog::SigningKey::verifier);
        [Some(self.log.verifier()), next].into_iter().flatten().collect()
    }

    /// The keys that checkpoints may be signed with.
    pub fn log_ring(log: LogSigners, next: Option<tlog::SigningKey>) -> LogKeyRing {
        let ring = LogKeyRing::from(log);
        if let Some(next) = next {
            ring.add(Arc::new(next));
        }
        ring
    }

    /// The names of the keys that sign no more.
    pub fn retired_kids(&self) -> Vec<String> {
        let retired = self.published.iter().filter(|key| key.state == KeyState::Retired);
        retired.map(|key| key.kid.as_str().to_owned()).collect()
    }
}

/// The log's key, in the folder or elsewhere.
struct LogKey {
    signer: LogSigners,
    statements: Option<Signer>,
    remote: Option<Arc<RemoteSigner>>,
}

impl LogKey {
    fn open(
        folder: &Path,
        base_url: &str,
        create: bool,
        elsewhere: &LogSignerSettings,
    ) -> anyhow::Result<Self> {
        if elsewhere.is_set() {
            let remote = Arc::new(elsewhere.signer(&log_origin_from_base_url(base_url)?)?);
            let signer = LogSigners::new(Arc::clone(&remote) as _);
            return Ok(Self { signer, statements: None, remote: Some(remote) });
        }
        let key = if create { load_or_create_log_key(folder)? } else { SigningKey::load(&folder.join(LOG))? };
        let kid = key.id(base_url)?;
        let signer = checkpoint_key(&key, base_url)?.into();
        Ok(Self { signer, statements: Some(Signer::new(key, kid)), remote: None })
    }

    /// The public half; `None` where there is no key yet.
    fn verifier(
        folder: &Path,
        base_url: &str,
        elsewhere: &LogSignerSettings,
    ) -> anyhow::Result<Option<VerifierKey>> {
        if elsewhere.is_set() {
            return Ok(Some(elsewhere.verifier(&log_origin_from_base_url(base_url)?)?));
        }
        let Some(key) = load(folder, LOG)? else { return Ok(None) };
        Ok(Some(checkpoint_key(&key, base_url)?.verifier()))
    }
}

const RECEIPT: &str = "receipt.pem";
const LOG: &str = "log.pem";
const RERUN: &str = "rerun.pem";
pub const RETIRED: &str = "retired.jwks";
const WEBHOOK: &str = "webhook.pem";

/// Names the log key that has signed nothing yet, by its public half in hexadecimal digits.
const UNUSED_LOG_KEY: &str = "log.new";

/// Reads the log key, or makes one. That a new one is unused is on the disk before the key is: a key of which nothing is
/// said counts as used, so one that comes back from a backup without the store does.
fn load_or_create_log_key(folder: &Path) -> anyhow::Result<SigningKey> {
    if let Some(key) = load(folder, LOG)? {
        return Ok(key);
    }
    let key = SigningKey::generate()?;
    let path = folder.join(UNUSED_LOG_KEY);
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(public_half(&key).as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| sync_folder_of(&path)).with_context(|| format!("write {}", path.display()))?;
    match key.save(&folder.join(LOG)) {
        // Another process was quicker: its key is the key, and only one of the two gets to open the store.
        Err(KeyFileError::Exists { .. }) => Ok(SigningKey::load(&folder.join(LOG))?),
        saved => Ok(saved.map(|()| key)?),
    }
}

fn public_half(key: &SigningKey) -> String {
    hex::encode(key.public_key().0)
}

/// Holds a log key that is there against a store that is not: an empty log under a key that has signed another one is a
/// fork of that, which anybody can prove who kept a checkpoint.
///
/// # Errors
/// The key was used before, as far as anybody can tell.
pub fn refuse_second_log(folder: &Path, store: &str, elsewhere: &LogSignerSettings) -> anyhow::Result<()> {
    if elsewhere.is_set() {
        // Nobody here has made the key, so nobody knows what it has signed.
        bail!(
            "the log's key is elsewhere (log_signer), and there is no store {store}: if that key has begun a log before, an \
             empty one would fork it. Put the store back, or name it (store). If the key has signed no log yet, start once \
             with --new-log; nothing was made"
        );
    }
    let Some(key) = load(folder, LOG)? else { return Ok(()) };
    let unused = match std::fs::read(folder.join(UNUSED_LOG_KEY)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.with_context(|| format!("read {}", folder.join(UNUSED_LOG_KEY).display()))?,
    };
    if unused.trim_ascii() == public_half(&key).as_bytes() {
        return Ok(());
    }
    bail!(
        "{} is the key of a log that was begun before, and there is no store {store}: an empty log under the same key would \
         fork that one. Put the store back, or name it (store). If it is lost for good, begin a new notary: move {LOG} and \
         {RECEIPT} away, and new keys are made. If nobody ever relied on the old log, start once with --new-log; nothing \
         was made",
        folder.join(LOG).display(),
    );
}

/// Says that the log key has signed a log: from now on no empty one is begun under it. It lasts when this returns.
pub fn log_has_begun(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(UNUSED_LOG_KEY);
    let removed = match std::fs::remove_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync_folder_of(&path)),
    };
    removed.with_context(|| format!("remove {}", path.display()))
}

/// Those of the keys that a service cannot do without which are not there. It makes them, unless a store has others.
pub fn missing(folder: &Path, elsewhere: &LogSignerSettings) -> anyhow::Result<Vec<&'static str>> {
    let mut missing = Vec::new();
    for name in [RECEIPT, LOG, RERUN] {
        let is_needed = name != LOG || !elsewhere.is_set();
        if is_needed && load(folder, name)?.is_none() {
            missing.push(name);
        }
    }
    Ok(missing)
}

/// A key of the folder; `None` where there is no file of that name. A pipe is not read: it would hold who reads it.
pub fn load(folder: &Path, name: &str) -> anyhow::Result<Option<SigningKey>> {
    let path = folder.join(name);
    let found = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.with_context(|| format!("read {}", path.display()))?,
    };
    Ok(if found.is_file() { Some(SigningKey::load(&path)?) } else { None })
}

/// Holds the keys in a folder against those that a store was made with, before any is made: new ones would only lie where
/// the right ones have to come back to.
///
/// # Errors
/// A key in the folder differs from the store's, or is absent. Only a receipt key may be missing, where
/// `retired.jwks` has the store's: its successor is yet to be made; and those of reruns and webhooks, unless the store
/// `is_shared`: then all processes need the same.
pub fn hold_against(
    folder: &Path,
    base_url: &str,
    (store, is_shared): (&Identity, bool),
    elsewhere: &LogSignerSettings,
) -> anyhow::Result<()> {
    let place = folder.display();
    let Identity { receipt_kid, log_vkey, .. } = store;
    let is_retired = retired(&folder.join(RETIRED))?
        .iter()
        .any(|key| key.state == KeyState::Retired && key.kid.as_str() == receipt_kid);
    match load(folder, RECEIPT)? {
        None if is_retired => {}
        None => bail!("the store has the receipt key {receipt_kid}, and {place} has no {RECEIPT}: {RESTORE}"),
        Some(key) => {
            let kid = key.id(base_url)?;
            let (ours, theirs) = (kid.as_str(), receipt_kid.as_str());
            if ours != theirs && thumbprint(ours) == thumbprint(theirs) {
                bail!(
                    "the store was made with another base address: with {base_url}, its receipt key {theirs} would be \
                     {ours}: set base_url as it was"
                );
            }
            if ours != theirs && !is_retired {
                bail!(
                    "the store was made with another receipt key: it has {theirs}, and {place} has {ours}: {RESTORE}"
                );
            }
            // Here too, before any key is made.
            if ours != theirs && store.recorded.iter().any(|recorded| recorded == ours) {
                bail!(
                    "the receipt key {ours} in {place} is a former one, and the store has {theirs}: {RESTORE}"
                );
            }
        }
    }
    let Some(ours) = LogKey::verifier(folder, base_url, elsewhere)? else {
        bail!("the store has the log key {log_vkey}, and {place} has no {LOG}: {RESTORE}");
    };
    let mut log_vkeys = store.log_vkeys();
    let ours = ours.to_string();
    let is_ours = log_vkeys.next() == Some(&*ours);
    if !is_ours && elsewhere.is_set() {
        bail!(
            "the store was made with another log key or log origin: it has {log_vkey}, and log_signer.public_key and \
             base_url give {ours}: a log keeps its key, see docs/keys.md"
        );
    }
    if !is_ours {
        bail!(
            "the store was made with another log key or log origin: it has {log_vkey}, and {place} and base_url give \
             {ours}: {RESTORE}"
        );
    }
    if let Some(second) = log_vkeys.next() {
        let next = KeyFiles::new(folder, KeyRole::Log).next()?;
        let ours = next.map(|next| checkpoint_key(&next, base_url)).transpose()?;
        if ours.is_none_or(|ours| ours.verifier().to_string() != second) {
            bail!(
                "the log key {second} signs beside that of {LOG}, and {place} does not have it in log.next.pem: copy it from \
                 another replica, or from the backup; no key was made"
            );
        }
    }
    let others = [(RERUN, &store.rerun_kid), (WEBHOOK, &store.webhook_key)];
    for (name, stored) in others.into_iter().filter(|_| is_shared) {
        if let Some(stored) = stored
            && load(folder, name)?.is_none()
        {
            bail!("the store has the key {stored}, and {place} has no {name}: {COPY}");
        }
    }
    Ok(())
}

/// The advice for keys that the other processes have.
const COPY: &str =
    "copy it from another replica, or have `touchstone config adopt` make a new one; no key was made";

/// Takes the keys over that are to come, where the store is bound to them already: the process that logged their records
/// ended before its files were in step, or another replica has logged them.
pub fn take_next_over(folder: &Path, base_url: &str, store: &Identity) -> anyhow::Result<()> {
    for (role, stored) in [(KeyRole::Rerun, &store.rerun_kid), (KeyRole::Webhook, &store.webhook_key)] {
        let files = KeyFiles::new(folder, role);
        let Some(next) = files.next()? else { continue };
        let kid = next.id(base_url)?;
        let name = match role {
            KeyRole::Webhook => NotedKey::webhook(next.public_key()).name().to_owned(),
            _ => kid.as_str().to_owned(),
        };
        if stored.as_deref() == Some(&*name) {
            keep_former(folder, files.current()?, base_url, role)?;
            files.take_over(next.public_key())?;
        }
    }
    let files = KeyFiles::new(folder, KeyRole::Log);
    if let Some(next) = files.next()?
        && store.log_vkey == checkpoint_key(&next, base_url)?.verifier().to_string()
    {
        files.take_over(next.public_key())?;
    }
    let files = KeyFiles::new(folder, KeyRole::Receipt);
    let Some(next) = files.next()? else { return Ok(()) };
    if next.id(base_url)?.as_str() != store.receipt_kid {
        return Ok(());
    }
    keep_former(folder, files.current()?, base_url, KeyRole::Receipt)?;
    files.take_over(next.public_key()).map(drop)
}

/// Adds a key that another one takes the place of to the former ones. Those of webhooks are not kept.
fn keep_former(folder: &Path, key: Option<SigningKey>, base_url: &str, role: KeyRole) -> anyhow::Result<()> {
    let Some(key) = key else { return Ok(()) };
    let (kid, public) = (key.id(base_url)?, key.public_key());
    let key = match role {
        KeyRole::Receipt => PublishedKey::retired(kid, public),
        KeyRole::Rerun => PublishedKey::rerun(kid, public),
        KeyRole::Webhook | KeyRole::Log => return Ok(()),
    };
    let mut former = retired(&folder.join(RETIRED))?;
    if former.iter().any(|known| known.kid == key.kid) {
        return Ok(());
    }
    former.push(key);
    write_retired(folder, &former)
}

/// Returns the part of a `kid` that identifies the key itself, its thumbprint.
fn thumbprint(kid: &str) -> Option<&str> {
    kid.split_once('#').map(|(_, thumbprint)| thumbprint)
}

/// The advice for keys that are not the store's.
const RESTORE: &str = "put the store's keys back from the backup, or name the folder that has them (keys_dir), and start \
    again; no key was made";

/// The key that a rerun signs with, and its name. The other keys are not touched.
pub fn rerun_key(folder: &Path, base_url: &str) -> anyhow::Result<(SigningKey, KeyId)> {
    let key = SigningKey::load(&folder.join(RERUN))?;
    let kid = key.id(base_url)?;
    Ok((key, kid))
}

/// The file that says for which base address the keys were last used: their names follow from it.
const BASE_URL: &str = "base_url";

/// The base address that the keys in a folder were last used for.
pub fn last_base_url(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join(BASE_URL)).ok().map(|url| url.trim().to_owned())
}

fn retired(path: &Path) -> anyhow::Result<Vec<PublishedKey>> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let keys = parse_jwks(&bytes).with_context(|| format!("{}", path.display()))?;
            let former = |key: PublishedKey| match key.state {
                KeyState::Rerun => key,
                KeyState::Active | KeyState::Retired => PublishedKey { state: KeyState::Retired, ..key },
            };
            Ok(keys.into_iter().map(former).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

/// Makes a folder that only its owner may enter, where there is none.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
