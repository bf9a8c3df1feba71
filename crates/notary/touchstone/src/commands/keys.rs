//! `touchstone keys`: the public halves, for verifiers.

use std::process::ExitCode;

use receipt::key::jwks;

use crate::cli::{KeysAction, KeysArgs};
use crate::keys::NotaryKeys;
use crate::settings::Settings;

/// Prints public keys; never a private one.
pub fn run(args: &KeysArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let base_url = super::serve::known_base_url(&settings);
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false)?;
    match args.action {
        KeysAction::Show => {
            println!("receipt key: {}", keys.kid);
            println!("rerun key:   {}", keys.rerun.kid);
            println!("log key:     {}", keys.log.verifier());
            println!("{:#}", jwks(&keys.published));
        }
        KeysAction::Jwks => println!("{:#}", jwks(&keys.published)),
        KeysAction::Log => println!("{}", keys.log.verifier()),
    }
    Ok(ExitCode::SUCCESS)
}
