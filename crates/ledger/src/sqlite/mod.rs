//! The embedded back end: SQLite in WAL mode with `synchronous=FULL`.
//!
//! One writer thread drains its queue after each commit (natural batching, no timer): whatever waits goes
//! into one transaction with one signed checkpoint, and is answered after the commit. Reads go through a
//! small pool of connections of their own and never wait for the writer.

mod commit;
mod ledger;
mod open;
mod readers;
mod writer;

pub use ledger::SqliteLedger;
