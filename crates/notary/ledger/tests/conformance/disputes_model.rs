//! Any interleaving of disputes over receipts does what a model of a few lines does, and no money is made or lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ledger::{
    ClaimId, ClaimOutcome, ClaimState, DisputeOutcome, Ledger, LedgerError, MAX_DISPUTES, NewClaim, Refund,
    RefundId, RefundKind, RefundState,
};
use proptest::prelude::*;

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

/// The first balance of the local payer of refunds: enough for some, not for all.
const FUNDS: u64 = 3 * BOND;
/// The number of the first dispute: originals have lower ones.
const DISPUTES: u64 = 100;

#[derive(Clone, Debug)]
enum Step {
    Issue {
        is_paid: bool,
    },
    Claim {
        original: usize,
        amount: u64,
    },
    Drop {
        dispute: usize,
        fails: bool,
    },
    Settle {
        dispute: usize,
    },
    End {
        dispute: usize,
        outcome: DisputeOutcome,
        original: usize,
    },
    /// All disputes that wait for their end, at once.
    EndAll(DisputeOutcome),
    PayLocally {
        refund: usize,
    },
    Send {
        refund: usize,
        fails: bool,
    },
    PayByHand {
        refund: usize,
    },
    Reopen,
    Crash,
}

fn outcome() -> impl Strategy<Value = DisputeOutcome> {
    prop::sample::select(OUTCOMES.to_vec())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<bool>().prop_map(|is_paid| Step::Issue { is_paid }),
        9 => (0..6_usize, 1..=BOND).prop_map(|(original, amount)| Step::Claim { original, amount }),
        1 => (0..9_usize, any::<bool>()).prop_map(|(dispute, fails)| Step::Drop { dispute, fails }),
        6 => (0..9_usize).prop_map(|dispute| Step::Settle { dispute }),
        9 => (0..9_usize, outcome(), 0..40_usize)
            .prop_map(|(dispute, outcome, original)| Step::End { dispute, outcome, original }),
        1 => outcome().prop_map(Step::EndAll),
        3 => (0..9_usize).prop_map(|refund| Step::PayLocally { refund }),
        2 => (0..9_usize, any::<bool>()).prop_map(|(refund, fails)| Step::Send { refund, fails }),
        1 => (0..9_usize).prop_map(|refund| Step::PayByHand { refund }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

/// A receipt that can be disputed.
struct Original {
    number: u64,
    leaf: u64,
    is_paid: bool,
    /// The number of disputes that it has had, the open one included: bonds that have settled in time.
    disputes: u32,
    is_open: bool,
    is_fee_owed: bool,
}

/// A bond that waits for its settlement, or for the end of its dispute.
struct Open {
    id: ClaimId,
    number: u64,
    original: usize,
    amount: u64,
    /// `Some` once it has settled; true where it came too late to be a dispute.
    is_late: Option<bool>,
}

/// The store under test, and beside it what it should be.
struct World<H: Harness> {
    harness: H,
    ledger: Option<Arc<dyn Ledger>>,
    originals: Vec<Original>,
    open: Vec<Open>,
    numbers: u64,
    forfeited: u64,
    reserve: u64,
    debts: Vec<Debt>,
    /// The numbers of each ended dispute and of its original, by the dispute's hash.
    ended: BTreeMap<[u8; 32], (u64, u64)>,
    states: BTreeMap<RefundId, RefundState>,
    funds: u64,
}

pub fn any_interleaving_of_disputes_does_what_the_model_does<H: Harness>() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config =
        ProptestConfig { cases: H::MODEL_CASES, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..80))| {
        runtime.block_on(async {
            let mut world = World::<H>::new().await;
            for step in steps {
                world.take(step).await;
                world.check().await;
            }
        });
    });
}

