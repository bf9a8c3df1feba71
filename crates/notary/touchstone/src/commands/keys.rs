//! `touchstone keys`: the public halves, for verifiers; new keys, and the end of those that must not be trusted.

mod log_key;

use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use ledger::OperatorStore;
use receipt::history::{KeyHistory, KeyPeriod, KeyRole, MAX_KEY_REASON};
use receipt::key::{LogKey, PublishedKey, SigningKey, jwks};

use super::{store, store_to_log_in};
use crate::cli::{FinishedRole, KeysAction, KeysArgs, RotatedRole};
use crate::key_changes::CHANGEABLE;
use crate::key_changes::files::{KeyFiles, Revocation};
use crate::keys::NotaryKeys;
use crate::settings::Settings;

/// The time after which the log is looked at again.
const INTERVAL: Duration = Duration::from_millis(100);

/// Prints public keys, never a private one; or asks the service for a change of one, and waits for it.
pub fn run(args: &KeysArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let base_url = super::serve::known_base_url(&settings);
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false, &settings.log_signer)?;
    match &args.action {
        KeysAction::Show => {
            println!("receipt key: {}", keys.kid);
            println!("rerun key:   {}", keys.rerun.kid);
            let shown = published(&settings, &keys);
            for key in shown.log_in_use() {
                println!("log key:     {}", key.key);
            }
            println!("{:#}", shown.jwks());
        }
        KeysAction::Jwks => println!("{:#}", published(&settings, &keys).jwks()),
        KeysAction::Log => {
            let shown = published(&settings, &keys);
            println!(
                "{}",
                shown.log_in_use().last().map_or_else(|| keys.log.verifier(), |key| key.key.clone())
            );
        }
        KeysAction::Rotate { role: RotatedRole::Log, timeout } => {
            return log_key::rotate(&settings, &*store_to_log_in(&settings)?, &base_url, *timeout);
        }
        KeysAction::Finish { role: FinishedRole::Log, timeout } => {
            return log_key::finish(&settings, &*store_to_log_in(&settings)?, &base_url, *timeout);
        }
        KeysAction::Rotate { role, timeout } => {
            let store = store_to_log_in(&settings)?;
            history(&*store)?;
            let role = match role {
                RotatedRole::Receipt => KeyRole::Receipt,
                RotatedRole::Rerun => KeyRole::Rerun,
                RotatedRole::Webhook => KeyRole::Webhook,
                RotatedRole::Log => KeyRole::Log,
            };
            return replace(&settings, &*store, role, *timeout);
        }
        KeysAction::Revoke { kid, reason, timeout } => {
            return revoke(&settings, kid, reason, *timeout);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The public keys of a notary, as it publishes them.
pub(super) struct ShownKeys {
    /// The keys of receipts and of reruns.
    pub published: Vec<PublishedKey>,
    /// The keys of the log, in the order in which they came.
    pub log: Vec<LogKey>,
}

impl ShownKeys {
    /// The JWK set of all.
    pub(super) fn jwks(&self) -> serde_json::Value {
        jwks(&self.published, &self.log)
    }

    /// The keys that sign the log's checkpoints now, the newest last.
    pub(super) fn log_in_use(&self) -> impl Iterator<Item = &LogKey> {
        self.log.iter().filter(|key| key.range.as_ref().is_none_or(|range| range.until.is_none()))
    }
}

/// The public keys, with the ranges that the log's records give them where the store can be read.
pub(super) fn published(settings: &Settings, keys: &NotaryKeys) -> ShownKeys {
    let log = [keys.log.verifier()];
    match store(settings).and_then(|store| history(&*store)) {
        Ok(history) => {
            ShownKeys { published: history.published_with(&keys.published), log: history.log_keys_with(&log) }
        }
        Err(error) => {
            eprintln!(
                "touchstone: without the log's records of keys, which leaves a key may sign is not known: {error:#}"
            );
            ShownKeys { published: keys.published.clone(), log: log.map(LogKey::from).to_vec() }
        }
    }
}

/// The keys' history, as the log's records tell it.
fn history(store: &dyn OperatorStore) -> anyhow::Result<KeyHistory> {
    let mut history = KeyHistory::default();
    for record in store.key_records()? {
        history.add(record.leaf, &record.payload, &record.signature)?;
    }
    if history.is_empty() {
        bail!("the log has no records of keys yet: start the service once, which makes them");
    }
    Ok(history)
}

/// The key that is to come; `None` where there is none.
///
/// # Errors
/// It is one that can never come into use.
fn next_of(files: KeyFiles<'_>, store: &dyn OperatorStore) -> anyhow::Result<Option<SigningKey>> {
    let next = files.next()?;
    if let Some(next) = &next {
        files.check_next(next.public_key(), &history(store)?).map_err(anyhow::Error::msg)?;
    }
    Ok(next)
}

/// Puts a new key beside the present one, and waits until the service has taken it.
fn replace(
    settings: &Settings,
    store: &dyn OperatorStore,
    role: KeyRole,
    timeout: u32,
) -> anyhow::Result<ExitCode> {
    let files = KeyFiles::new(&settings.keys_dir, role);
    let next = match next_of(files, store)? {
        Some(next) => {
            eprintln!("touchstone: {} is there already, and is waited for", files.next_path().display());
            next
        }
        None => {
            let next = SigningKey::generate()?;
            next.save(&files.next_path())?;
            next
        }
    };
    let took = wait(timeout, || {
        let history = history(store)?;
        // The files come last: after them, the next change may be asked for.
        let is_taken = files.current()?.is_some_and(|current| current.public_key() == next.public_key());
        let current = history.current(role).filter(|current| current.key.public() == next.public_key());
        Ok(current.filter(|_| is_taken).cloned())
    })?;
    let Some(KeyPeriod { key, range }) = took else {
        return not_yet(settings, store, &files.next_path().display().to_string());
    };
    println!("{} key: {}, from leaf {} on", role.as_str(), key.name(), range.from);
    Ok(ExitCode::SUCCESS)
}

/// Revokes a key: one in use is replaced by a new one.
fn revoke(settings: &Settings, kid: &str, reason: &str, timeout: u32) -> anyhow::Result<ExitCode> {
    let reason = reason.trim();
    if reason.is_empty() || reason.len() > MAX_KEY_REASON || reason.chars().any(char::is_control) {
        bail!("--reason is one line of 1 to {MAX_KEY_REASON} bytes, such as \"the backup disk was lost\"");
    }
    let store = store_to_log_in(settings)?;
    let known = history(&*store)?;
    let is_named = |name: &str| name == kid || name.split_once('#').is_some_and(|(_, print)| print == kid);
    let period = known.periods().iter().find(|period| is_named(period.key.name()));
    let KeyPeriod { key, range } = period.with_context(|| format!("the log has no record of a key {kid}"))?;
    let (name, role) = (key.name().to_owned(), key.role());
    if !CHANGEABLE.contains(&role) {
        bail!(
            "{name} is a key of the log, which is rotated or, if it may be stolen, begins anew: see docs/keys.md"
        );
    }
    if let Some(reason) = &range.revoked {
        bail!("{name} is revoked already: {reason}");
    }
    let files = KeyFiles::new(&settings.keys_dir, role);
    let is_in_use = range.until.is_none();
    if is_in_use && files.current()?.is_none_or(|current| current.public_key() != key.public()) {
        let folder = settings.keys_dir.display();
        bail!("{name} is in use, and {folder} has another key: run this where the service's keys are");
    }
    if is_in_use {
        next_of(files, &*store)?;
    }
    // Before the new key: one that came without it would only be a successor.
    files.ask_revocation(&Revocation { kid: name.clone(), reason: reason.to_owned() })?;
    if is_in_use {
        let ended = replace(settings, &*store, role, timeout)?;
        if ended == ExitCode::SUCCESS
            && history(&*store)?.key(&name).is_none_or(|period| period.range.revoked.is_none())
        {
            eprintln!(
                "touchstone: {name} was replaced by a change that was under way, and is revoked as a former key"
            );
        } else {
            return Ok(ended);
        }
    }
    let revoked = wait(timeout, || {
        let history = history(&*store)?;
        Ok(history.key(&name).and_then(|period| period.range.revoked.clone()))
    })?;
    if revoked.is_none() {
        return not_yet(settings, &*store, "the revocation");
    }
    println!("revoked: {name}");
    Ok(ExitCode::SUCCESS)
}

/// Looks until something is there, at most for so many seconds.
fn wait<T>(seconds: u32, mut look: impl FnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<Option<T>> {
    let end = Instant::now() + Duration::from_secs(seconds.into());
    loop {
        let found = look()?;
        if found.is_some() || Instant::now() >= end {
            return Ok(found);
        }
        sleep(INTERVAL);
    }
}

/// Says why nothing has happened yet. Exit 2: it still may.
fn not_yet(settings: &Settings, store: &dyn OperatorStore, what: &str) -> anyhow::Result<ExitCode> {
    eprintln!("touchstone: no service has taken {what} yet; it is taken when it can be");
    if settings.store_address()?.is_shared() {
        let status = store.status()?;
        for replica in status.replicas.iter().filter(|replica| replica.is_alive(status.now)) {
            let ready = if replica.report.next_key.is_empty() { "has not read" } else { "has read" };
            eprintln!("touchstone: replica {} {ready} a next key", replica.report.name);
        }
        eprintln!(
            "touchstone: all replicas need the same files: copy ROLE.revoke, where it is there, and ROLE.next.pem to each"
        );
    } else {
        eprintln!("touchstone: is the service running?");
    }
    Ok(ExitCode::from(2))
}
