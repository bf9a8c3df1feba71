//! `touchstone config print`, `config check` and `config adopt`.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use ledger::IdentityRule;
use module::Mode;
use server::Profile;
use verdict::SystemClock;

use crate::cli::{ConfigAction, ConfigArgs};
use crate::keys::{NotaryKeys, hold_against, missing, refuse_second_log};
use crate::logging;
use crate::modules;
use crate::settings::Settings;
use crate::{timestamps, wiring, witnesses, writable};

/// Prints the settings in force, checks that `serve` would start with them, or makes them the store's.
pub fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    match args.action {
        ConfigAction::Print => print!("{}", settings.printed()?),
        ConfigAction::Check => check(&settings)?,
        ConfigAction::Adopt => adopt(&settings)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Binds the store to the keys and prices of these settings. Keys that are missing are made, as far as a start may.
fn adopt(settings: &Settings) -> anyhow::Result<()> {
    super::serve::check(Profile::Serve, settings)?;
    let base_url = super::serve::base_url(settings, settings.listen);
    let store = settings.store_address()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Some(bound) = runtime.block_on(store.identity())? else {
        bail!("{store} is not bound to any keys yet: the first start binds it to yours");
    };
    hold_against(&settings.keys_dir, &base_url, (&bound, false), &settings.log_signer)?;
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, true, &settings.log_signer)?;
    let changes = store.operator()?.adopt(&wiring::identity(settings, &keys)?)?;
    for change in &changes {
        println!("{change}");
    }
    match changes.len() {
        0 => println!("nothing to change: {store} has these keys and prices"),
        _ => println!(
            "{store} is changed. Replicas take new prices at SIGHUP (systemctl reload touchstone) and keys with a restart; \
             `touchstone status` names those that have others"
        ),
    }
    Ok(())
}

fn check(settings: &Settings) -> anyhow::Result<()> {
    for warning in settings.warnings() {
        eprintln!("touchstone: warning: {warning}");
    }
    super::serve::check(Profile::Serve, settings)?;
    crate::connections::ask_for_files();
    crate::connections::bounds(settings.max_connections)?;
    let host = modules::host(settings, Mode::Serve)?;
    modules::route_table(settings, &modules::all(settings, &host)?)?;
    sanctions::module::configured_rounds(&settings.sanctions, &host)?;
    settings
        .settlement
        .back_end(&super::serve::base_url(settings, settings.listen), Arc::new(SystemClock::start()))?;
    timestamps::check(settings, &host)?;
    logging::filter(&settings.log)?;
    let base_url = super::serve::base_url(settings, settings.listen);
    let store = settings.store_address()?;
    let bound =
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(store.identity())?;
    match &bound {
        Some(bound) => {
            hold_against(&settings.keys_dir, &base_url, (bound, store.is_shared()), &settings.log_signer)?
        }
        None => refuse_second_log(&settings.keys_dir, &store.to_string(), &settings.log_signer)?,
    }
    writable::folder(&settings.data_dir)?;
    writable::folder(&settings.keys_dir)?;
    if let Some(path) = store.file() {
        writable::store(path)?;
    }
    let missing = missing(&settings.keys_dir, &settings.log_signer)?;
    if missing.is_empty() {
        let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false, &settings.log_signer)?;
        println!("receipt key: {}", keys.kid);
        let known = witnesses::known_log_keys(bound.as_ref());
        witnesses::policy(settings, &host, (&keys.log_keys(), &known))?;
        if let Some(bound) = &bound {
            let rule = if store.is_shared() { IdentityRule::Same } else { IdentityRule::Adopt };
            wiring::identity(settings, &keys)?.changes(bound, rule)?;
        }
    } else {
        println!(
            "{} not there: the next start makes them in {}",
            missing.join(", "),
            settings.keys_dir.display()
        );
    }
    if bound.is_none() {
        println!("no store yet: the first run makes {store}");
    }
    println!("ok: settings and keys are sound; serve would be {base_url}, listening on {}", settings.listen);
    Ok(())
}