impl<H: Harness> World<H> {
    async fn new() -> Self {
        let harness = H::new();
        let ledger = harness.open().await;
        ledger.local_open(PAYEE, FUNDS).await.unwrap();
        let mut world = Self {
            harness,
            ledger: Some(ledger),
            originals: Vec::new(),
            open: Vec::new(),
            numbers: 0,
            forfeited: 0,
            reserve: 0,
            debts: Vec::new(),
            ended: BTreeMap::new(),
            states: BTreeMap::new(),
            funds: FUNDS,
        };
        world.issue(true).await;
        world
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::clone(self.ledger.as_ref().unwrap())
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Issue { is_paid } => self.issue(is_paid).await,
            Step::Claim { original, amount } => self.claim(original % self.originals.len(), amount).await,
            Step::Drop { dispute, fails } => self.drop_claim(dispute, fails).await,
            Step::Settle { dispute } => {
                let Some(mut open) = self.pick(dispute) else { return };
                self.settle(&mut open).await;
                self.open.push(open);
            }
            Step::End { dispute, outcome, original } => self.end(dispute, outcome, original).await,
            Step::EndAll(outcome) => self.end_all(outcome).await,
            Step::PayLocally { refund } => self.pay_locally(refund).await,
            Step::Send { refund, fails } => self.send(refund, fails).await,
            Step::PayByHand { refund } => self.pay_by_hand(refund),
            Step::Reopen => {
                let ledger = self.ledger.take().unwrap();
                self.ledger = Some(self.harness.reopen(ledger).await);
            }
            Step::Crash => {
                self.harness = self.harness.after_a_crash().await;
                self.ledger = Some(self.harness.open().await);
            }
        }
    }

    async fn issue(&mut self, is_paid: bool) {
        let number = self.number();
        let leaf = original(&*self.ledger(), number, is_paid).await;
        let fresh = Original { number, leaf, is_paid, disputes: 0, is_open: false, is_fee_owed: false };
        self.originals.push(fresh);
    }

    async fn claim(&mut self, at: usize, amount: u64) {
        let number = DISPUTES + self.number();
        let about = &mut self.originals[at];
        let new = NewClaim { amount, ..new_bond(number, hash(about.number)) };
        let ledger = Arc::clone(self.ledger.as_ref().unwrap());
        match ledger.claim(new).await.unwrap() {
            ClaimOutcome::DisputeOpen => assert!(about.is_open),
            ClaimOutcome::DisputeLimit => assert!(!about.is_open && about.disputes == MAX_DISPUTES),
            ClaimOutcome::Mine(id) => {
                assert!(!about.is_open && about.disputes < MAX_DISPUTES);
                self.open.push(Open { id, number, original: at, amount, is_late: None });
            }
            other => panic!("{other:?}"),
        }
    }

    /// A dispute that comes to nothing: freed, or failed after its broadcast.
    async fn drop_claim(&mut self, dispute: usize, fails: bool) {
        let Some(open) = self.pick(dispute) else { return };
        let Open { id, number, .. } = open;
        let ledger = self.ledger();
        if found(&*ledger, id).await.state == ClaimState::Settled {
            let refused = ledger.free(id, OWNER).await.unwrap_err();
            assert!(matches!(refused, LedgerError::WrongState(ClaimState::Settled)), "{refused}");
            self.open.push(open);
            return;
        }
        if fails {
            ledger.broadcasting(id, OWNER, prepared(number)).await.unwrap();
            ledger.failed(id, OWNER, failure()).await.unwrap();
        } else {
            ledger.free(id, OWNER).await.unwrap();
        }
    }

    fn pick(&mut self, at: usize) -> Option<Open> {
        (!self.open.is_empty()).then(|| self.open.remove(at % self.open.len()))
    }

    /// Settles a bond: it is the open dispute where there is none, and there were not enough.
    async fn settle(&mut self, open: &mut Open) {
        let ledger = self.ledger();
        if open.is_late.is_some() {
            return;
        }
        bring(&*ledger, open.id, open.number, ClaimState::Settled).await;
        let about = &mut self.originals[open.original];
        let is_late = about.is_open || about.disputes == MAX_DISPUTES;
        if !is_late {
            about.is_open = true;
            about.disputes += 1;
        }
        assert_eq!(found(&*ledger, open.id).await.is_late, is_late);
        open.is_late = Some(is_late);
    }

    /// Where the end names the leaf of another receipt than the bond is about, it is refused.
    async fn end(&mut self, dispute: usize, outcome: DisputeOutcome, named: usize) {
        let Some(mut open) = self.pick(dispute) else { return };
        self.settle(&mut open).await;
        let is_fit = open.is_late == Some(false) || outcome == DisputeOutcome::Inconclusive;
        let named = if named < self.originals.len() { named } else { open.original };
        let record = end_record(open.number, open.id, outcome, self.originals[named].leaf);
        match self.ledger().append(record).await {
            Ok(_) => {
                assert!(named == open.original && is_fit);
                self.apply(&open, outcome);
            }
            Err(refused) => {
                assert!(named != open.original || !is_fit);
                assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
                self.open.push(open);
            }
        }
    }

    fn apply(&mut self, open: &Open, outcome: DisputeOutcome) {
        let original = &mut self.originals[open.original];
        if open.is_late == Some(false) {
            original.is_open = false;
        }
        self.ended.insert(hash(open.number).0, (open.number, original.number));
        let mut owe = |kind, payee, amount| self.debts.push(debt(open.number, kind, payee, amount));
        match outcome {
            DisputeOutcome::Upheld => {
                self.reserve += open.amount;
                self.forfeited += open.amount;
                return;
            }
            DisputeOutcome::Inconclusive => {}
            DisputeOutcome::Overturned => {
                if original.is_paid && !original.is_fee_owed {
                    original.is_fee_owed = true;
                    owe(RefundKind::Fee, PAYER, FEE);
                }
                let bounty = open.amount.min(self.reserve);
                self.reserve -= bounty;
                if bounty > 0 {
                    owe(RefundKind::Bounty, REFUND_TO, bounty);
                }
            }
        }
        owe(RefundKind::Bond, REFUND_TO, open.amount);
    }

    /// In which order disputes end that end at once is not known, and so neither whose bounty is cut short.
    async fn end_all(&mut self, outcome: DisputeOutcome) {
        let mut ending = std::mem::take(&mut self.open);
        let mut appends = Vec::new();
        let outcome_of = |open: &Open| match open.is_late {
            Some(true) => DisputeOutcome::Inconclusive,
            _ => outcome,
        };
        for open in &mut ending {
            self.settle(open).await;
        }
        for open in &ending {
            let outcome = outcome_of(open);
            let record = end_record(open.number, open.id, outcome, self.originals[open.original].leaf);
            let ledger = self.ledger();
            appends.push(tokio::spawn(async move { ledger.append(record).await }));
        }
        let mut leaves = Vec::new();
        for (append, open) in appends.into_iter().zip(ending) {
            leaves.push((append.await.unwrap().unwrap().leaf, open));
        }
        leaves.sort_by_key(|(leaf, _)| *leaf);
        for (_, open) in leaves {
            self.apply(&open, outcome_of(&open));
        }
    }

    /// A refund of any state that its payer has had in hand: not one that was paid by hand before.
    async fn refund(&self, at: usize) -> Option<Refund> {
        take(&*self.ledger(), self.harness.clock(), OWNER).await;
        let mut refunds = all_refunds(&*self.harness.operator_store());
        refunds.retain(|refund| refund.owner == OWNER);
        (!refunds.is_empty()).then(|| refunds[at % refunds.len()].clone())
    }

    async fn pay_locally(&mut self, refund: usize) {
        let Some(Refund { id, amount, state, .. }) = self.refund(refund).await else { return };
        let number = 1_000_000 + self.number();
        match self.ledger().pay_refund_locally(id, OWNER, PAYEE, word(number), at(20), None).await {
            Ok(()) => {
                assert!(state == RefundState::Owed && amount <= self.funds);
                self.funds -= amount;
                self.states.insert(id, RefundState::Paid);
            }
            Err(LedgerError::InsufficientFunds) => assert!(state == RefundState::Owed && amount > self.funds),
            Err(LedgerError::RefundState(found)) => assert!(found == state && state != RefundState::Owed),
            Err(other) => panic!("{other}"),
        }
    }

    /// One step on: from owed to sending, from sending to paid or back.
    async fn send(&mut self, refund: usize, fails: bool) {
        let Some(Refund { id, state, .. }) = self.refund(refund).await else { return };
        let ledger = self.ledger();
        let to = match (state, fails) {
            (RefundState::Owed, _) => {
                ledger.refund_sending(id, OWNER, refund_proof(1), prepared(1), None).await.unwrap();
                RefundState::Sending
            }
            (RefundState::Sending, true) => {
                ledger.refund_failed(id, OWNER).await.unwrap();
                RefundState::Owed
            }
            (RefundState::Sending, false) => {
                ledger.refund_paid(id, OWNER, word(1), at(20)).await.unwrap();
                RefundState::Paid
            }
            (RefundState::Paid, _) => {
                let refused = ledger.refund_failed(id, OWNER).await.unwrap_err();
                assert!(matches!(refused, LedgerError::RefundState(RefundState::Paid)), "{refused}");
                RefundState::Paid
            }
        };
        self.states.insert(id, to);
    }

    fn pay_by_hand(&mut self, at_refund: usize) {
        let mut operator_store = self.harness.operator_store();
        let refunds = all_refunds(&*operator_store);
        if refunds.is_empty() {
            return;
        }
        let Refund { id, state, .. } = refunds[at_refund % refunds.len()];
        match operator_store.paid_by_hand(id, word(2), at(20), &|_| false) {
            Ok(()) => {
                assert_eq!(state, RefundState::Owed);
                self.states.insert(id, RefundState::Paid);
            }
            Err(LedgerError::RefundState(found)) => assert!(found == state && state != RefundState::Owed),
            Err(other) => panic!("{other}"),
        }
    }

    async fn check(&self) {
        let (ledger, operator_store) = (self.ledger(), self.harness.operator_store());
        assert_eq!(debts(&*operator_store), sorted(self.debts.clone()));
        assert_eq!(reserve_of(&*operator_store), self.reserve);
        let refunds = all_refunds(&*operator_store);
        let bounties = refunds.iter().filter(|refund| refund.kind == RefundKind::Bounty);
        assert_eq!(self.reserve + bounties.map(|refund| refund.amount).sum::<u64>(), self.forfeited);
        for refund in &refunds {
            let expected = self.states.get(&refund.id).copied().unwrap_or(RefundState::Owed);
            assert_eq!(refund.state, expected);
            let (dispute, original) = self.ended[&refund.dispute.0];
            let payment = if refund.kind == RefundKind::Fee { original } else { dispute };
            assert_eq!(refund.origin, settled_by(payment));
        }
        assert_eq!(ledger.local_balance(&PAYEE).await.unwrap(), self.funds);
        let paid_out = [REFUND_TO, PAYER].map(async |payee| ledger.local_balance(&payee).await.unwrap());
        let [disputer, payer] = paid_out;
        assert_eq!(disputer.await + payer.await, FUNDS - self.funds);
        for original in &self.originals {
            let disputes = ledger.disputes(&hash(original.number)).await.unwrap();
            let ended: Vec<_> = disputes.iter().filter_map(|dispute| dispute.receipt).collect();
            let open = disputes.len() - ended.len();
            assert_eq!((disputes.len(), open), (original.disputes as usize, usize::from(original.is_open)));
            let distinct: BTreeSet<_> = ended.iter().map(|receipt| receipt.0).collect();
            assert_eq!(distinct.len(), ended.len());
        }
    }
}
