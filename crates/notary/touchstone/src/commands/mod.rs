//! One file a command.

pub mod bench;
pub mod call;
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

use ledger::OperatorStore;

use crate::settings::Settings;

/// The operator's way into the store that the settings name.
fn store(settings: &Settings) -> anyhow::Result<OperatorStore> {
    Ok(OperatorStore::open(Path::new(&settings.store))?)
}
