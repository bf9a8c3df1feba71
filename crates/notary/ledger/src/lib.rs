//! The ledger: receipts, evidence, the log, payments, refunds, grants, quotas and limits, each change one durable
//! transaction.
//!
//! [`Ledger`] is the main trait; [`Payments`], [`Refunds`], [`Grants`], [`Watches`], [`Replicas`], [`Shared`], [`Cosigned`],
//! [`Stamped`] and [`Retention`] are its parts.
//! [`OperatorStore`] is the operator's view of a store. Each back end is a crate of its own beside this one: `ledger-sqlite` is the
//! embedded one. Two modules are for back ends alone: [`rules`] has the decisions that are the same for all of them,
//! and [`back_end`] the values that all of them store or publish.
//!
//! Every back end promises:
//!
//! - no answer before its transaction is durable: quota, payment's delivery, receipt, request, evidence, leaf,
//!   tiles and the signed checkpoint are one transaction, and [`Ledger::append`] returns after its commit;
//! - no checkpoint is visible over an uncommitted leaf, and never two roots for one size;
//! - no receipt is ever changed;
//! - a proof of payment is bound to one request, a transfer is credited once, and a claim is delivered once;
//! - the debts of a dispute are decided in the transaction that logs its receipt; a claim's money is owed back once,
//!   and the bounty reserve is never spent twice;
//! - a watch begins in the transaction that logs its receipt, and each change of its verdict is stored in the
//!   transaction that logs the change's receipt;
//! - a memory of a subject is stored in the transaction that logs its receipt, and replaces the one before;
//! - a request or a blob is deleted only while no dispute and no watch needs it, and an erased receipt keeps its log entry;
//! - a free call that failed uses up nothing: a [`QuotaReservation`] that is dropped is given back;
//! - a change of a key is made in the transaction that logs its receipt, and no record of the former receipt key is taken
//!   after that; its checkpoint, and each later one, is signed by the log keys that are in use then, or the record is refused;
//! - opening recomputes the right edge of the log and fails where it does not meet the last signed
//!   checkpoint, or where the keys are not those that the store was made with.

mod admission;
pub mod back_end;
mod backlog;
mod claims;
mod cosigned;
mod counters;
mod error;
mod grants;
mod identity;
mod ids;
mod keys;
mod log_key_ring;
mod marks;
mod memories;
mod operator;
mod payments;
mod published;
mod quota_counter;
mod quotas;
mod record;
mod refunds;
mod replicas;
mod retention;
pub mod rules;
mod shared;
mod stamped;
mod store;
mod tile_nodes;
mod unavailable;
mod watches;

pub use client_network::{ClientNetwork, WIDE_FACTOR};

pub use admission::{Admission, Limiter, MAX_KEYS, RateLimitHit, RateLimitTable};
pub use backlog::{Backlog, OwedRefunds};
pub use claims::{
    Claim, ClaimFailure, ClaimOutcome, ClaimRef, ClaimTransfer, ClaimWork, DeferredRequest, Delivery,
    Judgement, MAX_CLAIM_AMOUNT, MAX_UNFINISHED_CLAIMS, NewClaim, Owner, PaymentIdentifier,
    PreparedTransaction, ProofKey, Settlement, TransferId,
};
pub use cosigned::{COSIGNED_KEPT_EVERY_MS, Cosigned, CosignedCheckpoint, MAX_COSIGNED_NOTE};
pub use counters::CounterKey;
pub use error::{LedgerError, StoreFailure, StoreFailureKind};
pub use grants::{
    Grant, Grants, MAX_GRANT_CALLS, MAX_GRANT_NETWORKS, MAX_GRANT_TEXT, MAX_GRANTS, NewGrant, export_class,
};
pub use identity::{Identity, IdentityRule, PriceTable};
pub use ids::{ClaimId, ClaimState, GrantId, Period, RefundId, RefundState};
pub use keys::KeyStep;
pub use log_key_ring::LogKeyRing;
pub use marks::{MarkKind, TransferMark};
pub use memories::{MemoryKey, NewMemory};
pub use operator::OperatorStore;
pub use payments::{LeaseRequest, LocalPayment, LocalTransfer, Payments, Revenue};
pub use published::Head;
pub use quota_counter::QuotaCounter;
pub use quotas::{FreeCallKey, QuotaKey, QuotaPart, QuotaRequest, QuotaReservation};
pub use record::{
    AppendedRecord, ClassCount, DayCount, Inclusion, LedgerRecord, MAX_COUNTERS, MAX_JUDGEMENT_BYTES,
    MAX_RECORD_BYTES, MAX_TRIALS, StoredBlob, StoredReceipt, StoredRequest, TrialRequest,
};
pub use refunds::{
    Dispute, DisputeEnd, DisputeOutcome, MAX_DISPUTES, PayoutCap, Refund, RefundKind, Refunds,
};
pub use replicas::{
    MAX_CLOCK_OFFSET_MS, MAX_REPORT_TEXT, REPLICA_ALIVE_MS, Replica, ReplicaReport, Replicas, StoreStatus,
};
pub use retention::{
    AskedErasure, ERASURE_CLASS, ErasedReceipt, Erases, ErasureState, Expired, HELD_AGAIN_MS, LOOK_AGAIN_MS,
    MAX_ASKED_ERASURES, MAX_ERASURE_REASON, MAX_EXPIRED, MAX_EXPIRED_BYTES, NotErasable, Retention,
    RetentionTerms,
};
pub use shared::{
    MAX_SHARED_CHUNK, MAX_SHARED_FILE, MAX_SHARED_FILES_READ, MAX_SHARED_NAME, MAX_SHARED_NOTE,
    MAX_SHARED_NOTES, MAX_SHARED_VALUE, SHARED_CHUNK_GRACE_MS, Shared, SharedContent, SharedFile,
    SharedValue, SharedVersion,
};
pub use stamped::{
    LoggedStamp, MAX_STAMP_ANSWER, MAX_STAMPED_NOTE, STAMPED_ALL_KEPT_MS, Stamped, StampedCheckpoint,
};
pub use store::{
    Ledger, MAX_BATCH, MAX_BATCH_BYTES, MAX_QUEUE, MAX_QUEUE_BYTES, MAX_SHORT_PAYLOAD, MAX_SHORT_RECEIPTS,
};
pub use watches::{
    Alert, AlertId, AlertWebhook, CurrentEdition, DueClass, LiveWatches, MAX_ALERTS_READ,
    MAX_FREE_WATCHES_PER_NETWORK, MAX_FREE_WATCHES_PER_WIDE_NETWORK, MAX_WATCHES, MAX_WATCHES_FOR_FREE,
    MAX_WATCHES_IN_ALL, MAX_WEBHOOKS_PER_AGENT, MAX_WEBHOOKS_PER_HOST, NewWatch, Screening, ScreeningTask,
    Watch, WatchChange, WatchId, WatchKey, WatchStep, Watches, Webhook, WebhookOutcome, WebhookState,
    WebhookTask, edition,
};
