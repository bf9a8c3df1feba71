//! From the stored finding to the delivered receipt, from wherever a claim stands.

use std::sync::Arc;
use std::time::Duration;

use ledger::{
    ClaimId, ClaimRef, ClaimState, ClaimWork, Failure, LedgerError, LocalPayment, Owner, Settlement,
};
use payment::{
    B256, Code, Outcome, Prepared, Refused, SettleError, SignedAuthorization, Transfer, local_payee,
};
use receipt::json::{Json, parse};
use verdict::{AgentName, Judged};

use super::known::{Known, settlement_failed};
use super::paying::Reply;
use super::stored::{Kept, StoredProof};
use super::{LEASE_MS, Till, answer, fault, unavailable};
use crate::app::App;
use crate::notary::{Matter, Payment};
use crate::refusal::Refusal;

/// How long an outcome is asked for at first, and at most, in between.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Brings a claim to its end, one ledger transaction a step. It waits as long as an outcome is not known.
///
/// # Errors
/// 503: the claim stands where it stood, and somebody goes on with it later.
pub(super) async fn finish(
    app: Arc<App>,
    till: Arc<Till>,
    id: ClaimId,
    owner: Owner,
    reply: Reply,
) -> Result<Known, Refusal> {
    let _place = till.settling.acquire().await.map_err(|_| unavailable("the till is closed"))?;
    let desk = Settling { app: &app, till: &till, id, owner };
    let mut pause = FIRST_PAUSE;
    loop {
        let work = app.notary.ledger.claim_work(id).await?.ok_or_else(|| unavailable("the claim is gone"))?;
        let refused = match work.claim.state {
            ClaimState::Claimed => return Err(unavailable("nothing was found for the claim")),
            ClaimState::Judged => desk.send_off(&work).await?,
            ClaimState::Broadcast => {
                let refused = desk.look(&work, pause >= LONGEST_PAUSE).await?;
                if refused.is_none() {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    desk.renew().await?;
                }
                refused
            }
            ClaimState::Settled => {
                desk.deliver(work).await?;
                None
            }
            ClaimState::Delivered => {
                return answer::stored(&app, &till, &work.claim, reply).await.map(Known::Answer);
            }
            ClaimState::Failed => Some(settlement_failed()),
        };
        if let Some(refused) = refused {
            return Ok(Known::Refused(refused));
        }
    }
}

/// One claim in the hands of one owner.
struct Settling<'a> {
    app: &'a App,
    till: &'a Till,
    id: ClaimId,
    owner: Owner,
}

