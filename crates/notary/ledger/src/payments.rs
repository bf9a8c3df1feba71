//! Payments: claims, the development profile's own money, revenue and prices.

use async_trait::async_trait;
use receipt::time::Timestamp;

use crate::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimWork, Judgement, LedgerError, NewClaim, Owner,
    PaymentIdentifier, PreparedTransaction, ProofKey, Settlement,
};

/// Payments, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, and happens also where its caller has gone away meanwhile. A step on a
/// claim is taken only in the state that it leads on from and only by the claim's owner; else it is refused with
/// [`LedgerError::NoSuchClaim`], [`LedgerError::NotOwner`] or [`LedgerError::WrongState`] (in this order), and
/// nothing is changed. That a claim is delivered is part of [`append`](crate::Ledger::append).
#[async_trait]
pub trait Payments: Send + Sync + 'static {
    /// Binds a proof to a request. Of several for one proof at once, exactly one is the caller's own.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the claim contradicts itself, or its amount is too large.
    async fn claim(&self, new: NewClaim) -> Result<ClaimOutcome, LedgerError>;

    /// The claim of this proof, else the one under this payment identifier.
    ///
    /// A claim that was settled by an authorization is found by the transaction that it became, too. One whose
    /// receipt is not published yet is given as settled.
    async fn find_claim(
        &self,
        key: &ProofKey,
        identifier: Option<&PaymentIdentifier>,
    ) -> Result<Option<Claim>, LedgerError>;

    /// The claim that this payer made by this transaction, where the proof does not say by which of its transfers:
    /// the first one. Claims by authorizations are found so where nobody knows by which of its transfers they were
    /// [settled](Settlement::log_index), else not.
    async fn find_claim_by_transaction(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
        payer: &[u8; 20],
    ) -> Result<Option<Claim>, LedgerError>;

    /// The claim of this number; `None` also where it was freed.
    async fn claim_by_id(&self, id: ClaimId) -> Result<Option<Claim>, LedgerError>;

    /// The claim of this number with all that is needed to go on with it.
    async fn claim_work(&self, id: ClaimId) -> Result<Option<ClaimWork>, LedgerError>;

    /// Claimed to judged: stores the judgement. A bond that has settled stays settled, and stores its judgement once.
    async fn judged(&self, id: ClaimId, owner: Owner, judgement: Judgement) -> Result<(), LedgerError>;

    /// Judged (a bond: claimed) to broadcast: keeps what is about to be broadcast. Or, where it [replaces](PreparedTransaction::replaces) what was
    /// broadcast before, broadcast to broadcast.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`] for a claim by a transaction, which has happened already.
    async fn broadcasting(
        &self,
        id: ClaimId,
        owner: Owner,
        prepared: PreparedTransaction,
    ) -> Result<(), LedgerError>;

    /// Broadcast to settled; for a claim by a transaction, judged (a bond: claimed) to settled. Counts the revenue.
    ///
    /// The money has moved, so a bond is taken also where its receipt can have no dispute now; it is then
    /// [late](Claim::is_late).
    ///
    /// Several authorizations may have been used up in one transaction. Without a
    /// [log index](Settlement::log_index) each is settled by its own, and from then on no transfer of the same payer in
    /// that transaction can be claimed: it may be one that has paid.
    ///
    /// # Errors
    /// [`LedgerError::AlreadyCredited`]: the transfer is another claim's, or, without a log index, may be the one that the
    /// payer has made another claim by; [`LedgerError::Unfit`]: it is not the one that the claim is by.
    async fn settled(&self, id: ClaimId, owner: Owner, settlement: Settlement) -> Result<(), LedgerError>;

    /// Judged (a bond: claimed) to settled by money of the ledger's own, which moves from payer to payee in the same transaction; there
    /// is nothing to broadcast. A nonce is used up by the claim that has it, for good. Counts the revenue.
    ///
    /// # Errors
    /// [`LedgerError::InsufficientFunds`]; [`LedgerError::AlreadyCredited`]: another transfer has this hash;
    /// [`LedgerError::Unfit`] for a claim that is not by an authorization; [`LedgerError::DisputeOpen`] and
    /// [`LedgerError::DisputeLimit`] for a bond about a receipt that can have no dispute now.
    async fn settle_local(&self, id: ClaimId, owner: Owner, payment: LocalPayment)
    -> Result<(), LedgerError>;

    /// Claimed or judged to nothing: the claim is gone, and its proof can be claimed anew.
    async fn free(&self, id: ClaimId, owner: Owner) -> Result<(), LedgerError>;

    /// Broadcast to failed. The proof stays bound, its payment identifier is free again.
    async fn failed(&self, id: ClaimId, owner: Owner, failure: ClaimFailure) -> Result<(), LedgerError>;

    /// Prolongs the lease of an unfinished claim.
    async fn renew(&self, id: ClaimId, owner: Owner, lease_until: Timestamp) -> Result<(), LedgerError>;

    /// Leases unfinished claims whose lease is over to a new owner, the longest abandoned first.
    ///
    /// A back end that knows that no other process can have the store ends all leases when it is opened. A process
    /// that takes over what one of its own tasks has left should do so under another owner: a task that is only slow
    /// is then told so at its next step.
    async fn take_over(&self, wish: LeaseRequest) -> Result<Vec<Claim>, LedgerError>;

    /// The balance of a local account, in atomic units; 0 for an account that was never seen.
    async fn local_balance(&self, account: &[u8; 20]) -> Result<u64, LedgerError>;

    /// Gives a local account money, as a faucet does.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: over [`MAX_CLAIM_AMOUNT`](crate::MAX_CLAIM_AMOUNT) at once.
    async fn local_credit(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError>;

    /// Opens a local account with this much money; one that was seen before is left as it is.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`], as for [`local_credit`](Self::local_credit).
    async fn local_open(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError>;

    /// The transfer of local money with this hash, once it has happened.
    async fn local_transfer(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
    ) -> Result<Option<LocalTransfer>, LedgerError>;

    /// The revenue by token and class: from settled payments only, delivered or not, less the fees that are owed back
    /// since a dispute has overturned their receipts, paid back yet or not.
    async fn revenue(&self) -> Result<Vec<Revenue>, LedgerError>;

    /// The sum that an agent has settled from this day on (days since 1970-01-01 UTC), in atomic units, bonds apart. A
    /// fee that is owed back counts as never settled. All tokens count as one: only dollars with six decimals
    /// are taken.
    async fn settled_by(&self, agent: &str, since_day: u32) -> Result<u64, LedgerError>;

    /// Records the prices of classes that have changed.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: a price over [`MAX_CLAIM_AMOUNT`](crate::MAX_CLAIM_AMOUNT).
    async fn note_prices(&self, now: Timestamp, prices: &[(&'static str, u64)]) -> Result<(), LedgerError>;

    /// The prices of a class that were in force at this time or later, the newest first.
    async fn prices_in_force(&self, class: &str, since: Timestamp) -> Result<Vec<u64>, LedgerError>;
}

/// A request for leases: who wants them, until when, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeaseRequest {
    /// Leases that end at this time or before are over.
    pub now: Timestamp,
    /// The new owner.
    pub owner: Owner,
    /// The end of the new leases.
    pub lease_until: Timestamp,
    /// The most leases.
    pub most: u32,
}

/// A payment in the ledger's own money.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalPayment {
    /// The account that is paid.
    pub payee: [u8; 20],
    /// The hash by which the transfer is known; unique.
    pub transaction: [u8; 32],
    /// The time of the payment.
    pub at: Timestamp,
}

/// A transfer of the ledger's own money.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalTransfer {
    /// The account that paid.
    pub payer: [u8; 20],
    /// The account that was paid.
    pub payee: [u8; 20],
    /// The amount, in atomic units.
    pub amount: u64,
    /// The time of the transfer.
    pub at: Timestamp,
}

/// The revenue in one token from one class, in atomic units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Revenue {
    /// The token's symbol.
    pub symbol: String,
    /// The class.
    pub class: String,
    /// The amount earned, without amounts that are owed back.
    pub income: u64,
    /// The amount taken as bonds, including bonds that were owed back since.
    pub bonds: u64,
}
