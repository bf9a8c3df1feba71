//! The log: one writer thread, one transaction a batch, and the reads of what is published.
//!
//! | module | what it does |
//! |---|---|
//! | `writer` | the queue, its bounds, the writer thread and its end |
//! | `batch` | the records and steps that wait, the records that are refused, and the answers |
//! | `step` | small changes with answers of their own, taken within a batch |
//! | `commit` | one batch, one transaction, and its outcome where it fails |
//! | `delivery` | a claim's receipt: the last of its steps |
//! | `rows`, `reads` | the statements that write and those that read |
//! | `index` | finds receipts by their hashes |
//! | `tree` | nodes, tiles and proofs of the published tree |
//! | `check` | recomputes the right edge and compares it with the last signed checkpoint |
//! | `readers` | the reading connections |
//! | `wal` | keeps the WAL short, beside the writer |

pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod commit;
pub(crate) mod delivery;
pub(crate) mod index;
pub(crate) mod readers;
pub(crate) mod reads;
pub(crate) mod rows;
pub(crate) mod step;
pub(crate) mod tree;
pub(crate) mod wal;
pub(crate) mod writer;
