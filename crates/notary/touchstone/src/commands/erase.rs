//! `touchstone erase`: removes the notary's copy of receipts, and logs that it did.
//!
//! The log is written by the service alone. So the command stores what it asks for, and the service carries it out within a
//! second; where none runs, the command opens the store and carries it out as the service would.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use ledger::{AskedErasure, ErasureState, MAX_ERASURE_REASON, OperatorStore};
use receipt::hash::ReceiptHash;
use serde_json::{Value, json};
use server::Profile;
use verdict::{Clock as _, SystemClock};

use super::serve::known_base_url;
use super::store;
use crate::cli::EraseArgs;
use crate::settings::Settings;
use crate::wiring::{self, FirstLog};

/// The longest wait for the service.
const WAIT: Duration = Duration::from_secs(30);
/// The interval at which the store is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Erases receipts. Exit 1 where one is refused, is not carried out yet, or is still in the WAL.
pub fn run(args: &EraseArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let hashes = args.hashes.iter().map(|text| hash(text)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_ERASURE_REASON) {
        bail!("--reason may have at most {MAX_ERASURE_REASON} characters");
    }
    let mut operator = store(&settings)?;
    let at = SystemClock::start().now();
    for hash in &hashes {
        operator.ask_erasure(hash, args.reason.as_deref(), at)?;
    }
    if settings.store_address()?.is_served()? {
        wait(&*operator, &hashes)?;
    } else {
        carry_out(&settings)?;
    }
    let mut output = io::stdout().lock();
    let as_json = args.json || !output.is_terminal();
    let mut is_done = true;
    for hash in &hashes {
        let asked = operator.asked_erasure(hash)?.context("what was asked for is gone")?;
        is_done &= is_done_with(&asked.state);
        if as_json {
            writeln!(output, "{}", line(&asked))?
        } else {
            writeln!(output, "{}", sentence(&asked))?
        }
    }
    Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn hash(text: &str) -> anyhow::Result<ReceiptHash> {
    text.parse().map_err(|_| {
        anyhow::anyhow!("`{text}` is no hash of a receipt, which has 64 lowercase hexadecimal digits")
    })
}

/// True once the receipt is gone, and its bytes are.
fn is_done_with(state: &ErasureState) -> bool {
    matches!(state, ErasureState::Done { is_in_wal: false, .. })
}

fn has_ended(state: &ErasureState) -> bool {
    is_done_with(state) || matches!(state, ErasureState::Refused(_))
}

/// Waits until the service has carried all out or refused it, but not for ever.
fn wait(operator: &dyn OperatorStore, hashes: &[ReceiptHash]) -> anyhow::Result<()> {
    let until = Instant::now() + WAIT;
    for hash in hashes {
        while operator.asked_erasure(hash)?.is_some_and(|asked| !has_ended(&asked.state))
            && Instant::now() < until
        {
            std::thread::sleep(LOOK_EVERY);
        }
    }
    Ok(())
}

/// Carries out what is asked for, in the place of a service that does not run.
fn carry_out(settings: &Settings) -> anyhow::Result<()> {
    let profile = if settings.base_url.is_some() { Profile::Serve } else { Profile::Dev };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let base_url = known_base_url(settings);
        let assembled = wiring::app(settings, profile, base_url, settings.listen, FirstLog::Once).await?;
        let owner = wiring::new_owner()?;
        let mut waiting = usize::MAX;
        loop {
            server::erasure::carry_out(&assembled.app, owner).await?;
            // A round has a bound. One that changes nothing is the last.
            let left = assembled.app.notary.ledger.asked_erasures(u32::MAX).await?.len();
            if left == 0 || left >= waiting {
                return Ok(());
            }
            waiting = left;
        }
    })
}

fn line(asked: &AskedErasure) -> Value {
    let hash = asked.hash.to_string();
    match &asked.state {
        ErasureState::Asked => json!({"hash": hash, "state": "asked"}),
        ErasureState::Done { logged_by, shared, is_in_wal } => {
            json!({
                "hash": hash,
                "state": "erased",
                "logged_by": logged_by.to_string(),
                "shared_evidence": shared,
                "is_in_wal": is_in_wal,
            })
        }
        ErasureState::Refused(why) => json!({"hash": hash, "state": "refused", "why": why}),
    }
}

fn sentence(asked: &AskedErasure) -> String {
    let hash = asked.hash;
    match &asked.state {
        ErasureState::Asked => {
            format!("{hash} is not erased yet: the service carries it out as soon as it can")
        }
        ErasureState::Done { logged_by, shared, is_in_wal } => {
            let stays = match shared {
                0 => String::new(),
                pieces => format!("; {pieces} pieces of evidence stay, because other receipts need them"),
            };
            let wal = match is_in_wal {
                false => "",
                true => {
                    "; its bytes are in the store's WAL until the backup or export that reads the store has ended, and a minute \
                     after: ask again then"
                }
            };
            format!("{hash} is erased, as {logged_by} says{stays}{wal}")
        }
        ErasureState::Refused(why) => format!("{hash} is not erased: {why}"),
    }
}
