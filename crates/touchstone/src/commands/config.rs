//! `touchstone config print` and `config check`.

use std::process::ExitCode;

use std::path::PathBuf;

use anyhow::Context as _;
use server::Profile;
use tracing_subscriber::EnvFilter;

use crate::cli::{ConfigAction, ConfigArgs};
use crate::keys::NotaryKeys;
use crate::settings::Settings;
use crate::trust::TrustSettings;
use crate::wiring;

/// Prints the settings in force, or checks that `serve` would start with them.
pub fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    match args.action {
        ConfigAction::Print => print(&settings),
        ConfigAction::Check => check(&settings)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print(settings: &Settings) {
    let optional = |value: &Option<String>| value.clone().unwrap_or_else(|| "(not set)".to_owned());
    let or_none = |text: String| if text.is_empty() { "(none)".to_owned() } else { text };
    let proxies: Vec<String> = settings.proxies.iter().map(ToString::to_string).collect();
    println!("config           = {}", settings.config.display());
    println!("listen           = {}", settings.listen);
    println!("data_dir         = {}", settings.data_dir.display());
    println!("keys_dir         = {}", settings.keys_dir.display());
    println!("store            = {}", settings.store);
    println!("base_url         = {}", optional(&settings.base_url));
    println!("limits           = {}", if settings.limits { "on" } else { "off" });
    println!(
        "metrics          = {}",
        settings.metrics.map_or("off".to_owned(), |address| address.to_string())
    );
    println!("proxies          = {}", or_none(proxies.join(",")));
    let own: Vec<String> = settings.own_addresses.iter().map(ToString::to_string).collect();
    println!("own_addresses    = {}", or_none(own.join(",")));
    let settlement = &settings.settlement;
    println!("network          = {}", settlement.network);
    println!("pay_to           = {}", optional(&settlement.pay_to.map(|address| address.to_string())));
    // Keys of services are often in their addresses.
    let is_set = |address: &Option<String>| if address.is_some() { "(set)" } else { "(not set)" };
    println!("rpc              = {}", is_set(&settlement.rpc));
    println!("facilitator      = {}", is_set(&settlement.facilitator));
    let path = |path: &Option<PathBuf>| optional(&path.as_ref().map(|path| path.display().to_string()));
    println!("gas_key          = {}", path(&settlement.gas_key));
    println!("payout_key       = {}", path(&settlement.payout_key));
    println!("confirmations    = {}", settlement.confirmations);
    println!("max_fee_gwei     = {}", settlement.max_fee_gwei);
    let refresh = settings.lists.every(true);
    println!(
        "lists_refresh    = {}",
        refresh.map_or("off".to_owned(), |every| format!(
            "{:#}",
            jiff::SignedDuration::try_from(every).unwrap_or_default()
        ))
    );
    println!("security_contact = {}", optional(&settings.security_contact));
    println!("extra_roots      = {}", path(&settings.extra_roots));
    println!("log              = {}", settings.log);
    println!("log_format       = {:?}", settings.log_format);
    for (chain, nodes) in &settings.clearance {
        println!("clearance.{chain} = {nodes:?}");
    }
    if settings.trust != TrustSettings::default() {
        println!("trust            = {:?}", settings.trust);
    }
    for (class, changes) in &settings.routes {
        println!("routes.{class} = {changes:?}");
    }
}

fn check(settings: &Settings) -> anyhow::Result<()> {
    super::serve::check(Profile::Serve, settings)?;
    wiring::docket(settings, Profile::Serve, wiring::lists(settings, Profile::Serve))?;
    wiring::rounds(settings)?;
    settings.settlement.back_end(&super::serve::base_url(settings, settings.listen))?;
    EnvFilter::try_new(&settings.log).with_context(|| format!("log filter `{}`", settings.log))?;
    let base_url = super::serve::base_url(settings, settings.listen);
    if settings.keys_dir.join("receipt.pem").exists() {
        let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false)?;
        println!("receipt key: {}", keys.kid);
    } else {
        println!("no keys yet: the first run makes them in {}", settings.keys_dir.display());
    }
    println!("ok: settings and keys are sound; serve would be {base_url}, listening on {}", settings.listen);
    Ok(())
}
