//! The embedded back end of the [`Ledger`](ledger::Ledger): SQLite in WAL mode with `synchronous=FULL`.
//!
//! [`SqliteLedger`] is the ledger of one process, and [`SqliteOperatorStore`] the operator's view of its store.
//!
//! One writer thread drains its queue after each commit, without a timer: all waiting records go into one transaction
//! with one signed checkpoint, and are answered after the commit. Reads use a small pool of their own connections and
//! never wait for the writer.
//!
//! Modules only use those below them in this table:
//!
//! | module | purpose |
//! |---|---|
//! | `operator` | the operator's connection, beside the service's or without it |
//! | `sqlite_ledger` | the traits, on one process's writer, readers and memory |
//! | `open` | settings, schema, keys: all up to a store that may be served |
//! | `log` | the writer, its transactions, and the published tree |
//! | `refunds` | the end of a dispute and what it leaves owed; the steps of a refund |
//! | `claims` | claims, disputes and money |
//! | `watches` | watches, alerts and webhooks |
//! | `retention` | the deletion of requests and evidence; erasures |
//! | `grants` | grants and their uses |
//! | `shared_rows` | named leases and values, and the files of shared folders |
//! | `backlog_rows` | counts of what is unfinished |
//! | `identity_rows`, `mark_row` | the keys and prices that a store is bound to; the mark of one that was moved or copied |
//! | `key_rows` | the records of keys |
//! | `store_file` | the whole store as a file, to copy it |
//! | `files` | the store's folder, files and lock |
//! | `columns`, `failure` | column types; the error of what works on a connection |
//! | `migrations` | the schema, one file a version |

mod backlog_rows;
mod claims;
mod columns;
mod cosigned_rows;
mod failure;
mod files;
mod grants;
mod identity_rows;
mod key_rows;
mod log;
mod mark_row;
mod open;
mod operator;
mod refunds;
mod retention;
mod shared_rows;
mod sqlite_ledger;
mod stamped_rows;
mod store_file;
#[cfg(test)]
mod tests;
mod watches;

pub use operator::SqliteOperatorStore;
pub use sqlite_ledger::SqliteLedger;
pub use store_file::SqliteStoreFile;
