//! Settlement by an x402 facilitator: its `/verify` and `/settle`, in either version.
//!
//! A facilitator sends the transaction for us and reports the outcome. It is trusted no further than necessary:
//!
//! - Only a whole answer with status 200, a boolean, our network and a transaction's hash is a success. Whatever else
//!   comes (a time-out, a redirect, a status, a text, `"true"`) leaves the outcome unknown.
//! - A failure counts as one only where nothing can have been sent: at the first attempt, for a reason that is found
//!   before sending, without a transaction. A later attempt may fail because an earlier one has settled.
//! - Where a [`ChainView`] is given, the chain decides (as [`crate::chain`] has it), and the facilitator's transaction
//!   is no more than a hint where to look.
//!
//! # Duties of the caller
//!
//! As for [`crate::chain`]: store what `prepare` gave, `broadcast` it, ask for the outcome, and while that is not known
//! broadcast again. The authorization's nonce keeps the money from moving twice, and many facilitators answer a
//! repeated request with the first one's transaction. Without a chain, what a facilitator has said is known to this process
//! only: after a crash a repetition may be answered with "nonce already used", which nobody can tell from a payment;
//! it then stays unknown, for the operator to look at. Nor is the index of the `Transfer` event known then, and several
//! payments may have the same transaction: each is known by its authorization. So configure a node.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256};
use async_trait::async_trait;
use fetch::{Endpoint, EndpointError, EndpointResponse, Limits};
use lru::LruCache;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::chain::{ChainView, MAX_GAS, Sending};
use crate::eip712::recover;
use crate::evidence::refused;
use crate::proof::SCHEME;
use crate::terms::MAX_TIMEOUT_SECONDS;
use crate::{
    Code, Network, Outcome, Prepared, SettleError, SettlementKind, Settler, SignedAuthorization, Terms,
    Transfer, Version, Wanted, payer,
};

/// The number of attempts that are remembered. The oldest is forgotten, and then treated as after a crash.
const MEMORY: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");

/// A settlement back end that uses an x402 facilitator.
#[derive(Debug)]
pub struct Facilitator {
    verify: Endpoint,
    settle: Endpoint,
    version: Version,
    terms: Terms,
    resource: String,
    view: Option<ChainView>,
    attempts: Mutex<LruCache<(Address, B256), Attempt>>,
}

/// The error of a facilitator that cannot be used as configured.
#[derive(Debug, thiserror::Error)]
pub enum FacilitatorError {
    /// The facilitator's address is not valid.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The node is of another chain than the terms of payment.
    #[error("the node's network is {node}, and payments are on {paid}")]
    Network {
        /// The chain of the node.
        node: String,
        /// The chain of the terms.
        paid: String,
    },
}

