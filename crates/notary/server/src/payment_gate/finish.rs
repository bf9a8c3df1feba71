//! Finishes a claim in any state: from the stored finding to the delivered receipt.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use capacity::ComputeClient;
use dispute::DisputeReason;
use ledger::{
    ClaimFailure, ClaimId, ClaimRef, ClaimState, ClaimWork, DeferredRequest, Judgement, LedgerError,
    LocalPayment, Owner, ProofKey, Settlement, TransferId,
};
use module::fault;
use notary::{Caller, Consequence, Payment, ReceiptDraft};
use payment::{
    B256, Code, Outcome, Prepared, Refused, SettleError, SignedAuthorization, Transfer, local_payee,
};
use receipt::json::{Json, Object, parse};
use receipt::time::Timestamp;
use verdict::{AgentName, Case, Ruling, Unavailable};

use super::known::settlement_failed;
use super::paying::PaymentResponseHeader;
use super::stored_ruling;
use super::{
    HEARING_PAUSE_MS, LEASE_MS, PaymentFailure, PaymentGate, answer, count_failure, unavailable, untold,
};
use crate::app::App;
use crate::refusal::Refusal;

/// The first and the longest pause between two look-ups of an outcome.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The time between two renewals of a claim while something else is waited for: a third of a lease.
const RENEW_EVERY: Duration = Duration::from_millis(LEASE_MS.unsigned_abs() / 3);

/// Brings a claim to its end, one ledger transaction a step. It waits as long as an outcome is not known. `case` is the
/// question of a bond as it was sent, while its caller's process lives; else it is read from what is stored.
///
/// # Errors
/// 503: the claim stands where it stood, and somebody goes on with it later. 402: it has failed, or is free again.
pub(super) async fn finish(
    app: Arc<App>,
    gate: Arc<PaymentGate>,
    id: ClaimId,
    owner: Owner,
    reply: PaymentResponseHeader,
    case: Option<Arc<dyn Case>>,
) -> Result<Response, PaymentFailure> {
    let work = app.notary.ledger.claim_work(id).await?.ok_or_else(|| unavailable("the claim is gone"))?;
    let started = app.notary.clock.monotonic();
    let mut claim = Settling { app: &app, gate: &gate, id, owner, work, case, started, is_in_doubt: false };
    let mut pause = FIRST_PAUSE;
    // Whoever stored it before may not have come to broadcast it.
    let mut is_late = claim.work.claim.state == ClaimState::Broadcast;
    if claim.work.claim.key.chain_id() != gate.terms.network().chain_id {
        return Err(unavailable("the claim is of another chain than the one that is settled on").into());
    }
    loop {
        // For the step alone: a claim that waits for its outcome keeps nobody else from theirs.
        let place = claim
            .holding(gate.settling.acquire())
            .await
            .map_err(|_| unavailable("the payment gate is closed"))?;
        match claim.work.claim.state {
            ClaimState::Claimed if claim.work.claim.bond => claim.send_off().await?,
            ClaimState::Claimed => return Err(unavailable("nothing was found for the claim").into()),
            ClaimState::Judged => claim.send_off().await?,
            ClaimState::Broadcast => {
                claim.look(is_late).await?;
                is_late = pause >= LONGEST_PAUSE;
                if claim.work.claim.state == ClaimState::Broadcast {
                    drop(place);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    claim.renew().await?;
                }
            }
            ClaimState::Settled if claim.work.judgement.is_none() => {
                // It may take as long as a judge may: others settle meanwhile.
                drop(place);
                claim.hear().await?;
            }
            ClaimState::Settled => claim.deliver().await?,
            ClaimState::Delivered => {
                return Ok(answer::stored(&app, &gate, &claim.work.claim, reply).await?);
            }
            ClaimState::Failed => return Err(settlement_failed()),
        }
    }
}

/// One claim in the hands of one owner, and how far it has got: what the ledger takes is done here as well.
struct Settling<'a> {
    app: &'a App,
    gate: &'a PaymentGate,
    id: ClaimId,
    owner: Owner,
    work: ClaimWork,
    /// The question of a bond as it was sent, if it is known.
    case: Option<Arc<dyn Case>>,
    /// The monotonic time since when this task works on the claim.
    started: Duration,
    /// The operator was told that its money may have moved for nothing.
    is_in_doubt: bool,
}

