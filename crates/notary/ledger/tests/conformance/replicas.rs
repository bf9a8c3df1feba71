//! Two replicas: ledgers on one store that are open at once. Beside these cases every other case is run on two replicas
//! that are used [in turn](super::in_turn).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ledger::{
    Admission, AppendedRecord, ClaimOutcome, ClaimRef, ClaimState, CounterKey, Dispute, DisputeOutcome,
    LeaseRequest, Ledger, LedgerError, LedgerRecord, MemoryKey, NewClaim, NewMemory, Owner, QuotaKey,
    QuotaRequest, RateLimitHit, RefundState, SharedVersion,
};
use tlog::{EMPTY_ROOT, Hash, TilePath, verify_consistency};

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::shared;
use super::support::*;
use super::watches;

type Replicas = [Arc<dyn Ledger>; 2];

/// Opens a store that is not there yet, by two replicas at once.
async fn replicas<H: Harness>() -> (H, Replicas) {
    let harness = H::new();
    let (one, other) = tokio::join!(harness.open(), harness.open());
    (harness, [one, other])
}

/// Runs a task for each number and each replica, all at once, and gives what they give.
async fn race<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    replicas: &Replicas,
    numbers: std::ops::Range<u64>,
    task: impl Fn(Arc<dyn Ledger>, usize, u64) -> F,
) -> Vec<T> {
    let mut tasks = Vec::new();
    for number in numbers {
        for (replica, ledger) in replicas.iter().enumerate() {
            tasks.push(tokio::spawn(task(Arc::clone(ledger), replica, number)));
        }
    }
    let mut given = Vec::new();
    for task in tasks {
        given.push(task.await.unwrap());
    }
    given
}

/// The root of each size that a checkpoint was seen for.
struct Roots(BTreeMap<u64, Hash>);

impl Roots {
    fn new() -> Self {
        Self([(0, EMPTY_ROOT)].into())
    }

    fn saw(&mut self, size: u64, root: Hash) {
        let known = *self.0.entry(size).or_insert(root);
        assert_eq!(known, root, "two roots for size {size}");
    }

    fn saw_answer(&mut self, number: u64, appended: &AppendedRecord) {
        let checkpoint = verified(number, &appended.inclusion);
        assert!(checkpoint.size() > appended.leaf);
        self.saw(checkpoint.size(), checkpoint.root());
    }

    /// Holds all of them against the log as a replica publishes it: they are of one tree.
    async fn audit(&self, ledger: &dyn Ledger) {
        let auditor = Auditor::fetch(ledger).await;
        auditor.audit(&ledger.head());
        for ((old, old_root), (new, new_root)) in self.0.iter().zip(self.0.iter().skip(1)) {
            let proof = tlog::consistency_proof(*old, *new, &auditor).unwrap();
            verify_consistency(*old, *new, old_root, new_root, &proof).unwrap();
            assert_eq!(ledger.root_at(*old).await.unwrap(), Some(*old_root));
        }
    }
}

/// Has a replica read, so that its head is the newest one.
async fn refresh(ledger: &dyn Ledger) -> u64 {
    ledger.receipt_with_inclusion(&hash(u64::MAX)).await.unwrap();
    ledger.head().size
}

pub async fn two_that_open_an_empty_store_at_once_found_one_log<H: Harness>() {
    for _ in 0..5 {
        let (_harness, replicas) = replicas::<H>().await;
        let [one, other] = replicas.each_ref().map(|ledger| ledger.head());
        assert_eq!((one.size, one.root, other.size, other.root), (0, EMPTY_ROOT, 0, EMPTY_ROOT));
        signed(&one);
        signed(&other);
        for (number, ledger) in (0..).zip(&replicas) {
            assert_eq!(ledger.append(record(number)).await.unwrap().leaf, number);
        }
    }
}

