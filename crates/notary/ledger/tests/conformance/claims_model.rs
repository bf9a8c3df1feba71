//! Any interleaving of claims' steps by two owners does what a model of a few lines does.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger::{
    ClaimId, ClaimOutcome, ClaimRef, ClaimState, Ledger, LedgerError, LedgerRecord, NewClaim, Owner,
    PreparedTransaction, ProofKey,
};
use proptest::prelude::*;

use super::Harness;
use super::payer::*;
use super::support::*;

/// The payer's first balance: enough for three claims.
const FUNDS: u64 = 350_000;
const PRICE: u64 = 100_000;

#[derive(Clone, Debug)]
enum Step {
    Claim { key: ProofKey, identifier: Option<u64>, owner: Owner },
    Take { key: ProofKey, owner: Owner, kind: Kind },
    LeaseRequest(Owner),
    Reopen,
    Crash,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Judge,
    Broadcast { replaces: bool },
    Settle { transfer: u64 },
    SettleLocal { transfer: u64 },
    Free,
    Fail,
    Deliver,
}

fn key() -> impl Strategy<Value = ProofKey> {
    (0..3_u64, any::<bool>()).prop_map(|(number, is_authorization)| {
        if is_authorization { authorization(number) } else { transfer(number) }
    })
}

fn owner() -> impl Strategy<Value = Owner> {
    prop_oneof![8 => Just(OWNER), 1 => Just(OTHER)]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        5 => Just(Kind::Judge),
        3 => any::<bool>().prop_map(|replaces| Kind::Broadcast { replaces }),
        5 => (0..3_u64).prop_map(|transfer| Kind::Settle { transfer }),
        3 => (0..3_u64).prop_map(|transfer| Kind::SettleLocal { transfer }),
        2 => Just(Kind::Free),
        1 => Just(Kind::Fail),
        3 => Just(Kind::Deliver),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (key(), prop::option::of(0..3_u64), owner())
            .prop_map(|(key, identifier, owner)| Step::Claim { key, identifier, owner }),
        24 => (key(), owner(), kind()).prop_map(|(key, owner, kind)| Step::Take { key, owner, kind }),
        1 => owner().prop_map(Step::LeaseRequest),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

/// The holder of a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Name {
    Proof(String),
    Identifier(u64),
}

fn proof(key: &ProofKey) -> Name {
    Name::Proof(format!("{key:?}"))
}

fn is_transfer(key: &ProofKey) -> bool {
    matches!(key, ProofKey::Transaction { .. })
}

#[derive(Clone, Debug)]
struct Entry {
    key: ProofKey,
    owner: Owner,
    state: ClaimState,
}

/// The store under test, and beside it what it should be.
struct World<H: Harness> {
    harness: H,
    ledger: Option<Arc<dyn Ledger>>,
    claims: BTreeMap<ClaimId, Entry>,
    names: BTreeMap<Name, ClaimId>,
    settled: u64,
    paid_locally: u64,
    delivered: u64,
    records: u64,
}

