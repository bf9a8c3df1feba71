//! Reads from a chain if a payment was made.
//!
//! Everything that is final is read at the configured depth: a transaction in the newest block has one confirmation,
//! and the *settled* block is the newest with as many as are configured. A receipt counts where its block is not newer
//! than that and is still the canonical one of its number; "not used" counts where it is read at the settled block.

use alloy_primitives::{B256, U256};

use super::node::At;
use super::token::{self, Moved};
use super::view::{ChainView, unavailable};
use super::wire::{Block, Receipt};
use crate::check::MAX_SECONDS_LEFT;
use crate::evidence::refused;
use crate::{Authorization, Code, Outcome, SettleError, Transfer, Wanted};

/// The most queries for events in one search.
const MAX_QUERIES: usize = 64;

/// Seconds by which the clock that admitted an authorization may have been off the chain's.
const CLOCK_SLACK: u64 = 900;

/// The fate of an authorization on the chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// The authorization paid.
    Paid(Transfer),
    /// The nonce was used for another transfer, or cancelled.
    Spent,
    /// The window is over, and the authorization was not used.
    Expired,
    /// The authorization was used, but the transaction was not found.
    Obscure,
    /// The authorization is in a block that is not final.
    Unconfirmed,
    /// The authorization was not used, or its use is not final yet.
    Open(Box<Open>),
}

/// A chain on which an authorization is open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Open {
    pub(crate) newest: Block,
    /// The newest block with the configured confirmations; none on a chain that is younger than that.
    pub(crate) settled: Option<Block>,
    /// The receipt of the transaction that was asked for, where it is final and did not pay.
    pub(crate) receipt: Option<Receipt>,
}

/// The observed state of a chain. A transaction without a receipt is in no block up to the newest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sight {
    newest: Block,
    /// The receipt of the transaction that was asked for, where it is in a block.
    pub(crate) receipt: Option<Receipt>,
}

impl Fate {
    /// The outcome that a back end reports without further checks.
    pub(crate) fn outcome(self) -> Outcome {
        match self {
            Self::Paid(transfer) => Outcome::Settled(transfer),
            Self::Spent => {
                let detail = "the authorization's nonce went to another transfer, or was cancelled";
                Outcome::Failed(refused(Code::NonceUsed, detail))
            }
            Self::Expired => {
                Outcome::Failed(refused(Code::Expired, "the authorization was not used in time"))
            }
            Self::Obscure | Self::Unconfirmed | Self::Open(_) => Outcome::Unknown,
        }
    }
}

impl ChainView {
    /// The newest block and, asked after it, the receipt of a transaction, where one is named.
    pub(crate) async fn sight(&self, transaction: Option<B256>) -> Result<Sight, SettleError> {
        self.check().await?;
        let newest = self.newest().await?;
        let receipt = match transaction {
            Some(transaction) => self.rpc.receipt(transaction).await?,
            None => None,
        };
        Ok(Sight { newest, receipt })
    }

    /// Finds the fate of an authorization, perhaps by the transaction that was searched for.
    pub(crate) async fn fate(
        &self,
        authorization: &Authorization,
        Sight { newest, receipt }: Sight,
    ) -> Result<Fate, SettleError> {
        if let Some(receipt) = &receipt {
            if !self.is_final(receipt, &newest).await? {
                return Ok(Fate::Unconfirmed);
            }
            if let Some(transfer) = token::paid(receipt, self.network().token, authorization) {
                return Ok(Fate::Paid(transfer));
            }
        }
        let Some(settled) = self.settled(&newest).await? else {
            return Ok(Fate::Open(Box::new(Open { newest, settled: None, receipt })));
        };
        if self.is_used(authorization, At::Number(settled.number())).await? {
            return self.spending(authorization, &newest, settled).await;
        }
        if U256::from(settled.time()) >= authorization.valid_before {
            return Ok(Fate::Expired);
        }
        Ok(Fate::Open(Box::new(Open { newest, settled: Some(settled), receipt })))
    }

