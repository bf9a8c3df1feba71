//! Settlement by our own transactions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use async_trait::async_trait;
use rpc::RpcError;
use tokio::time::Instant;
use verdict::Clock;

use super::gas::{GasBudget, Purpose};
use super::history::{Fate, Open};
use super::node::{At, ContractCall};
use super::nonces::Nonces;
use super::transaction::{Stored, cost, sign};
use super::view::{ChainView, MAX_GAS, Sending, unavailable};
use super::waits::Waits;
use super::wire::Receipt;
use crate::evidence::refused;
use crate::{
    Authorization, Code, GasToday, Outcome, Prepared, Refused, SettleError, SettlementKind, Settler,
    SignedAuthorization, Transfer, Wallet, Wanted,
};

/// The gas that the smallest transaction takes.
const PLAIN_GAS: u64 = 21_000;

/// Sends the payers' authorizations to the token, from an account that pays for the gas.
///
/// See [the module](super) for what a caller must do after a crash.
#[derive(Debug)]
pub struct ChainSettler {
    pub(super) view: ChainView,
    pub(super) gas: Wallet,
    pay_to: Address,
    /// The account whose own authorizations are sent to any payee.
    payer: Option<Address>,
    pub(super) max_fee: u128,
    pub(super) budget: Option<GasBudget>,
    nonces: Mutex<Nonces>,
    waits: Mutex<Waits>,
}

impl ChainSettler {
    /// Makes a settler that pays gas from `gas`, never more than `max_fee` wei for each unit of gas, and settles only
    /// payments to `pay_to`.
    ///
    /// Nothing else may use the gas account while this runs, not even another replica, because the transactions would
    /// use the same nonces.
    #[must_use]
    pub fn new(view: ChainView, gas: Wallet, pay_to: Address, max_fee: u128) -> Self {
        let (nonces, waits) = (Mutex::default(), Mutex::default());
        Self { view, gas, pay_to, payer: None, max_fee, budget: None, nonces, waits }
    }

    /// Sets the most wei that may be spent on gas in a UTC day of this clock.
    #[must_use]
    pub fn spending_at_most(self, per_day: U256, clock: Arc<dyn Clock>) -> Self {
        Self { budget: Some(GasBudget::new(per_day, clock)), ..self }
    }

    /// Also permits authorizations of this account to any payee. It is the hot wallet for refunds.
    #[must_use]
    pub fn paying_from(self, payer: Address) -> Self {
        Self { payer: Some(payer), ..self }
    }

    /// The view through which the chain is read.
    #[must_use]
    pub fn view(&self) -> &ChainView {
        &self.view
    }

    /// The account that pays for the gas, and its balance in wei.
    ///
    /// # Errors
    ///
    /// [`SettleError::Unavailable`] where the node cannot be asked.
    pub async fn gas_account(&self) -> Result<(Address, U256), SettleError> {
        let address = self.gas.address();
        Ok((address, self.view.rpc.balance(address).await?))
    }

    pub(super) fn nonces(&self) -> MutexGuard<'_, Nonces> {
        // Nothing in the guarded sections can leave the table half changed.
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        // Nothing in the guarded sections can leave the tables half changed.
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a wallet whose code has failed lately.
    fn admit_code(&self, payer: Address, code: &Bytes) -> Result<(), SettleError> {
        if code.is_empty() {
            return Ok(());
        }
        let left = self.waits().of_code(payer, keccak256(code), Instant::now());
        left.map_or(Ok(()), |left| Err(wait("wallets of this payer's code", left).into()))
    }

    pub(super) fn require_payee(&self, signed: &SignedAuthorization) -> Result<(), SettleError> {
        let Authorization { from, to, .. } = signed.authorization;
        if to != self.pay_to && Some(from) != self.payer {
            return Err(refused(Code::InvalidPayee, format!("the payee is {}", self.pay_to)).into());
        }
        Ok(())
    }

    /// A transaction that failed to be sent may have been sent before.
    async fn settle_refusal(&self, hash: B256, error: RpcError) -> Result<(), SettleError> {
        if is_known(&error) || self.view.rpc.receipt(hash).await?.is_some() {
            return Ok(());
        }
        Err(error.into())
    }

