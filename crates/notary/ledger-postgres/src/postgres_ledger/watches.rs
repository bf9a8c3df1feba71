//! The trait's part about watches, on PostgreSQL.

use async_trait::async_trait;
use ledger::rules;
use ledger::{
    AlertId, ClientNetwork, DueClass, LeaseRequest, LedgerError, LiveWatches, Owner, Screening,
    ScreeningTask, Watch, WatchId, WatchKey, Watches, WebhookOutcome, WebhookTask,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use super::PostgresLedger;
use crate::log::stored;
use crate::watches::{watch_rows, watch_steps, webhook_steps};

#[async_trait]
impl Watches for PostgresLedger {
    async fn watch(&self, key: &WatchKey) -> Result<Option<Watch>, LedgerError> {
        Ok(watch_rows::by_key(self.reader().await?.connection(), key).await?)
    }

    async fn watch_opened_by(&self, receipt: &ReceiptHash) -> Result<Option<Watch>, LedgerError> {
        Ok(watch_rows::by_receipt(self.reader().await?.connection(), receipt).await?)
    }

    async fn live_watches(
        &self,
        agent: &str,
        network: ClientNetwork,
        now: Timestamp,
    ) -> Result<LiveWatches, LedgerError> {
        Ok(watch_steps::live(self.reader().await?.connection(), agent, network, now).await?)
    }

    async fn watches_of_payer(&self, payer: [u8; 20], now: Timestamp) -> Result<u32, LedgerError> {
        Ok(watch_steps::of_payer(self.reader().await?.connection(), &payer, now).await?)
    }

    async fn end_watch(&self, key: &WatchKey, at: Timestamp) -> Result<bool, LedgerError> {
        self.change(0, (*key, at), |connection, (key, at)| Box::pin(watch_steps::end(connection, key, *at)))
            .await
    }

    async fn take_watches(
        &self,
        wish: LeaseRequest,
        due: Vec<DueClass>,
    ) -> Result<Vec<ScreeningTask>, LedgerError> {
        self.change(0, (wish, due), |connection, (wish, due)| {
            Box::pin(async move {
                // A clock that is ahead would put off what is due for all other processes.
                if !connection.is_clock_right() {
                    return Ok(Vec::new());
                }
                let over = rules::watches::over_at(wish.now, stored::latest(connection).await?);
                watch_steps::take(connection, *wish, over, due).await
            })
        })
        .await
    }

    async fn postpone_watches(
        &self,
        owner: Owner,
        watches: Vec<WatchId>,
        until: Timestamp,
    ) -> Result<(), LedgerError> {
        self.change(0, (owner, watches, until), |connection, (owner, watches, until)| {
            Box::pin(watch_steps::postpone(connection, *owner, watches, *until))
        })
        .await
    }

    async fn screened(&self, owner: Owner, screened: Vec<(WatchId, Screening)>) -> Result<(), LedgerError> {
        let text = |(_, screened): &(_, Screening)| screened.verdict.len() + screened.snapshots.len();
        let bytes = screened.iter().map(text).sum();
        self.change(bytes, (owner, screened), |connection, (owner, screened)| {
            Box::pin(watch_steps::screened(connection, *owner, screened))
        })
        .await
    }

    async fn take_webhooks(&self, wish: LeaseRequest) -> Result<Vec<WebhookTask>, LedgerError> {
        self.change(0, wish, |connection, wish| {
            Box::pin(async move {
                if !connection.is_clock_right() {
                    return Ok(Vec::new());
                }
                webhook_steps::take(connection, *wish).await
            })
        })
        .await
    }

    async fn webhook_sent(
        &self,
        id: AlertId,
        owner: Owner,
        sent: WebhookOutcome,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        self.change(0, (id, owner, sent, at), |connection, (id, owner, sent, at)| {
            Box::pin(async move {
                // It is taken again when its lease is over, and sent again at worst.
                if !connection.is_clock_right() {
                    return Ok(());
                }
                webhook_steps::sent(connection, *id, *owner, sent, *at).await
            })
        })
        .await
    }

    async fn forget_watches(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, (before, most), |connection, (before, most)| {
            Box::pin(watch_steps::forget(connection, *before, *most))
        })
        .await
    }
}
