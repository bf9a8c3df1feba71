//! `touchstone config print` and `config check`.

use std::process::ExitCode;
use std::sync::Arc;

use module::Mode;
use server::Profile;
use verdict::SystemClock;

use crate::cli::{ConfigAction, ConfigArgs};
use crate::keys::{NotaryKeys, hold_against, missing, refuse_second_log};
use crate::logging;
use crate::modules;
use crate::settings::Settings;
use crate::writable;

/// Prints the settings in force, or checks that `serve` would start with them.
pub fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    match args.action {
        ConfigAction::Print => print!("{}", settings.printed()?),
        ConfigAction::Check => check(&settings)?,
    }
    Ok(ExitCode::SUCCESS)
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
    logging::filter(&settings.log)?;
    let base_url = super::serve::base_url(settings, settings.listen);
    let store = settings.store_address()?;
    let bound =
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(store.identity())?;
    match &bound {
        Some(bound) => hold_against(&settings.keys_dir, &base_url, bound)?,
        None => refuse_second_log(&settings.keys_dir, &store.to_string())?,
    }
    writable::folder(&settings.data_dir)?;
    writable::folder(&settings.keys_dir)?;
    if let Some(path) = store.file() {
        writable::store(path)?;
    }
    let missing = missing(&settings.keys_dir)?;
    if missing.is_empty() {
        let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false)?;
        println!("receipt key: {}", keys.kid);
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
