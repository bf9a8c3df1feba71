//! Answers a proof that was used before: the same request gets the stored answer, another request is refused.
//!
//! An authorization and its signature are public once they have settled, so a caller who sends them is not proved to be
//! the payer. For [`ANSWERED_AGAIN_MS`] after the first answer the caller is still taken for the payer, so that a retry
//! needs only the identical request. Later, or where the answer contains a secret, the caller must prove to be the
//! payer: by the payment's identifier with an authorization that would pay now, or by a signature over a statement of
//! settlement. A caller without such a proof gets the same answer to every request, so that nobody can guess the body
//! of another caller's request.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use ledger::{Claim, ClaimState, LedgerError};
use payment::check::{self, ProofSigner};
use payment::{B256, Code, PaymentEvidence, ProofKey, Terms};
use verdict::Usd;

use super::paying::PaymentAttempt;
use super::{ANSWERED_AGAIN_MS, PaymentFailure, PaymentGate, SETTLE_WAIT, answer, good_prices};
use crate::app::App;
use crate::refusal::{PAYMENT_USED, Refusal, call_has_failed};

/// The interval at which a claim in progress is read.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl PaymentGate {
    /// Looks up the answer that the proof has bought; `None` for a new proof.
    ///
    /// # Errors
    /// 409 where it, or its payment identifier, was for another request, or is not shown to be its payer's; 503 while that
    /// one is in flight; 402 where it is not its payer's.
    pub(crate) async fn known(
        self: &Arc<Self>,
        app: &App,
        paying: &PaymentAttempt<'_>,
        units: u32,
    ) -> Result<Option<Response>, PaymentFailure> {
        let Ok(evidence) = &paying.evidence else { return Ok(None) };
        match self.find(app, paying, evidence).await? {
            Some(claim)
                if paying.refused.is_none() || claim.fingerprint == paying.request.fingerprint().0 =>
            {
                self.answer_known(app, paying, evidence, claim, units).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn find(
        &self,
        app: &App,
        paying: &PaymentAttempt<'_>,
        evidence: &PaymentEvidence,
    ) -> Result<Option<Claim>, LedgerError> {
        let ledger = &app.notary.ledger;
        match ledger_key(&evidence.key(self.terms.network())) {
            LedgerKey::Whole(key) => ledger.find_claim(&key, paying.identifier().as_ref()).await,
            LedgerKey::Transaction(chain_id, transaction) => {
                let payer = evidence.payer().into_array();
                ledger.find_claim_by_transaction(chain_id, &transaction, &payer).await
            }
        }
    }

    /// Makes the answer of a claim to a proof that turned out to be its own.
    pub(super) async fn answer_known(
        self: &Arc<Self>,
        app: &App,
        paying: &PaymentAttempt<'_>,
        evidence: &PaymentEvidence,
        claim: Claim,
        units: u32,
    ) -> Result<Response, PaymentFailure> {
        let brought = Brought::of(evidence, &claim, &self.terms);
        let signed = match brought {
            // One that is found by its identifier alone must be one that would pay: any that the payer has ever signed, to
            // whomever, is public.
            Brought::Another => {
                let prices = self.prices_of(app, &claim, units).await?;
                let now = app.notary.clock.now().unix_seconds();
                check::new_proof(evidence, &self.terms, &prices, now, &paying.request)?
            }
            // Only the signature is checked: the answer stays bought when the window is over or the nonce is used.
            Brought::Itself | Brought::Statement => check::signature(evidence, &self.terms, &paying.request),
        };
        self.decide(evidence, signed).await?;
        // Before the request is compared: whether a transaction was credited is nothing to tell to strangers.
        if claim.payer != evidence.payer().into_array() {
            return Err(PaymentFailure::unpaid(Code::InvalidTransaction, "there is no such transfer"));
        }
        if brought == Brought::Itself && must_show_payer(app, &claim).await? {
            // By its transaction the payer shows himself, so it must have settled: until then he is told to come again.
            let claim = wait_for(app, claim).await?;
            if claim.state == ClaimState::Failed {
                return Err(settlement_failed());
            }
            let transfer = claim.transfer.as_ref();
            return Err(Refusal::PayerUnproven {
                transaction: transfer.map(|transfer| B256::new(transfer.transaction).to_string()),
                log_index: transfer.and_then(|transfer| transfer.id.log_index()),
            }
            .into());
        }
        if claim.fingerprint != paying.request.fingerprint().0 {
            return Err(Refusal::from(PAYMENT_USED).into());
        }
        let claim = wait_for(app, claim).await?;
        match claim.state {
            ClaimState::Delivered => Ok(answer::stored(app, self, &claim, paying.response_header()).await?),
            _ => Err(settlement_failed()),
        }
    }

    /// The amounts that may have paid for a claim's request: the amount that was paid, and the current prices.
    async fn prices_of(&self, app: &App, claim: &Claim, units: u32) -> Result<Vec<Usd>, LedgerError> {
        let mut prices = vec![Usd::from_atomic(claim.amount)];
        if let Some(price) = app.route_table.route(&claim.class).and_then(|route| route.terms.price) {
            let good = good_prices(&*app.notary.ledger, &claim.class, price, app.notary.clock.now()).await?;
            prices.extend(good.into_iter().map(|price| price.times(units)));
        }
        Ok(prices)
    }

    /// Checks that the payer signed: a signature by no account's key may be a contract wallet's.
    pub(super) async fn decide(
        &self,
        evidence: &PaymentEvidence,
        signed: ProofSigner,
    ) -> Result<(), PaymentFailure> {
        let ProofSigner::Undecided(digest) = signed else { return Ok(()) };
        if self.settler.is_signed_by(evidence.payer(), digest, evidence.signature()).await? {
            return Ok(());
        }
        Err(PaymentFailure::unpaid(Code::InvalidSignature, "the signature is not the payer's"))
    }
}

/// The way in which a proof leads to a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Brought {
    /// The proof is the claim's own authorization, which is public once it has settled.
    Itself,
    /// The proof is another authorization, under the same payment identifier.
    Another,
    /// The proof is a statement of settlement, which its payer has signed for this very request.
    Statement,
}

impl Brought {
    fn of(evidence: &PaymentEvidence, claim: &Claim, terms: &Terms) -> Self {
        match (evidence, ledger_key(&evidence.key(terms.network()))) {
            (PaymentEvidence::Settlement(_), _) => Self::Statement,
            (PaymentEvidence::Authorization(_), LedgerKey::Whole(key)) if key == claim.key => Self::Itself,
            (PaymentEvidence::Authorization(_), _) => Self::Another,
        }
    }
}

/// Returns true if the sender of a claim's own authorization must prove to be its payer.
async fn must_show_payer(app: &App, claim: &Claim) -> Result<bool, Refusal> {
    if app.route_table.may_open_watches(&claim.class) {
        return Ok(true);
    }
    let Some(delivery) = &claim.receipt else { return Ok(false) };
    let answered_at = answer::signed_at(app, delivery).await?;
    // A replica whose clock is off answers 503, and does not end another one's time.
    Ok(app.notary.now()?.millis_since(answered_at) > ANSWERED_AGAIN_MS)
}

pub(super) fn settlement_failed() -> PaymentFailure {
    PaymentFailure::unpaid(Code::SettlementFailed, "the settlement of this payment failed; sign a new one")
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
        // If the judge has failed, the proof is free again.
        claim = app.notary.ledger.claim_by_id(claim.id).await?.ok_or_else(call_has_failed)?;
    }
    Ok(claim)
}

/// A proof's key as the ledger has it.
pub(super) enum LedgerKey {
    Whole(ledger::ProofKey),
    /// A chain and a transaction: which of its transfers is meant was not said.
    Transaction(u64, [u8; 32]),
}

pub(super) fn ledger_key(key: &ProofKey) -> LedgerKey {
    match *key {
        ProofKey::Authorization { chain_id, asset, payer, nonce } => {
            let (asset, payer) = (asset.into_array(), payer.into_array());
            LedgerKey::Whole(ledger::ProofKey::Authorization { chain_id, asset, payer, nonce: nonce.0 })
        }
        ProofKey::Transfer { chain_id, transaction, log_index: Some(log_index) } => {
            LedgerKey::Whole(ledger::ProofKey::Transaction {
                chain_id,
                transaction: transaction.0,
                log_index,
            })
        }
        ProofKey::Transfer { chain_id, transaction, log_index: None } => {
            LedgerKey::Transaction(chain_id, transaction.0)
        }
    }
}
