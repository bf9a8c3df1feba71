//! Settlement by our own transactions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use async_trait::async_trait;
use rpc::RpcError;
use tokio::time::Instant;

use super::history::{Fate, Open};
use super::node::{At, Call};
use super::nonces::{Counts, Nonces};
use super::token;
use super::transaction::{Fees, Stored, sign};
use super::view::{ChainView, MAX_GAS, unavailable};
use crate::evidence::refused;
use crate::{
    Authorization, Code, Outcome, Prepared, SettleError, SettlementKind, Settler, SignedAuthorization,
    Transfer, Wallet, Wanted,
};

/// What the smallest transaction takes.
const PLAIN_GAS: u64 = 21_000;

/// Sends the payers' authorizations to the token, from an account that pays for the gas.
///
/// See [the module](super) for what a caller must do after a crash.
#[derive(Debug)]
pub struct ChainSettler {
    view: ChainView,
    gas: Wallet,
    pay_to: Address,
    /// Whose own authorizations are sent to any payee.
    payer: Option<Address>,
    max_fee: u128,
    nonces: Mutex<Nonces>,
}

impl ChainSettler {
    /// A settler that pays gas from `gas`, never more than `max_fee` wei for each unit of it, and settles nothing that
    /// is not paid to `pay_to`.
    ///
    /// The gas account must be used by nothing else while this runs, another replica included: their transactions would
    /// take each other's places.
    #[must_use]
    pub fn new(view: ChainView, gas: Wallet, pay_to: Address, max_fee: u128) -> Self {
        Self { view, gas, pay_to, payer: None, max_fee, nonces: Mutex::default() }
    }

    /// The same settler, which also sends what this account authorizes, to whomever: the hot wallet that refunds are
    /// paid from.
    #[must_use]
    pub fn paying_from(self, payer: Address) -> Self {
        Self { payer: Some(payer), ..self }
    }

    /// The chain, as it is looked at.
    #[must_use]
    pub fn view(&self) -> &ChainView {
        &self.view
    }

    /// The account that pays for the gas, and its balance in wei.
    ///
    /// # Errors
    ///
    /// [`SettleError::Unavailable`].
    pub async fn gas_account(&self) -> Result<(Address, U256), SettleError> {
        let address = self.gas.address();
        Ok((address, self.view.rpc.balance(address).await?))
    }

    fn nonces(&self) -> MutexGuard<'_, Nonces> {
        // Nothing in the guarded sections can leave the table half changed.
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn require_payee(&self, signed: &SignedAuthorization) -> Result<(), SettleError> {
        let Authorization { from, to, .. } = signed.authorization;
        if to != self.pay_to && Some(from) != self.payer {
            return Err(refused(Code::InvalidPayee, format!("the payee is {}", self.pay_to)).into());
        }
        Ok(())
    }

    /// What a transaction that settles needs, all but its account nonce.
    async fn draft(&self, signed: &SignedAuthorization) -> Result<(TxEip1559, Counts), SettleError> {
        self.require_payee(signed)?;
        self.view.check().await?;
        let call = self.view.transfer(signed, self.gas.address());
        let (gas, fees, counts, balance) = tokio::join!(
            self.gas_limit(&call),
            self.fees(),
            self.counts(),
            self.view.rpc.balance(self.gas.address())
        );
        let transaction = self.transaction(&call, gas?, fees?);
        if balance?
            < U256::from(transaction.gas_limit).saturating_mul(U256::from(transaction.max_fee_per_gas))
        {
            return Err(unavailable(format!("{} has too little to pay for the gas", self.gas.address())));
        }
        Ok((transaction, counts?))
    }

    fn transaction(&self, call: &Call, gas_limit: u64, fees: Fees) -> TxEip1559 {
        TxEip1559 {
            chain_id: self.view.network().chain_id,
            gas_limit,
            max_fee_per_gas: fees.most,
            max_priority_fee_per_gas: fees.tip,
            to: TxKind::Call(call.to),
            input: call.data.clone(),
            ..TxEip1559::default()
        }
    }

    /// A quarter more than it takes now: what it takes depends on the balances that it finds.
    async fn gas_limit(&self, call: &Call) -> Result<u64, SettleError> {
        let estimate = self.view.rpc.estimate_gas(call, MAX_GAS).await.map_err(token::refusal)?;
        Ok(estimate.saturating_add(estimate / 4).min(MAX_GAS))
    }

