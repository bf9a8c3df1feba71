//! The trait's part about disputes and refunds, on SQLite.

use async_trait::async_trait;
use ledger::rules;
use ledger::{
    Dispute, LeaseRequest, LedgerError, Owner, PayoutCap, PreparedTransaction, Refund, RefundId, Refunds,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::claims::dispute_rows;
use crate::refunds::payouts;
use crate::refunds::payouts::RefundRef;
use crate::refunds::refund_rows;

#[async_trait]
impl Refunds for SqliteLedger {
    async fn is_spoken_of(&self, hash: &ReceiptHash) -> Result<bool, LedgerError> {
        self.read(|connection| dispute_rows::is_spoken_of(connection, hash)).await
    }

    async fn disputes(&self, hash: &ReceiptHash) -> Result<Vec<Dispute>, LedgerError> {
        let found = self.read(|connection| dispute_rows::disputes(connection, hash)).await?;
        let published = self.published_size();
        let as_published = |(dispute, leaf)| rules::disputes::as_published(dispute, leaf, published);
        Ok(found.into_iter().map(as_published).collect())
    }

    async fn superseded_by(
        &self,
        hash: &ReceiptHash,
        agent: &str,
        payer: &[u8; 20],
    ) -> Result<Option<ReceiptHash>, LedgerError> {
        let published = self.published_size();
        self.read(|connection| dispute_rows::superseded_by(connection, hash, agent, payer, published)).await
    }

    async fn take_refunds(&self, wish: LeaseRequest) -> Result<Vec<Refund>, LedgerError> {
        self.change(0, move |transaction| payouts::take(transaction, wish)).await
    }

    async fn paid_out_since(&self, since: Timestamp) -> Result<u64, LedgerError> {
        self.read(move |connection| refund_rows::paid_out_since(connection, since)).await
    }

    async fn renew_refund(
        &self,
        id: RefundId,
        owner: Owner,
        lease_until: Timestamp,
    ) -> Result<(), LedgerError> {
        let refund = RefundRef { id, owner };
        self.change(0, move |transaction| payouts::renew(transaction, refund, lease_until)).await
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
        self.change(bytes, move |transaction| payouts::sending(transaction, refund, &proof, &prepared, cap))
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
        self.change(0, move |connection| payouts::paid(connection, refund, transaction, at)).await
    }

    async fn refund_failed(&self, id: RefundId, owner: Owner) -> Result<(), LedgerError> {
        self.change(0, move |transaction| payouts::failed(transaction, RefundRef { id, owner })).await
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
        let work =
            move |connection: &_| payouts::pay_locally(connection, refund, payer, transaction, at, cap);
        self.change(0, work).await
    }
}