pub async fn appends_that_race_make_one_tree_and_each_is_proven_under_its_own_checkpoint<H: Harness>() {
    const EACH: u64 = 300;
    let (harness, replicas) = replicas::<H>().await;
    let appended = race(&replicas, 0..EACH, |ledger, replica, number| async move {
        let number = 2 * number + replica as u64;
        let appended = ledger.append(record(number)).await.unwrap();
        let head = ledger.head();
        assert!(head.size > appended.leaf, "its own head has what it has answered");
        (number, appended, head)
    });
    let mut roots = Roots::new();
    let mut leaves = BTreeMap::new();
    for (number, appended, head) in appended.await {
        roots.saw_answer(number, &appended);
        let checkpoint = signed(&head);
        roots.saw(checkpoint.size(), checkpoint.root());
        assert_eq!(leaves.insert(appended.leaf, number), None, "two receipts at one leaf");
    }
    assert!(leaves.keys().copied().eq(0..2 * EACH));
    for ledger in &replicas {
        assert_eq!(refresh(&**ledger).await, 2 * EACH);
        roots.audit(&**ledger).await;
    }
    let third = harness.open().await;
    assert_eq!(third.head(), replicas[0].head());
    roots.audit(&*third).await;
    for (leaf, number) in leaves {
        let (receipt, inclusion) = third.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
        assert_eq!(receipt.leaf, leaf);
        assert_eq!(verified(number, &inclusion).size(), 2 * EACH);
    }
}

/// One replica appends while the other one is asked for the log: no answer is of two trees.
pub async fn what_is_read_while_the_other_appends_is_of_one_tree<H: Harness>() {
    const SIZE: u64 = 600;
    let (_harness, [writer, reader]) = replicas::<H>().await;
    let appends = tokio::spawn(async move {
        for number in (0..SIZE).step_by(20) {
            append_all(&writer, number..number + 20).await;
        }
    });
    let mut roots = Roots::new();
    let mut reads = 0;
    while !appends.is_finished() {
        if let Some((receipt, inclusion)) = reader.receipt_with_inclusion(&hash(reads % SIZE)).await.unwrap()
        {
            let checkpoint = verified(reads % SIZE, &inclusion);
            roots.saw(checkpoint.size(), checkpoint.root());
            let again = verified(reads % SIZE, &reader.inclusion(receipt.leaf).await.unwrap());
            assert!(again.size() >= checkpoint.size());
            roots.saw(again.size(), again.root());
        }
        let head = signed(&reader.head());
        roots.saw(head.size(), head.root());
        assert_eq!(reader.root_at(head.size()).await.unwrap(), Some(head.root()));
        reads += 37;
    }
    appends.await.unwrap();
    assert_eq!(refresh(&*reader).await, SIZE);
    roots.audit(&*reader).await;
}

pub async fn a_receipt_is_logged_by_one_of_those_who_append_it_at_once<H: Harness>() {
    let (_harness, replicas) = replicas::<H>().await;
    let answers = race(&replicas, 0..80, |ledger, _, number| async move {
        // Each record four times: two times on each replica.
        (number / 2, ledger.append(record(number / 2)).await)
    });
    let mut leaves = BTreeMap::new();
    for (number, answer) in answers.await {
        match answer {
            Ok(appended) => assert_eq!(leaves.insert(number, appended.leaf), None, "once"),
            Err(refused) => assert!(matches!(refused, LedgerError::Duplicate), "{refused}"),
        }
    }
    assert_eq!(leaves.len(), 40);
    for ledger in &replicas {
        assert_eq!(refresh(&**ledger).await, 40);
        Auditor::fetch(&**ledger).await.audit(&ledger.head());
    }
}

