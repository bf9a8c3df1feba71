//! Makes our transactions: fees, gas, simulation, account nonce, and a reservation in the day's gas.

use alloy_consensus::TxEip1559;
use alloy_primitives::{B256, TxKind, U256};
use tokio::time::Instant;

use super::gas::Purpose;
use super::node::{At, ContractCall};
use super::nonces::TransactionCounts;
use super::settler::ChainSettler;
use super::token;
use super::transaction::{Fees, cost, sign};
use super::view::{MAX_GAS, Sending, unavailable};
use crate::{Prepared, SettleError, SignedAuthorization};

impl ChainSettler {
    /// Makes all of a settling transaction but its account nonce. It was simulated with the same gas and fees, so that
    /// no wallet can tell the simulation from the transaction by them.
    pub(super) async fn draft(
        &self,
        signed: &SignedAuthorization,
        replaces: Option<Fees>,
    ) -> Result<(TxEip1559, TransactionCounts), SettleError> {
        self.require_payee(signed)?;
        self.view.check().await?;
        let (fees, counts, balance) =
            tokio::join!(self.fees(), self.counts(), self.view.rpc.balance(self.gas.address()));
        let mut fees = fees?;
        if let Some(before) = replaces {
            let higher = fees.replacing(before, self.max_fee);
            fees = higher
                .ok_or_else(|| unavailable("a higher fee would be over what is paid at most".to_owned()))?;
        }
        let mut sending = self.sending(fees);
        if balance? < U256::from(sending.gas).saturating_mul(U256::from(fees.most)) {
            return Err(unavailable(format!("{} has too little to pay for the gas", self.gas.address())));
        }
        let call = self.view.transfer(signed, &sending);
        sending.gas = self.gas_limit(&call).await?;
        let transaction = self.transaction(&call, sending.gas, fees);
        self.view.simulate(signed, &sending).await?;
        Ok((transaction, counts?))
    }

    /// A transfer that is sent from the gas account, with the most gas.
    pub(super) fn sending(&self, fees: Fees) -> Sending {
        Sending { from: self.gas.address(), gas: MAX_GAS, fees: Some(fees) }
    }

    /// Gives a draft a place in the account and signs it, where the day's gas has room for it. It may take the place of a
    /// transaction that has lost its own.
    pub(super) fn issue(
        &self,
        draft: TxEip1559,
        counts: TransactionCounts,
        purpose: Purpose,
        before: Option<B256>,
    ) -> Result<Prepared, SettleError> {
        let most = cost(&draft);
        if let Some(budget) = &self.budget {
            budget.reserve(most, purpose)?;
        }
        let Some(nonce) = self.nonces().issue(counts, Instant::now()) else {
            if let Some(budget) = &self.budget {
                budget.give_back(most);
            }
            return Err(unavailable("too many settlements are under way".to_owned()));
        };
        Ok(self.signed(TxEip1559 { nonce, ..draft }, before))
    }

    /// Signs a transaction for whose cost room was made.
    pub(super) fn signed(&self, transaction: TxEip1559, before: Option<B256>) -> Prepared {
        let most = cost(&transaction);
        let prepared = sign(&self.gas, transaction);
        if let (Some(budget), Some(hash)) = (&self.budget, prepared.transaction) {
            budget.name(hash, most, before);
        }
        prepared
    }

    pub(super) fn transaction(&self, call: &ContractCall, gas_limit: u64, fees: Fees) -> TxEip1559 {
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
    async fn gas_limit(&self, call: &ContractCall) -> Result<u64, SettleError> {
        let estimate = self.view.rpc.estimate_gas(call, MAX_GAS).await.map_err(token::refusal)?;
        Ok(estimate.saturating_add(estimate / 4).min(MAX_GAS))
    }

    pub(super) async fn fees(&self) -> Result<Fees, SettleError> {
        let (newest, tip) = tokio::join!(self.view.newest(), self.view.rpc.priority_fee());
        let base = newest?.base_fee();
        Fees::over(base, tip?, self.max_fee).ok_or_else(|| {
            unavailable(format!("gas costs {base} wei, and at most {} are paid", self.max_fee))
        })
    }

    pub(super) async fn counts(&self) -> Result<TransactionCounts, SettleError> {
        let account = self.gas.address();
        let (landed, awaited) = tokio::join!(
            self.view.rpc.transaction_count(account, At::Latest),
            self.view.rpc.transaction_count(account, At::Pending)
        );
        let landed = landed?;
        Ok(TransactionCounts { landed, awaited: awaited?.max(landed) })
    }
}
