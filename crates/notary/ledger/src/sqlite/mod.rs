//! The embedded back end: SQLite in WAL mode with `synchronous=FULL`.
//!
//! One writer thread drains its queue after each commit (natural batching, no timer): whatever waits goes
//! into one transaction with one signed checkpoint, and is answered after the commit. Reads go through a
//! small pool of connections of their own and never wait for the writer.
//!
//! Modules only use those below them in this table:
//!
//! | module | what it does |
//! |---|---|
//! | `operator` | the operator's connection, beside the service's or without it |
//! | `ledger` | the traits, on one process's writer, readers and memory |
//! | `open` | settings, schema, keys: all up to a store that may be served |
//! | `log` | the writer, its transactions, and the published tree |
//! | `refunds` | the end of a dispute and what it leaves owed; the steps of a refund |
//! | `claims` | claims, disputes and money |
//! | `watches` | watches, alerts and webhooks |
//! | `grants` | grants and their uses |
//! | `files` | the store's folder, files and lock |
//! | `columns`, `failure` | column types; SQLite's errors as the ledger's |
//! | `migrations` | the schema, one file a version |

mod claims;
mod columns;
mod failure;
mod files;
mod grants;
mod ledger;
mod log;
mod open;
mod operator;
mod refunds;
#[cfg(test)]
mod tests;
mod watches;

pub use ledger::SqliteLedger;
pub use operator::SqliteOperatorStore;
