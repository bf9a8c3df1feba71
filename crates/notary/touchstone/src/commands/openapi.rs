//! `touchstone openapi`: the document that `/openapi.json` serves, without serving.

use std::process::ExitCode;

use server::Profile;
use server::discovery::{Offered, openapi_document};

use crate::settings::{Settings, SettingsArgs};
use crate::wiring;

/// Prints the document.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let base_url = super::serve::base_url(&settings, settings.listen);
    let lists = wiring::lists(&settings, Profile::Serve);
    let route_table = wiring::route_table(&settings, Profile::Serve, lists)?;
    let payee = wiring::payee(&settings, Profile::Serve)?;
    let offered = Offered {
        profile: Profile::Serve,
        base_url: &base_url,
        route_table: &route_table,
        payee: payee.as_ref(),
    };
    println!("{:#}", openapi_document(&offered));
    Ok(ExitCode::SUCCESS)
}
