//! The trait's part about disputes and refunds, on PostgreSQL.

use async_trait::async_trait;
use ledger::{
    Dispute, LeaseRequest, LedgerError, Owner, PayoutCap, PreparedTransaction, Refund, RefundId, Refunds,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use super::PostgresLedger;
use crate::claims::dispute_rows;
use crate::refunds::payouts;
use crate::refunds::payouts::RefundRef;
use crate::refunds::refund_rows;

#[async_trait]
impl Refunds for PostgresLedger {
    async fn is_spoken_of(&self, hash: &ReceiptHash) -> Result<bool, LedgerError> {
        let reader = self.reader().await?;
        Ok(dispute_rows::is_spoken_of(reader.connection(), hash).await?)
    }

    async fn disputes(&self, hash: &ReceiptHash) -> Result<Vec<Dispute>, LedgerError> {
        let reader = self.reader().await?;
        Ok(dispute_rows::disputes(reader.connection(), hash).await?)
    }

    async fn superseded_by(
        &self,
        hash: &ReceiptHash,
        agent: &str,
        payer: &[u8; 20],
    ) -> Result<Option<ReceiptHash>, LedgerError> {
        let reader = self.reader().await?;
        Ok(dispute_rows::superseded_by(reader.connection(), hash, agent, payer).await?)
    }

    async fn take_refunds(&self, wish: LeaseRequest) -> Result<Vec<Refund>, LedgerError> {
        self.change(0, wish, |connection, wish| Box::pin(payouts::take(connection, *wish))).await
    }

    async fn paid_out_since(&self, since: Timestamp) -> Result<u64, LedgerError> {
        let reader = self.reader().await?;
        Ok(refund_rows::paid_out_since(reader.connection(), since).await?)
    }

    async fn renew_refund(
        &self,
        id: RefundId,
        owner: Owner,
        lease_until: Timestamp,
    ) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        self.change(0, (refund, lease_until), |connection, (refund, lease_until)| {
            Box::pin(payouts::renew(connection, *refund, *lease_until))
        })
        .await
    }

    async fn refund_sending(
        &self,
        id: RefundId,
        owner: Owner,
        proof: Vec<u8>,
        prepared: PreparedTransaction,
        cap: Option<PayoutCap>,
    ) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        let bytes = proof.len() + prepared.raw.len();
        let args = (refund, proof, prepared, cap);
        self.change(bytes, args, |connection, (refund, proof, prepared, cap)| {
            Box::pin(payouts::sending(connection, *refund, proof, prepared, *cap))
        })
        .await
    }

    async fn refund_paid(
        &self,
        id: RefundId,
        owner: Owner,
        transaction: [u8; 32],
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        self.change(0, (refund, transaction, at), |connection, (refund, transaction, at)| {
            Box::pin(payouts::paid(connection, *refund, *transaction, *at))
        })
        .await
    }

    async fn refund_failed(&self, id: RefundId, owner: Owner) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        self.change(0, refund, |connection, refund| Box::pin(payouts::failed(connection, *refund))).await
    }

    async fn pay_refund_locally(
        &self,
        id: RefundId,
        owner: Owner,
        payer: [u8; 20],
        transaction: [u8; 32],
        at: Timestamp,
        cap: Option<PayoutCap>,
    ) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        let args = (refund, payer, transaction, at, cap);
        self.change(0, args, |connection, (refund, payer, transaction, at, cap)| {
            Box::pin(payouts::pay_locally(connection, *refund, *payer, *transaction, *at, *cap))
        })
        .await
    }
}
