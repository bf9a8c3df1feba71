//! A new proof: claims it for this request, has the question judged, keeps what was found, and settles.

use std::sync::Arc;

use ledger::{ClaimId, Claiming, Judgement, NewClaim};
use payment::check;
use payment::{B256, Evidence, Refused, SettleError, Transfer, U256};
use receipt::json::Json;
use receipt::time::Timestamp;
use verdict::{AgentName, Case, Usd};

use super::known::{Known, ledger_key};
use super::paying::Paying;
use super::stored::StoredProof;
use super::{
    LEASE_MS, OLDEST_TRANSACTION_SECONDS, SETTLE_WAIT, Till, fault, finish, good_prices, unavailable,
};
use crate::app::App;
use crate::desk;
use crate::refusal::Refusal;
use crate::terms::Terms;

/// A question that its caller pays for.
pub(crate) struct Sale<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) price: Usd,
    pub(crate) paying: &'a Paying,
    pub(crate) agent: AgentName,
    pub(crate) case: &'a dyn Case,
    /// The request in canonical form.
    pub(crate) request: Vec<u8>,
    pub(crate) at: Timestamp,
}

/// Sells an answer. What does not pay is for a 402.
///
/// # Errors
/// 503 where a part is down; 409 where the proof was used for another request meanwhile.
pub(crate) async fn sell(app: &Arc<App>, till: &Arc<Till>, sale: Sale<'_>) -> Result<Known, Refusal> {
    let evidence = match &sale.paying.evidence {
        Ok(evidence) => evidence,
        Err(refused) => return Ok(Known::Refused(refused.clone())),
    };
    let money = match till.look(app, &sale, evidence).await? {
        Ok(money) => money,
        Err(refused) => return Ok(Known::Refused(refused)),
    };
    let id = match app.notary.ledger.claim(till.new_claim(app, &sale, evidence, &money)).await? {
        Claiming::Mine(id) => id,
        Claiming::Known(claim) => return till.answer_known(app, sale.paying, evidence, claim).await,
        Claiming::Full => {
            return Err(Refusal::unavailable(
                "payment",
                5,
                "too many payments are being settled at the moment",
            ));
        }
    };
    fault::point("claimed");
    if let Err(refusal) = till.judge(app, id, &sale).await {
        app.notary.ledger.free(id, till.owner).await?;
        return Err(refusal);
    }
    fault::point("judged");
    till.settle(app, id, sale.paying).await
}

/// What a proof turned out to be worth.
struct Money {
    value: U256,
    /// The transfer, where it has happened already.
    transfer: Option<Transfer>,
}

impl Till {
    /// Whether the proof pays: what can be seen in it, then what the back end sees.
    async fn look(
        &self,
        app: &App,
        sale: &Sale<'_>,
        evidence: &Evidence,
    ) -> Result<Result<Money, Refused>, Refusal> {
        let prices = good_prices(&*app.notary.ledger, sale.terms.class, sale.price, sale.at).await?;
        let now = sale.at.unix_seconds();
        let request = sale.paying.request.borrow();
        let signed = match check::new_proof(evidence, &self.terms, &prices, now, &request) {
            Ok(signed) => self.decide(evidence, signed).await?,
            Err(refused) => Err(refused),
        };
        if let Err(refused) = signed {
            return Ok(Err(refused));
        }
        let looked = match evidence {
            Evidence::Authorization(signed) => {
                let verified = self.settler.verify(signed).await;
                verified.map(|()| Money { value: signed.authorization.value, transfer: None })
            }
            Evidence::Settlement(proof) => {
                let oldest = now.saturating_sub(OLDEST_TRANSACTION_SECONDS);
                let found = self.settler.find(&proof.wanted(&self.terms, &prices, oldest)).await;
                found.map(|transfer| Money { value: transfer.value, transfer: Some(transfer) })
            }
        };
        match looked {
            Ok(money) => Ok(Ok(money)),
            Err(SettleError::Refused(refused)) => Ok(Err(refused)),
            Err(SettleError::Unavailable(why)) => Err(unavailable(&why)),
        }
    }

    fn new_claim(&self, app: &App, sale: &Sale<'_>, evidence: &Evidence, money: &Money) -> NewClaim {
        let (key, proof) = match (evidence, &money.transfer) {
            (Evidence::Settlement(_), Some(transfer)) => {
                let key = ledger::ProofKey::Transaction {
                    chain_id: self.terms.network().chain_id,
                    transaction: transfer.transaction.0,
                    log_index: transfer.log_index,
                };
                (key, StoredProof::transfer(transfer))
            }
            (Evidence::Authorization(signed), _) => {
                (ledger_key(&evidence.key(self.terms.network())), StoredProof::authorization(signed))
            }
            (Evidence::Settlement(_), None) => unreachable!("a proof of settlement was found before"),
        };
        NewClaim {
            key,
            identifier: sale.paying.identifier(),
            fingerprint: sale.paying.request.fingerprint().0,
            class: sale.terms.class,
            agent: sale.agent.as_str().to_owned(),
            payer: evidence.payer().into_array(),
            symbol: self.terms.network().symbol.clone(),
            // A value that is one of the prices fits.
            amount: money.value.saturating_to(),
            bond: sale.terms.is_bond(),
            proof: proof.to_bytes(),
            owner: self.owner,
            lease_until: app.notary.clock.now().saturating_add_millis(LEASE_MS),
        }
    }

    async fn judge(&self, app: &App, id: ClaimId, sale: &Sale<'_>) -> Result<(), Refusal> {
        let ruling = desk::judge(sale.case, sale.terms.module, sale.at).await?;
        let finding = Json::Object(ruling.finding).canonical();
        let request = sale.request.clone();
        let judgement = Judgement { finding, evidence: ruling.evidence, request, at: sale.at };
        Ok(app.notary.ledger.judged(id, self.owner, judgement).await?)
    }

    /// Settles and delivers in a task of its own, which goes on when the caller has waited long enough.
    async fn settle(
        self: &Arc<Self>,
        app: &Arc<App>,
        id: ClaimId,
        paying: &Paying,
    ) -> Result<Known, Refusal> {
        let task = finish::finish(Arc::clone(app), Arc::clone(self), id, self.owner, paying.reply());
        match tokio::time::timeout(SETTLE_WAIT, tokio::spawn(task)).await {
            Ok(Ok(finished)) => finished,
            Ok(Err(panicked)) => {
                tracing::error!(%panicked, "a settlement panicked");
                Err(Refusal::Settling { transaction: None })
            }
            Err(_) => {
                let claim = app.notary.ledger.claim_by_id(id).await?;
                let transaction = claim.and_then(|claim| claim.transaction);
                Err(Refusal::Settling { transaction: transaction.map(|hash| B256::new(hash).to_string()) })
            }
        }
    }
}