/// Whatever one has answered the other one finds with its next read, in both directions and each time.
pub async fn a_reader_finds_at_once_what_the_other_has_answered<H: Harness>() {
    let (harness, replicas) = replicas::<H>().await;
    for number in 0..30 {
        let [writer, reader] = [number % 2, 1 - number % 2].map(|replica| &*replicas[replica as usize]);
        let agent = CounterKey::of_agent("commit", "scout");
        let key = MemoryKey::new("commit", &[1; 32]);
        let text = format!("memory {number}");
        let appended = LedgerRecord {
            class: "commit",
            evidence: vec![blob("body", format!("page {number}").as_bytes())],
            counters: vec![agent],
            memory: Some(NewMemory { key, text: text.clone() }),
            ..record(number)
        };
        let appended = writer.append(appended).await.unwrap();
        let (leaf, size) = (appended.leaf, appended.leaf + 1);
        // Each time another read is the first one after the answer.
        for read in (0..12).map(|read| (read + number) % 12) {
            match read {
                0 => assert_eq!(reader.receipt(&hash(number)).await.unwrap().unwrap().leaf, leaf),
                1 => assert!(reader.short_receipts(&[hash(number)]).await.unwrap()[0].is_some()),
                2 => {
                    let found = reader.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
                    assert_eq!(verified(number, &found.1).size(), size);
                }
                3 => assert_eq!(verified(number, &reader.inclusion(leaf).await.unwrap()).size(), size),
                4 => assert_eq!(reader.request(leaf).await.unwrap(), Some(stored_request(number))),
                5 => assert!(reader.evidence(leaf).await.unwrap()[0].bytes.is_some()),
                6 => assert_eq!(reader.evidence_elsewhere(leaf).await.unwrap(), Some(Vec::new())),
                7 => {
                    let root = reader.root_at(size).await.unwrap().unwrap();
                    assert_eq!(root, verified(number, &appended.inclusion).root());
                }
                8 => {
                    let width = size as u16;
                    for path in [TilePath::hashes(0, 0, width), TilePath::entries(0, width)] {
                        assert!(reader.tile(path.unwrap()).await.unwrap().is_some());
                    }
                }
                9 => assert_eq!(reader.counts().await.unwrap()[0].free, size),
                10 => assert_eq!(reader.counted(&[agent]).await.unwrap(), [size]),
                _ => assert_eq!(reader.memory(key).await.unwrap().unwrap().text, text),
            }
        }
        assert_eq!(reader.head().size, size);
    }
    let [one, other] = &replicas;
    let mut operator_store = harness.operator_store();
    operator_store.grant(&[new_grant("scout", 1, harness.clock())]).unwrap();
    for ledger in [one, other] {
        assert_eq!(ledger.grants_of("scout", at(0)).await.unwrap().len(), 1);
    }
    one.note_prices(at(0), &[("commit", 7)]).await.unwrap();
    assert_eq!(other.prices_in_force("commit", at(0)).await.unwrap(), [7]);
    one.local_open(PAYER, 5).await.unwrap();
    assert_eq!(other.local_balance(&PAYER).await.unwrap(), 5);
    assert_eq!(one.backlog(at(0)).await.unwrap(), other.backlog(at(0)).await.unwrap());
}

