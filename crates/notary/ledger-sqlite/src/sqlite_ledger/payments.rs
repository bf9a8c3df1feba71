//! The trait's part about money, on SQLite.

use async_trait::async_trait;
use ledger::back_end::{fits_a_column, transaction_name};
use ledger::rules::claims;
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimRef, ClaimWork, Judgement, LeaseRequest, LedgerError,
    LocalPayment, LocalTransfer, MAX_CLAIM_AMOUNT, MAX_JUDGEMENT_BYTES, NewClaim, Owner, PaymentIdentifier,
    Payments, PreparedTransaction, ProofKey, Revenue, Settlement,
};
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::claims::claim_rows;
use crate::claims::claim_steps;
use crate::claims::money;

impl SqliteLedger {
    /// See [`claims::as_published`].
    fn as_published(&self, claim: Claim) -> Claim {
        claims::as_published(claim, self.published_size())
    }
}

#[async_trait]
impl Payments for SqliteLedger {
    async fn claim(&self, new: NewClaim) -> Result<ClaimOutcome, LedgerError> {
        new.check()?;
        self.change(new.bytes(), move |transaction| claim_steps::make(transaction, &new)).await
    }

    async fn find_claim(
        &self,
        key: &ProofKey,
        identifier: Option<&PaymentIdentifier>,
    ) -> Result<Option<Claim>, LedgerError> {
        let found = self.read(|connection| {
            let found = claim_rows::by_name(connection, &key.name())?;
            match (found, identifier) {
                (None, Some(identifier)) => claim_rows::by_name(connection, &identifier.name()),
                (found, _) => Ok(found),
            }
        });
        Ok(found.await?.map(|claim| self.as_published(claim)))
    }

    async fn find_claim_by_transaction(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
        payer: &[u8; 20],
    ) -> Result<Option<Claim>, LedgerError> {
        let name = transaction_name(chain_id, transaction, payer);
        let found = self.read(|connection| claim_rows::by_name(connection, &name)).await?;
        Ok(found.map(|claim| self.as_published(claim)))
    }

    async fn claim_by_id(&self, id: ClaimId) -> Result<Option<Claim>, LedgerError> {
        let found = self.read(|connection| claim_rows::by_id(connection, id)).await?;
        Ok(found.map(|claim| self.as_published(claim)))
    }

    async fn claim_work(&self, id: ClaimId) -> Result<Option<ClaimWork>, LedgerError> {
        self.read_aside(move |connection| claim_rows::work(connection, id)).await
    }

    async fn judged(&self, id: ClaimId, owner: Owner, judgement: Judgement) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        let bytes = judgement.bytes();
        if bytes > MAX_JUDGEMENT_BYTES {
            return Err(LedgerError::Unfit(format!(
                "{bytes} bytes were found, more than {MAX_JUDGEMENT_BYTES}"
            )));
        }
        self.change(bytes, move |transaction| claim_steps::judged(transaction, claim, &judgement)).await
    }

    async fn broadcasting(
        &self,
        id: ClaimId,
        owner: Owner,
        prepared: PreparedTransaction,
    ) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        let bytes = prepared.raw.len();
        self.change(bytes, move |transaction| claim_steps::broadcasting(transaction, claim, &prepared)).await
    }

    async fn settled(&self, id: ClaimId, owner: Owner, settlement: Settlement) -> Result<(), LedgerError> {
        settlement.log_index.map_or(Ok(()), fits_a_column)?;
        let claim = ClaimRef { id, owner };
        self.change(0, move |transaction| money::settle(transaction, claim, &settlement)).await
    }

    async fn settle_local(
        &self,
        id: ClaimId,
        owner: Owner,
        payment: LocalPayment,
    ) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(0, move |transaction| money::settle_local(transaction, claim, payment)).await
    }

    async fn free(&self, id: ClaimId, owner: Owner) -> Result<(), LedgerError> {
        self.change(0, move |transaction| claim_steps::free(transaction, ClaimRef { id, owner })).await
    }

    async fn failed(&self, id: ClaimId, owner: Owner, failure: ClaimFailure) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        let bytes = failure.code.len() + failure.detail.len();
        self.change(bytes, move |transaction| claim_steps::failed(transaction, claim, &failure)).await
    }

    async fn renew(&self, id: ClaimId, owner: Owner, lease_until: Timestamp) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(0, move |transaction| claim_steps::renew(transaction, claim, lease_until)).await
    }

    async fn take_over(&self, wish: LeaseRequest) -> Result<Vec<Claim>, LedgerError> {
        self.change(0, move |transaction| claim_steps::take_over(transaction, wish)).await
    }

    async fn local_balance(&self, account: &[u8; 20]) -> Result<u64, LedgerError> {
        self.read(|connection| money::local_balance(connection, account)).await
    }

    async fn local_credit(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError> {
        check_amount(amount)?;
        self.change(0, move |transaction| Ok(money::local_credit(transaction, &account, amount)?)).await
    }

    async fn local_open(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError> {
        check_amount(amount)?;
        self.change(0, move |transaction| Ok(money::local_open(transaction, &account, amount)?)).await
    }

    async fn local_transfer(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
    ) -> Result<Option<LocalTransfer>, LedgerError> {
        let name = ProofKey::Transaction { chain_id, transaction: *transaction, log_index: 0 }.name();
        self.read(|connection| claim_rows::local_transfer(connection, &name)).await
    }

    async fn revenue(&self) -> Result<Vec<Revenue>, LedgerError> {
        self.read(money::revenue).await
    }

    async fn settled_by(&self, agent: &str, since_day: u32) -> Result<u64, LedgerError> {
        self.read(|connection| money::settled_by(connection, agent, since_day)).await
    }

    async fn note_prices(&self, now: Timestamp, prices: &[(&'static str, u64)]) -> Result<(), LedgerError> {
        prices.iter().try_for_each(|(_, amount)| check_amount(*amount))?;
        let prices = prices.to_vec();
        self.change(0, move |transaction| {
            for (class, amount) in prices {
                money::note_price(transaction, now, class, amount)?;
            }
            Ok(())
        })
        .await
    }

    async fn prices_in_force(&self, class: &str, since: Timestamp) -> Result<Vec<u64>, LedgerError> {
        self.read(|connection| money::prices_in_force(connection, class, since)).await
    }
}

/// Sums of such amounts fit a column.
fn check_amount(amount: u64) -> Result<(), LedgerError> {
    if amount > MAX_CLAIM_AMOUNT {
        return Err(LedgerError::Unfit(format!("{amount} is more than a million dollars")));
    }
    Ok(())
}
