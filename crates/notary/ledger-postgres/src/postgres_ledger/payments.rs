//! The trait's part about money, on PostgreSQL.

use async_trait::async_trait;
use ledger::back_end::{fits_a_column, transaction_name};
use ledger::rules::claims;
use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimRef, ClaimWork, Judgement, LeaseRequest, LedgerError,
    LocalPayment, LocalTransfer, MAX_CLAIM_AMOUNT, MAX_JUDGEMENT_BYTES, NewClaim, Owner, PaymentIdentifier,
    Payments, PreparedTransaction, ProofKey, Revenue, Settlement,
};
use receipt::time::Timestamp;

use super::PostgresLedger;
use crate::claims::claim_rows;
use crate::claims::claim_steps;
use crate::claims::money;
use crate::columns::storable;
use crate::identity_rows;

#[async_trait]
impl Payments for PostgresLedger {
    async fn claim(&self, new: NewClaim) -> Result<ClaimOutcome, LedgerError> {
        new.check()?;
        let made = self
            .change(new.bytes(), new, |connection, new| Box::pin(claim_steps::make(connection, new)))
            .await?;
        Ok(match made {
            // Nothing was written, so nothing was acknowledged either.
            ClaimOutcome::Known(claim) => ClaimOutcome::Known(self.confirmed(claim).await?),
            other => other,
        })
    }

    async fn find_claim(
        &self,
        key: &ProofKey,
        identifier: Option<&PaymentIdentifier>,
    ) -> Result<Option<Claim>, LedgerError> {
        let names = claims::unique_names(key, identifier);
        let reader = self.reader().await?;
        let mut found = claim_rows::by_names(reader.connection(), &names).await?;
        drop(reader);
        self.maybe_confirmed(names.iter().find_map(|name| found.remove(name))).await
    }

    async fn find_claim_by_transaction(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
        payer: &[u8; 20],
    ) -> Result<Option<Claim>, LedgerError> {
        let name = transaction_name(chain_id, transaction, payer);
        let found = claim_rows::by_name(self.reader().await?.connection(), &name).await?;
        self.maybe_confirmed(found).await
    }

    async fn claim_by_id(&self, id: ClaimId) -> Result<Option<Claim>, LedgerError> {
        let found = claim_rows::by_id(self.reader().await?.connection(), id).await?;
        self.maybe_confirmed(found).await
    }

