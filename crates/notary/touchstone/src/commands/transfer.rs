//! `touchstone migrate-store`, `backup` and `restore`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use ledger::{Identity, RefundState};
use log_signer::LogSignerSettings;
use payment::Address;
use receipt::key::{log_origin_from_base_url, normalize_base_url};
use receipt::sign::Signer;
use store_transfer::{
    ArchiveReason, Migrated, NamedCheckpoint, NotaryKeys, Predecessor, RestoreAs, Restored, begin_successor,
};
use verdict::{Clock, SystemClock, Usd};

use super::call::http::Server;
use super::serve::known_base_url;
use crate::cli::{BackupArgs, MigrateStoreArgs, RestoreArgs};
use crate::keys;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::store::StoreAddress;

/// The longest time for the answer with a checkpoint.
const CHECKPOINT_BOUND: Duration = Duration::from_secs(30);
/// The most bytes of a file with a checkpoint.
const MAX_CHECKPOINT: u64 = 1 << 20;

/// The progress of the passes over a store, each with its own bar.
pub(super) struct Passes {
    is_quiet: bool,
    pass: Option<Progress>,
}

impl Passes {
    pub(super) fn new(is_quiet: bool) -> Self {
        Self { is_quiet, pass: None }
    }
}

impl store_transfer::Progress for Passes {
    fn begin(&mut self, what: &str, receipts: u64) {
        // The one before is cleared first.
        self.pass = None;
        self.pass = Some(Progress::new(what, Some(receipts), self.is_quiet));
    }

    fn receipt(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.inc();
        }
    }
}

