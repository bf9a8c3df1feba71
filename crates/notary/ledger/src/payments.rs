//! Payments: claims, the development profile's own money, revenue and prices.

use async_trait::async_trait;
use receipt::time::Timestamp;

use crate::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimWork, Judgement, LedgerError, NewClaim, Owner,
    PaymentIdentifier, PreparedTransaction, ProofKey, Settlement,
};

/// Payments, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, which is completed also if the caller stops waiting. A step is allowed only
/// in certain states of the claim and only for the claim's owner; otherwise it is refused with
/// [`LedgerError::NoSuchClaim`], [`LedgerError::NotOwner`] or [`LedgerError::WrongState`] (in this order), and nothing
/// is changed. A claim is delivered by [`append`](crate::Ledger::append).
#[async_trait]
pub trait Payments: Send + Sync + 'static {
    /// Binds a proof to a request. Of several simultaneous attempts with one proof, exactly one gets
    /// [`ClaimOutcome::Mine`].
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the claim contradicts itself, or its amount is too large.
    async fn claim(&self, new: NewClaim) -> Result<ClaimOutcome, LedgerError>;

    /// The claim with this proof, or otherwise the one with this payment identifier; `None` where there is neither.
    ///
    /// A claim that was settled by an authorization is also found by its transaction. A claim whose receipt is not
    /// published yet is returned as settled.
    async fn find_claim(
        &self,
        key: &ProofKey,
        identifier: Option<&PaymentIdentifier>,
    ) -> Result<Option<Claim>, LedgerError>;

    /// The first claim of this payer by this transaction, for a proof that does not say which transfer of the
    /// transaction it means. A claim by an authorization is found only if its transfer within the transaction is
    /// [unknown](Settlement::log_index).
    async fn find_claim_by_transaction(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
        payer: &[u8; 20],
    ) -> Result<Option<Claim>, LedgerError>;

    /// The claim with this number; `None` where it never existed or was freed.
    async fn claim_by_id(&self, id: ClaimId) -> Result<Option<Claim>, LedgerError>;

    /// The claim with this number and the data for continuing it; `None` where it never existed or was freed.
    async fn claim_work(&self, id: ClaimId) -> Result<Option<ClaimWork>, LedgerError>;

    /// Changes a claim from claimed to judged, and stores the judgement. A settled bond stays settled, and stores its
    /// judgement once.
    async fn judged(&self, id: ClaimId, owner: Owner, judgement: Judgement) -> Result<(), LedgerError>;

    /// Changes a claim from judged (a bond: from claimed) to broadcast, and stores the prepared settlement. A
    /// settlement that [replaces](PreparedTransaction::replaces) an earlier one is also allowed in the state broadcast.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`] for a claim by a transaction, which has happened already.
    async fn broadcasting(
        &self,
        id: ClaimId,
        owner: Owner,
        prepared: PreparedTransaction,
    ) -> Result<(), LedgerError>;

    /// Changes a claim from broadcast to settled, and counts the revenue. A claim by a transaction changes from judged
    /// (a bond: from claimed).
    ///
    /// The money has moved, so a bond is accepted also if its receipt can have no further dispute; it is then
    /// [late](Claim::is_late).
    ///
    /// Several authorizations may have been used up in one transaction. Without a [log index](Settlement::log_index)
    /// each claim is settled by its own authorization, and then no transfer of the same payer in that transaction can
    /// be claimed, because it may already have paid.
    ///
    /// # Errors
    /// [`LedgerError::AlreadyCredited`]: the transfer has paid for another claim, or, without a log index, may have
    /// done so; [`LedgerError::Unfit`]: the claim is for another transfer.
    async fn settled(&self, id: ClaimId, owner: Owner, settlement: Settlement) -> Result<(), LedgerError>;

    /// Changes a claim from judged (a bond: from claimed) to settled by the ledger's own money, which moves from payer
    /// to payee in the same transaction. The claim uses up its nonce for ever, and the revenue is counted.
    ///
    /// # Errors
    /// [`LedgerError::InsufficientFunds`]; [`LedgerError::AlreadyCredited`]: another transfer has this hash;
    /// [`LedgerError::Unfit`] for a claim that is not by an authorization; [`LedgerError::DisputeOpen`] and
    /// [`LedgerError::DisputeLimit`] for a bond about a receipt that can have no dispute now.
    async fn settle_local(&self, id: ClaimId, owner: Owner, payment: LocalPayment)
    -> Result<(), LedgerError>;

    /// Removes a claim in the state claimed or judged. Its proof can be claimed again.
    async fn free(&self, id: ClaimId, owner: Owner) -> Result<(), LedgerError>;

    /// Changes a claim from broadcast to failed. The proof stays bound, and the payment identifier can be used again.
    async fn failed(&self, id: ClaimId, owner: Owner, failure: ClaimFailure) -> Result<(), LedgerError>;

    /// Extends the lease of an unfinished claim.
    async fn renew(&self, id: ClaimId, owner: Owner, lease_until: Timestamp) -> Result<(), LedgerError>;

    /// Leases unfinished claims whose lease has ended to a new owner, those with the earliest end first.
    ///
    /// A back end that excludes other processes ends all leases when it opens the store. A process that takes over a
    /// claim of one of its own tasks should use another owner: if that task is only slow, its next step then fails with
    /// [`LedgerError::NotOwner`].
    async fn take_over(&self, wish: LeaseRequest) -> Result<Vec<Claim>, LedgerError>;

    /// The balance of a local account, in atomic units; 0 for an unknown account.
    async fn local_balance(&self, account: &[u8; 20]) -> Result<u64, LedgerError>;

    /// Adds an amount in atomic units to a local account, as a faucet does.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the amount is over [`MAX_CLAIM_AMOUNT`](crate::MAX_CLAIM_AMOUNT).
    async fn local_credit(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError>;

    /// Opens a local account with an amount in atomic units. An existing account does not change.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`], as for [`local_credit`](Self::local_credit).
    async fn local_open(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError>;

    /// The transfer of local money with this hash; `None` before it has happened.
    async fn local_transfer(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
    ) -> Result<Option<LocalTransfer>, LedgerError>;

    /// The revenue by token and class. It counts settled payments, delivered or not, without the fees that are refunded
    /// because a dispute has overturned their receipts.
    async fn revenue(&self) -> Result<Vec<Revenue>, LedgerError>;

    /// The amount that an agent has settled since a day (in days since 1970-01-01 UTC), in atomic units without bonds.
    /// A fee that is refunded does not count. All tokens are added together, because only dollar tokens with six
    /// decimals are accepted.
    async fn settled_by(&self, agent: &str, since_day: u32) -> Result<u64, LedgerError>;

    /// Stores the changed prices of classes, in atomic units.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: a price is over [`MAX_CLAIM_AMOUNT`](crate::MAX_CLAIM_AMOUNT). [`LedgerError::OtherPrices`]:
    /// several processes may share the store, and it is bound to another [table](crate::PriceTable).
    async fn note_prices(&self, now: Timestamp, prices: &[(&'static str, u64)]) -> Result<(), LedgerError>;

    /// The prices of a class that were in force at `since` or later, in atomic units, the newest first.
    async fn prices_in_force(&self, class: &str, since: Timestamp) -> Result<Vec<u64>, LedgerError>;
}

/// A request for leases: the new owner, the end of the leases, and their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeaseRequest {
    /// The current time. Leases that end at this time or before have ended.
    pub now: Timestamp,
    /// The new owner.
    pub owner: Owner,
    /// The end of the new leases.
    pub lease_until: Timestamp,
    /// The most leases that are returned.
    pub most: u32,
}

/// A payment in the ledger's own money.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalPayment {
    /// The account that receives the money.
    pub payee: [u8; 20],
    /// The unique hash of the transfer.
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
    /// The symbol of the token.
    pub symbol: String,
    /// The class of the routes.
    pub class: String,
    /// The amount earned, without refunded amounts.
    pub income: u64,
    /// The amount taken as bonds, including bonds that were refunded later.
    pub bonds: u64,
}
