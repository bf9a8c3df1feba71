//! Two ledgers on one store, used as one: each call goes to the one or the other, so that every case is a case of two
//! replicas behind a load balancer that is not sticky.

use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use async_trait::async_trait;
use ledger::*;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::{Hash, TilePath};
use verdict::Memory;

use super::Harness;
use super::support::ManualClock;

/// A hit that no case counts, of a limit that is never reached.
const BARRIER: RateLimitHit =
    RateLimitHit { table: RateLimitTable::Agents, group: 0, key: [0xff; 16], limit: 1_000_000_000 };

/// A harness whose ledgers are [`Alternating`]: two of another harness, which are opened at once.
pub struct InTurn<H> {
    harness: H,
    open: Mutex<Vec<Weak<Alternating>>>,
}

impl<H> InTurn<H> {
    fn over(harness: H) -> Self {
        Self { harness, open: Mutex::default() }
    }
}

impl<H: Harness> Harness for InTurn<H> {
    const SEVERAL: bool = H::SEVERAL;
    const MODEL_CASES: u32 = H::MODEL_CASES;

    fn new() -> Self {
        const { assert!(H::SEVERAL, "a store that one process has open at a time") };
        Self::over(H::new())
    }

    async fn open_with(
        &self,
        log_keys: LogKeyRing,
        identity: &Identity,
    ) -> Result<Arc<dyn Ledger>, LedgerError> {
        let open = || self.harness.open_with(log_keys.clone(), identity);
        let (one, other) = tokio::join!(open(), open());
        let alternating = Arc::new(Alternating::new([one?, other?]));
        self.open.lock().unwrap().push(Arc::downgrade(&alternating));
        Ok(alternating)
    }

    async fn close(&self, ledger: Arc<dyn Ledger>) {
        let mut open = std::mem::take(&mut *self.open.lock().unwrap());
        let index = open.iter().position(|known| ptr::addr_eq(known.as_ptr(), Arc::as_ptr(&ledger)));
        let alternating = open.swap_remove(index.expect("this harness has opened it")).upgrade();
        self.open.lock().unwrap().append(&mut open);
        let [one, other] = alternating.expect("its last owner closes it").ledgers.clone();
        drop(ledger);
        self.harness.close(one).await;
        self.harness.close(other).await;
    }

    async fn let_leases_end(&self) {
        self.harness.let_leases_end().await;
    }

    async fn after_a_crash(&self) -> Self {
        Self::over(self.harness.after_a_crash().await)
    }

    fn operator_store(&self) -> Box<dyn OperatorStore> {
        self.harness.operator_store()
    }

    fn clock(&self) -> &Arc<ManualClock> {
        self.harness.clock()
    }

    fn blobs(&self) -> u64 {
        self.harness.blobs()
    }

    fn strip_evidence(&self) {
        self.harness.strip_evidence();
    }
}

/// A ledger whose calls go to the one or the other of two ledgers. What a process has in its memory alone stays with it:
/// a reservation is used up by the ledger that has made it.
pub struct Alternating {
    ledgers: [Arc<dyn Ledger>; 2],
    calls: AtomicU64,
    /// The ledger of each reservation, by the address of its parts, which stay where they are while it is moved.
    reservations: Mutex<HashMap<usize, usize>>,
}

impl Alternating {
    pub fn new(ledgers: [Arc<dyn Ledger>; 2]) -> Self {
        Self { ledgers, calls: AtomicU64::new(0), reservations: Mutex::default() }
    }

    /// The number of the ledger for the next call, by the Thue-Morse sequence: of three calls in a row each ledger gets
    /// one, and no case that repeats its calls asks always the same ledger for the same thing.
    fn turn(&self) -> usize {
        (self.calls.fetch_add(1, Ordering::Relaxed).count_ones() & 1) as usize
    }

    fn next(&self) -> &dyn Ledger {
        &*self.ledgers[self.turn()]
    }

    /// The ledger for a call about quotas, after the other one has given back what was dropped before the call. A process
    /// gives back a dropped reservation soon, and before it counts a later hit.
    async fn next_for_quotas(&self) -> Result<usize, LedgerError> {
        let turn = self.turn();
        self.ledgers[1 - turn].admit(&[BARRIER]).await?;
        Ok(turn)
    }

    fn reserved(&self, turn: usize, reservation: &QuotaReservation) {
        self.reservations.lock().unwrap().insert(reservation.parts().as_ptr().addr(), turn);
    }

