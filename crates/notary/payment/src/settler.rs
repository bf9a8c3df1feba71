//! The trait of a settlement back end: it verifies, prepares, broadcasts and looks up, in steps that survive a crash.

use alloy_primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;

use crate::{Code, SignedAuthorization};

/// The kind of settlement back end, as receipts state it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettlementKind {
    /// The notary settles by its own transactions.
    Chain,
    /// An x402 facilitator settles.
    Facilitator,
    /// The embedded ledger of the development profile settles.
    Local,
}

impl SettlementKind {
    /// The name of the kind in receipts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Facilitator => "facilitator",
            Self::Local => "local",
        }
    }
}

/// The refusal of a proof that does not pay. The caller caused it, and no money was taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {detail}", code.as_str())]
pub struct Refused {
    /// The stable code.
    pub code: Code,
    /// One sentence for the caller, without internal details.
    pub detail: String,
    /// The number of seconds after which another attempt can succeed; `None` where waiting alone does not help.
    pub retry_after_s: Option<u32>,
}

impl Refused {
    /// Makes a refusal for which waiting does not help.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), retry_after_s: None }
    }
}

/// The error of a settlement step.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettleError {
    /// The proof does not pay.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The back end cannot be reached, or its answer is not valid. The text is for the log, not for the caller.
    #[error("the settlement back end: {0}")]
    Unavailable(String),
    /// The day's budget for gas is used up.
    #[error("the gas of this day is used up")]
    GasUsedUp {
        /// The number of seconds until the UTC day ends.
        retry_after_s: u32,
    },
}

/// The cost of gas in this UTC day, in the smallest unit of the chain's own coin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GasToday {
    /// The amount spent, with each pending transaction counted at its greatest possible cost.
    pub spent: U256,
    /// The most that may be spent in a day.
    pub per_day: U256,
    /// True if new payments are refused until the day ends.
    pub is_used_up: bool,
}

/// A settlement that is ready to be broadcast. It must be stored first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The data for broadcasting it again in a later process: a raw transaction, or a facilitator's request.
    pub raw: Vec<u8>,
    /// The hash of the transaction; `None` where it is not known in advance.
    pub transaction: Option<B256>,
}

/// A transfer of the token that has happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The hash of the transaction that made the transfer.
    pub transaction: B256,
    /// The index of its `Transfer` event in the block; 0 for the development profile's own money. `None` where the
    /// chain was not read: the transfer is then identified by its authorization, since one transaction may hold several
    /// transfers.
    pub log_index: Option<u64>,
    /// The account that paid.
    pub payer: Address,
    /// The amount, in atomic units.
    pub value: U256,
}

/// The outcome of a settlement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The transfer has happened: it was found on the chain with the configured confirmations.
    Settled(Transfer),
    /// The transfer will not happen, as seen with the configured confirmations: it was reverted, the nonce was used by
    /// another transfer or cancelled, or a block after the window's end shows it unused.
    Failed(Refused),
    /// The transfer has not happened, and waiting for the prepared transaction will not help: its account nonce was
    /// used by another transaction, or its fee is now too low. The caller must [prepare it
    /// again](Settler::prepare_again), store it, and broadcast it.
    Stalled,
    /// The outcome is not known yet. The caller must broadcast again from time to time, since a node may have lost the
    /// transaction.
    Unknown,
}

/// A settlement back end. Each step may be repeated after a crash without harm.
#[async_trait]
pub trait Settler: Send + Sync + 'static {
    /// The kind of this back end.
    fn kind(&self) -> SettlementKind;

    /// Refuses a payer whose payments have failed lately, and every payer where nothing can be sent today. No other
    /// service is asked.
    ///
    /// # Errors
    /// [`SettleError::Refused`] with the time to wait, or [`SettleError::GasUsedUp`].
    fn admit(&self, payer: Address) -> Result<(), SettleError> {
        let _ = payer;
        Ok(())
    }

    /// The cost of gas today; `None` where the back end pays no gas or has no daily bound.
    fn gas_today(&self) -> Option<GasToday> {
        None
    }

    /// Checks if the authorization would settle now: its payer is [admitted](Self::admit), and the signature (also of
    /// contract wallets), the balance, the nonce's state and a simulation are good. The caller has already made the
    /// checks that need no back end.
    ///
    /// Returns the payer's balance as it was seen, in atomic units; `None` where the back end shows none.
    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError>;

    /// Prepares the settlement. Nothing that could settle it leaves this process.
    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError>;

    /// Prepares a settlement again after [`Outcome::Stalled`], in place of the one prepared `before`. If both reach the
    /// chain, the money still moves once, because the token accepts the authorization's nonce once. An error, also a
    /// refusal, changes nothing: the earlier settlement may have succeeded meanwhile, and only [`Settler::outcome`] can
    /// tell.
    async fn prepare_again(
        &self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<Prepared, SettleError> {
        let _ = before;
        self.prepare(signed).await
    }

    /// Broadcasts a settlement that was prepared and stored. It may be repeated any number of times. An error means
    /// that the outcome is not known, except for [`SettleError::Refused`], which means that it was not taken and never
    /// will be.
    async fn broadcast(&self, signed: &SignedAuthorization, prepared: &Prepared) -> Result<(), SettleError>;

    /// Looks up the outcome of a settlement. `Unknown` is always a correct answer.
    async fn outcome(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
    ) -> Result<Outcome, SettleError>;

    /// Finds the transfer to `pay_to` in a transaction that another party sent, once it has the configured
    /// confirmations.
    ///
    /// `log_index` chooses among several transfers; without it there must be exactly one that fits. `not_before` is the
    /// Unix time that the transaction's block must not be older than.
    async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError>;

    /// Checks if an account signed a digest, by its key or, where the account has code, by EIP-1271.
    async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError>;
}

/// The transfer that a proof of settlement claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The hash of the transaction.
    pub transaction: B256,
    /// The index of the `Transfer` event in the block; `None` where the proof does not name it.
    pub log_index: Option<u64>,
    /// The account that must have paid.
    pub payer: Address,
    /// The account that must have been paid.
    pub pay_to: Address,
    /// The accepted amounts, in atomic units: the prices that are in force.
    pub values: Vec<U256>,
    /// The earliest time of the transaction's block, in Unix seconds.
    pub not_before: u64,
}