    async fn fees(&self) -> Result<Fees, SettleError> {
        let (newest, tip) = tokio::join!(self.view.newest(), self.view.rpc.priority_fee());
        let base = newest?.base_fee();
        Fees::over(base, tip?, self.max_fee).ok_or_else(|| {
            unavailable(format!("gas costs {base} wei, and at most {} are paid", self.max_fee))
        })
    }

    async fn counts(&self) -> Result<Counts, SettleError> {
        let account = self.gas.address();
        let (landed, awaited) = tokio::join!(
            self.view.rpc.transaction_count(account, At::Latest),
            self.view.rpc.transaction_count(account, At::Pending)
        );
        let landed = landed?;
        Ok(Counts { landed, awaited: awaited?.max(landed) })
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
        let call = Call { from: self.gas.address(), to: self.gas.address(), data: Bytes::new() };
        let filler = TxEip1559 { nonce: gap, ..self.transaction(&call, PLAIN_GAS, self.fees().await?) };
        self.nonces().sent(gap, Instant::now());
        self.view.rpc.send_raw(&sign(&self.gas, filler).raw).await?;
        Ok(())
    }

    /// What becomes of what was prepared, on a chain where the authorization is open.
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
        let landed = self.view.rpc.transaction_count(stored.sender, At::Number(settled.number())).await?;
        Ok(if landed > stored.nonce { Outcome::Stalled } else { Outcome::Unknown })
    }

    /// Why our transaction was reverted, as far as that can be told afterwards.
    async fn reverted(&self, signed: &SignedAuthorization) -> Result<Outcome, SettleError> {
        match self.view.simulate(signed, self.gas.address()).await {
            Ok(()) => Ok(Outcome::Failed(refused(Code::SettlementFailed, "the transfer was reverted"))),
            // Somebody used it in the meantime: whether that paid is seen when it is final.
            Err(SettleError::Refused(refused)) if refused.code == Code::NonceUsed => Ok(Outcome::Unknown),
            Err(SettleError::Refused(refused)) => Ok(Outcome::Failed(refused)),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl Settler for ChainSettler {
    fn kind(&self) -> SettlementKind {
        SettlementKind::Chain
    }

    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError> {
        self.require_payee(signed)?;
        self.view.verify(signed, self.gas.address()).await.map(Some)
    }

    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError> {
        let (draft, counts) = self.draft(signed).await?;
        let nonce = self.nonces().issue(counts, Instant::now());
        let nonce = nonce.ok_or_else(|| unavailable("too many settlements are under way".to_owned()))?;
        Ok(sign(&self.gas, TxEip1559 { nonce, ..draft }))
    }

    async fn prepare_again(
        &self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<Prepared, SettleError> {
        let stored = Stored::read(before).filter(|stored| stored.sender == self.gas.address());
        let Some(stored) = stored else { return self.prepare(signed).await };
        let (draft, counts) = self.draft(signed).await?;
        if counts.landed > stored.nonce {
            return self.prepare(signed).await;
        }
        let fees = Fees { most: draft.max_fee_per_gas, tip: draft.max_priority_fee_per_gas };
        let fees = fees.replacing(stored.fees, self.max_fee);
        let Fees { most, tip } =
            fees.ok_or_else(|| unavailable("a higher fee would be over what is paid at most".to_owned()))?;
        // Its place is held while it is stored.
        self.nonces().sent(stored.nonce, Instant::now());
        let replacement =
            TxEip1559 { nonce: stored.nonce, max_fee_per_gas: most, max_priority_fee_per_gas: tip, ..draft };
        Ok(sign(&self.gas, replacement))
    }

    async fn broadcast(&self, _: &SignedAuthorization, prepared: &Prepared) -> Result<(), SettleError> {
        self.view.check().await?;
        let stored = Stored::read(prepared);
        let stored = stored.ok_or_else(|| unavailable("what was stored is no transaction".to_owned()))?;
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
        let fate = self.view.fate(&signed.authorization, prepared.transaction).await?;
        Ok(match fate {
            Fate::Open(open) => return self.prospect(signed, prepared, open).await,
            other => other.outcome(),
        })
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

/// Whether a node says that it has the transaction already, in the words of Geth, Erigon, Nethermind, Besu and Anvil.
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