pub fn any_interleaving_of_claims_does_what_the_model_does<H: Harness>() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config =
        ProptestConfig { cases: H::MODEL_CASES, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..120))| {
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
        ledger.local_open(PAYER, FUNDS).await.unwrap();
        Self {
            harness,
            ledger: Some(ledger),
            claims: BTreeMap::new(),
            names: BTreeMap::new(),
            settled: 0,
            paid_locally: 0,
            delivered: 0,
            records: 0,
        }
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::clone(self.ledger.as_ref().unwrap())
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Claim { key, identifier, owner } => self.claim(key, identifier, owner).await,
            Step::Take { key, owner, kind } => {
                let id = self.names.get(&proof(&key)).copied().unwrap_or(ClaimId(1_000_000));
                let expected = self.expect(id, owner, kind);
                let taken = self.step(id, owner, kind).await;
                assert_eq!(
                    taken.as_ref().err().map(label),
                    expected,
                    "{kind:?} of {:?}",
                    self.claims.get(&id)
                );
                if taken.is_ok() {
                    self.apply(id, kind);
                }
            }
            Step::LeaseRequest(owner) => {
                let wish = take_over(self.harness.clock(), LEASE_MS, owner, 100);
                let taken = self.ledger().take_over(wish).await.unwrap();
                let mut taken: Vec<ClaimId> = taken.into_iter().map(|claim| claim.id).collect();
                taken.sort();
                let unfinished = |entry: &Entry| entry.state < ClaimState::Delivered;
                let open = self.claims.iter_mut().filter(|(_, entry)| unfinished(entry));
                // A lease that was taken over lasts longer than this case: only the first takes them all.
                for (id, entry) in open {
                    if taken.contains(id) {
                        entry.owner = owner;
                    }
                }
                assert!(taken.iter().all(|id| unfinished(&self.claims[id])));
            }
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

    async fn claim(&mut self, key: ProofKey, number: Option<u64>, owner: Owner) {
        let names = [Some(proof(&key)), number.map(Name::Identifier)];
        let bound = names.iter().flatten().find_map(|name| self.names.get(name)).copied();
        let new = NewClaim { identifier: number.map(identifier), owner, ..new_claim(key) };
        match (self.ledger().claim(new).await.unwrap(), bound) {
            (ClaimOutcome::Known(claim), Some(bound)) => assert_eq!(claim.id, bound),
            (ClaimOutcome::Mine(id), None) => {
                assert!(self.claims.keys().all(|earlier| *earlier < id), "a number of its own");
                self.claims.insert(id, Entry { key, owner, state: ClaimState::Claimed });
                self.names.extend(names.into_iter().flatten().map(|name| (name, id)));
            }
            other => panic!("{other:?}"),
        }
    }

    /// The reason why a step must be refused.
    fn expect(&self, id: ClaimId, owner: Owner, kind: Kind) -> Option<&'static str> {
        use ClaimState::{Broadcast, Claimed, Judged, Settled};
        let Some(entry) = self.claims.get(&id) else { return Some("none") };
        let by_transfer = is_transfer(&entry.key);
        let leads_on = match kind {
            Kind::Judge => entry.state == Claimed,
            Kind::Broadcast { replaces } => entry.state == if replaces { Broadcast } else { Judged },
            Kind::Settle { .. } => entry.state == Broadcast || (entry.state == Judged && by_transfer),
            Kind::SettleLocal { .. } => entry.state == Judged,
            Kind::Free => matches!(entry.state, Claimed | Judged),
            Kind::Fail => entry.state == Broadcast,
            Kind::Deliver => entry.state == Settled,
        };
        let taken = |key: &ProofKey| self.names.get(&proof(key)).is_some_and(|bound| *bound != id);
        match kind {
            _ if entry.owner != owner => Some("owner"),
            _ if !leads_on => Some("state"),
            Kind::Broadcast { .. } | Kind::SettleLocal { .. } if by_transfer => Some("unfit"),
            Kind::Settle { transfer: number } if by_transfer && entry.key != transfer(number) => {
                Some("unfit")
            }
            Kind::Settle { transfer: number } if taken(&transfer(number)) => Some("credited"),
            Kind::SettleLocal { transfer } if taken(&local_transfer(transfer)) => Some("credited"),
            Kind::SettleLocal { .. } if (self.paid_locally + 1) * PRICE > FUNDS => Some("funds"),
            _ => None,
        }
    }

    async fn step(&mut self, id: ClaimId, owner: Owner, kind: Kind) -> Result<(), LedgerError> {
        let ledger = self.ledger();
        self.records += 1;
        match kind {
            Kind::Judge => ledger.judged(id, owner, judgement(1)).await,
            Kind::Broadcast { replaces } => {
                ledger.broadcasting(id, owner, PreparedTransaction { replaces, ..prepared(1) }).await
            }
            Kind::Settle { transfer } => ledger.settled(id, owner, settlement(transfer)).await,
            Kind::SettleLocal { transfer } => ledger.settle_local(id, owner, local_payment(transfer)).await,
            Kind::Free => ledger.free(id, owner).await,
            Kind::Fail => ledger.failed(id, owner, failure()).await,
            Kind::Deliver => {
                let claim = Some(ClaimRef { id, owner });
                ledger.append(LedgerRecord { claim, ..record(self.records) }).await.map(drop)
            }
        }
    }

    fn apply(&mut self, id: ClaimId, kind: Kind) {
        let entry = self.claims.get_mut(&id).unwrap();
        entry.state = match kind {
            Kind::Judge => ClaimState::Judged,
            Kind::Broadcast { .. } => ClaimState::Broadcast,
            Kind::Settle { .. } | Kind::SettleLocal { .. } => ClaimState::Settled,
            Kind::Fail => ClaimState::Failed,
            Kind::Deliver => ClaimState::Delivered,
            Kind::Free => {
                self.claims.remove(&id);
                self.names.retain(|_, bound| *bound != id);
                return;
            }
        };
        match kind {
            Kind::Settle { transfer: number } => {
                self.names.insert(proof(&transfer(number)), id);
                self.settled += 1;
            }
            Kind::SettleLocal { transfer } => {
                self.names.insert(proof(&local_transfer(transfer)), id);
                (self.settled, self.paid_locally) = (self.settled + 1, self.paid_locally + 1);
            }
            Kind::Fail => {
                self.names.retain(|name, bound| *bound != id || !matches!(name, Name::Identifier(_)));
            }
            Kind::Deliver => self.delivered += 1,
            _ => {}
        }
    }

    async fn check(&self) {
        let ledger = self.ledger();
        for (id, entry) in &self.claims {
            let claim = found(&*ledger, *id).await;
            assert_eq!((claim.key, claim.owner, claim.state), (entry.key, entry.owner, entry.state));
        }
        for number in 0..3 {
            for key in [authorization(number), transfer(number), local_transfer(number)] {
                let claim = ledger.find_claim(&key, None).await.unwrap();
                assert_eq!(claim.map(|claim| claim.id), self.names.get(&proof(&key)).copied());
            }
            let unknown = authorization(1000);
            let claim = ledger.find_claim(&unknown, Some(&identifier(number))).await.unwrap();
            assert_eq!(claim.map(|claim| claim.id), self.names.get(&Name::Identifier(number)).copied());
        }
        let income: u64 = ledger.revenue().await.unwrap().iter().map(|revenue| revenue.income).sum();
        let paid = self.paid_locally * PRICE;
        assert_eq!(income, self.settled * PRICE);
        assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), FUNDS - paid);
        assert_eq!(ledger.local_balance(&PAYEE).await.unwrap(), paid);
        assert_eq!(ledger.head().size, self.delivered);
    }
}

fn local_transfer(number: u64) -> ProofKey {
    ProofKey::Transaction { chain_id: CHAIN, transaction: word(number), log_index: 0 }
}

fn label(error: &LedgerError) -> &'static str {
    match error {
        LedgerError::NoSuchClaim(_) => "none",
        LedgerError::NotOwner => "owner",
        LedgerError::WrongState(_) => "state",
        LedgerError::Unfit(_) => "unfit",
        LedgerError::AlreadyCredited => "credited",
        LedgerError::InsufficientFunds => "funds",
        other => panic!("{other}"),
    }
}
