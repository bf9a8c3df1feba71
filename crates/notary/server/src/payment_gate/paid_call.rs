//! Handles a new proof: claims it for this request, has the question judged, stores the finding, and settles.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use capacity::ComputeClient;
use ledger::{ClaimId, ClaimOutcome, DeferredRequest, LedgerError, NewClaim};
use module::fault;
use module::terms::RouteTerms;
use payment::check::{self, ProofSigner};
use payment::{Address, B256, Code, PaymentEvidence, ProofKey, Refused, Transfer, U256};
use receipt::time::Timestamp;
use tracing::Instrument as _;
use verdict::{AgentName, Case, EffectKind, KeptRequest, Usd};

use super::known::{LedgerKey, ledger_key};
use super::paying::PaymentAttempt;
use super::stored_ruling;
use super::{
    LEASE_MS, MAX_UNFINISHED_PER_PAYER, OLDEST_TRANSACTION_SECONDS, PaymentFailure, PaymentGate, SETTLE_WAIT,
    finish, good_prices,
};
use crate::app::App;
use crate::refusal::Refusal;

/// A question that its caller pays for.
pub(crate) struct PaidCall<'a> {
    pub(crate) terms: &'a RouteTerms,
    /// The price of one unit.
    pub(crate) price: Usd,
    pub(crate) paying: &'a PaymentAttempt<'a>,
    pub(crate) agent: AgentName,
    pub(crate) case: Arc<dyn Case>,
    /// The kind of effect of the judge's rulings.
    pub(crate) effect: EffectKind,
    /// The request in canonical form, as it was sent.
    pub(crate) request: Vec<u8>,
    pub(crate) at: Timestamp,
    /// The client as the scheduler of the judging knows it.
    pub(crate) party: ComputeClient,
}

/// Sells an answer.
///
/// # Errors
/// 402 where the proof does not pay; 503 where a part is down; 409 where the proof was used for another request
/// meanwhile, or the question cannot be asked now.
pub(crate) async fn handle(
    app: &Arc<App>,
    gate: &Arc<PaymentGate>,
    call: PaidCall<'_>,
) -> Result<Response, PaymentFailure> {
    if let Some(refused) = &call.paying.refused {
        return Err(refused.clone().into());
    }
    let evidence = call.paying.evidence.as_ref().map_err(Refused::clone)?;
    let money = match gate.look(app, &call, evidence).await {
        Ok(money) => money,
        // It may have paid for this very request since it was looked up: then its payer gets the answer.
        Err(PaymentFailure::Unpaid(refused)) if refused.code == Code::NonceUsed => {
            let known = gate.known(app, call.paying, call.case.units()).await?;
            return known.ok_or(PaymentFailure::Unpaid(refused));
        }
        Err(failure) => return Err(failure),
    };
    let request = capacity::kept_request(&app.compute, call.party, &call.case, call.request.clone()).await?;
    let new_claim = gate.new_claim(app, &call, evidence, &money, request.clone());
    let id = match app.notary.ledger.claim(new_claim).await? {
        ClaimOutcome::Mine(id) => id,
        ClaimOutcome::Known(claim) => {
            return gate.answer_known(app, call.paying, evidence, claim, call.case.units()).await;
        }
        ClaimOutcome::Full => {
            let detail = "too many payments are being settled at the moment";
            return Err(Refusal::unavailable("payment", 5, detail).into());
        }
        ClaimOutcome::DisputeOpen => return Err(Refusal::from(dispute::OPEN).into()),
        ClaimOutcome::DisputeLimit => return Err(Refusal::from(dispute::LIMIT).into()),
        ClaimOutcome::PayerLimit => return Err(Refusal::PayerBusy { most: MAX_UNFINISHED_PER_PAYER }.into()),
        ClaimOutcome::Uncovered => {
            let detail = "the payer's balance does not cover this payment and those that it has under way";
            return Err(PaymentFailure::unpaid(Code::InsufficientFunds, detail));
        }
    };
    metrics::counter!("touchstone_payments_claimed_total", "class" => call.terms.class).increment(1);
    fault::point("claimed");
    if call.terms.is_bond() {
        // It is judged when it has settled; the caller waits for both.
        let case = Some(Arc::clone(&call.case));
        return gate.settle(app, id, call.paying, SETTLE_WAIT + capacity::JUDGE_TIMEOUT, case).await;
    }
    if let Err(refusal) = gate.judge(app, id, &call, request).await {
        gate.give_up(app, id).await?;
        return Err(refusal.into());
    }
    fault::point("judged");
    gate.settle(app, id, call.paying, SETTLE_WAIT, None).await
}

/// The prices at which this many units of a class may be paid at a time.
async fn prices_of(
    app: &App,
    class: &str,
    price: Usd,
    units: u32,
    at: Timestamp,
) -> Result<Vec<Usd>, LedgerError> {
    let prices = good_prices(&*app.notary.ledger, class, price, at).await?;
    Ok(prices.into_iter().map(|price| price.times(units)).collect())
}

/// The payment that a proof stands for.
struct Money {
    value: U256,
    /// The payer's balance, where it was seen.
    balance: Option<U256>,
    /// The transfer, where it has happened already.
    transfer: Option<Transfer>,
}

