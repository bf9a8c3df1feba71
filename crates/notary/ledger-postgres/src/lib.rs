//! The ledger of several replicas over one PostgreSQL store.
mod claims;
mod columns;
mod config;
mod connection;
mod failure;
mod numbers;
mod refunds;
mod sequencer;
mod step;
pub use config::{PostgresConfig, StoreClock};
mod postgres_ledger;
mod work;
pub use postgres_ledger::PostgresLedger;
