//! `touchstone export`: an archive for audits.

use std::process::ExitCode;

use audit_archive::{Filter, Published, export};
use store_transfer::StoreReader;

use super::transfer::{Passes, own_keys};
use crate::cli::ExportArgs;
use crate::settings::Settings;
use crate::witnesses;

/// Writes an archive of the store, beside the running service.
pub fn run(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let keys = own_keys(&settings)?;
    let place = settings.store_address()?;
    let shown = super::keys::published(&settings, &keys);
    let published = Published {
        log_key: shown.log_in_use().last().map_or_else(|| keys.log.verifier(), |key| key.key.clone()),
        log_keys: shown.log.clone(),
        jwks: format!("{:#}\n", shown.jwks()).into_bytes(),
        policy: settings.log_policy.as_deref().map(witnesses::read).transpose()?,
    };
    let filter =
        Filter { since: args.since, until: args.until, agent: args.agent.clone(), class: args.class.clone() };
    let mut passes = Passes::new(args.quiet);
    let mut store = StoreReader::open(&place.place())?;
    let exported = export(&mut store, &published, &filter, &args.to, args.resume, &mut passes)?;
    store.end()?;
    drop(passes);
    println!(
        "{} holds the log of {} leaves, and the receipts that were asked for: {} bytes",
        args.to.display(),
        exported.leaves,
        exported.bytes
    );
    println!("`touchstone verify {}` checks all of it", args.to.display());
    Ok(ExitCode::SUCCESS)
}