impl Settling<'_> {
    /// judged -> broadcast, or straight to settled where the money has moved already or is the ledger's own.
    async fn send_off(&self, work: &ClaimWork) -> Result<Option<Refused>, Refusal> {
        let signed = match kept(work)? {
            Kept::Transfer(transfer) => {
                return Ok(self.settled(&transfer).await.map(|()| None)?);
            }
            Kept::Authorization(signed) => signed,
        };
        let prepared = match self.till.settler.prepare(&signed).await {
            Ok(prepared) => prepared,
            Err(error) => return self.give_up(error).await,
        };
        if self.till.is_local() {
            return self.settle_locally(&prepared).await;
        }
        self.store(&prepared, false).await?;
        fault::point("broadcasting");
        let refused = self.broadcast(&signed, &prepared).await?;
        fault::point("broadcast");
        Ok(refused)
    }

    /// Keeps what is about to be broadcast.
    async fn store(&self, prepared: &Prepared, replaces: bool) -> Result<(), Refusal> {
        let stored = ledger::Prepared {
            raw: prepared.raw.clone(),
            transaction: prepared.transaction.map(|hash| hash.0),
            replaces,
        };
        Ok(self.app.notary.ledger.broadcasting(self.id, self.owner, stored).await?)
    }

    /// What was broadcast will not happen by itself: prepares it anew, stores it, and broadcasts that.
    async fn replace(
        &self,
        signed: &SignedAuthorization,
        before: &Prepared,
    ) -> Result<Option<Refused>, Refusal> {
        match self.till.settler.prepare_again(signed, before).await {
            Ok(prepared) => {
                self.store(&prepared, true).await?;
                self.broadcast(signed, &prepared).await
            }
            Err(error) => {
                tracing::warn!(%error, "a stalled settlement cannot be prepared anew");
                Ok(None)
            }
        }
    }

    /// Nothing has left this process: the proof is free again.
    async fn give_up(&self, error: SettleError) -> Result<Option<Refused>, Refusal> {
        self.app.notary.ledger.free(self.id, self.owner).await?;
        match error {
            SettleError::Refused(refused) => Ok(Some(refused)),
            SettleError::Unavailable(why) => Err(unavailable(&why)),
        }
    }

    /// Moves the ledger's own money, in the transaction that makes the claim settled.
    async fn settle_locally(&self, prepared: &Prepared) -> Result<Option<Refused>, Refusal> {
        let payment = LocalPayment {
            payee: local_payee().into_array(),
            transaction: prepared.transaction.unwrap_or_default().0,
            at: self.app.notary.clock.now(),
        };
        let refused = |code, detail: &str| SettleError::Refused(Refused { code, detail: detail.to_owned() });
        match self.app.notary.ledger.settle_local(self.id, self.owner, payment).await {
            Ok(()) => {
                fault::point("settled");
                Ok(None)
            }
            Err(LedgerError::InsufficientFunds) => {
                self.give_up(refused(Code::InsufficientFunds, "the payer has less than the price")).await
            }
            Err(LedgerError::AlreadyCredited) => {
                self.give_up(refused(Code::NonceUsed, "the authorization's nonce was used")).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Broadcasts. An error leaves the outcome open, unless the back end says that it never will be taken.
    async fn broadcast(
        &self,
        signed: &SignedAuthorization,
        prepared: &Prepared,
    ) -> Result<Option<Refused>, Refusal> {
        match self.till.settler.broadcast(signed, prepared).await {
            Ok(()) => Ok(None),
            Err(SettleError::Refused(refused)) => self.fail(refused).await.map(Some),
            Err(SettleError::Unavailable(why)) => {
                tracing::warn!(why, "a broadcast has no known outcome");
                Ok(None)
            }
        }
    }

    /// broadcast -> settled or failed, where the outcome is known.
    async fn look(&self, work: &ClaimWork, is_late: bool) -> Result<Option<Refused>, Refusal> {
        let Kept::Authorization(signed) = kept(work)? else {
            return Err(unavailable("a claim without an authorization was broadcast"));
        };
        let prepared = Prepared {
            raw: work.raw.clone().unwrap_or_default(),
            transaction: work.claim.transaction.map(B256::new),
        };
        match self.till.settler.outcome(&signed, &prepared).await {
            Ok(Outcome::Settled(transfer)) => match self.settled(&transfer).await {
                // The payer has shown this very transfer for another request meanwhile.
                Err(LedgerError::AlreadyCredited) => {
                    let detail = "the transfer was credited to another request".to_owned();
                    self.fail(Refused { code: Code::InvalidTransaction, detail }).await.map(Some)
                }
                settled => Ok(settled.map(|()| None)?),
            },
            Ok(Outcome::Failed(refused)) => self.fail(refused).await.map(Some),
            Ok(Outcome::Stalled) => self.replace(&signed, &prepared).await,
            // A node may have lost it.
            Ok(Outcome::Unknown) if is_late => self.broadcast(&signed, &prepared).await,
            Ok(Outcome::Unknown) => Ok(None),
            Err(error) => {
                tracing::warn!(%error, "the outcome of a settlement cannot be asked for");
                Ok(None)
            }
        }
    }

    async fn settled(&self, transfer: &Transfer) -> Result<(), LedgerError> {
        let settlement = Settlement {
            transaction: transfer.transaction.0,
            log_index: transfer.log_index,
            kind: self.till.settler.kind().as_str(),
            at: self.app.notary.clock.now(),
        };
        self.app.notary.ledger.settled(self.id, self.owner, settlement).await?;
        fault::point("settled");
        Ok(())
    }

    async fn fail(&self, refused: Refused) -> Result<Refused, Refusal> {
        let failure = Failure { code: refused.code.as_str().to_owned(), detail: refused.detail.clone() };
        self.app.notary.ledger.failed(self.id, self.owner, failure).await?;
        Ok(refused)
    }

    async fn renew(&self) -> Result<(), Refusal> {
        let until = self.app.notary.clock.now().saturating_add_millis(LEASE_MS);
        Ok(self.app.notary.ledger.renew(self.id, self.owner, until).await?)
    }

    /// settled -> delivered: signs what was found when the call was made.
    async fn deliver(&self, work: ClaimWork) -> Result<(), Refusal> {
        let ClaimWork { claim, judgement, .. } = work;
        let unsound = || unavailable("a settled claim lacks what it needs to be delivered");
        let judgement = judgement.ok_or_else(unsound)?;
        let transfer = claim.transfer.as_ref().ok_or_else(unsound)?;
        let route = self.app.docket.route(&claim.class).ok_or_else(unsound)?;
        let Ok(Json::Object(finding)) = parse(&judgement.finding) else { return Err(unsound()) };
        let network = self.till.terms.network();
        let payment = Payment {
            network: network.name.clone(),
            asset: claim.symbol.clone(),
            amount: verdict::Usd::from_atomic(claim.amount).to_string(),
            payer: payment::Address::new(claim.payer).to_string(),
            transaction: B256::new(transfer.transaction).to_string(),
            settlement: transfer.kind.clone(),
        };
        let matter = Matter {
            class: route.terms.class,
            agent: AgentName::parse(&claim.agent).map_err(|_| unsound())?,
            request: judgement.request,
            ruling: Judged { finding, evidence: judgement.evidence },
            place: None,
            paid: Some((payment, ClaimRef { id: self.id, owner: self.owner })),
        };
        self.app.notary.notarize(matter).await?;
        fault::point("delivered");
        Ok(())
    }
}

fn kept(work: &ClaimWork) -> Result<Kept, Refusal> {
    StoredProof::read(&work.proof).ok_or_else(|| unavailable("a claim's proof cannot be read"))
}