/// A dispute and its refund, and a watch and its alert, with each step on the other replica.
pub async fn disputes_and_watches_are_seen_at_once_by_the_other<H: Harness>() {
    let (harness, replicas) = replicas::<H>().await;
    let clock = harness.clock();
    for (number, [one, other]) in
        [(1, [0, 1]), (2, [1, 0])].map(|(number, of)| (number, of.map(|at| &*replicas[at])))
    {
        let leaf = original(one, number, true).await;
        let dispute = 100 + number;
        let id = open_dispute(other, dispute, hash(number)).await;
        assert_eq!(one.disputes(&hash(number)).await.unwrap(), [Dispute { receipt: None }]);
        let refused = one.claim(new_bond(200 + number, hash(number))).await.unwrap();
        assert_eq!(refused, ClaimOutcome::DisputeOpen);
        one.append(end_record(dispute, id, DisputeOutcome::Overturned, leaf)).await.unwrap();
        assert_eq!(other.disputes(&hash(number)).await.unwrap(), [Dispute { receipt: Some(hash(dispute)) }]);
        let owed = take(other, clock, OWNER).await;
        assert_eq!(owed.len(), 2, "the bond and the fee");
        assert!(take(one, clock, OTHER).await.is_empty(), "both are leased");
        for refund in owed {
            one.refund_sending(refund.id, OWNER, refund_proof(number), prepared(number), None).await.unwrap();
            other.refund_paid(refund.id, OWNER, word(number), at(20)).await.unwrap();
        }

        let watched = 300 + number;
        let id = watches::opened(one, watched, Some("h")).await;
        assert_eq!(other.watch(&watches::key(watched)).await.unwrap().unwrap().id, id);
        assert_eq!(other.watch_opened_by(&hash(watched)).await.unwrap().unwrap().id, id);
        assert_eq!(watches::taken(other, clock, OWNER).await, [id]);
        one.append(watches::changed(400 + number, id, OWNER)).await.unwrap();
        let alerts = async |ledger: &dyn Ledger| {
            ledger.watch(&watches::key(watched)).await.unwrap().unwrap().alerts.len()
        };
        assert_eq!((alerts(one).await, alerts(other).await), (1, 1));
        assert!(other.end_watch(&watches::key(watched), at(1)).await.unwrap());
        assert_eq!(one.watch(&watches::key(watched)).await.unwrap().unwrap().ended_at, Some(at(1)));
    }
}

pub async fn watches_are_screened_on_the_lists_of_the_store_alone<H: Harness>() {
    let (harness, replicas) = replicas::<H>().await;
    let clock = harness.clock();
    let [one, other] = replicas.each_ref().map(|ledger| &**ledger);
    let file = |version| SharedVersion { folder: "lists".to_owned(), path: "live.json".to_owned(), version };
    let put = async |replaces, bytes: &[u8]| {
        let content = shared::content(one, bytes, at(0)).await;
        one.put_file("lists", "live.json", replaces, Some(content), at(0)).await.unwrap().unwrap()
    };
    let first = put(0, b"first").await;
    watches::opened(one, 1, None).await;
    assert_eq!(watches::due_on(other, clock, 2, 7, file(first)).await, 1);
    assert_eq!(watches::due_on(other, clock, 1, 7, file(first)).await, 0, "it was opened on this edition");
    let second = put(first, b"second").await;
    for ledger in [one, other] {
        assert_eq!(watches::due_on(ledger, clock, 2, 7, file(first)).await, 0, "the store has newer lists");
        assert_eq!(watches::due_on(ledger, clock, 2, 7, file(second + 1)).await, 0, "the store lacks these");
        assert_eq!(watches::due_on(ledger, clock, 2, 7, file(second)).await, 1);
    }
    assert_eq!(watches::due_on(one, clock, 2, 8, file(second)).await, 1);
    assert_eq!(watches::due_on(other, clock, 2, 7, file(second)).await, 0, "the day is over for the other");
    assert_eq!(watches::due_on(other, clock, 2, 8, file(second)).await, 1);
}

