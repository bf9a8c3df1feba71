//! Any interleaving of operations does what a model of a few lines does.

use std::collections::HashMap;
use std::sync::Arc;

use ledger::{Grant, Ledger, LedgerError, NewGrant, Period, QuotaKey, QuotaReservation};
use proptest::prelude::*;
use tlog::tile::{decode_bundle, encode_hashes, tile_width};
use tlog::{Hash, RightEdge, TilePath, leaf_hash};
use verdict::Clock as _;

use super::Harness;
use super::support::*;

/// Free calls an agent has a day, and calls that each grant has in its period.
const ALLOWANCE: u32 = 2;

#[derive(Clone, Debug)]
enum Step {
    /// Appends a record, which may have been appended before, with a reservation that is held, if there is one.
    Append {
        number: u64,
        with_reservation: bool,
    },
    /// Appends records that were not appended before, all at once.
    AppendMany(u64),
    Reserve {
        agent: u8,
    },
    ReserveGranted {
        grant: usize,
    },
    GiveBack,
    Advance {
        millis: i64,
    },
    Find {
        number: u64,
    },
    Tile {
        level: u8,
        index: u64,
        width: u16,
    },
    Entries {
        index: u64,
        width: u16,
    },
    Root {
        size: u64,
    },
    Reopen,
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..40_u64, any::<bool>()).prop_map(|(number, with_reservation)| Step::Append { number, with_reservation }),
        2 => (1..150_u64).prop_map(Step::AppendMany),
        4 => (0..2_u8).prop_map(|agent| Step::Reserve { agent }),
        4 => (0..2_usize).prop_map(|grant| Step::ReserveGranted { grant }),
        2 => Just(Step::GiveBack),
        1 => prop_oneof![0..DAY_MS, 0..20 * DAY_MS].prop_map(|millis| Step::Advance { millis }),
        3 => (0..40_u64).prop_map(|number| Step::Find { number }),
        2 => (0..3_u8, 0..3_u64, 1..=256_u16)
            .prop_map(|(level, index, width)| Step::Tile { level, index, width }),
        2 => (0..3_u64, 1..=256_u16).prop_map(|(index, width)| Step::Entries { index, width }),
        2 => (0..700_u64).prop_map(|size| Step::Root { size }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
    ]
}

/// The store under test, and beside it what it should be.
struct World<H: Harness> {
    harness: H,
    ledger: Option<Arc<dyn Ledger>>,
    /// The number of each leaf's record.
    log: Vec<u64>,
    /// The root at each size.
    roots: Vec<Hash>,
    edge: RightEdge,
    /// One by the day and one by the month.
    grants: Vec<Grant>,
    /// Calls used up.
    used: HashMap<QuotaKey, u32>,
    held: Vec<QuotaReservation>,
    fresh: u64,
}

pub fn any_interleaving_of_operations_does_what_the_model_does<H: Harness>() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = ProptestConfig {
        cases: H::MODEL_CASES.div_ceil(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..60))| {
        runtime.block_on(async {
            let mut world = World::<H>::new().await;
            for step in steps {
                world.take(step).await;
            }
            let ledger = world.ledger();
            Auditor::fetch(&*ledger).await.audit(&ledger.head());
        });
    });
}

