//! One file a command.

pub mod bench;
pub mod call;
pub(crate) mod client;
pub mod config;
pub mod doctor;
pub mod erase;
pub mod export;
mod follow;
pub mod grant;
pub mod healthcheck;
pub mod import_trades;
pub mod judge;
pub mod keys;
pub mod lists;
pub mod mcp;
pub mod mirror;
pub mod monitor;
pub mod openapi;
pub mod refunds;
pub mod rerun;
pub mod serve;
pub mod shell;
pub mod status;
pub mod transfer;
pub mod trials;
pub mod verify;
mod verify_archive;
pub mod witness;

use anyhow::ensure;
use ledger::{LedgerError, OperatorStore};

use crate::settings::Settings;

/// Opens the operator's store that the settings name.
fn store(settings: &Settings) -> anyhow::Result<Box<dyn OperatorStore>> {
    Ok(settings.store_address()?.operator()?)
}

/// Opens the operator's store for what a service is to log: an archive logs nothing.
fn store_to_log_in(settings: &Settings) -> anyhow::Result<Box<dyn OperatorStore>> {
    let store = store(settings)?;
    ensure!(!store.is_archive(), LedgerError::Archive);
    Ok(store)
}