pub async fn of_claims_of_one_proof_that_race_one_is_granted_and_goes_on_anywhere<H: Harness>() {
    const NONCES: u64 = 40;
    const TASKS: u64 = 10;
    let (_harness, replicas) = replicas::<H>().await;
    replicas[0].local_open(PAYER, NONCES * 100_000).await.unwrap();
    let others = replicas.clone();
    let granted = race(&replicas, 0..TASKS, move |ledger, replica, task| {
        let other = Arc::clone(&others[1 - replica]);
        async move {
            let owner = Owner([(2 * task) as u8 + replica as u8; 16]);
            let mut granted = 0;
            for nonce in 0..NONCES {
                match ledger.claim(NewClaim { owner, ..new_claim(authorization(nonce)) }).await.unwrap() {
                    ClaimOutcome::Known(claim) => assert_eq!(claim.key, authorization(nonce)),
                    ClaimOutcome::Mine(id) => {
                        granted += 1;
                        other.judged(id, owner, judgement(nonce)).await.unwrap();
                        ledger.settle_local(id, owner, local_payment(nonce)).await.unwrap();
                        let claim = Some(ClaimRef { id, owner });
                        other.append(LedgerRecord { claim, ..record(nonce) }).await.unwrap();
                        let delivered = ledger.claim_by_id(id).await.unwrap().unwrap();
                        assert_eq!(
                            delivered.receipt.unwrap().hash,
                            hash(nonce),
                            "a paid retry finds its receipt"
                        );
                    }
                    refused => panic!("{refused:?}"),
                }
            }
            granted
        }
    });
    assert_eq!(granted.await.into_iter().sum::<u64>(), NONCES);
    for ledger in &replicas {
        assert_eq!(refresh(&**ledger).await, NONCES);
        assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 0);
        assert_eq!(ledger.revenue().await.unwrap()[0].income, NONCES * 100_000);
    }
}

/// An owner stood still, and another replica has gone on with its work.
pub async fn a_paused_owner_whose_lease_was_taken_is_refused_and_changes_nothing<H: Harness>() {
    let (harness, [paused, other]) = replicas::<H>().await;
    let claimed = claim_in(&*paused, 1, ClaimState::Claimed).await;
    let settled = claim_in(&*paused, 2, ClaimState::Settled).await;
    let refund = refund_in(&harness, &*paused, 3, RefundState::Owed).await;
    watches::opened(&*paused, 4, Some("h")).await;
    let watch = watches::taken(&*paused, harness.clock(), OWNER).await;
    harness.let_leases_end().await;
    let wish = take_over_now(harness.clock(), OTHER, 100);
    assert_eq!(other.take_over(wish).await.unwrap().len(), 2);
    assert_eq!(take(&*other, harness.clock(), OTHER).await.len(), 1);
    assert_eq!(watches::taken(&*other, harness.clock(), OTHER).await, watch);

    let until = wish.lease_until;
    assert!(matches!(paused.renew(claimed, OWNER, until).await, Err(LedgerError::NotOwner)));
    assert!(matches!(paused.judged(claimed, OWNER, judgement(1)).await, Err(LedgerError::NotOwner)));
    assert!(matches!(paused.append(paid_record(2, settled)).await, Err(LedgerError::NotOwner)));
    assert!(matches!(paused.renew_refund(refund, OWNER, until).await, Err(LedgerError::NotOwner)));
    let sending = paused.refund_sending(refund, OWNER, refund_proof(3), prepared(3), None).await;
    assert!(matches!(sending, Err(LedgerError::NotOwner)));
    let change = watches::changed(10, watch[0], OWNER);
    assert!(matches!(paused.append(change).await, Err(LedgerError::NotOwner)));
    assert!(paused.take_over(LeaseRequest { owner: OWNER, ..wish }).await.unwrap().is_empty());

    other.judged(claimed, OTHER, judgement(1)).await.unwrap();
    let theirs = LedgerRecord { claim: Some(ClaimRef { id: settled, owner: OTHER }), ..record(2) };
    other.append(theirs).await.unwrap();
    other.refund_sending(refund, OTHER, refund_proof(3), prepared(3), None).await.unwrap();
    other.append(watches::changed(11, watch[0], OTHER)).await.unwrap();
    // It is a good replica again as soon as it asks.
    assert_eq!(paused.claim_by_id(settled).await.unwrap().unwrap().state, ClaimState::Delivered);
    claim_in(&*paused, 5, ClaimState::Delivered).await;
}