impl Settling<'_> {
    /// judged (a bond: claimed) -> broadcast, or straight to settled where the money has moved already or is the ledger's own.
    async fn send_off(&mut self) -> Result<(), PaymentFailure> {
        if let ProofKey::Transaction { transaction, log_index, .. } = self.work.claim.key {
            return Ok(self.settled(transaction, Some(log_index)).await?);
        }
        let signed = self.authorization()?;
        let prepared = match self.gate.settler.prepare(&signed).await {
            Ok(prepared) => prepared,
            Err(error) => return self.give_up(error.into()).await,
        };
        if self.gate.is_local() {
            return self.settle_locally(&prepared).await;
        }
        self.store(&prepared, false).await?;
        fault::point("broadcasting");
        self.broadcast(&signed, &prepared).await?;
        fault::point("broadcast");
        Ok(())
    }

    /// The authorization that the payer has signed.
    fn authorization(&self) -> Result<SignedAuthorization, Refusal> {
        SignedAuthorization::from_json(&self.work.proof)
            .ok_or_else(|| unavailable("a claim's proof cannot be read"))
    }

    /// Stores a transaction that is about to be broadcast.
    async fn store(&mut self, prepared: &Prepared, replaces: bool) -> Result<(), LedgerError> {
        let stored = ledger::PreparedTransaction {
            raw: prepared.raw.clone(),
            transaction: prepared.transaction.map(|hash| hash.0),
            replaces,
        };
        self.app.notary.ledger.broadcasting(self.id, self.owner, stored).await?;
        let ClaimWork { claim, raw, .. } = &mut self.work;
        (claim.state, claim.transaction) = (ClaimState::Broadcast, prepared.transaction.map(|hash| hash.0));
        *raw = Some(prepared.raw.clone());
        Ok(())
    }

    /// Counts a failure of the back end that is tried again, and logs it at most once a minute.
    fn note_failure(&self, failure: &'static str, error: &SettleError) {
        count_failure();
        if let Some(repeats) = untold(failure) {
            tracing::warn!(%error, claim = self.id.0, repeats, "{failure}");
        }
    }

    /// Replaces a stalled transaction: prepares it again, stores it, and broadcasts it.
    async fn replace(
        &mut self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<(), PaymentFailure> {
        match self.gate.settler.prepare_again(signed, before).await {
            Ok(prepared) => {
                self.store(&prepared, true).await?;
                self.broadcast(signed, &prepared).await
            }
            Err(error) => {
                self.note_failure("a stalled settlement cannot be prepared anew", &error);
                Ok(())
            }
        }
    }

    /// Nothing has left this process: the proof is free again.
    async fn give_up(&self, why: PaymentFailure) -> Result<(), PaymentFailure> {
        self.app.notary.ledger.free(self.id, self.owner).await?;
        Err(why)
    }

    /// Moves the ledger's own money, in the transaction that makes the claim settled.
    async fn settle_locally(&mut self, prepared: &Prepared) -> Result<(), PaymentFailure> {
        let transaction = prepared.transaction.unwrap_or_default().0;
        let payment =
            LocalPayment { payee: local_payee().into_array(), transaction, at: self.app.notary.clock.now() };
        match self.app.notary.ledger.settle_local(self.id, self.owner, payment).await {
            Ok(()) => Ok(self.has_settled(transaction, Some(0)).await?),
            Err(LedgerError::DisputeOpen) => self.give_up(Refusal::from(dispute::OPEN).into()).await,
            Err(LedgerError::DisputeLimit) => self.give_up(Refusal::from(dispute::LIMIT).into()).await,
            Err(LedgerError::InsufficientFunds) => {
                let why =
                    PaymentFailure::unpaid(Code::InsufficientFunds, "the payer has less than the price");
                self.give_up(why).await
            }
            Err(LedgerError::AlreadyCredited) => {
                self.give_up(PaymentFailure::unpaid(Code::NonceUsed, "the authorization's nonce was used"))
                    .await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Broadcasts. An error leaves the outcome open, unless the back end says that it never will be taken.
    async fn broadcast(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
    ) -> Result<(), PaymentFailure> {
        match self.gate.settler.broadcast(signed, prepared).await {
            Ok(()) => Ok(()),
            Err(SettleError::Refused(refused)) => self.fail(refused).await,
            Err(error) => {
                self.note_failure("a broadcast has no known outcome", &error);
                Ok(())
            }
        }
    }

    /// broadcast -> settled or failed, where the outcome is known.
    async fn look(&mut self, is_late: bool) -> Result<(), PaymentFailure> {
        let signed = self.authorization()?;
        let prepared = Prepared {
            raw: self.work.raw.clone().unwrap_or_default(),
            transaction: self.work.claim.transaction.map(B256::new),
        };
        let outcome = self.holding(self.gate.settler.outcome(&signed, &prepared)).await;
        match outcome {
            Ok(Outcome::Settled(transfer)) => {
                match self.settled(transfer.transaction.0, transfer.log_index).await {
                    Err(LedgerError::AlreadyCredited) => self.credited_elsewhere(&transfer).await,
                    settled => Ok(settled?),
                }
            }
            Ok(Outcome::Failed(refused)) => self.fail(refused).await,
            Ok(Outcome::Stalled) => self.replace(&signed, &prepared).await,
            // A node may have lost it.
            Ok(Outcome::Unknown) if is_late => self.broadcast(&signed, &prepared).await,
            Ok(Outcome::Unknown) => Ok(()),
            Err(error) => {
                self.note_failure("the outcome of a settlement cannot be asked for", &error);
                Ok(())
            }
        }
    }

    /// The transfer is another claim's. The payment has failed where its payer has shown this very transfer for another
    /// request meanwhile, and that one was paid by it. Else the money may have moved for nothing, so the outcome stays open,
    /// for the operator to look at: whoever may have paid is never told to pay again.
    async fn credited_elsewhere(&mut self, transfer: &Transfer) -> Result<(), PaymentFailure> {
        let Transfer { transaction, log_index, .. } = *transfer;
        let claim = &self.work.claim;
        if let Some(log_index) = log_index {
            let chain_id = claim.key.chain_id();
            let key = ProofKey::Transaction { chain_id, transaction: transaction.0, log_index };
            let other = self.app.notary.ledger.find_claim(&key, None).await?;
            let has_paid = |other: &ledger::Claim| {
                other.key == key
                    && other.payer == claim.payer
                    && matches!(other.state, ClaimState::Settled | ClaimState::Delivered)
            };
            if other.as_ref().is_some_and(has_paid) {
                let detail = "the transfer was credited to another request";
                return self.fail(Refused::new(Code::InvalidTransaction, detail)).await;
            }
        }
        if !std::mem::replace(&mut self.is_in_doubt, true) {
            let (id, payer) = (self.id.0, payment::Address::new(claim.payer));
            tracing::error!(
                claim = id, %transaction, %payer,
                "a payment may have been made by a transfer that another claim was credited with; it stays open: look at the \
                 transaction"
            );
            metrics::counter!("touchstone_payments_in_doubt_total").increment(1);
        }
        Ok(())
    }

    /// The money has moved, in this transfer.
    async fn settled(&mut self, transaction: [u8; 32], log_index: Option<u64>) -> Result<(), LedgerError> {
        let kind = self.gate.settler.kind().as_str();
        let settlement = Settlement { transaction, log_index, kind, at: self.app.notary.clock.now() };
        self.app.notary.ledger.settled(self.id, self.owner, settlement).await?;
        self.has_settled(transaction, log_index).await
    }

    async fn has_settled(
        &mut self,
        transaction: [u8; 32],
        log_index: Option<u64>,
    ) -> Result<(), LedgerError> {
        fault::point("settled");
        let kind = self.gate.settler.kind().as_str();
        let took = self.app.notary.clock.monotonic().saturating_sub(self.started);
        metrics::counter!("touchstone_payments_settled_total", "back_end" => kind).increment(1);
        metrics::histogram!("touchstone_settlement_duration_seconds", "back_end" => kind)
            .record(took.as_secs_f64());
        let kind = kind.to_owned();
        let claim = &mut self.work.claim;
        claim.state = ClaimState::Settled;
        let id = TransferId::of(&claim.key, log_index);
        claim.transfer = Some(ledger::ClaimTransfer { transaction, id, kind });
        if claim.bond {
            // The settlement has already decided if the bond is the dispute that it was paid for.
            let settled = self.app.notary.ledger.claim_by_id(self.id).await?;
            claim.is_late = settled.is_some_and(|settled| settled.is_late);
        }
        Ok(())
    }

    /// Has the question judged that a settled bond was paid for, and keeps what was found.
    ///
    /// # Errors
    /// 503: it cannot be judged now. The claim is left to whoever takes it over, soon at first, then once a minute.
    async fn hear(&mut self) -> Result<(), PaymentFailure> {
        self.renew().await?;
        let unsound = || unavailable("a settled claim lacks the request that is to be judged");
        let DeferredRequest { request, at: asked_at } = self.work.deferred.clone().ok_or_else(unsound)?;
        let Ok(Json::Object(object)) = parse(request.body()) else { return Err(unsound().into()) };
        let at = self.app.notary.now()?;
        let ledger = &self.app.notary.ledger;
        let waited = at.millis_since(asked_at).max(0);
        let heard = if self.work.claim.is_late {
            dispute::unheard(&**ledger, &object, DisputeReason::AnotherDispute, at).await
        } else {
            match self.judge(&object, at).await {
                Err(why) if waited >= dispute::RERUN_TRIED_FOR_MS => {
                    tracing::error!(%why, claim = self.id.0, "a dispute could not be heard; its bond is given back");
                    dispute::unheard(&**ledger, &object, DisputeReason::RerunUnavailable, at).await
                }
                heard => heard,
            }
        };
        match heard {
            Ok(ruling) => {
                let judgement = stored_ruling::write(ruling, request, at)?;
                ledger.judged(self.id, self.owner, judgement.clone()).await?;
                fault::point("judged");
                self.work.judgement = Some(judgement);
                Ok(())
            }
            Err(why) => {
                tracing::warn!(%why, claim = self.id.0, "a dispute cannot be heard yet");
                let (least, most) = HEARING_PAUSE_MS;
                let until = at.saturating_add_millis(waited.clamp(least, most));
                ledger.renew(self.id, self.owner, until).await?;
                let transaction = self.work.claim.transfer.as_ref();
                let transaction = transaction.map(|transfer| B256::new(transfer.transaction).to_string());
                Err(Refusal::Settling { transaction }.into())
            }
        }
    }

    async fn judge(&self, request: &Object, at: Timestamp) -> Result<Ruling, Unavailable> {
        let route = self.app.route_table.route(&self.work.claim.class);
        let judge = route.and_then(|route| Some((route.terms.module, route.judge.as_ref()?)));
        let unready =
            || Unavailable { module: "payment", retry_after_s: 60, detail: "nobody can judge it".to_owned() };
        let (module, judge) = judge.ok_or_else(unready)?;
        let case = match &self.case {
            Some(case) => Arc::clone(case),
            None => Arc::from(judge.open(request).map_err(|_| unready())?),
        };
        capacity::judge(&self.app.compute, ComputeClient::ourselves(), &case, module, at.into()).await
    }

    async fn fail(&self, refused: Refused) -> Result<(), PaymentFailure> {
        let failure = ClaimFailure { code: refused.code.as_str().to_owned(), detail: refused.detail.clone() };
        self.app.notary.ledger.failed(self.id, self.owner, failure).await?;
        let code = refused.code.as_str();
        metrics::counter!("touchstone_payments_failed_total", "code" => code).increment(1);
        Err(refused.into())
    }

    /// Waits for a future that may take longer than a lease, and renews the claim meanwhile. A renewal that fails is not told
    /// here: the next step fails for the same reason.
    async fn holding<T>(&self, waited_for: impl Future<Output = T>) -> T {
        let mut waited_for = pin!(waited_for);
        loop {
            match tokio::time::timeout(RENEW_EVERY, &mut waited_for).await {
                Ok(done) => return done,
                Err(_) => drop(self.renew().await),
            }
        }
    }

    async fn renew(&self) -> Result<(), LedgerError> {
        let until = self.app.notary.clock.now().saturating_add_millis(LEASE_MS);
        self.app.notary.ledger.renew(self.id, self.owner, until).await
    }

    /// settled -> delivered: signs what was found when the call was made.
    async fn deliver(&mut self) -> Result<(), Refusal> {
        let unsound = || unavailable("a settled claim lacks what it needs to be delivered");
        let judgement = self.work.judgement.take().ok_or_else(unsound)?;
        let claim = &self.work.claim;
        let route = self.app.route_table.route(&claim.class).ok_or_else(unsound)?;
        let (finding, effect) = stored_ruling::read(&judgement, route.effect_kind()).ok_or_else(unsound)?;
        let Judgement { evidence, request, at, .. } = judgement;
        let transfer = claim.transfer.as_ref().ok_or_else(unsound)?;
        let payer = payment::Address::new(claim.payer);
        let bond = claim.about.filter(|_| claim.bond).map(|disputed| (disputed, payer));
        let payment = Payment {
            network: self.gate.terms.network().name.clone(),
            asset: claim.symbol.clone(),
            amount: verdict::Usd::from_atomic(claim.amount).to_string(),
            payer: payer.to_string(),
            transaction: B256::new(transfer.transaction).to_string(),
            settlement: transfer.kind.clone(),
        };
        let class = route.terms.class;
        let agent = AgentName::parse(&claim.agent).map_err(|_| unsound())?;
        let caller = Caller { agent: &agent, network: None, bond };
        let consequence = Consequence::of(effect, caller, &*self.app.notary.ledger).await?;
        let draft = ReceiptDraft {
            class,
            agent,
            request,
            finding,
            evidence,
            judged_at: at,
            place: None,
            paid: Some((payment, ClaimRef { id: self.id, owner: self.owner })),
            consequence,
        };
        let receipt = self.app.notary.notarize(draft).await?;
        fault::point("delivered");
        self.work.claim.receipt = Some(receipt.delivery());
        self.work.claim.state = ClaimState::Delivered;
        Ok(())
    }
}
