//! The ledger of several replicas over one PostgreSQL store.
mod columns;
mod config;
mod connection;
mod failure;
mod sequencer;
mod step;
pub use config::{PostgresConfig, StoreClock};
mod postgres_ledger;
mod work;
pub use postgres_ledger::PostgresLedger;
