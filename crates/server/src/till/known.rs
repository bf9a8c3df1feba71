//! A proof that has come before: the same request gets the stored answer, another one is refused.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use ledger::{Claim, ClaimState, LedgerError};
use payment::check::{self, Signed};
use payment::{B256, Code, Evidence, ProofKey};

use super::paying::Paying;
use super::{NoSale, SETTLE_WAIT, Till, answer};
use crate::app::App;
use crate::refusal::{PAYMENT_USED, Refusal, call_has_failed};

/// How often a claim in flight is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Till {
    /// What the proof has bought, where the ledger has it already; `None` for a new one.
    ///
    /// # Errors
    /// 409 where it, or its payment identifier, was for another request; 503 while that one is in flight; 402 where it
    /// is not its payer's.
    pub(crate) async fn known(
        self: &Arc<Self>,
        app: &App,
        paying: &Paying<'_>,
    ) -> Result<Option<Response>, NoSale> {
        let Ok(evidence) = &paying.evidence else { return Ok(None) };
        match self.find(app, paying, evidence).await? {
            Some(claim) => self.answer_known(app, paying, evidence, claim).await.map(Some),
            None => Ok(None),
        }
    }

    async fn find(
        &self,
        app: &App,
        paying: &Paying<'_>,
        evidence: &Evidence,
    ) -> Result<Option<Claim>, LedgerError> {
        let ledger = &app.notary.ledger;
        match ledger_key(&evidence.key(self.terms.network())) {
            Key::Whole(key) => ledger.find_claim(&key, paying.identifier().as_ref()).await,
            Key::Transaction(chain_id, transaction) => {
                let payer = evidence.payer().into_array();
                ledger.find_claim_by_transaction(chain_id, &transaction, &payer).await
            }
        }
    }

    /// What a claim gives to a proof that turned out to be its own.
    pub(super) async fn answer_known(
        self: &Arc<Self>,
        app: &App,
        paying: &Paying<'_>,
        evidence: &Evidence,
        claim: Claim,
    ) -> Result<Response, NoSale> {
        // Its signature alone: what it bought stays bought when its window is over or its nonce is used.
        let signed = check::signature(evidence, &self.terms, &paying.request);
        self.decide(evidence, signed).await?;
        // Before the request is compared: whether a transaction was credited is nothing to tell to strangers.
        if claim.payer != evidence.payer().into_array() {
            return Err(NoSale::unpaid(Code::InvalidTransaction, "there is no such transfer"));
        }
        if claim.fingerprint != paying.request.fingerprint().0 {
            return Err(Refusal::from(PAYMENT_USED).into());
        }
        let claim = wait_for(app, claim).await?;
        match claim.state {
            ClaimState::Delivered => Ok(answer::stored(app, self, &claim, paying.reply()).await?),
            _ => Err(settlement_failed()),
        }
    }

    /// Whether the signature is the payer's: one that no account's key made may be a contract wallet's.
    pub(super) async fn decide(&self, evidence: &Evidence, signed: Signed) -> Result<(), NoSale> {
        let Signed::Undecided(digest) = signed else { return Ok(()) };
        if self.settler.is_signed_by(evidence.payer(), digest, evidence.signature()).await? {
            return Ok(());
        }
        Err(NoSale::unpaid(Code::InvalidSignature, "the signature is not the payer's"))
    }
}

pub(super) fn settlement_failed() -> NoSale {
    NoSale::unpaid(Code::SettlementFailed, "the settlement of this payment failed; sign a new one")
}

/// Waits for a claim in flight to end.
async fn wait_for(app: &App, mut claim: Claim) -> Result<Claim, Refusal> {
    let clock = &app.notary.clock;
    let until = clock.monotonic() + SETTLE_WAIT;
    while !matches!(claim.state, ClaimState::Delivered | ClaimState::Failed) {
        if clock.monotonic() >= until {
            return Err(Refusal::Settling {
                transaction: claim.transaction.map(|hash| B256::new(hash).to_string()),
            });
        }
        tokio::time::sleep(LOOK_EVERY).await;
        // Where its judge has failed, the proof is free again.
        claim = app.notary.ledger.claim_by_id(claim.id).await?.ok_or_else(call_has_failed)?;
    }
    Ok(claim)
}

/// A proof's key as the ledger has it.
pub(super) enum Key {
    Whole(ledger::ProofKey),
    /// A chain and a transaction: which of its transfers is meant was not said.
    Transaction(u64, [u8; 32]),
}

pub(super) fn ledger_key(key: &ProofKey) -> Key {
    match *key {
        ProofKey::Authorization { chain_id, asset, payer, nonce } => {
            let (asset, payer) = (asset.into_array(), payer.into_array());
            Key::Whole(ledger::ProofKey::Authorization { chain_id, asset, payer, nonce: nonce.0 })
        }
        ProofKey::Transfer { chain_id, transaction, log_index: Some(log_index) } => {
            Key::Whole(ledger::ProofKey::Transaction { chain_id, transaction: transaction.0, log_index })
        }
        ProofKey::Transfer { chain_id, transaction, log_index: None } => {
            Key::Transaction(chain_id, transaction.0)
        }
    }
}