/// The state of an authorization's settlement, as far as this process knows.
#[derive(Clone, Debug)]
enum Attempt {
    /// It was prepared here, and not sent.
    Prepared,
    /// It was sent, or is being sent.
    Sent,
    /// The facilitator says that it has settled.
    Settled(Transfer),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifyResponse {
    is_valid: bool,
    invalid_reason: Option<String>,
    payer: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettleResponse {
    success: bool,
    error_reason: Option<String>,
    transaction: Option<String>,
    network: Option<String>,
    payer: Option<String>,
}

impl Facilitator {
    /// Makes a back end for the facilitator at an address, below which are `verify` and `settle`. Requests are of x402
    /// `version`, and name `resource` (our own public address) as the thing that is paid for.
    ///
    /// The address comes as two endpoints, each with its own concurrency slots: settlements that stay open are repeated,
    /// and take no slot from the verification of new payments.
    ///
    /// # Errors
    ///
    /// [`FacilitatorError`]; no request is made yet.
    pub fn new(
        [verifying, settling]: [&Endpoint; 2],
        version: Version,
        terms: Terms,
        resource: String,
        view: Option<ChainView>,
    ) -> Result<Self, FacilitatorError> {
        if let Some(view) = view.as_ref().filter(|view| view.network() != terms.network()) {
            let (node, paid) = (view.network().caip2(), terms.network().caip2());
            return Err(FacilitatorError::Network { node, paid });
        }
        let (verify, settle) = (verifying.below("verify")?, settling.below("settle")?);
        let attempts = Mutex::new(LruCache::new(MEMORY));
        Ok(Self { verify, settle, version, terms, resource, view, attempts })
    }

    /// The bounds for requests to a facilitator. It may wait for a block before it answers, so the timeout is 30 s. As many
    /// may wait as the payment gate settles at once.
    #[must_use]
    pub fn limits() -> Limits {
        Limits {
            total: Duration::from_secs(30),
            wire_bytes: 64 << 10,
            decoded_bytes: 64 << 10,
            per_host: 64,
            waiting_per_host: 256,
            per_network: 64,
            waiting_per_network: 256,
            in_all: 64,
            reserved: 0,
            wait: Duration::from_secs(5),
            ..Limits::default()
        }
    }

    /// The chain that is read to confirm payments; `None` without a node.
    #[must_use]
    pub fn view(&self) -> Option<&ChainView> {
        self.view.as_ref()
    }

    fn attempts(&self) -> MutexGuard<'_, LruCache<(Address, B256), Attempt>> {
        // Nothing in the guarded sections can leave the table half changed.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The body of both requests.
    fn request(&self, signed: &SignedAuthorization) -> Value {
        let requirements = self.requirements(signed);
        let (number, payload) = match self.version {
            Version::V1 => (1, payer::v1(self.terms.network(), signed)),
            Version::V2 => {
                let payload = json!({
                    "x402Version": 2,
                    "resource": {"url": self.resource, "description": "", "mimeType": "application/json"},
                    "accepted": requirements,
                    "payload": signed.payload(),
                });
                (2, payload)
            }
        };
        json!({"x402Version": number, "paymentPayload": payload, "paymentRequirements": requirements})
    }

    fn requirements(&self, signed: &SignedAuthorization) -> Value {
        let Network { token, token_name, token_version, .. } = self.terms.network();
        let mut requirements = json!({
            "scheme": SCHEME,
            "network": self.version.network_name(self.terms.network()),
            "asset": token.to_string(),
            "payTo": self.terms.pay_to().to_string(),
            "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
            "extra": {"name": token_name, "version": token_version},
        });
        let amount = json!(signed.authorization.value.to_string());
        match self.version {
            Version::V1 => {
                requirements["maxAmountRequired"] = amount;
                requirements["resource"] = json!(self.resource);
                requirements["description"] = json!("");
                requirements["mimeType"] = json!("application/json");
            }
            Version::V2 => requirements["amount"] = amount,
        }
        requirements
    }

    fn require_payee(&self, signed: &SignedAuthorization) -> Result<(), SettleError> {
        if signed.authorization.to != self.terms.pay_to() {
            return Err(refused(Code::InvalidPayee, format!("the payee is {}", self.terms.pay_to())).into());
        }
        Ok(())
    }

    async fn ask_to_verify(&self, signed: &SignedAuthorization) -> Result<(), SettleError> {
        let answer = post(&self.verify, self.request(signed).to_string().into_bytes()).await?;
        let verification: VerifyResponse = read(&answer)?;
        if !verification.is_valid {
            let code = verification.invalid_reason.as_deref().and_then(code).unwrap_or(Code::TransferRefused);
            return Err(refused(code, "the facilitator refuses the payment").into());
        }
        require_success(&answer)?;
        require_payer(verification.payer.as_deref(), signed)
    }

    /// Reads the answer to a settlement: the transfer, or why there is none, or neither.
    fn settlement(
        &self,
        answer: &EndpointResponse,
        signed: &SignedAuthorization,
    ) -> Result<Result<Transfer, Code>, SettleError> {
        let settlement: SettleResponse = read(answer)?;
        if settlement.success {
            require_success(answer)?;
            require_payer(settlement.payer.as_deref(), signed)?;
            return self.transfer(&settlement, signed).map(Ok);
        }
        let sent = settlement.transaction.is_some_and(|transaction| !transaction.is_empty());
        let refusal =
            settlement.error_reason.as_deref().and_then(code).filter(|code| *code != Code::NonceUsed);
        match refusal {
            Some(code) if !sent && answer.status < 500 => Ok(Err(code)),
            _ => Err(unavailable("the facilitator failed, and may have sent the transaction")),
        }
    }

    fn transfer(
        &self,
        settlement: &SettleResponse,
        signed: &SignedAuthorization,
    ) -> Result<Transfer, SettleError> {
        let network = self.terms.network();
        let ours = [network.name.clone(), network.caip2()];
        if !settlement.network.as_ref().is_some_and(|network| ours.contains(network)) {
            return Err(unavailable("the facilitator settled on another network"));
        }
        let transaction = settlement.transaction.as_deref().and_then(transaction);
        let transaction = transaction.ok_or_else(|| unavailable("the facilitator names no transaction"))?;
        let (payer, value) = (signed.authorization.from, signed.authorization.value);
        Ok(Transfer { transaction, log_index: None, payer, value })
    }

    /// Makes the error of a refusal at the first attempt, unless another party has used the authorization.
    async fn refusal(&self, signed: &SignedAuthorization, code: Code) -> SettleError {
        if let Some(view) = &self.view {
            match view.is_unused(&signed.authorization).await {
                Ok(true) => {}
                Ok(false) => return unavailable("the authorization was used all the same"),
                Err(error) => return error,
            }
        }
        self.attempts().pop(&key(signed));
        refused(code, "the facilitator refuses the payment").into()
    }
}

#[async_trait]
impl Settler for Facilitator {
    fn kind(&self) -> SettlementKind {
        SettlementKind::Facilitator
    }

    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError> {
        self.require_payee(signed)?;
        let Some(view) = &self.view else { return self.ask_to_verify(signed).await.map(|()| None) };
        // Whoever sends it, at whatever price of gas, is the facilitator's matter.
        let sending = Sending { from: self.terms.pay_to(), gas: MAX_GAS, fees: None };
        let (asked, seen, simulated) = tokio::join!(
            self.ask_to_verify(signed),
            view.verify(signed, |_| Ok(())),
            view.simulate(signed, &sending)
        );
        let balance = seen?;
        simulated.and(asked).map(|()| Some(balance))
    }

    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError> {
        self.require_payee(signed)?;
        self.attempts().get_or_insert(key(signed), || Attempt::Prepared);
        Ok(Prepared { raw: self.request(signed).to_string().into_bytes(), transaction: None })
    }

    async fn broadcast(&self, signed: &SignedAuthorization, prepared: &Prepared) -> Result<(), SettleError> {
        // Data that a back end of another kind has stored is refused.
        if !prepared.raw.starts_with(b"{") {
            return Err(unavailable("what was stored is no request to a facilitator"));
        }
        let before = {
            let mut attempts = self.attempts();
            let before = attempts.get(&key(signed)).cloned();
            if !matches!(before, Some(Attempt::Settled(_))) {
                attempts.put(key(signed), Attempt::Sent);
            }
            before
        };
        if matches!(before, Some(Attempt::Settled(_))) {
            return Ok(());
        }
        let answer = post(&self.settle, prepared.raw.clone()).await?;
        match self.settlement(&answer, signed)? {
            Ok(transfer) => {
                self.attempts().put(key(signed), Attempt::Settled(transfer));
                Ok(())
            }
            Err(code) if matches!(before, Some(Attempt::Prepared)) => Err(self.refusal(signed, code).await),
            Err(_) => Err(unavailable("the facilitator refuses what an earlier attempt may have settled")),
        }
    }

    async fn outcome(&self, signed: &SignedAuthorization, _: &Prepared) -> Result<Outcome, SettleError> {
        let said = match self.attempts().get(&key(signed)) {
            Some(Attempt::Settled(transfer)) => Some(transfer.clone()),
            _ => None,
        };
        let Some(view) = &self.view else {
            return Ok(said.map_or(Outcome::Unknown, Outcome::Settled));
        };
        let hint = said.map(|transfer| transfer.transaction);
        let sight = view.sight(hint).await?;
        Ok(view.fate(&signed.authorization, sight).await?.outcome())
    }

    async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError> {
        match &self.view {
            Some(view) => view.find(wanted).await,
            None => Err(unavailable("no node is configured to find transactions with")),
        }
    }

    async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError> {
        match &self.view {
            Some(view) => view.is_signed_by(account, digest, signature).await,
            None if recover(&digest, signature) == Ok(account) => Ok(true),
            None => Err(unavailable("no node is configured to ask contract wallets with")),
        }
    }
}

fn key(signed: &SignedAuthorization) -> (Address, B256) {
    (signed.authorization.from, signed.authorization.nonce)
}

async fn post(endpoint: &Endpoint, body: Vec<u8>) -> Result<EndpointResponse, SettleError> {
    let answer = endpoint.post_json(body.into()).await;
    answer.map_err(|error| SettleError::Unavailable(format!("the facilitator: {error}")))
}

fn read<T: DeserializeOwned>(answer: &EndpointResponse) -> Result<T, SettleError> {
    serde_json::from_slice(&answer.body).map_err(|_| {
        SettleError::Unavailable(format!("the facilitator answered nonsense with status {}", answer.status))
    })
}

fn require_success(answer: &EndpointResponse) -> Result<(), SettleError> {
    if answer.status != 200 {
        return Err(SettleError::Unavailable(format!(
            "the facilitator answered with status {}",
            answer.status
        )));
    }
    Ok(())
}

/// The payer need not be named, but must be ours where it is.
fn require_payer(payer: Option<&str>, signed: &SignedAuthorization) -> Result<(), SettleError> {
    match payer.map(str::parse::<Address>) {
        None => Ok(()),
        Some(Ok(payer)) if payer == signed.authorization.from => Ok(()),
        Some(_) => Err(unavailable("the facilitator speaks of another payer")),
    }
}

/// A transaction's hash, which is not zero.
fn transaction(text: &str) -> Option<B256> {
    let bytes: [u8; 32] = hex::decode(text.strip_prefix("0x")?).ok()?.try_into().ok()?;
    Some(B256::from(bytes)).filter(|hash| !hash.is_zero())
}

/// Parts of the reasons that facilitators give before they send anything, with their meaning.
const REASONS: [(&str, Code); 15] = [
    ("insufficient_funds", Code::InsufficientFunds),
    ("insufficient_balance", Code::InsufficientFunds),
    ("nonce_already_used", Code::NonceUsed),
    ("duplicate_settlement", Code::NonceUsed),
    ("valid_before", Code::Expired),
    ("payment_expired", Code::Expired),
    ("valid_after", Code::NotYetValid),
    ("signature", Code::InvalidSignature),
    ("undeployed_smart_wallet", Code::InvalidSignature),
    ("recipient_mismatch", Code::InvalidPayee),
    ("authorization_value", Code::InvalidAmount),
    ("invalid_network", Code::InvalidNetwork),
    ("network_mismatch", Code::InvalidNetwork),
    ("scheme", Code::InvalidScheme),
    ("invalid_x402_version", Code::InvalidVersion),
];

fn code(reason: &str) -> Option<Code> {
    REASONS.iter().find(|(part, _)| reason.contains(part)).map(|(_, code)| *code)
}

fn unavailable(why: &str) -> SettleError {
    SettleError::Unavailable(why.to_owned())
}