impl<H: Harness> World<H> {
    async fn new() -> Self {
        let harness = H::new();
        let ledger = harness.open().await;
        let mut operator_store = harness.operator_store();
        for period in [Period::Day, Period::Month] {
            operator_store
                .grant(&[NewGrant { period, ..new_grant("agent 0", ALLOWANCE, harness.clock()) }])
                .unwrap();
        }
        let grants = ledger.grants_of("agent 0", harness.clock().now()).await.unwrap();
        Self {
            harness,
            ledger: Some(ledger),
            grants,
            log: Vec::new(),
            roots: vec![tlog::EMPTY_ROOT],
            edge: RightEdge::new(),
            used: HashMap::new(),
            held: Vec::new(),
            fresh: 1000,
        }
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::clone(self.ledger.as_ref().unwrap())
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Append { number, with_reservation } => self.append(number, with_reservation).await,
            Step::AppendMany(count) => {
                let numbers = self.fresh..self.fresh + count;
                self.fresh += count;
                let mut appended = append_all(&self.ledger(), numbers).await;
                appended.sort_by_key(|(_, appended)| appended.leaf);
                appended.into_iter().for_each(|(number, appended)| self.logged(number, &appended));
            }
            Step::Reserve { agent } => {
                let key = place_key(&format!("agent {agent}"), self.harness.clock());
                let reservation = take_free(&*self.ledger(), key.clone(), ALLOWANCE).await;
                self.reserved(&QuotaKey::Free(key), reservation);
            }
            Step::ReserveGranted { grant } => {
                let (grant, at) = (&self.grants[grant], self.harness.clock().now());
                let period = grant.terms.period;
                let of = QuotaKey::Granted { grant: grant.id, period, start: period.start(at) };
                let reservation = self.ledger().reserve_granted(grant, 1, at).await.unwrap();
                self.reserved(&of, reservation);
            }
            Step::GiveBack => drop(self.held.pop()),
            Step::Advance { millis } => self.harness.clock().advance(millis),
            Step::Find { number } => self.find(number).await,
            Step::Tile { level, index, width } => self.tile(level, index, width).await,
            Step::Entries { index, width } => self.entries(index, width).await,
            Step::Root { size } => {
                let expected = self.roots.get(size as usize).copied();
                assert_eq!(self.ledger().root_at(size).await.unwrap(), expected);
            }
            Step::Reopen => {
                self.harness.close(self.ledger.take().unwrap()).await;
                self.held.clear();
                self.ledger = Some(self.harness.open().await);
            }
            Step::Crash => {
                self.harness = self.harness.after_a_crash().await;
                self.held.clear();
                self.ledger = Some(self.harness.open().await);
            }
        }
        let head = self.ledger().head();
        assert_eq!((head.size, Some(&head.root)), (self.log.len() as u64, self.roots.last()));
    }

    async fn append(&mut self, number: u64, with_reservation: bool) {
        let mut given = record(number);
        given.signed_at = self.harness.clock().now();
        given.reservation = if with_reservation { self.held.pop() } else { None };
        let of = given.reservation.as_ref().map(|reservation| reservation.parts()[0].of.clone());
        match self.ledger().append(given).await {
            Ok(appended) => {
                self.logged(number, &appended);
                if let Some(of) = of {
                    *self.used.entry(of).or_default() += 1;
                }
            }
            Err(LedgerError::Duplicate) => assert!(self.log.contains(&number)),
            Err(other) => panic!("{other}"),
        }
    }

    fn logged(&mut self, number: u64, appended: &ledger::AppendedRecord) {
        assert!(!self.log.contains(&number));
        assert_eq!(appended.leaf, self.log.len() as u64);
        verified(number, &appended.inclusion);
        self.log.push(number);
        self.edge.append(leaf_hash(&entry(number)));
        self.roots.push(self.edge.root());
    }

    fn reserved(&mut self, of: &QuotaKey, reservation: Option<QuotaReservation>) {
        let held = self.held.iter().filter(|reservation| reservation.parts()[0].of == *of).count() as u32;
        let used = self.used.get(of).copied().unwrap_or_default();
        assert_eq!(reservation.is_some(), held + used < ALLOWANCE);
        self.held.extend(reservation);
    }

    async fn find(&self, number: u64) {
        let found = self.ledger().receipt_with_inclusion(&hash(number)).await.unwrap();
        let leaf = self.log.iter().position(|logged| *logged == number).map(|leaf| leaf as u64);
        assert_eq!(found.as_ref().map(|(receipt, _)| receipt.leaf), leaf);
        if let Some((receipt, inclusion)) = found {
            assert_eq!(receipt.payload, payload(number));
            assert_eq!(verified(number, &inclusion).size(), self.log.len() as u64);
        }
    }

    async fn tile(&self, level: u8, index: u64, width: u16) {
        let served = self.ledger().tile(TilePath::hashes(level, index, width).unwrap()).await.unwrap();
        let is_there = width <= tile_width(self.log.len() as u64, level, index);
        assert_eq!(served.is_some(), is_there);
        if let Some(served) = served {
            let span = 1_usize << (8 * u32::from(level));
            let first = index as usize * 256;
            let hashes: Vec<Hash> = (first..first + usize::from(width))
                .map(|at| root(&self.leaves(at * span..(at + 1) * span)))
                .collect();
            assert_eq!(served, encode_hashes(&hashes));
        }
    }

    async fn entries(&self, index: u64, width: u16) {
        let served = self.ledger().tile(TilePath::entries(index, width).unwrap()).await.unwrap();
        let first = index as usize * 256;
        let expected = self.log.get(first..first + usize::from(width));
        let expected =
            expected.map(|numbers| numbers.iter().map(|number| entry(*number)).collect::<Vec<_>>());
        assert_eq!(
            served.as_ref().map(|bundle| decode_bundle(bundle).unwrap()),
            expected.as_ref().map(|entries| { entries.iter().map(Vec::as_slice).collect() })
        );
    }

    fn leaves(&self, range: std::ops::Range<usize>) -> Vec<Hash> {
        self.log[range].iter().map(|number| leaf_hash(&entry(*number))).collect()
    }
}
