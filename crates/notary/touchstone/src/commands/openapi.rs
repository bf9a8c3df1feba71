//! `touchstone openapi`: the document that `/openapi.json` serves, without serving.

use std::process::ExitCode;

use module::Mode;
use server::Profile;
use server::discovery::{Offered, openapi_document};

use crate::settings::{Settings, SettingsArgs};
use crate::{modules, wiring};

/// Prints the document.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let base_url = super::serve::base_url(&settings, settings.listen);
    let modules = modules::all(&settings, &modules::host(&settings, Mode::Batch)?)?;
    let route_table = modules::route_table(&settings, &modules)?;
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
