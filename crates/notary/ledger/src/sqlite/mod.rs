//! The embedded back end: SQLite in WAL mode with `synchronous=FULL`.
//!
//! One writer thread drains its queue after each commit (natural batching, no timer): whatever waits goes
//! into one transaction with one signed checkpoint, and is answered after the commit. Reads go through a
//! small pool of connections of their own and never wait for the writer.
//!
//! | module | what it does |
//! |---|---|
//! | `open` | files, settings, schema, keys: all up to a store that may be served |
//! | `check` | recomputes the log's right edge and holds it against the last signed checkpoint |
//! | `writer` | the queue, its bounds, the writer thread and its end |
//! | `batch` | what waits for the writer, what it must refuse, and how it is told |
//! | `step` | small changes with answers of their own, taken within a batch |
//! | `commit` | one batch, one transaction, and what becomes of it where it fails |
//! | `wal` | keeps the WAL short, beside the writer |
//! | `index` | finds receipts by their hashes |
//! | `rows` | the statements that write |
//! | `readers` | the reading connections |
//! | `reads` | the statements that read |
//! | `claims`, `money`, `delivery` | the steps of payments: of a claim, of its settlement, of its receipt |
//! | `disputes`, `payouts` | what is disputed, and what that leaves owed; the steps of a refund |
//! | `claim_rows`, `refund_rows` | claims and refunds, read |
//! | `watching`, `webhooks` | the steps of a watch, and of the webhooks that tell of its alerts |
//! | `watch_rows` | watches and alerts, read |
//! | `grants` | grants, their uses, and the trait's part about them |
//! | `tree` | nodes, tiles and proofs of the published tree |
//! | `ledger`, `payments`, `refunds`, `watches` | the traits |
//! | `operator_store` | the operator's connection, beside the writer's or without it |

mod batch;
mod check;
#[cfg(test)]
mod claim_faults;
mod claim_rows;
mod claims;
mod commit;
mod delivery;
#[cfg(test)]
mod dispute_faults;
mod disputes;
#[cfg(test)]
mod faults;
mod grants;
mod index;
mod ledger;
mod money;
mod open;
mod operator;
mod payments;
mod payouts;
mod readers;
mod reads;
mod refund_rows;
mod refunds;
mod rows;
mod step;
mod tree;
mod wal;
mod watch_rows;
mod watches;
mod watching;
mod webhooks;
mod writer;

pub use ledger::SqliteLedger;
pub use open::bound_to;
pub use operator::OperatorStore;
pub use writer::{MAX_BATCH, MAX_BATCH_BYTES, MAX_QUEUE, MAX_QUEUE_BYTES};