    /// Fills the place before a transaction that waits, where nothing is on its way to fill it.
    async fn fill_gap(&self, nonce: u64) -> Result<(), SettleError> {
        let counts = self.counts().await?;
        let Some(gap) = self.nonces().gap_before(nonce, counts, Instant::now()) else { return Ok(()) };
        let fees = self.fees().await?;
        let account = self.gas.address();
        let call = ContractCall { from: account, to: account, data: Bytes::new(), fees: Some(fees) };
        let filler = TxEip1559 { nonce: gap, ..self.transaction(&call, PLAIN_GAS, fees) };
        let most = cost(&filler);
        let filler = sign(&self.gas, filler);
        self.nonces().sent(gap, Instant::now());
        if let (Some(budget), Some(hash)) = (&self.budget, filler.transaction) {
            budget.sent(hash, most);
        }
        self.view.rpc.send_raw(&filler.raw).await?;
        Ok(())
    }

    /// Finds the outcome of a prepared transaction, on a chain where the authorization is open.
    async fn prospect(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
        open: Open,
    ) -> Result<Outcome, SettleError> {
        let Open { newest, settled, receipt } = open;
        if let Some(receipt) = receipt {
            // A success without the transfer says nothing that can be understood.
            return if receipt.succeeded() { Ok(Outcome::Unknown) } else { self.reverted(signed).await };
        }
        let Some(stored) = Stored::read(prepared) else { return Ok(Outcome::Stalled) };
        if stored.fees.most < newest.base_fee() {
            return Ok(Outcome::Stalled);
        }
        let Some(settled) = settled else { return Ok(Outcome::Unknown) };
        let block = At::Number(settled.number());
        if self.view.rpc.transaction_count(stored.sender, block).await? <= stored.nonce {
            return Ok(Outcome::Unknown);
        }
        // The count may be of a later state than what was read before it: after a reorganisation, or from a node that
        // answers while it makes the next block. What landed may then be our transaction.
        let (used, receipt) =
            tokio::join!(self.view.is_used(&signed.authorization, block), self.view.rpc.receipt(stored.hash));
        Ok(if used? || receipt?.is_some() { Outcome::Unknown } else { Outcome::Stalled })
    }

    /// Finds the reason why our transaction was reverted, as far as it can be known afterwards.
    async fn reverted(&self, signed: &SignedAuthorization) -> Result<Outcome, SettleError> {
        // Gas that has become too dear meanwhile must not keep a failure from being told.
        let sending = Sending { from: self.gas.address(), gas: MAX_GAS, fees: self.fees().await.ok() };
        match self.view.simulate(signed, &sending).await {
            Ok(()) => Ok(Outcome::Failed(refused(Code::SettlementFailed, "the transfer was reverted"))),
            // Somebody used it in the meantime: whether that paid is seen when it is final.
            Err(SettleError::Refused(refused)) if refused.code == Code::NonceUsed => Ok(Outcome::Unknown),
            Err(SettleError::Refused(refused)) => Ok(Outcome::Failed(refused)),
            Err(error) => Err(error),
        }
    }

    /// Counts the cost of our transaction, and notes if its payer has paid.
    async fn note(&self, payer: Address, prepared: &Prepared, receipt: Option<&Receipt>, outcome: &Outcome) {
        let cost = receipt.and_then(Receipt::cost);
        if let (Some(budget), Some(transaction), Some(cost)) = (&self.budget, prepared.transaction, cost) {
            budget.landed(transaction, cost);
        }
        let was_reverted = receipt.is_some_and(|receipt| !receipt.succeeded());
        match outcome {
            Outcome::Settled(_) => self.waits().paid(payer),
            Outcome::Failed(refused) if was_reverted && Some(payer) != self.payer => {
                self.note_failure(payer, refused.code).await;
            }
            _ => {}
        }
    }

    /// Makes a payer wait whose payment has failed at our expense, and its code where that may be the cause.
    async fn note_failure(&self, payer: Address, why: Code) {
        let is_by_code =
            matches!(why, Code::SettlementFailed | Code::InvalidSignature | Code::TransferRefused);
        let code = if is_by_code { self.view.rpc.code(payer).await.ok() } else { None };
        let code = code.filter(|code| !code.is_empty()).map(keccak256);
        tracing::warn!(%payer, why = why.as_str(), "a payment has failed on the chain: its payer waits");
        self.waits().failed(payer, code, Instant::now());
    }
}

#[async_trait]
impl Settler for ChainSettler {
    fn kind(&self) -> SettlementKind {
        SettlementKind::Chain
    }

    fn admit(&self, payer: Address) -> Result<(), SettleError> {
        if let Some(left) = self.waits().of_payer(payer, Instant::now()) {
            return Err(wait("this payer", left).into());
        }
        self.budget.as_ref().map_or(Ok(()), GasBudget::check)
    }

