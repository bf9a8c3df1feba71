//! Payouts: pays the amounts that disputes leave owed, from a hot wallet or from the ledger's own money.
//!
//! A payout is an EIP-3009 authorization like a payment, signed by the hot wallet and sent by the settlement back end,
//! through the same steps: prepared, stored, broadcast, looked up. Its nonce is derived from the payment that is given
//! back, so the token itself prevents a second payment, after any crash, and even if the store is restored from an old
//! copy.

use std::sync::Arc;
use std::time::Duration;

use ledger::rules::refunds::check_cap;
use ledger::{LeaseRequest, Ledger, LedgerError, Owner, PayoutCap, Refund, RefundState, TransferId};
use module::{Background, fault};
use payment::eip712::Domain;
use payment::{
    Address, Authorization, B256, Code, Network, Outcome, Prepared, SettleError, SettlementKind, Settler,
    SignedAuthorization, U256, Wallet, local_payee,
};
use receipt::hash::sha256;
use thiserror::Error;
use verdict::{Clock, Timestamp, Usd};

/// The interval at which owed refunds are searched for.
pub const EVERY: Duration = Duration::from_secs(5);
/// Duration of the lease of a refund, in milliseconds.
pub const LEASE_MS: i64 = 30_000;
/// Maximum number of refunds that are leased at once.
pub const MOST: u32 = 16;
/// Default limit of payouts on one UTC day.
pub const PER_DAY: Usd = Usd::from_cents(10_000);
/// The time for which a payout's authorization is valid, in seconds.
const WINDOW_SECONDS: u64 = 3600;

/// The source of funds from which refunds are paid.
pub enum RefundSource {
    /// The local accounts of the development profile.
    Local,
    /// A hot wallet that holds the token.
    Hot {
        /// The network of the wallet's token.
        network: Network,
        /// The wallet with its key.
        wallet: Wallet,
        /// The settlement back end that sends its authorizations.
        settler: Arc<dyn Settler>,
    },
}

/// The reason why a refund is not paid yet.
#[derive(Debug, Error)]
enum PayoutError {
    #[error(transparent)]
    Ledger(LedgerError),
    #[error(transparent)]
    Settle(#[from] SettleError),
    #[error("it is owed on chain {0}, and the refund source is on another")]
    OtherChain(u64),
    #[error("it is owed in money of the development profile, or the refund source is")]
    OtherMoney,
    #[error("what was stored for it cannot be read")]
    Unreadable,
    #[error("the day's cap is reached: {paid} USDC are paid out or on their way, and the cap is {cap}")]
    DailyCap { paid: Usd, cap: Usd },
}

impl From<LedgerError> for PayoutError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::PayoutCap { paid, most } => {
                Self::DailyCap { paid: Usd::from_atomic(paid), cap: Usd::from_atomic(most) }
            }
            other => Self::Ledger(other),
        }
    }
}