    /// Finds how an authorization was used that is used at the settled block: it may have paid, whoever sent it.
    async fn spending(
        &self,
        authorization: &Authorization,
        newest: &Block,
        settled: Block,
    ) -> Result<Fate, SettleError> {
        let token = self.network().token;
        let topics = token::ending_topics(authorization);
        let begin = searched_from(authorization);
        let mut last = settled.number();
        for _ in 0..MAX_QUERIES {
            let first = last.saturating_sub(self.settings.log_span.get() - 1);
            let logs = self.rpc.logs(token, &topics, first, last).await?;
            for log in logs.iter().filter(|log| token::is_ending(log, token, authorization)) {
                let Some(receipt) = self.rpc.receipt(log.transaction()).await? else { continue };
                if !self.is_final(&receipt, newest).await? {
                    return Ok(Fate::Unconfirmed);
                }
                let paid = token::paid(&receipt, token, authorization);
                return Ok(paid.map_or(Fate::Spent, Fate::Paid));
            }
            if first == 0 || self.block(first).await?.is_some_and(|block| U256::from(block.time()) < begin) {
                break;
            }
            last = first - 1;
        }
        Ok(Fate::Obscure)
    }

    /// The transfer that a proof of settlement speaks of.
    pub(crate) async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError> {
        self.check().await?;
        let newest = self.newest().await?;
        let receipt = self.rpc.receipt(wanted.transaction).await?.filter(Receipt::succeeded);
        let Some(receipt) = receipt else {
            return Err(
                refused(Code::InvalidTransaction, "there is no such transaction that succeeded").into()
            );
        };
        let moved = self.wanted(&receipt, wanted)?;
        let block = self.block(receipt.block_number()).await?;
        let Some(block) = block.filter(|block| block.hash() == receipt.block_hash()) else {
            return Err(refused(Code::Unconfirmed, "the transaction's block is not part of the chain").into());
        };
        if block.time() < wanted.not_before {
            return Err(refused(Code::TransactionTooOld, "the transaction is older than the price").into());
        }
        if !self.is_deep(&receipt, &newest) {
            let detail =
                format!("the transaction has less than {} confirmations", self.settings.confirmations);
            return Err(refused(Code::Unconfirmed, detail).into());
        }
        let Moved { from: payer, value, log_index, .. } = moved;
        Ok(Transfer { transaction: wanted.transaction, log_index: Some(log_index), payer, value })
    }

    /// The one transfer in a receipt that fits.
    fn wanted(&self, receipt: &Receipt, wanted: &Wanted) -> Result<Moved, SettleError> {
        let transfers = receipt.logs().iter().filter_map(|log| token::moved(log, self.network().token));
        let mut fitting = transfers.filter(|moved| {
            (moved.from, moved.to) == (wanted.payer, wanted.pay_to)
                && wanted.values.contains(&moved.value)
                && wanted.log_index.is_none_or(|index| index == moved.log_index)
        });
        match (fitting.next(), fitting.next()) {
            (Some(moved), None) => Ok(moved),
            (None, _) => {
                Err(refused(Code::InvalidTransaction, "the transaction has no such transfer").into())
            }
            (Some(_), Some(_)) => {
                let detail = "the transaction has several such transfers, and logIndex names none of them";
                Err(refused(Code::InvalidTransaction, detail).into())
            }
        }
    }

    pub(crate) async fn newest(&self) -> Result<Block, SettleError> {
        let block = self.rpc.block(At::Latest).await?;
        block.ok_or_else(|| unavailable("the node has no newest block".to_owned()))
    }

    async fn settled(&self, newest: &Block) -> Result<Option<Block>, SettleError> {
        match newest.number().saturating_add(1).checked_sub(self.settings.confirmations.get()) {
            Some(number) => self.block(number).await,
            None => Ok(None),
        }
    }

    async fn block(&self, number: u64) -> Result<Option<Block>, SettleError> {
        Ok(self.rpc.block(At::Number(number)).await?)
    }

    /// Returns true if a receipt's block has the configured confirmations and is in the canonical chain.
    async fn is_final(&self, receipt: &Receipt, newest: &Block) -> Result<bool, SettleError> {
        if !self.is_deep(receipt, newest) {
            return Ok(false);
        }
        let block = self.block(receipt.block_number()).await?;
        Ok(block.is_some_and(|block| block.hash() == receipt.block_hash()))
    }

    fn is_deep(&self, receipt: &Receipt, newest: &Block) -> bool {
        let confirmations = newest.number().saturating_add(1).saturating_sub(receipt.block_number());
        confirmations >= self.settings.confirmations.get()
    }
}

/// The time before which the authorization cannot have been used: it was unused when it was admitted, which was no
/// longer before its window's end than a window may be open.
fn searched_from(authorization: &Authorization) -> U256 {
    let admitted = authorization.valid_before.saturating_sub(U256::from(MAX_SECONDS_LEFT + CLOCK_SLACK));
    admitted.max(authorization.valid_after)
}