impl PaymentGate {
    /// Checks a proof by itself, then by the back end.
    async fn look(
        &self,
        app: &App,
        call: &PaidCall<'_>,
        evidence: &PaymentEvidence,
    ) -> Result<Money, PaymentFailure> {
        let units = call.case.units();
        let prices = prices_of(app, call.terms.class, call.price, units, call.at).await?;
        let now = call.at.unix_seconds();
        let signed = self.checked(call.paying, evidence, &prices, now)?;
        if let PaymentEvidence::Authorization(authorized) = evidence {
            // Before anybody is asked anything.
            self.settler.admit(authorized.authorization.from)?;
        }
        self.decide(evidence, signed).await?;
        match evidence {
            PaymentEvidence::Authorization(signed) => {
                let balance = self.settler.verify(signed).await?;
                Ok(Money { value: signed.authorization.value, balance, transfer: None })
            }
            PaymentEvidence::Settlement(proof) => {
                let oldest = now.saturating_sub(OLDEST_TRANSACTION_SECONDS);
                let transfer = self.settler.find(&proof.wanted(&self.terms, &prices, oldest)).await?;
                Ok(Money { value: transfer.value, balance: None, transfer: Some(transfer) })
            }
        }
    }

    /// Checks a new proof by itself; the result is computed once.
    fn checked(
        &self,
        paying: &PaymentAttempt<'_>,
        evidence: &PaymentEvidence,
        prices: &[Usd],
        now: u64,
    ) -> Result<ProofSigner, Refused> {
        let check = || check::new_proof(evidence, &self.terms, prices, now, &paying.request);
        paying.checked.get_or_init(check).clone()
    }

    /// The account that has signed a proof which pays for this many units now, as far as the proof itself shows.
    pub(crate) async fn payer(
        &self,
        app: &App,
        paying: &PaymentAttempt<'_>,
        (class, price): (&str, Usd),
        units: u32,
        at: Timestamp,
    ) -> Result<Option<Address>, LedgerError> {
        let (Ok(evidence), None) = (&paying.evidence, &paying.refused) else { return Ok(None) };
        let prices = prices_of(app, class, price, units, at).await?;
        let signed = self.checked(paying, evidence, &prices, at.unix_seconds());
        Ok(matches!(signed, Ok(ProofSigner::ByAccount)).then(|| evidence.payer()))
    }

    fn new_claim(
        &self,
        app: &App,
        call: &PaidCall<'_>,
        evidence: &PaymentEvidence,
        money: &Money,
        request: KeptRequest,
    ) -> NewClaim {
        let network = self.terms.network();
        let proof_key = match (evidence.key(network), &money.transfer) {
            (ProofKey::Transfer { chain_id, transaction, .. }, Some(transfer)) => {
                ProofKey::Transfer { chain_id, transaction, log_index: transfer.log_index }
            }
            (key, _) => key,
        };
        let LedgerKey::Whole(key) = ledger_key(&proof_key) else {
            unreachable!("a proof of settlement was found on the chain, with its index")
        };
        NewClaim {
            key,
            identifier: call.paying.identifier(),
            fingerprint: call.paying.request.fingerprint().0,
            class: call.terms.class,
            agent: call.agent.as_str().to_owned(),
            payer: evidence.payer().into_array(),
            symbol: network.symbol.clone(),
            // A value that is one of the prices fits.
            amount: money.value.saturating_to(),
            bond: call.terms.is_bond(),
            about: call.case.about(),
            proof: match evidence {
                PaymentEvidence::Authorization(signed) => signed.to_json(),
                // The key says all of it.
                PaymentEvidence::Settlement(_) => Vec::new(),
            },
            deferred: call.terms.is_bond().then_some(DeferredRequest { request, at: call.at }),
            most_of_payer: MAX_UNFINISHED_PER_PAYER,
            balance: money.balance.map(|balance| balance.saturating_to()),
            owner: self.owner,
            lease_until: app.notary.clock.now().saturating_add_millis(LEASE_MS),
        }
    }

    /// Frees a claim that was not judged. If another task owns it by now, that task frees it.
    async fn give_up(&self, app: &App, id: ClaimId) -> Result<(), LedgerError> {
        match app.notary.ledger.free(id, self.owner).await {
            Err(refused) if refused.is_refusal() => Ok(()),
            freed => freed,
        }
    }

    async fn judge(
        &self,
        app: &App,
        id: ClaimId,
        call: &PaidCall<'_>,
        request: KeptRequest,
    ) -> Result<(), Refusal> {
        let PaidCall { terms, agent, case, effect, at, .. } = call;
        let context = app.notary.judge_context(*effect, terms.class, agent, &**case, *at).await?;
        let ruling = capacity::judge(&app.compute, call.party, case, terms.module, context).await?;
        let judgement = stored_ruling::write(ruling, request, call.at)?;
        Ok(app.notary.ledger.judged(id, self.owner, judgement).await?)
    }

    /// Settles and delivers in a task of its own, which goes on when the caller has waited long enough. `case` is the
    /// question of a bond as it was sent; what is stored of it may lack a part.
    async fn settle(
        self: &Arc<Self>,
        app: &Arc<App>,
        id: ClaimId,
        paying: &PaymentAttempt<'_>,
        wait: Duration,
        case: Option<Arc<dyn Case>>,
    ) -> Result<Response, PaymentFailure> {
        let (app, gate, reply) = (Arc::clone(app), Arc::clone(self), paying.response_header());
        let ledger = Arc::clone(&app.notary.ledger);
        let task = finish::finish(app, gate, id, self.owner, reply, case);
        match tokio::time::timeout(wait, tokio::spawn(task.in_current_span())).await {
            Ok(Ok(finished)) => finished,
            Ok(Err(panicked)) => {
                tracing::error!(%panicked, "a settlement panicked");
                Err(Refusal::Settling { transaction: None }.into())
            }
            Err(_) => {
                let claim = ledger.claim_by_id(id).await?;
                let transaction = claim.and_then(|claim| claim.transaction);
                let transaction = transaction.map(|hash| B256::new(hash).to_string());
                Err(Refusal::Settling { transaction }.into())
            }
        }
    }
}