/// Pays owed refunds, for as long as it is polled.
pub async fn pay(
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    refund_source: Arc<RefundSource>,
    limit: PayoutLimit,
    new_owner: impl Fn() -> Owner,
) {
    let mut paying =
        PayoutRun { ledger: &*ledger, clock: &*clock, refund_source: &refund_source, limit, capped_on: None };
    loop {
        if let Err(error) = paying.round(new_owner()).await {
            tracing::error!(%error, "refunds cannot be taken in hand");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// The limit of payouts on one UTC day, and the state in which a reached limit is reported.
#[derive(Clone, Debug)]
pub struct PayoutLimit {
    /// Maximum amount on one UTC day. Further refunds wait for the next day, or for a higher limit.
    pub per_day: Usd,
    /// The background state, from which `/health` reads that a refund waits.
    pub background: Background,
}

/// The name in `/health` of the part that pays, and its trouble.
const PART: &str = "payouts";
const AT_DAILY_CAP: &str = "daily_cap";

/// Pays the refunds that are owed, round by round.
struct PayoutRun<'a> {
    ledger: &'a dyn Ledger,
    clock: &'a dyn Clock,
    refund_source: &'a RefundSource,
    limit: PayoutLimit,
    /// The day on which the log was told that the cap is reached.
    capped_on: Option<u32>,
}

impl PayoutRun<'_> {
    /// Takes a step with each refund that nobody works on.
    async fn round(&mut self, owner: Owner) -> Result<(), LedgerError> {
        let now = self.clock.now();
        let lease_until = now.saturating_add_millis(LEASE_MS);
        for refund in self.ledger.take_refunds(LeaseRequest { now, owner, lease_until, most: MOST }).await? {
            match self.step(&refund).await {
                Ok(()) => {}
                Err(PayoutError::DailyCap { paid, cap }) => self.say_capped(paid, cap),
                Err(error) => {
                    let (id, kind) = (refund.id.0, refund.kind.as_str());
                    tracing::warn!(refund = id, kind, %error, "a refund is not paid yet");
                }
            }
        }
        self.forget_cap();
        Ok(())
    }

    /// Refuses a payout that would take the day over its cap, before anything is prepared for it. The ledger counts, so a
    /// restart changes nothing; and it decides again when the payout is stored, since another process may pay meanwhile.
    async fn require_room(&self, refund: &Refund) -> Result<(), PayoutError> {
        let cap = self.cap();
        let paid = self.ledger.paid_out_since(cap.since).await?;
        Ok(check_cap(cap, paid, refund.amount)?)
    }

    /// The cap of today.
    fn cap(&self) -> PayoutCap {
        PayoutCap { since: start_of_day(self.clock.now()), most: self.limit.per_day.atomic() }
    }

    /// Reports once a day that the limit is reached.
    fn say_capped(&mut self, paid: Usd, cap: Usd) {
        metrics::gauge!("touchstone_payouts_capped").set(1.0);
        self.limit.background.set_trouble(PART, Some(AT_DAILY_CAP));
        let today = self.clock.now().unix_days();
        if self.capped_on.replace(today) != Some(today) {
            tracing::error!(
                %paid,
                %cap,
                "the day's cap on payouts is reached; what else is owed waits for the next UTC day, or for a higher \
                 payout_per_day"
            );
        }
    }

    /// A new day has room again; what waits for more than a day's cap is told of anew.
    fn forget_cap(&mut self) {
        if self.capped_on.is_some_and(|day| day != self.clock.now().unix_days()) {
            self.capped_on = None;
            metrics::gauge!("touchstone_payouts_capped").set(0.0);
            self.limit.background.set_trouble(PART, None);
        }
    }

    async fn step(&self, refund: &Refund) -> Result<(), PayoutError> {
        // The development profile's own money goes by the same chain's number as the real.
        let is_local = refund.origin.kind == SettlementKind::Local.as_str();
        let (network, wallet, settler) = match self.refund_source {
            RefundSource::Local if is_local => {
                self.require_room(refund).await?;
                return Ok(self.pay_locally(refund).await?);
            }
            RefundSource::Hot { network, wallet, settler } if !is_local => (network, wallet, settler),
            _ => return Err(PayoutError::OtherMoney),
        };
        if refund.chain_id != network.chain_id {
            return Err(PayoutError::OtherChain(refund.chain_id));
        }
        match refund.state {
            RefundState::Owed => {
                self.require_room(refund).await?;
                let signed = authorize(refund, wallet, network, self.clock.now());
                match settler.prepare(&signed).await {
                    Ok(prepared) => self.send(refund, settler, &signed, &prepared, false).await,
                    Err(SettleError::Refused(refused)) if refused.code == Code::NonceUsed => {
                        // It was paid before: by a service whose store was lost since, or set back. The chain says by
                        // which transfer, from the time on since when it is owed.
                        let before = authorize(refund, wallet, network, refund.owed_at);
                        let unknown = Prepared { raw: Vec::new(), transaction: None };
                        self.store(refund, &before, &unknown, false).await?;
                        Ok(self.look_soon(refund).await?)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            RefundState::Sending => self.look(refund, settler).await,
            RefundState::Paid => Ok(()),
        }
    }

    /// Stores a transaction, then broadcasts it.
    async fn send(
        &self,
        refund: &Refund,
        settler: &Arc<dyn Settler>,
        signed: &SignedAuthorization,
        prepared: &Prepared,
        replaces: bool,
    ) -> Result<(), PayoutError> {
        self.store(refund, signed, prepared, replaces).await?;
        fault::point("refund_stored");
        settler.broadcast(signed, prepared).await?;
        fault::point("refund_broadcast");
        Ok(self.look_soon(refund).await?)
    }

    async fn store(
        &self,
        refund: &Refund,
        signed: &SignedAuthorization,
        prepared: &Prepared,
        replaces: bool,
    ) -> Result<(), LedgerError> {
        let stored = ledger::PreparedTransaction {
            raw: prepared.raw.clone(),
            transaction: prepared.transaction.map(|hash| hash.0),
            replaces,
        };
        self.ledger.refund_sending(refund.id, refund.owner, signed.to_json(), stored, Some(self.cap())).await
    }

    /// Lets the next round look at what was sent, however long the lease would last.
    async fn look_soon(&self, refund: &Refund) -> Result<(), LedgerError> {
        self.ledger.renew_refund(refund.id, refund.owner, self.clock.now()).await
    }

    /// Looks up the outcome of a payout.
    async fn look(&self, refund: &Refund, settler: &Arc<dyn Settler>) -> Result<(), PayoutError> {
        let signed = refund.proof.as_deref().and_then(SignedAuthorization::from_json);
        let signed = signed.ok_or(PayoutError::Unreadable)?;
        let prepared = Prepared {
            raw: refund.raw.clone().unwrap_or_default(),
            transaction: refund.transaction.map(B256::new),
        };
        match settler.outcome(&signed, &prepared).await? {
            Outcome::Settled(transfer) => {
                let (hash, at) = (transfer.transaction.0, self.clock.now());
                self.ledger.refund_paid(refund.id, refund.owner, hash, at).await?;
                tracing::info!(refund = refund.id.0, transaction = %transfer.transaction, "a refund was paid");
            }
            Outcome::Failed(refused) if is_over(refused.code) => {
                tracing::warn!(refund = refund.id.0, %refused, "a payout has failed, and is made anew");
                self.ledger.refund_failed(refund.id, refund.owner).await?;
            }
            // Whoever has seen what was reverted can use the authorization until its window is over: as long as that
            // is so, nothing but the same one is sent.
            Outcome::Failed(_) | Outcome::Stalled => {
                let again = settler.prepare_again(&signed, &prepared).await?;
                self.send(refund, settler, &signed, &again, true).await?;
            }
            Outcome::Unknown => {
                // A node may have lost it.
                settler.broadcast(&signed, &prepared).await?;
                self.look_soon(refund).await?;
            }
        }
        Ok(())
    }

    async fn pay_locally(&self, refund: &Refund) -> Result<(), LedgerError> {
        let (payer, at) = (local_payee().into_array(), self.clock.now());
        let (hash, cap) = (nonce(refund).0, Some(self.cap()));
        self.ledger.pay_refund_locally(refund.id, refund.owner, payer, hash, at, cap).await
    }
}

/// The start of the UTC day.
fn start_of_day(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(i64::from(now.unix_days()) * 86_400_000).unwrap_or(now)
}

/// Returns true if an authorization that has failed can never be used again.
fn is_over(code: Code) -> bool {
    matches!(code, Code::Expired | Code::NonceUsed)
}

fn authorize(refund: &Refund, wallet: &Wallet, network: &Network, now: Timestamp) -> SignedAuthorization {
    let authorization = Authorization {
        from: wallet.address(),
        to: Address::new(refund.payee),
        value: U256::from(refund.amount),
        valid_after: U256::ZERO,
        valid_before: U256::from(now.unix_seconds().saturating_add(WINDOW_SECONDS)),
        nonce: nonce(refund),
    };
    wallet.authorize(&Domain::new(network), authorization)
}

/// The nonce of a payout, which the token accepts once. It is derived from the payment that is given back, so it is the
/// same after a crash, in a store that was restored from an old copy, and for every attempt.
fn nonce(refund: &Refund) -> B256 {
    let Refund { chain_id, kind, origin, .. } = refund;
    let (kind, transaction) = (kind.as_str(), hex::encode(origin.transaction));
    let which = match origin.id {
        TransferId::LogIndex(index) => index.to_string(),
        TransferId::Authorization { payer, nonce } => {
            format!("{}\n{}", hex::encode(payer), hex::encode(nonce))
        }
    };
    B256::new(sha256(format!("touchstone/refund/1\n{chain_id}\n{transaction}\n{which}\n{kind}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ledger::{ClaimTransfer, RefundId, RefundKind};
    use receipt::hash::ReceiptHash;

    use super::*;

    fn refund(id: TransferId) -> Refund {
        Refund {
            id: RefundId(1),
            dispute: ReceiptHash([1; 32]),
            disputed: ReceiptHash([2; 32]),
            kind: RefundKind::Bond,
            chain_id: 8453,
            symbol: "USDC".to_owned(),
            payee: [3; 20],
            amount: 1_000_000,
            state: RefundState::Owed,
            origin: ClaimTransfer { transaction: [4; 32], id, kind: "facilitator".to_owned() },
            proof: None,
            raw: None,
            transaction: None,
            owed_at: Timestamp::EPOCH,
            paid_at: None,
            owner: Owner([0; 16]),
        }
    }

    #[test]
    fn refunds_of_payments_that_were_settled_in_one_transaction_have_nonces_of_their_own() {
        let ids = [
            TransferId::LogIndex(0),
            TransferId::LogIndex(7),
            TransferId::Authorization { payer: [5; 20], nonce: [6; 32] },
            TransferId::Authorization { payer: [5; 20], nonce: [7; 32] },
            TransferId::Authorization { payer: [6; 20], nonce: [6; 32] },
        ];
        let nonces: BTreeSet<B256> = ids.iter().map(|id| nonce(&refund(*id))).collect();
        assert_eq!(nonces.len(), ids.len());
        // A payment by an earlier version has the same nonce.
        let text = format!("touchstone/refund/1\n8453\n{}\n7\nbond", "04".repeat(32));
        assert_eq!(nonce(&refund(TransferId::LogIndex(7))), B256::new(sha256(text.as_bytes())));
    }
}