    fn gas_today(&self) -> Option<GasToday> {
        self.budget.as_ref().map(GasBudget::standing)
    }

    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError> {
        self.require_payee(signed)?;
        let payer = signed.authorization.from;
        self.admit(payer)?;
        let seen = self.view.verify(signed, |code| self.admit_code(payer, code));
        let (seen, fees) = tokio::join!(seen, self.fees());
        let balance = seen?;
        self.view.simulate(signed, &self.sending(fees?)).await?;
        Ok(Some(balance))
    }

    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError> {
        let payer = signed.authorization.from;
        let purpose = if Some(payer) == self.payer { Purpose::Owed } else { Purpose::Payment };
        if purpose == Purpose::Payment {
            // Another payment of its own may have failed since it was verified.
            self.admit(payer)?;
        }
        let (draft, counts) = self.draft(signed, None).await?;
        self.issue(draft, counts, purpose, None)
    }

    async fn prepare_again(
        &self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<Prepared, SettleError> {
        let stored = Stored::read(before).filter(|stored| stored.sender == self.gas.address());
        let is_placed = match &stored {
            Some(stored) => self.counts().await?.landed <= stored.nonce,
            None => false,
        };
        let Some(stored) = stored.filter(|_| is_placed) else {
            let (draft, counts) = self.draft(signed, None).await?;
            return self.issue(draft, counts, Purpose::Owed, before.transaction);
        };
        let (draft, _) = self.draft(signed, Some(stored.fees)).await?;
        let replacement = TxEip1559 { nonce: stored.nonce, ..draft };
        if let Some(budget) = &self.budget {
            budget.reserve(cost(&replacement), Purpose::Owed)?;
        }
        // The nonce is held while the transaction is stored.
        self.nonces().sent(stored.nonce, Instant::now());
        Ok(self.signed(replacement, Some(stored.hash)))
    }

    async fn broadcast(&self, _: &SignedAuthorization, prepared: &Prepared) -> Result<(), SettleError> {
        self.view.check().await?;
        let stored = Stored::read(prepared);
        let stored = stored.ok_or_else(|| unavailable("what was stored is no transaction".to_owned()))?;
        if let Some(budget) = self.budget.as_ref().filter(|_| stored.sender == self.gas.address()) {
            budget.sent(stored.hash, stored.cost);
        }
        match self.view.rpc.send_raw(&prepared.raw).await {
            Ok(hash) if hash == stored.hash => {}
            Ok(hash) => return Err(unavailable(format!("the node took {} for {hash}", stored.hash))),
            Err(error) => {
                self.settle_refusal(stored.hash, error).await?;
                if stored.sender == self.gas.address() {
                    self.fill_gap(stored.nonce).await?;
                }
            }
        }
        if stored.sender == self.gas.address() {
            self.nonces().sent(stored.nonce, Instant::now());
        }
        Ok(())
    }

    async fn outcome(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
    ) -> Result<Outcome, SettleError> {
        let sight = self.view.sight(prepared.transaction).await?;
        let receipt = sight.receipt.clone();
        let outcome = match self.view.fate(&signed.authorization, sight).await? {
            Fate::Open(open) => self.prospect(signed, prepared, *open).await?,
            other => other.outcome(),
        };
        self.note(signed.authorization.from, prepared, receipt.as_ref(), &outcome).await;
        Ok(outcome)
    }

    async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError> {
        self.view.find(wanted).await
    }

    async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError> {
        self.view.is_signed_by(account, digest, signature).await
    }
}

/// The refusal of a payer that waits.
fn wait(who: &str, left: Duration) -> Refused {
    let seconds = u32::try_from(left.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
    let detail = format!("payments of {who} have failed on the chain lately; come again in {seconds} s");
    Refused { retry_after_s: Some(seconds), ..Refused::new(Code::RecentFailures, detail) }
}

/// Returns true if a node's error says that it already has the transaction, in the words of Geth, Erigon, Nethermind,
/// Besu and Anvil.
fn is_known(error: &RpcError) -> bool {
    let RpcError::Refused { message, .. } = error else { return false };
    let message = message.to_ascii_lowercase();
    [
        "already known",
        "alreadyknown",
        "known transaction",
        "already_exists",
        "already exists",
        "already imported",
    ]
    .iter()
    .any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_say_in_many_words_that_they_have_a_transaction() {
        let refused = |message: &str| RpcError::Refused { code: -32000, message: message.to_owned() };
        for known in ["already known", "AlreadyKnown", "Known transaction", "ALREADY_EXISTS: already known"] {
            assert!(is_known(&refused(known)), "{known}");
        }
        for other in ["nonce too low", "replacement transaction underpriced", "insufficient funds", "unknown"]
        {
            assert!(!is_known(&refused(other)), "{other}");
        }
        assert!(!is_known(&RpcError::Status(500)));
    }
}
