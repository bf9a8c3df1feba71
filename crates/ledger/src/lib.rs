//! The ledger: receipts, evidence, the log, quotas and limits, each change one durable transaction.
//!
//! [`Ledger`] is the business-level trait; [`SqliteLedger`] is the embedded back end. Both promise:
//!
//! - no answer before its transaction is durable: quota, receipt, request, evidence, leaf, tiles and the
//!   signed checkpoint are one transaction, and [`Ledger::append`] returns after its commit;
//! - no checkpoint is visible over an uncommitted leaf, and never two roots for one size;
//! - no receipt is ever changed;
//! - a free call that failed uses up nothing: a [`Place`] that is dropped is given back;
//! - opening recomputes the right edge of the log and fails where it does not meet the last signed
//!   checkpoint, or where the keys are not those that the store was made with.

mod admission;
mod error;
mod folded;
mod places;
mod published;
mod record;
mod sqlite;
mod store;

pub use admission::{Admission, Limiter, MAX_KEYS, Table, Visit};
pub use error::LedgerError;
pub use places::{Place, PlaceKey, Places};
pub use published::Head;
pub use record::{
    Appended, ClassCount, Identity, Inclusion, MAX_RECORD_BYTES, Record, StoredBlob, StoredReceipt,
    TrialRequest,
};
pub use sqlite::{MAX_BATCH, MAX_BATCH_BYTES, MAX_QUEUE, MAX_QUEUE_BYTES, SqliteLedger};
pub use store::Ledger;
