//! The ledger of several replicas over one PostgreSQL store.
//!
//! Each process has four tasks that write, each under a lock row that all replicas take in turn (see `sequencer`): one
//! extends the log, one takes the steps of payments, refunds and watches, one admits requests, and one deletes what is kept no
//! longer, under the locks of the first two. So every decision is serial
//! over all replicas, as it is on the embedded store within one process. Reads are of one snapshot, which has the head of
//! the log: a receipt that one replica has answered is found by every other at once.
//!
//! Only what PostgreSQL, CockroachDB, YugabyteDB and Citus share is used. A commit whose answer was lost is resolved before
//! anything else is written; a store that was away is used again when it is back.

mod admission;
mod backlog_rows;
mod blocking;
mod claims;
mod coalesced;
mod columns;
mod config;
mod connection;
mod cosigned_rows;
mod failure;
mod grants;
mod identity_rows;
mod key_rows;
mod log;
mod mark_row;
mod migrate;
mod numbers;
mod open;
mod operator;
mod password_file;
mod postgres_ledger;
mod refunds;
mod replica_rows;
mod retention;
mod sequencer;
mod shared_rows;
mod stamped_rows;
mod step;
mod store_connection;
mod together;
mod watches;
mod work;

pub use config::{PostgresConfig, StoreClock};
pub use operator::PostgresOperatorStore;
pub use postgres_ledger::PostgresLedger;
pub use store_connection::PostgresStoreConnection;