/// Moves a store.
pub fn migrate_store(args: &MigrateStoreArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let keys = public_keys(&settings)?;
    let (from, to) = (named(&args.from).context("--from")?, named(&args.to).context("--to")?);
    let mut passes = Passes::new(args.quiet);
    let migrated = store_transfer::migrate(&from.place(), &to.place(), &keys, &mut passes)?;
    drop(passes);
    match migrated {
        Migrated::Moved(leaves) => {
            println!("moved {leaves} receipts from {from} to {to}, all verified");
            println!("set `store` to the new place; {from} is marked, and is not served any more");
        }
        Migrated::Before => println!("{from} was moved to {to} before; nothing was changed"),
        Migrated::GivenUp => {
            println!("{from} was a copy of {to} that was not whole: {to} may be served again")
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Backs the store up.
pub fn backup(args: &BackupArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let store = settings.store_address()?;
    // Before the work, not after it.
    let keys = args.verify.then(|| public_keys(&settings)).transpose()?;
    let mut passes = Passes::new(args.quiet);
    let made = store_transfer::backup(&store.place(), &args.to, keys.as_ref(), &mut passes)?;
    drop(passes);
    let verified = if args.verify { ", all verified" } else { "" };
    println!("{} receipts of {store} are in {}{verified}", made.leaves, args.to.display());
    println!(
        "the private keys are not in it, nor are the lists: keep copies of {} and {} too, the keys apart from the rest",
        settings.keys_dir.display(),
        settings.lists_dir().display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Makes a store of a backup.
pub fn restore(args: &RestoreArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let own = own_keys(&settings)?;
    let keys = NotaryKeys::new(own.log.verifier(), &own.published)?;
    let to = named(&args.to).context("--to")?;
    let checkpoints =
        args.checkpoints.iter().map(|name| checkpoint(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let next = args.successor.as_deref().zip(args.successor_url.as_deref());
    let next = next.map(|(folder, url)| NextNotary::check(folder, url, &own)).transpose()?;
    let wanted = if next.is_some() { RestoreAs::Archive } else { RestoreAs::Shown };
    let mut passes = Passes::new(args.quiet);
    let given = (wanted, checkpoints.as_slice());
    let restored = store_transfer::restore(&args.file, &to.place(), &keys, given, &mut passes)?;
    drop(passes);
    let (reason, last_known) = match restored {
        Restored::Live => {
            println!("restored {to}: it is behind none of the checkpoints, and its log goes on");
            list_unpaid(&to)?;
            return Ok(ExitCode::SUCCESS);
        }
        Restored::Archive(reason, last_known) => (reason, last_known),
    };
    let reason = match reason {
        ArchiveReason::NoCheckpoint => {
            "no --checkpoint was given, so it may be older than what was served".to_owned()
        }
        ArchiveReason::Wanted => "another log comes after it".to_owned(),
        ArchiveReason::Behind { name, served, has } => {
            format!("checkpoint {name} is over {served} leaves, and the backup has {has}")
        }
    };
    println!("restored {to} as an archive: {reason}");
    println!("`serve` on it answers for receipts and the log, and gives no verdicts (503)");
    if let Some(next) = next {
        let archived = to.operator()?.status()?.head;
        next.begin(&Predecessor { key: &own.log, checkpoint: &last_known, archived })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the refunds that are not paid in what was restored. One that was noted as paid by hand later has no trace in the log, so
/// no checkpoint shows it, and the service would pay it again.
fn list_unpaid(store: &StoreAddress) -> anyhow::Result<()> {
    let unpaid = store.operator()?.refunds(&[RefundState::Owed, RefundState::Sending])?;
    if unpaid.is_empty() {
        return Ok(());
    }
    println!(
        "before you serve it, note those of these refunds that you have paid by hand since the backup was made"
    );
    println!("(`touchstone refunds pay`), or they are paid again:");
    for refund in unpaid {
        let (payee, amount) = (Address::new(refund.payee), Usd::from_atomic(refund.amount));
        println!(
            "  refund {}: {}, {amount} {} to {payee}, owed at {}",
            refund.id.0,
            refund.state.as_str(),
            refund.symbol,
            refund.owed_at
        );
    }
    Ok(())
}

/// The notary whose log comes after an archive: its new data folder, and its base address.
struct NextNotary<'a> {
    folder: &'a Path,
    base_url: String,
}

impl<'a> NextNotary<'a> {
    /// Checks all that can be checked before the archive is made.
    fn check(folder: &'a Path, url: &str, earlier: &keys::NotaryKeys) -> anyhow::Result<Self> {
        let base_url = normalize_base_url(url).with_context(|| format!("--successor-url {url}"))?;
        ensure!(
            log_origin_from_base_url(&base_url)? != earlier.log.name(),
            "--successor-url {url} is the address of the earlier log: a second log of one origin is a fork"
        );
        let (store, keys_dir) = (folder.join("store.sqlite"), folder.join("keys"));
        // Where this command was given before and failed after the archive was made, a log key may be there that has signed nothing.
        let is_begun = keys_dir.join("log.new").exists();
        let is_new = !store.exists() && !keys_dir.exists();
        ensure!(
            is_new || is_begun,
            "--successor {} has a notary already: name a new folder",
            folder.display()
        );
        keys::refuse_second_log(&keys_dir, &store.display().to_string(), &LogSignerSettings::default())?;
        Ok(Self { folder, base_url })
    }

    /// Makes keys and a store, and begins the log. Its key is in the new keys folder, wherever the earlier one's is.
    fn begin(&self, predecessor: &Predecessor<'_>) -> anyhow::Result<()> {
        let Self { folder, base_url } = self;
        let keys_dir = folder.join("keys");
        let keys = keys::NotaryKeys::open(&keys_dir, base_url, true, &LogSignerSettings::default())?;
        let (verifier, kid) = (keys.log.verifier(), keys.kid.clone());
        let identity = Identity {
            receipt_kid: kid.as_str().to_owned(),
            log_vkey: verifier.to_string(),
            ..Identity::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let store = StoreAddress::File(folder.join("store.sqlite"));
        let signer = Signer::new(keys.receipt, kid);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let hash = runtime.block_on(async {
            let ledger = store.open(keys.log, &identity, Arc::clone(&clock)).await?;
            let notary = (base_url.as_str(), &signer, &verifier);
            anyhow::Ok(begin_successor(&*ledger, notary, predecessor, clock.now()).await?)
        })?;
        keys::log_has_begun(&keys_dir)?;
        println!("began the log {} in {}; its first receipt is {hash}", verifier.name(), folder.display());
        println!(
            "publish that receipt where the earlier log was known, and serve with --base-url {base_url}"
        );
        Ok(())
    }
}

/// The keys of the notary whose store it is.
pub(super) fn own_keys(settings: &Settings) -> anyhow::Result<keys::NotaryKeys> {
    let folder = &settings.keys_dir;
    let opened = keys::NotaryKeys::open(folder, &known_base_url(settings), false, &settings.log_signer);
    opened.with_context(|| {
        format!("to verify receipts, the keys of the notary are needed in {} (keys_dir)", folder.display())
    })
}

fn public_keys(settings: &Settings) -> anyhow::Result<NotaryKeys> {
    let keys = own_keys(settings)?;
    Ok(NotaryKeys::new(keys.log.verifier(), &keys.published)?)
}

/// The store that an argument names. A folder stands for the store in it, and so does what is not there yet and has not a name
/// that ends in `.sqlite`.
fn named(store: &str) -> anyhow::Result<StoreAddress> {
    let address = StoreAddress::parse(store)?;
    Ok(match address {
        StoreAddress::File(path)
            if !path.is_file() && path.extension().is_none_or(|extension| extension != "sqlite") =>
        {
            StoreAddress::File(path.join("store.sqlite"))
        }
        address => address,
    })
}

/// Reads a checkpoint from a file or an address.
fn checkpoint(name: &str) -> anyhow::Result<NamedCheckpoint> {
    let is_address = ["http://", "https://"].iter().any(|scheme| name.starts_with(scheme));
    let bytes = if is_address {
        let (base, path) = name.rsplit_once('/').context("the address of a checkpoint has a path")?;
        let answer = Server::new(base, CHECKPOINT_BOUND)?.get(path)?;
        ensure!(answer.status.is_success(), "checkpoint {name}: the answer is {}", answer.status);
        answer.body
    } else {
        let path = Path::new(name);
        let read = std::fs::metadata(path).and_then(|file| {
            if file.len() > MAX_CHECKPOINT {
                Err(std::io::ErrorKind::FileTooLarge.into())
            } else {
                std::fs::read(path)
            }
        });
        read.with_context(|| format!("checkpoint {name}"))?
    };
    let note = String::from_utf8(bytes).with_context(|| format!("checkpoint {name}"))?;
    Ok(NamedCheckpoint { name: name.to_owned(), note })
}
