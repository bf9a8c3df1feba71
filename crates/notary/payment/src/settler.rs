//! What a settlement back end is: it verifies, prepares, broadcasts and looks, in steps that survive a crash.

use alloy_primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;

use crate::{Code, SignedAuthorization};

/// Who settles, as receipts say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettlementKind {
    /// Our own transactions.
    Chain,
    /// An x402 facilitator.
    Facilitator,
    /// The development profile's embedded ledger.
    Local,
}

impl SettlementKind {
    /// As receipts have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Facilitator => "facilitator",
            Self::Local => "local",
        }
    }
}

/// A proof that does not pay: the caller's fault, nothing was taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {detail}", code.as_str())]
pub struct Refused {
    /// The stable code.
    pub code: Code,
    /// One sentence for the caller; no internals.
    pub detail: String,
    /// When to come again, in seconds, where waiting is all that it takes.
    pub retry_after_s: Option<u32>,
}

impl Refused {
    /// A refusal that waiting does not help.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), retry_after_s: None }
    }
}

/// A step that did not succeed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettleError {
    /// The proof does not pay.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The back end cannot be reached, or answers nonsense; for the log, not for the caller.
    #[error("the settlement back end: {0}")]
    Unavailable(String),
    /// The gas of this day is used up.
    #[error("the gas of this day is used up")]
    GasUsedUp {
        /// Seconds until the UTC day ends.
        retry_after_s: u32,
    },
}

/// What gas has cost in this UTC day, in the smallest unit of the chain's own coin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GasToday {
    /// What was spent, and what is on its way with the most that it can cost.
    pub spent: U256,
    /// What may be spent.
    pub per_day: U256,
    /// Whether new payments are refused until the day ends.
    pub is_used_up: bool,
}

/// A settlement that is ready to be broadcast, and must be stored before it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// All that a later process needs to broadcast it again: a raw transaction, or a facilitator's request.
    pub raw: Vec<u8>,
    /// The transaction's hash, where it is known beforehand.
    pub transaction: Option<B256>,
}

/// A transfer of the token that has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// In this transaction.
    pub transaction: B256,
    /// The index of its `Transfer` event in the block; 0 for the development profile's own money. `None` where nobody
    /// looked at the chain: it is then known by its authorization, since one transaction may hold several transfers.
    pub log_index: Option<u64>,
    /// Who paid.
    pub payer: Address,
    /// Atomic units.
    pub value: U256,
}

/// What became of a settlement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It happened, with the configured confirmations: the exact transfer was seen.
    Settled(Transfer),
    /// It will not happen, all with the configured confirmations: it was reverted, the nonce went to another transfer
    /// or was cancelled, or a block after the window's end has it unused.
    Failed(Refused),
    /// It has not happened, and waiting for what was prepared will not make it happen: its account nonce went to another
    /// transaction, or its fee is too low by now. To be [prepared again](Settler::prepare_again), stored, broadcast.
    Stalled,
    /// Not known yet. To be broadcast again from time to time: a node may have lost it.
    Unknown,
}

/// A settlement back end. Each step may be repeated after a crash without harm.
#[async_trait]
pub trait Settler: Send + Sync + 'static {
    /// Who settles.
    fn kind(&self) -> SettlementKind;

    /// Refuses a payer whose payments have failed lately, and everybody where nothing can be sent today. Nobody is asked.
    ///
    /// # Errors
    /// [`SettleError::Refused`] with the time to wait, or [`SettleError::GasUsedUp`].
    fn admit(&self, payer: Address) -> Result<(), SettleError> {
        let _ = payer;
        Ok(())
    }

    /// What gas has cost today, where it is ours to pay and has a bound.
    fn gas_today(&self) -> Option<GasToday> {
        None
    }

    /// Whether the authorization would settle now: whether its payer is [admitted](Self::admit), the signature (of contract
    /// wallets too), the balance, the nonce's state, a simulation. What can be checked without looking was checked before.
    ///
    /// Gives the payer's balance as it was seen, in atomic units; `None` where the back end shows none.
    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError>;

    /// Prepares the settlement. Nothing leaves this process that could settle it.
    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError>;

    /// Prepares a settlement anew after [`Outcome::Stalled`], in place of what was prepared `before`. Should both land
    /// after all, the token moves once: the authorization's nonce sees to it. An error changes nothing, a refusal too:
    /// what was prepared before may have settled meanwhile, and only [`Settler::outcome`] says.
    async fn prepare_again(
        &self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<Prepared, SettleError> {
        let _ = before;
        self.prepare(signed).await
    }

    /// Broadcasts what was prepared and stored; as often as one likes. An error means that the outcome is not known,
    /// except for [`SettleError::Refused`], which means that it was not taken and never will be.
    async fn broadcast(&self, signed: &SignedAuthorization, prepared: &Prepared) -> Result<(), SettleError>;

    /// What became of it. `Unknown` is always an honest answer.
    async fn outcome(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
    ) -> Result<Outcome, SettleError>;

    /// The transfer to `pay_to` in a transaction that somebody else sent, once it has the configured confirmations.
    ///
    /// `log_index` chooses among several; without it there must be exactly one that fits. `not_before` is the Unix
    /// time that the transaction's block must not be older than.
    async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError>;

    /// Whether a signature over a digest is the account's: by its key, or by EIP-1271 where it has code.
    async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError>;
}

/// A transfer that a proof of settlement speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The transaction.
    pub transaction: B256,
    /// The index of the `Transfer` event, where the proof names it.
    pub log_index: Option<u64>,
    /// Who must have paid.
    pub payer: Address,
    /// To whom.
    pub pay_to: Address,
    /// How much: any of these (the prices that are in force).
    pub values: Vec<U256>,
    /// Unix seconds that the block must not be older than.
    pub not_before: u64,
}