    fn owner(&self, reservation: Option<&QuotaReservation>) -> &dyn Ledger {
        &*self.ledgers[self.owner_turn(reservation)]
    }

    fn owner_turn(&self, reservation: Option<&QuotaReservation>) -> usize {
        let of = |reservation: &QuotaReservation| {
            self.reservations.lock().unwrap().remove(&reservation.parts().as_ptr().addr())
        };
        match reservation.and_then(of) {
            Some(turn) => turn,
            None => self.turn(),
        }
    }
}

/// Implements a trait by calls that go to the next ledger, beside methods that are written out.
macro_rules! in_turn {
    (
        impl $trait:ident { $($own:item)* }
        $(async fn $name:ident(&self $(, $argument:ident: $type:ty)* $(,)?) -> $returned:ty;)*
    ) => {
        #[async_trait]
        impl $trait for Alternating {
            $($own)*
            $(
                async fn $name(&self, $($argument: $type),*) -> Result<$returned, LedgerError> {
                    self.next().$name($($argument),*).await
                }
            )*
        }
    };
}

in_turn! {
    impl Payments {}
    async fn claim(&self, new: NewClaim) -> ClaimOutcome;
    async fn find_claim(&self, key: &ProofKey, identifier: Option<&PaymentIdentifier>) -> Option<Claim>;
    async fn find_claim_by_transaction(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
        payer: &[u8; 20],
    ) -> Option<Claim>;
    async fn claim_by_id(&self, id: ClaimId) -> Option<Claim>;
    async fn claim_work(&self, id: ClaimId) -> Option<ClaimWork>;
    async fn judged(&self, id: ClaimId, owner: Owner, judgement: Judgement) -> ();
    async fn broadcasting(&self, id: ClaimId, owner: Owner, prepared: PreparedTransaction) -> ();
    async fn settled(&self, id: ClaimId, owner: Owner, settlement: Settlement) -> ();
    async fn settle_local(&self, id: ClaimId, owner: Owner, payment: LocalPayment) -> ();
    async fn free(&self, id: ClaimId, owner: Owner) -> ();
    async fn failed(&self, id: ClaimId, owner: Owner, failure: ClaimFailure) -> ();
    async fn renew(&self, id: ClaimId, owner: Owner, lease_until: Timestamp) -> ();
    async fn take_over(&self, wish: LeaseRequest) -> Vec<Claim>;
    async fn local_balance(&self, account: &[u8; 20]) -> u64;
    async fn local_credit(&self, account: [u8; 20], amount: u64) -> ();
    async fn local_open(&self, account: [u8; 20], amount: u64) -> ();
    async fn local_transfer(&self, chain_id: u64, transaction: &[u8; 32]) -> Option<LocalTransfer>;
    async fn revenue(&self) -> Vec<Revenue>;
    async fn settled_by(&self, agent: &str, since_day: u32) -> u64;
    async fn note_prices(&self, now: Timestamp, prices: &[(&'static str, u64)]) -> ();
    async fn prices_in_force(&self, class: &str, since: Timestamp) -> Vec<u64>;
}

in_turn! {
    impl Refunds {}
    async fn is_spoken_of(&self, hash: &ReceiptHash) -> bool;
    async fn disputes(&self, hash: &ReceiptHash) -> Vec<Dispute>;
    async fn superseded_by(&self, hash: &ReceiptHash, agent: &str, payer: &[u8; 20]) -> Option<ReceiptHash>;
    async fn take_refunds(&self, wish: LeaseRequest) -> Vec<Refund>;
    async fn paid_out_since(&self, since: Timestamp) -> u64;
    async fn renew_refund(&self, id: RefundId, owner: Owner, lease_until: Timestamp) -> ();
    async fn refund_sending(
        &self,
        id: RefundId,
        owner: Owner,
        proof: Vec<u8>,
        prepared: PreparedTransaction,
        cap: Option<PayoutCap>,
    ) -> ();
    async fn refund_paid(&self, id: RefundId, owner: Owner, transaction: [u8; 32], at: Timestamp) -> ();
    async fn refund_failed(&self, id: RefundId, owner: Owner) -> ();
    async fn pay_refund_locally(
        &self,
        id: RefundId,
        owner: Owner,
        payer: [u8; 20],
        transaction: [u8; 32],
        at: Timestamp,
        cap: Option<PayoutCap>,
    ) -> ();
}

in_turn! {
    impl Grants {
        async fn reserve_granted(
            &self,
            grant: &Grant,
            units: u32,
            at: Timestamp,
        ) -> Result<Option<QuotaReservation>, LedgerError> {
            let turn = self.next_for_quotas().await?;
            let reservation = self.ledgers[turn].reserve_granted(grant, units, at).await?;
            reservation.iter().for_each(|reservation| self.reserved(turn, reservation));
            Ok(reservation)
        }
    }
    async fn grants_of(&self, agent: &str, at: Timestamp) -> Vec<Grant>;
}

in_turn! {
    impl Watches {}
    async fn watch(&self, key: &WatchKey) -> Option<Watch>;
    async fn watch_opened_by(&self, receipt: &ReceiptHash) -> Option<Watch>;
    async fn live_watches(&self, agent: &str, network: ClientNetwork, now: Timestamp) -> LiveWatches;
    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> u32;
    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> bool;
    async fn take_watches(&self, wish: LeaseRequest, due: Vec<DueClass>) -> Vec<ScreeningTask>;
    async fn postpone_watches(&self, owner: Owner, watches: Vec<WatchId>, until: Timestamp) -> ();
    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screening)>) -> ();
    async fn take_webhooks(&self, wish: LeaseRequest) -> Vec<WebhookTask>;
    async fn webhook_sent(&self, id: AlertId, owner: Owner, sent: WebhookOutcome, at: Timestamp) -> ();
    async fn forget_watches(&self, before: Timestamp, most: u32) -> u32;
}

in_turn! {
    impl Replicas {
        /// Both say the same, as far as anybody can tell them apart.
        fn report(&self, report: ReplicaReport) {
            self.ledgers.iter().for_each(|ledger| ledger.report(report.clone()));
        }

        fn clock_offset_ms(&self) -> Option<i64> {
            self.next().clock_offset_ms()
        }

        fn is_away(&self) -> bool {
            self.ledgers.iter().any(|ledger| ledger.is_away())
        }

        fn observe(&self) {
            self.next().observe();
        }
    }
    async fn replicas(&self) -> Vec<Replica>;
    async fn ping(&self) -> ();
}

in_turn! {
    impl Shared {
        fn is_shared(&self) -> bool {
            self.next().is_shared()
        }
    }
    async fn lease(&self, name: &str, owner: Owner, now: Timestamp, until: Timestamp) -> bool;
    async fn shared_value(&self, name: &str) -> Option<SharedValue>;
    async fn set_shared_value(&self, name: &str, replaces: u64, bytes: Vec<u8>) -> Option<u64>;
    async fn remember(
        &self,
        kind: &str,
        key: [u8; 32],
        bytes: Vec<u8>,
        now: Timestamp,
        until: Timestamp,
    ) -> ();
    async fn remembered(&self, kind: &str, key: &[u8; 32], now: Timestamp) -> Option<Vec<u8>>;
    async fn files_since(&self, folder: &str, version: u64, most: u32) -> Vec<SharedFile>;
    async fn put_chunk(&self, bytes: Vec<u8>, at: Timestamp) -> [u8; 32];
    async fn chunk(&self, sha256: &[u8; 32]) -> Option<Vec<u8>>;
    async fn put_file(
        &self,
        folder: &str,
        path: &str,
        replaces: u64,
        content: Option<SharedContent>,
        at: Timestamp,
    ) -> Option<u64>;
}

in_turn! {
    impl Cosigned {}
    async fn consistency(&self, old: u64, new: u64) -> Vec<Hash>;
    async fn inclusion_at(&self, leaf: u64, size: u64) -> Vec<Hash>;
    async fn newest_cosigned(&self) -> Option<CosignedCheckpoint>;
    async fn first_cosigned_with(&self, leaf: u64) -> Option<CosignedCheckpoint>;
    async fn record_cosigned(&self, checkpoint: CosignedCheckpoint) -> bool;
}

in_turn! {
    impl Stamped {}
    async fn newest_stamped(&self) -> Option<StampedCheckpoint>;
    async fn first_stamped_with(&self, leaf: u64) -> Option<StampedCheckpoint>;
    async fn record_stamped(&self, checkpoint: StampedCheckpoint) -> bool;
    async fn last_logged_stamp(&self, before: u64) -> Option<LoggedStamp>;
    async fn note_logged_stamp(&self, size: u64, leaf: u64, receipt: ReceiptHash) -> ();
}

in_turn! {
    impl Retention {}
    async fn expire_requests(&self, terms: RetentionTerms, now: Timestamp) -> Expired;
    async fn overwrite_deleted(&self) -> bool;
    async fn forget_trials(&self, before: Timestamp, most: u32) -> u32;
    async fn forget_deliveries(&self, before: Timestamp, most: u32) -> u32;
    async fn forget_memories(&self, before: Timestamp, most: u32) -> u32;
    async fn erased(&self, hash: &ReceiptHash) -> Option<(ErasedReceipt, Inclusion)>;
    async fn asked_erasures(&self, most: u32) -> Vec<AskedErasure>;
    async fn refuse_erasure(&self, hash: &ReceiptHash, why: String, at: Timestamp) -> ();
}

in_turn! {
    impl Ledger {
        /// A head is a lower bound, so the larger one is the better answer.
        fn head(&self) -> Arc<Head> {
            let [one, other] = self.ledgers.each_ref().map(|ledger| ledger.head());
            if other.size > one.size { other } else { one }
        }

        async fn reserve(
            &self,
            requests: Vec<QuotaRequest>,
        ) -> Result<Result<QuotaReservation, usize>, LedgerError> {
            let turn = self.next_for_quotas().await?;
            let reservation = self.ledgers[turn].reserve(requests).await?;
            reservation.iter().for_each(|reservation| self.reserved(turn, reservation));
            Ok(reservation)
        }

        /// A process may count what it is only told of later than it says so, and before it counts a later hit.
        async fn note(&self, hit: RateLimitHit) -> Result<(), LedgerError> {
            let ledger = self.next();
            ledger.note(hit).await?;
            ledger.admit(&[BARRIER]).await.map(drop)
        }

        async fn taken(&self, keys: &[QuotaKey]) -> Result<Vec<u64>, LedgerError> {
            let turn = self.next_for_quotas().await?;
            self.ledgers[turn].taken(keys).await
        }

        async fn append(&self, record: LedgerRecord) -> Result<AppendedRecord, LedgerError> {
            let turn = self.owner_turn(record.reservation.as_ref());
            let appended = self.ledgers[turn].append(record).await;
            // What comes back is still reserved where it was.
            if let Err(LedgerError::FormerKey { record: Some(refused), .. }) = &appended
                && let Some(reservation) = &refused.reservation
            {
                self.reserved(turn, reservation);
            }
            appended
        }

        async fn request_trial(
            &self,
            request: TrialRequest,
            reservation: Option<QuotaReservation>,
        ) -> Result<(), LedgerError> {
            self.owner(reservation.as_ref()).request_trial(request, reservation).await
        }

        fn is_writable(&self) -> bool {
            self.ledgers.iter().all(|ledger| ledger.is_writable())
        }
    }
    async fn admit(&self, hits: &[RateLimitHit]) -> Admission;
    async fn receipt(&self, hash: &ReceiptHash) -> Option<StoredReceipt>;
    async fn short_receipts(&self, hashes: &[ReceiptHash]) -> Vec<Option<StoredReceipt>>;
    async fn receipt_with_inclusion(&self, hash: &ReceiptHash) -> Option<(StoredReceipt, Inclusion)>;
    async fn key_records(&self) -> Vec<StoredReceipt>;
    async fn request(&self, leaf: u64) -> Option<StoredRequest>;
    async fn evidence(&self, leaf: u64) -> Vec<StoredBlob>;
    async fn evidence_elsewhere(&self, leaf: u64) -> Option<Vec<[u8; 32]>>;
    async fn inclusion(&self, leaf: u64) -> Inclusion;
    async fn root_at(&self, size: u64) -> Option<Hash>;
    async fn tile(&self, path: TilePath) -> Option<Vec<u8>>;
    async fn counts(&self) -> Vec<ClassCount>;
    async fn days(&self, since: u32) -> Vec<DayCount>;
    async fn counted(&self, keys: &[CounterKey]) -> Vec<u64>;
    async fn memory(&self, key: MemoryKey) -> Option<Memory>;
    async fn trials(&self, most: u32) -> Vec<TrialRequest>;
    async fn backlog(&self, now: Timestamp) -> Backlog;
}
