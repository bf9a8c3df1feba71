//! One file a command.

pub mod bench;
pub mod call;
pub(crate) mod client;
pub mod config;
pub mod doctor;
pub mod grant;
pub mod healthcheck;
pub mod import_trades;
pub mod judge;
pub mod keys;
pub mod lists;
pub mod mcp;
pub mod openapi;
pub mod refunds;
pub mod rerun;
pub mod serve;
pub mod shell;
pub mod trials;
pub mod verify;

use std::path::Path;

use ledger::OperatorStore;
use ledger_sqlite::SqliteOperatorStore;

use crate::settings::Settings;

/// Opens the operator's store that the settings name. It is the only place where a command knows the back end.
fn store(settings: &Settings) -> anyhow::Result<Box<dyn OperatorStore>> {
    Ok(Box::new(SqliteOperatorStore::open(Path::new(&settings.store))?))
}