pub async fn of_those_who_take_over_on_both_each_claim_goes_to_one<H: Harness>() {
    let (harness, replicas) = replicas::<H>().await;
    for number in 0..60 {
        claim_in(&*replicas[number as usize % 2], number, ClaimState::Claimed).await;
    }
    let wish = take_over(harness.clock(), LEASE_MS, OTHER, 7);
    let taken = race(&replicas, 10..20, move |ledger, replica, task| async move {
        let owner = Owner([(2 * task) as u8 + replica as u8; 16]);
        let taken = ledger.take_over(LeaseRequest { owner, ..wish }).await.unwrap();
        assert!(taken.iter().all(|claim| claim.owner == owner) && taken.len() <= 7);
        taken.into_iter().map(|claim| claim.id).collect::<Vec<_>>()
    });
    let taken = taken.await.concat();
    assert_eq!((taken.len(), taken.into_iter().collect::<BTreeSet<_>>().len()), (60, 60));
}

pub async fn no_more_hits_are_admitted_on_both_than_the_limit_says<H: Harness>() {
    const LIMIT: usize = 10;
    let (harness, replicas) = replicas::<H>().await;
    let network = |text: &str| text.parse().unwrap();
    let hit = RateLimitHit::of_agent(
        "scout",
        network("192.0.2.1/32"),
        network("192.0.2.0/24"),
        "/commit",
        LIMIT as u32,
    );
    // 7 seconds lie between two rounds: some windows begin within one minute of another.
    let mut admitted: Vec<i64> = Vec::new();
    for round in 0..30_i64 {
        let now = 7000 * round;
        let answers = race(&replicas, 0..1 + round as u64 % 3, move |ledger, _, _| async move {
            ledger.admit(&[hit]).await.unwrap()
        });
        let answers = answers.await;
        let granted = answers.iter().filter(|answer| matches!(answer, Admission::Admitted { .. })).count();
        let room = LIMIT - admitted.iter().filter(|at| **at > now - 60_000).count();
        assert_eq!(granted, room.min(answers.len()), "round {round}");
        admitted.extend(std::iter::repeat_n(now, granted));
        harness.clock().advance(7000);
    }
    for from in &admitted {
        let window = admitted.iter().filter(|at| (*from..from + 60_000).contains(*at));
        assert!(window.count() <= LIMIT);
    }
}

pub async fn the_last_place_goes_to_one_and_is_used_up_once<H: Harness>() {
    let (harness, replicas) = replicas::<H>().await;
    let key = QuotaKey::Free(place_key("scout", harness.clock()));
    let clock = Arc::clone(harness.clock());
    let mut served = race(&replicas, 0..20, move |ledger, replica, number| {
        let clock = Arc::clone(&clock);
        async move {
            let Some(reservation) = reserve(&*ledger, "scout", &clock, 3).await else { return false };
            tokio::task::yield_now().await;
            let number = 2 * number + replica as u64;
            ledger.append(LedgerRecord { reservation: Some(reservation), ..record(number) }).await.unwrap();
            true
        }
    })
    .await;
    served.retain(|is_served| *is_served);
    assert_eq!(served.len(), 3);
    for ledger in &replicas {
        assert_eq!(ledger.taken(std::slice::from_ref(&key)).await.unwrap(), [3]);
        assert!(reserve(&**ledger, "scout", harness.clock(), 3).await.is_none());
        let fourth = reserve(&**ledger, "scout", harness.clock(), 4).await.unwrap();
        for any in &replicas {
            assert_eq!(
                any.taken(std::slice::from_ref(&key)).await.unwrap(),
                [4],
                "what is reserved is taken"
            );
            let request = QuotaRequest::one(key.clone(), 4);
            assert_eq!(any.reserve(vec![request]).await.unwrap().unwrap_err(), 0);
        }
        drop(fourth);
        given_back(&**ledger).await;
    }
}

/// Waits until a replica has given back what was dropped: it does so before it counts a later hit.
async fn given_back(ledger: &dyn Ledger) {
    let network = "198.51.100.1/32".parse().unwrap();
    ledger.admit(&[RateLimitHit::of_network("barrier", network, "/", u32::MAX)]).await.unwrap();
}

