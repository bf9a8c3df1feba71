//! The trait's part about watches, on SQLite.

use async_trait::async_trait;
use ledger::rules;
use ledger::{
    AlertId, ClientNetwork, DueClass, LeaseRequest, Ledger as _, LedgerError, LiveWatches, Owner, Screening,
    ScreeningTask, Watch, WatchId, WatchKey, Watches, WebhookOutcome, WebhookTask,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::watches::watch_rows;
use crate::watches::watch_steps;
use crate::watches::webhook_steps;

#[async_trait]
impl Watches for SqliteLedger {
    async fn watch(&self, key: &WatchKey) -> Result<Option<Watch>, LedgerError> {
        let published = self.published_size();
        self.read(|connection| watch_rows::by_key(connection, key, published)).await
    }

    async fn watch_opened_by(&self, receipt: &ReceiptHash) -> Result<Option<Watch>, LedgerError> {
        let published = self.published_size();
        self.read(|connection| watch_rows::by_receipt(connection, receipt, published)).await
    }

    async fn live_watches(
        &self,
        agent: &str,
        network: ClientNetwork,
        now: Timestamp,
    ) -> Result<LiveWatches, LedgerError> {
        let agent = agent.to_owned();
        // Counting all of them takes more than a moment.
        self.read_aside(move |connection| Ok(watch_steps::live(connection, &agent, network, now)?)).await
    }

    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> Result<u32, LedgerError> {
        self.read(|connection| watch_steps::of_payer(connection, &payer, now)).await
    }

    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> Result<bool, LedgerError> {
        let key = *key;
        self.change(0, move |transaction| Ok(watch_steps::end(transaction, &key, at)?)).await
    }

    async fn take_watches(
        &self,
        wish: LeaseRequest,
        due: Vec<DueClass>,
    ) -> Result<Vec<ScreeningTask>, LedgerError> {
        let over = rules::watches::over_at(wish.now, self.head().latest);
        self.change(0, move |transaction| watch_steps::take(transaction, wish, over, &due)).await
    }

    async fn postpone_watches(
        &self,
        owner: Owner,
        watches: Vec<WatchId>,
        until: Timestamp,
    ) -> Result<(), LedgerError> {
        self.change(0, move |transaction| Ok(watch_steps::postpone(transaction, owner, &watches, until)?))
            .await
    }

    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screening)>) -> Result<(), LedgerError> {
        let text = |(_, screened): &(_, Screening)| screened.verdict.len() + screened.snapshots.len();
        let bytes = screened.iter().map(text).sum();
        self.change(bytes, move |transaction| Ok(watch_steps::screened(transaction, owner, &screened)?)).await
    }

    async fn take_webhooks(&self, wish: LeaseRequest) -> Result<Vec<WebhookTask>, LedgerError> {
        self.change(0, move |transaction| Ok(webhook_steps::take(transaction, wish)?)).await
    }

    async fn webhook_sent(
        &self,
        id: AlertId,
        owner: Owner,
        sent: WebhookOutcome,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        self.change(0, move |transaction| webhook_steps::sent(transaction, id, owner, &sent, at)).await
    }

    async fn forget_watches(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, move |transaction| Ok(watch_steps::forget(transaction, before, most)?)).await
    }
}
