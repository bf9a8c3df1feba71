//! A proof that has come before: the same request gets the stored answer, another one is refused.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use ledger::{Claim, ClaimState};
use payment::check::{self, Signed};
use payment::{B256, Code, Evidence, ProofKey, Refused, SettleError};

use super::paying::Paying;
use super::{SETTLE_WAIT, Till, answer, unavailable};
use crate::app::App;
use crate::refusal::Refusal;

/// How often a claim in flight is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a proof gets.
pub(crate) enum Known {
    /// The answer that it bought.
    Answer(Response),
    /// It does not pay: 402.
    Refused(Refused),
}

impl Till {
    /// What the proof gets where the ledger has it already; `None` for a new one.
    ///
    /// # Errors
    /// 409 where it, or its payment identifier, was for another request; 503 while that one is in flight.
    pub(crate) async fn known(
        self: &Arc<Self>,
        app: &App,
        paying: &Paying,
    ) -> Result<Option<Known>, Refusal> {
        let Ok(evidence) = &paying.evidence else { return Ok(None) };
        match self.find(app, paying, evidence).await? {
            Some(claim) => self.answer_known(app, paying, evidence, claim).await.map(Some),
            None => Ok(None),
        }
    }

    async fn find(&self, app: &App, paying: &Paying, evidence: &Evidence) -> Result<Option<Claim>, Refusal> {
        let ledger = &app.notary.ledger;
        let found = match evidence.key(self.terms.network()) {
            ProofKey::Transfer { chain_id, transaction, log_index: None } => {
                let payer = evidence.payer().into_array();
                ledger.find_claim_by_transaction(chain_id, &transaction.0, &payer).await?
            }
            key => ledger.find_claim(&ledger_key(&key), paying.identifier().as_ref()).await?,
        };
        Ok(found)
    }

    /// What a claim gives to a proof that turned out to be its own.
    pub(super) async fn answer_known(
        self: &Arc<Self>,
        app: &App,
        paying: &Paying,
        evidence: &Evidence,
        claim: Claim,
    ) -> Result<Known, Refusal> {
        // Its signature alone: what it bought stays bought when its window is over or its nonce is used.
        let signed = check::signature(evidence, &self.terms, &paying.request.borrow());
        if let Err(refused) = self.decide(evidence, signed).await? {
            return Ok(Known::Refused(refused));
        }
        // Before the request is compared: whether a transaction was credited is nothing to tell to strangers.
        if claim.payer != evidence.payer().into_array() {
            let detail = "there is no such transfer".to_owned();
            return Ok(Known::Refused(Refused { code: Code::InvalidTransaction, detail }));
        }
        if claim.fingerprint != paying.request.fingerprint().0 {
            return Err(Refusal::Conflict {
                code: "payment_used",
                detail: "this payment was used for a different request".to_owned(),
            });
        }
        let claim = wait_for(app, claim).await?;
        match claim.state {
            ClaimState::Delivered => {
                answer::stored(app, self, &claim, paying.reply()).await.map(Known::Answer)
            }
            _ => Ok(Known::Refused(settlement_failed())),
        }
    }

    /// Whether the signature is the payer's: one that no account's key made may be a contract wallet's.
    pub(super) async fn decide(
        &self,
        evidence: &Evidence,
        signed: Signed,
    ) -> Result<Result<(), Refused>, Refusal> {
        let Signed::Undecided(digest) = signed else { return Ok(Ok(())) };
        match self.settler.is_signed_by(evidence.payer(), digest, evidence.signature()).await {
            Ok(true) => Ok(Ok(())),
            Ok(false) => Ok(Err(Refused {
                code: Code::InvalidSignature,
                detail: "the signature is not the payer's".to_owned(),
            })),
            Err(SettleError::Refused(refused)) => Ok(Err(refused)),
            Err(SettleError::Unavailable(why)) => Err(unavailable(&why)),
        }
    }
}

pub(super) fn settlement_failed() -> Refused {
    Refused {
        code: Code::SettlementFailed,
        detail: "the settlement of this payment failed; sign a new one".to_owned(),
    }
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
        let gone = || {
            Refusal::unavailable("payment", 1, "the call that this payment was for has failed; send it again")
        };
        claim = app.notary.ledger.claim_by_id(claim.id).await?.ok_or_else(gone)?;
    }
    Ok(claim)
}

/// A proof's key as the ledger has it.
pub(super) fn ledger_key(key: &ProofKey) -> ledger::ProofKey {
    match *key {
        ProofKey::Authorization { chain_id, asset, payer, nonce } => ledger::ProofKey::Authorization {
            chain_id,
            asset: asset.into_array(),
            payer: payer.into_array(),
            nonce: nonce.0,
        },
        ProofKey::Transfer { chain_id, transaction, log_index } => ledger::ProofKey::Transaction {
            chain_id,
            transaction: transaction.0,
            log_index: log_index.unwrap_or_default(),
        },
    }
}
