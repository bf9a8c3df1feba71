//! Shared by the cases about disputes: originals, bonds, ends, and refunds in any state.

use std::collections::BTreeMap;

use ledger::{
    ClaimId, ClaimRef, ClaimState, ClaimTransfer, DisputeEnd, DisputeOutcome, Ledger, LedgerRecord, NewClaim,
    OperatorStore, Owner, ProofKey, Refund, RefundId, RefundKind, RefundState, Settlement, TransferId,
};
use receipt::hash::ReceiptHash;

use super::payer::*;
use super::support::*;

pub const DISPUTER: [u8; 20] = [0xd1; 20];
/// The address that the disputer is paid at.
pub const REFUND_TO: [u8; 20] = [0xd2; 20];
pub const BOND: u64 = 1_000_000;
/// The price of a paid original.
pub const FEE: u64 = 100_000;
pub const OUTCOMES: [DisputeOutcome; 3] =
    [DisputeOutcome::Upheld, DisputeOutcome::Overturned, DisputeOutcome::Inconclusive];

/// A claim whose amount is a bond about a receipt.
pub fn new_bond(number: u64, about: ReceiptHash) -> NewClaim {
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer: DISPUTER, nonce: word(number) };
    NewClaim {
        class: "dispute",
        agent: "critic".to_owned(),
        payer: DISPUTER,
        amount: BOND,
        bond: true,
        about: Some(about),
        deferred: Some(asked(number)),
        ..new_claim(key)
    }
}

/// A dispute that waits for its end.
pub async fn open_dispute(ledger: &dyn Ledger, number: u64, about: ReceiptHash) -> ClaimId {
    let id = mine(ledger, new_bond(number, about)).await;
    bring(ledger, id, number, ClaimState::Settled).await;
    id
}

/// Settles a bond, or a judged claim, as the back end of a kind does, a facilitator unseen; local money must be there.
pub async fn settle_as(ledger: &dyn Ledger, id: ClaimId, number: u64, kind: &'static str) {
    if kind == "local" {
        ledger.settle_local(id, OWNER, local_payment(number)).await.unwrap();
    } else {
        ledger.broadcasting(id, OWNER, prepared(number)).await.unwrap();
        let log_index = settlement(number).log_index.filter(|_| kind != "facilitator");
        ledger.settled(id, OWNER, Settlement { kind, log_index, ..settlement(number) }).await.unwrap();
    }
    if found(ledger, id).await.bond {
        ledger.judged(id, OWNER, judgement(number)).await.unwrap();
    }
}

/// The transfer by which the claim of a number has settled, where it was brought there as most are.
pub fn settled_by(number: u64) -> ClaimTransfer {
    ClaimTransfer { transaction: word(number), id: TransferId::LogIndex(7), kind: "chain".to_owned() }
}

/// The receipt of a dispute about the receipt at a leaf.
pub fn end_record(number: u64, id: ClaimId, outcome: DisputeOutcome, disputed: u64) -> LedgerRecord {
    let end = DisputeEnd { outcome, disputed, refund_to: REFUND_TO };
    let claim = Some(ClaimRef { id, owner: OWNER });
    LedgerRecord { class: "dispute", claim, dispute: Some(end), ..record(number) }
}

/// A receipt that was paid for, or a free one; gives its leaf.
pub async fn original(ledger: &dyn Ledger, number: u64, is_paid: bool) -> u64 {
    if is_paid {
        let id = claim_in(ledger, number, ClaimState::Settled).await;
        ledger.append(paid_record(number, id)).await.unwrap().leaf
    } else {
        ledger.append(record(number)).await.unwrap().leaf
    }
}

/// Disputes the receipt of a number, at its leaf, from the first step to the last.
pub async fn dispute(
    ledger: &dyn Ledger,
    number: u64,
    about: (u64, u64),
    outcome: DisputeOutcome,
) -> ClaimId {
    let (original, leaf) = about;
    let id = open_dispute(ledger, number, hash(original)).await;
    ledger.append(end_record(number, id, outcome, leaf)).await.unwrap();
    id
}

/// A debt: of which dispute (by its number), of which kind, to whom, and how much.
pub type Debt = (ReceiptHash, RefundKind, [u8; 20], u64);

pub fn debt(dispute: u64, kind: RefundKind, payee: [u8; 20], amount: u64) -> Debt {
    (hash(dispute), kind, payee, amount)
}

/// All refunds there have ever been, the oldest first.
pub fn all_refunds(operator_store: &dyn OperatorStore) -> Vec<Refund> {
    operator_store.refunds(&RefundState::ALL).unwrap()
}

/// All debts there have ever been, sorted.
pub fn debts(operator_store: &dyn OperatorStore) -> Vec<Debt> {
    let debt = |refund: Refund| (refund.dispute, refund.kind, refund.payee, refund.amount);
    sorted(all_refunds(operator_store).into_iter().map(debt).collect())
}

pub fn sorted(mut debts: Vec<Debt>) -> Vec<Debt> {
    debts.sort_by_key(|(dispute, kind, ..)| {
        (dispute.0, RefundKind::ALL.iter().position(|known| known == kind))
    });
    debts
}

/// The reserve's amount of the token that all cases use unless they say otherwise.
pub fn reserve_of(operator_store: &dyn OperatorStore) -> u64 {
    let reserves: BTreeMap<String, u64> = operator_store.reserve().unwrap().into_iter().collect();
    reserves.get("USDC").copied().unwrap_or(0)
}

/// A dispute that leaves the disputer a single debt: its bond.
pub async fn owed(harness: &impl super::Harness, ledger: &dyn Ledger, number: u64) -> RefundId {
    let leaf = original(ledger, number, false).await;
    dispute(ledger, number + 1_000_000, (number, leaf), DisputeOutcome::Inconclusive).await;
    all_refunds(&*harness.operator_store()).last().unwrap().id
}

/// Takes all refunds that nobody works on.
pub async fn take(ledger: &dyn Ledger, clock: &ManualClock, owner: Owner) -> Vec<Refund> {
    ledger.take_refunds(take_over_now(clock, owner, 1000)).await.unwrap()
}

/// A refund that [`OWNER`] has taken and brought to a state.
pub async fn refund_in(
    harness: &impl super::Harness,
    ledger: &dyn Ledger,
    number: u64,
    state: RefundState,
) -> RefundId {
    let id = owed(harness, ledger, number).await;
    assert_eq!(
        take(ledger, harness.clock(), OWNER).await.iter().map(|refund| refund.id).collect::<Vec<_>>(),
        [id]
    );
    if state >= RefundState::Sending {
        ledger.refund_sending(id, OWNER, refund_proof(number), prepared(number), None).await.unwrap();
    }
    if state >= RefundState::Paid {
        ledger.refund_paid(id, OWNER, word(number), at(20)).await.unwrap();
    }
    id
}

pub fn refund_proof(number: u64) -> Vec<u8> {
    format!("an authorization {number}").into_bytes()
}

pub fn refund(operator_store: &dyn OperatorStore, id: RefundId) -> Refund {
    all_refunds(operator_store).into_iter().find(|refund| refund.id == id).unwrap()
}
