//! One file a command.

pub mod call;
mod client;
pub mod config;
pub mod doctor;
pub mod grant;
pub mod healthcheck;
pub mod judge;
pub mod keys;
pub mod lists;
pub mod openapi;
pub mod refunds;
pub mod rerun;
pub mod serve;
pub mod shell;
pub mod trials;
pub mod verify;

use std::path::Path;

use ledger::Office;

use crate::settings::Settings;

/// The operator's way into the store that the settings name.
fn office(settings: &Settings) -> anyhow::Result<Office> {
    Ok(Office::open(Path::new(&settings.store))?)
}