    async fn claim_work(&self, id: ClaimId) -> Result<Option<ClaimWork>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let work = claim_rows::work(snapshot.connection(), id).await?;
        snapshot.end().await?;
        Ok(work)
    }

    async fn judged(&self, id: ClaimId, owner: Owner, judgement: Judgement) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        let bytes = judgement.bytes();
        if bytes > MAX_JUDGEMENT_BYTES {
            return Err(LedgerError::Unfit(format!(
                "{bytes} bytes were found, more than {MAX_JUDGEMENT_BYTES}"
            )));
        }
        self.change(bytes, (claim, judgement), |connection, (claim, judgement)| {
            Box::pin(claim_steps::judged(connection, *claim, judgement))
        })
        .await
    }

    async fn broadcasting(
        &self,
        id: ClaimId,
        owner: Owner,
        prepared: PreparedTransaction,
    ) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(prepared.raw.len(), (claim, prepared), |connection, (claim, prepared)| {
            Box::pin(claim_steps::broadcasting(connection, *claim, prepared))
        })
        .await
    }

    async fn settled(&self, id: ClaimId, owner: Owner, settlement: Settlement) -> Result<(), LedgerError> {
        settlement.log_index.map_or(Ok(()), fits_a_column)?;
        let claim = ClaimRef { id, owner };
        self.change(0, (claim, settlement), |connection, (claim, settlement)| {
            Box::pin(money::settle(connection, *claim, settlement))
        })
        .await
    }

    async fn settle_local(
        &self,
        id: ClaimId,
        owner: Owner,
        payment: LocalPayment,
    ) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(0, (claim, payment), |connection, (claim, payment)| {
            Box::pin(money::settle_local(connection, *claim, *payment))
        })
        .await
    }

    async fn free(&self, id: ClaimId, owner: Owner) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(0, claim, |connection, claim| Box::pin(claim_steps::free(connection, *claim))).await
    }

    async fn failed(&self, id: ClaimId, owner: Owner, failure: ClaimFailure) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        // Both may be another server's text.
        let [code, detail] = [&failure.code, &failure.detail].map(|text| storable(text).into_owned());
        let failure = ClaimFailure { code, detail };
        let bytes = failure.code.len() + failure.detail.len();
        self.change(bytes, (claim, failure), |connection, (claim, failure)| {
            Box::pin(claim_steps::failed(connection, *claim, failure))
        })
        .await
    }

    async fn renew(&self, id: ClaimId, owner: Owner, lease_until: Timestamp) -> Result<(), LedgerError> {
        let claim = ClaimRef { id, owner };
        self.change(0, (claim, lease_until), |connection, (claim, lease_until)| {
            Box::pin(claim_steps::renew(connection, *claim, *lease_until))
        })
        .await
    }

    async fn take_over(&self, wish: LeaseRequest) -> Result<Vec<Claim>, LedgerError> {
        self.change(0, wish, |connection, wish| Box::pin(claim_steps::take_over(connection, *wish))).await
    }

    async fn local_balance(&self, account: &[u8; 20]) -> Result<u64, LedgerError> {
        let reader = self.reader().await?;
        Ok(money::local_balance(reader.connection(), account).await?)
    }

    async fn local_credit(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError> {
        check_amount(amount)?;
        self.change(0, (account, amount), |connection, (account, amount)| {
            Box::pin(money::local_credit(connection, account, *amount))
        })
        .await
    }

    async fn local_open(&self, account: [u8; 20], amount: u64) -> Result<(), LedgerError> {
        check_amount(amount)?;
        self.change(0, (account, amount), |connection, (account, amount)| {
            Box::pin(money::local_open(connection, account, *amount))
        })
        .await
    }

    async fn local_transfer(
        &self,
        chain_id: u64,
        transaction: &[u8; 32],
    ) -> Result<Option<LocalTransfer>, LedgerError> {
        let name = ProofKey::Transaction { chain_id, transaction: *transaction, log_index: 0 }.name();
        let reader = self.reader().await?;
        Ok(claim_rows::local_transfer(reader.connection(), &name).await?)
    }

    async fn revenue(&self) -> Result<Vec<Revenue>, LedgerError> {
        let reader = self.reader().await?;
        Ok(money::revenue(reader.connection()).await?)
    }

    async fn settled_by(&self, agent: &str, since_day: u32) -> Result<u64, LedgerError> {
        self.settled.read((agent.to_owned(), since_day)).await
    }

    async fn note_prices(&self, now: Timestamp, prices: &[(&'static str, u64)]) -> Result<(), LedgerError> {
        prices.iter().try_for_each(|(_, amount)| check_amount(*amount))?;
        self.change(0, (now, prices.to_vec()), |connection, (now, prices)| {
            Box::pin(async move {
                identity_rows::check_prices(connection, prices.iter().copied()).await?;
                for (class, amount) in prices {
                    money::note_price(connection, *now, class, *amount).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn prices_in_force(&self, class: &str, since: Timestamp) -> Result<Vec<u64>, LedgerError> {
        let reader = self.reader().await?;
        Ok(money::prices_in_force(reader.connection(), class, since).await?)
    }
}

impl PostgresLedger {
    /// A claim that may be handed out. One that was delivered has a checkpoint with it, so it is read again together with the
    /// head of the log, which is [confirmed](super::snapshot::Snapshot::end).
    async fn confirmed(&self, claim: Claim) -> Result<Claim, LedgerError> {
        if claim.receipt.is_none() {
            return Ok(claim);
        }
        let snapshot = self.snapshot().await?;
        let found = claim_rows::by_id(snapshot.connection(), claim.id).await?;
        snapshot.end().await?;
        found.ok_or(LedgerError::NoSuchClaim(claim.id))
    }

    async fn maybe_confirmed(&self, claim: Option<Claim>) -> Result<Option<Claim>, LedgerError> {
        match claim {
            Some(claim) => self.confirmed(claim).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Sums of such amounts fit a column.
fn check_amount(amount: u64) -> Result<(), LedgerError> {
    if amount > MAX_CLAIM_AMOUNT {
        return Err(LedgerError::Unfit(format!("{amount} is more than a million dollars")));
    }
    Ok(())
}
