//! What the cases about payments share: claims, and how they get from state to state.

use std::sync::Arc;

use ledger::{
    Claim, ClaimId, ClaimOutcome, ClaimRef, ClaimState, DeferredRequest, Judgement, LeaseRequest, Ledger,
    LedgerRecord, LocalPayment, NewClaim, Owner, PaymentIdentifier, PreparedTransaction, ProofKey,
    Settlement,
};
use receipt::time::Timestamp;
use verdict::{Clock as _, EvidenceBlob, KeptRequest};

use super::support::*;

pub const OWNER: Owner = Owner([1; 16]);
pub const OTHER: Owner = Owner([2; 16]);
pub const CHAIN: u64 = 8453;
pub const ASSET: [u8; 20] = [0xaa; 20];
pub const PAYER: [u8; 20] = [0xbb; 20];
pub const PAYEE: [u8; 20] = [0xcc; 20];
/// How long the cases lease a claim, in milliseconds.
pub const LEASE_MS: i64 = 60_000;

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(START_MS + millis).unwrap()
}

/// 32 bytes that are unlike all others.
pub fn word(number: u64) -> [u8; 32] {
    receipt::hash::sha256(&number.to_be_bytes())
}

pub fn authorization(number: u64) -> ProofKey {
    ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer: PAYER, nonce: word(number) }
}

pub fn transfer(number: u64) -> ProofKey {
    ProofKey::Transaction { chain_id: CHAIN, transaction: word(number), log_index: 7 }
}

pub fn identifier(number: u64) -> PaymentIdentifier {
    PaymentIdentifier { payer: PAYER, id: format!("payment-identifier-{number}") }
}

pub fn new_claim(key: ProofKey) -> NewClaim {
    NewClaim {
        key,
        identifier: None,
        fingerprint: word(1_000_000),
        class: "commit",
        agent: "scout".to_owned(),
        payer: PAYER,
        symbol: "USDC".to_owned(),
        amount: 100_000,
        bond: false,
        about: None,
        proof: b"a signed authorization".to_vec(),
        deferred: None,
        most_of_payer: u32::MAX,
        balance: None,
        owner: OWNER,
        lease_until: at(LEASE_MS),
    }
}

/// A request as it is stored; every other one held a secret.
fn kept_request(number: u64) -> KeptRequest {
    if number.is_multiple_of(2) {
        KeptRequest::redacted(request(number), word(number))
    } else {
        KeptRequest::as_sent(request(number))
    }
}

/// What is asked for a bond.
pub fn asked(number: u64) -> DeferredRequest {
    DeferredRequest { request: kept_request(number), at: at(1) }
}

pub fn judgement(number: u64) -> Judgement {
    Judgement {
        finding: format!(r#"{{"finding":{number}}}"#).into_bytes(),
        evidence: vec![
            blob("body", format!("page {number}").as_bytes()),
            blob("list", b"the list"),
            EvidenceBlob::kept("snapshot", [7; 32]),
        ],
        request: kept_request(number),
        at: at(5),
    }
}

pub fn prepared(number: u64) -> PreparedTransaction {
    let raw = format!("raw transaction {number}").into_bytes();
    PreparedTransaction { raw, transaction: Some(word(number)), replaces: false }
}

/// The transfer of [`transfer`].
pub fn settlement(number: u64) -> Settlement {
    Settlement { transaction: word(number), log_index: Some(7), kind: "chain", at: at(10) }
}

pub fn local_payment(number: u64) -> LocalPayment {
    LocalPayment { payee: PAYEE, transaction: word(number), at: at(10) }
}

/// A request for leases at a time, to which the clock is set: a back end may go by the request or by the clock.
pub fn take_over(clock: &ManualClock, millis: i64, owner: Owner, most: u32) -> LeaseRequest {
    clock.set(at(millis));
    take_over_now(clock, owner, most)
}

/// A request for leases at the clock's time, which is later than the start where leases of an ended process had to end.
pub fn take_over_now(clock: &ManualClock, owner: Owner, most: u32) -> LeaseRequest {
    let now = clock.now();
    LeaseRequest { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most }
}

/// A record that is paid by a claim.
pub fn paid_record(number: u64, id: ClaimId) -> LedgerRecord {
    LedgerRecord { claim: Some(ClaimRef { id, owner: OWNER }), class: "commit", ..record(number) }
}

pub async fn mine(ledger: &dyn Ledger, new: NewClaim) -> ClaimId {
    match ledger.claim(new).await.unwrap() {
        ClaimOutcome::Mine(id) => id,
        other => panic!("{other:?}"),
    }
}

/// A claim that was made before, under another number.
pub async fn known(ledger: &dyn Ledger, new: NewClaim) -> Claim {
    match ledger.claim(new).await.unwrap() {
        ClaimOutcome::Known(claim) => claim,
        other => panic!("{other:?}"),
    }
}

pub async fn found(ledger: &dyn Ledger, id: ClaimId) -> Claim {
    ledger.claim_by_id(id).await.unwrap().unwrap()
}

/// Makes a claim by the authorization of this number and takes it to a state. Its transfer is the one of this number.
pub async fn claim_in(ledger: &dyn Ledger, number: u64, state: ClaimState) -> ClaimId {
    let id = mine(ledger, new_claim(authorization(number))).await;
    bring(ledger, id, number, state).await;
    id
}

/// Takes a new claim by an authorization on to a state. A bond is judged when it has settled.
pub async fn bring(ledger: &dyn Ledger, id: ClaimId, number: u64, state: ClaimState) {
    let is_bond = found(ledger, id).await.bond;
    if state >= ClaimState::Judged && !is_bond {
        ledger.judged(id, OWNER, judgement(number)).await.unwrap();
    }
    if state >= ClaimState::Broadcast {
        ledger.broadcasting(id, OWNER, prepared(number)).await.unwrap();
    }
    if state == ClaimState::Failed {
        ledger.failed(id, OWNER, failure()).await.unwrap();
        return;
    }
    if state >= ClaimState::Settled {
        ledger.settled(id, OWNER, settlement(number)).await.unwrap();
        if is_bond {
            ledger.judged(id, OWNER, judgement(number)).await.unwrap();
        }
    }
    if state >= ClaimState::Delivered {
        ledger.append(paid_record(number, id)).await.unwrap();
    }
}

pub fn failure() -> ledger::ClaimFailure {
    ledger::ClaimFailure { code: "nonce_used".to_owned(), detail: "the nonce was used".to_owned() }
}

/// Runs tasks of these numbers at once and gives what they give, in their order.
pub async fn all<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    ledger: &Arc<dyn Ledger>,
    numbers: std::ops::Range<u64>,
    task: impl Fn(Arc<dyn Ledger>, u64) -> F,
) -> Vec<T> {
    let tasks: Vec<_> = numbers.map(|number| tokio::spawn(task(Arc::clone(ledger), number))).collect();
    let mut given = Vec::new();
    for task in tasks {
        given.push(task.await.unwrap());
    }
    given
}
