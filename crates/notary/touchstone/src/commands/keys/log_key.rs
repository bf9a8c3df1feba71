//! The two steps of the log's key: a successor that signs beside it, and its end.

use std::process::ExitCode;

use anyhow::bail;
use ledger::OperatorStore;
use receipt::history::{KeyHistory, KeyPeriod, KeyRole};
use receipt::key::SigningKey;

use super::{history, next_of, not_yet, wait};
use crate::key_changes::files::KeyFiles;
use crate::key_changes::log_key::noted;
use crate::settings::Settings;

fn in_use(history: &KeyHistory) -> Vec<KeyPeriod> {
    history.log_keys_in_use().cloned().collect()
}

/// Puts a new log key beside the present one, and waits until both sign.
pub(super) fn rotate(
    settings: &Settings,
    store: &dyn OperatorStore,
    base_url: &str,
    timeout: u32,
) -> anyhow::Result<ExitCode> {
    if settings.log_signer.is_set() {
        bail!(
            "the log's key is elsewhere (log_signer), and only a key in the keys folder is replaced by another: see docs/keys.md"
        );
    }
    let files = KeyFiles::new(&settings.keys_dir, KeyRole::Log);
    let next = match (&*in_use(&history(store)?), next_of(files, store)?) {
        ([old, new], next) if next.as_ref().is_none_or(|next| next.public_key() != new.key.public()) => {
            bail!(
                "{} signs beside {} since leaf {}, and that comes first: end it with `touchstone keys finish log`",
                new.key.name(),
                old.key.name(),
                new.range.from
            )
        }
        (_, Some(next)) => {
            eprintln!("touchstone: {} is there already, and is waited for", files.next_path().display());
            next
        }
        (_, None) => {
            let next = SigningKey::generate()?;
            next.save(&files.next_path())?;
            next
        }
    };
    let name = noted(&next, base_url)?.name().to_owned();
    let begun = wait(timeout, || Ok(history(store)?.key(&name).cloned()))?;
    let Some(begun) = begun else {
        return not_yet(settings, store, &files.next_path().display().to_string());
    };
    println!("log key: {name}, beside the one before it from leaf {} on", begun.range.from);
    println!(
        "give it to your witnesses and to all who know the log by its key; then end the old one: touchstone keys finish log"
    );
    Ok(ExitCode::SUCCESS)
}

/// Asks for the end of the log key that another one signs beside, and waits for it.
pub(super) fn finish(
    settings: &Settings,
    store: &dyn OperatorStore,
    base_url: &str,
    timeout: u32,
) -> anyhow::Result<ExitCode> {
    let files = KeyFiles::new(&settings.keys_dir, KeyRole::Log);
    let known = in_use(&history(store)?);
    let [old, new] = &*known else {
        bail!("no log key is being replaced: `touchstone keys rotate log` begins that");
    };
    let (old, new) = (old.key.name(), new.key.name());
    let next = files.next()?.map(|next| noted(&next, base_url)).transpose()?;
    if next.is_none_or(|next| next.name() != new) {
        let folder = settings.keys_dir.display();
        bail!("{new} is to sign alone, and {folder} does not have it: run this where the service's keys are");
    }
    files.ask_end(old)?;
    let ended = wait(timeout, || {
        // The files come last: after them, the next change may be asked for.
        let is_settled = files.next()?.is_none() && files.asked_end()?.is_none();
        let until = history(store)?.key(old).and_then(|period| period.range.until);
        Ok(until.filter(|_| is_settled))
    })?;
    let Some(until) = ended else { return not_yet(settings, store, "the end of the log key") };
    println!("log key: {new}, alone from leaf {until} on");
    println!("{old} has ended: it counts for trees of at most {until} leaves");
    Ok(ExitCode::SUCCESS)
}