/// A process stood still with a place, which was given to another one: it does not use it up a second time.
pub async fn a_paused_process_cannot_use_up_a_place_that_was_given_to_another<H: Harness>() {
    let (harness, [paused, other]) = replicas::<H>().await;
    let clock = harness.clock();
    let today = place_key("scout", clock);
    let late = take_free(&*paused, today.clone(), 1).await.unwrap();
    harness.let_leases_end().await;
    let place = take_free(&*other, today.clone(), 1).await.unwrap();
    let refused = paused.append(LedgerRecord { reservation: Some(late), ..record(1) }).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Busy), "{refused}");
    assert_eq!(other.receipt(&hash(1)).await.unwrap(), None);
    given_back(&*paused).await;
    assert!(take_free(&*paused, today.clone(), 1).await.is_none(), "what it gave back was another's by then");
    other.append(LedgerRecord { reservation: Some(place), ..record(2) }).await.unwrap();
    for ledger in [&paused, &other] {
        assert!(take_free(&**ledger, today.clone(), 1).await.is_none());
        assert!(take_free(&**ledger, today.clone(), 2).await.is_some(), "it reserves again");
        given_back(&**ledger).await;
    }
}

/// What a replica has reserved is given back when it ends, and what the other one has reserved is not.
pub async fn the_places_of_a_replica_that_ends_are_given_back_and_no_others<H: Harness>() {
    let (harness, [one, other]) = replicas::<H>().await;
    let clock = harness.clock();
    let of_one = reserve(&*one, "scout", clock, 2).await.unwrap();
    let of_other = reserve(&*other, "scout", clock, 2).await.unwrap();
    assert!(reserve(&*other, "scout", clock, 2).await.is_none());
    harness.close(one).await;
    drop(of_one);
    let next = reserve(&*other, "scout", clock, 2).await.unwrap();
    assert!(reserve(&*other, "scout", clock, 2).await.is_none());
    for (number, reservation) in [(1, of_other), (2, next)] {
        other.append(LedgerRecord { reservation: Some(reservation), ..record(number) }).await.unwrap();
    }
    assert!(reserve(&*harness.open().await, "scout", clock, 2).await.is_none());
}

pub async fn a_replica_of_other_keys_is_refused_while_one_is_open<H: Harness>() {
    let (harness, [one, other]) = replicas::<H>().await;
    one.append(record(0)).await.unwrap();
    let mut other_receipt_key = identity(SEED);
    other_receipt_key.receipt_kid = "did:web:elsewhere.example#1".to_owned();
    for (seed, identity) in [(SEED, other_receipt_key), (8, identity(8))] {
        let refused = harness.open_as(seed, &identity).await.err();
        assert!(matches!(refused, Some(LedgerError::OtherKeys(_))), "{refused:?}");
    }
    assert_eq!(other.append(record(1)).await.unwrap().leaf, 1);
    assert_eq!(one.append(record(2)).await.unwrap().leaf, 2);
}

/// Replicas come and go under load; the others notice nothing, and nothing is lost.
pub async fn a_replica_that_opens_or_ends_harms_no_other<H: Harness>() {
    let harness = H::new();
    let stays = harness.open().await;
    let appends = tokio::spawn({
        let stays = Arc::clone(&stays);
        async move {
            let mut answered = Vec::new();
            for number in (0..600).step_by(20) {
                answered.extend(append_all(&stays, number..number + 20).await);
            }
            answered
        }
    });
    let mut roots = Roots::new();
    let mut number = 1000;
    while !appends.is_finished() {
        let guest = harness.open().await;
        for appended in append_all(&guest, number..number + 10).await {
            roots.saw_answer(appended.0, &appended.1);
        }
        number += 10;
        harness.close(guest).await;
    }
    for (number, appended) in appends.await.unwrap() {
        roots.saw_answer(number, &appended);
    }
    assert_eq!(refresh(&*stays).await, 600 + number - 1000);
    roots.audit(&*stays).await;
    assert!(stays.is_writable() && number > 1000);
}
