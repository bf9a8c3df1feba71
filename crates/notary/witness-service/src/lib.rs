//! A witness for other logs: C2SP tlog-witness 1.0.0 over HTTP, with its key in a file and its record in SQLite.
//!
//! A witness remembers, for each log, the last tree that it has cosigned, and cosigns only what extends it. What it
//! checks, and what it answers, is in the crate `witness`; here are its parts that touch the machine:
//!
//! | module | content |
//! |---|---|
//! | [`keys`] | the file of the witness's private keys |
//! | [`logs`] | the file of the logs that it cosigns |
//! | [`store`] | the record, as an SQLite file |
//! | [`routes`] | `POST /add-checkpoint`, within bounds |
//!
//! # Invariants
//!
//! - A cosignature leaves the process only after the record of its tree is on the disk.
//! - One process has the record open. A key that has lost its record is not used.
//! - Every body, wait and queue has a bound.

pub mod keys;
pub mod logs;
pub mod routes;
pub mod store;

pub use keys::{KeysError, generate, load, save};
pub use logs::{LogsError, MAX_LOGS_BYTES, WitnessedLog, parse};
pub use routes::{Service, router};
pub use store::{OpenError, SqliteStore};
