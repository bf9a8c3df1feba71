//! Payment claims: one proof of payment comes with two requests, one at each of two replicas.
//!
//! ```text
//! claimed -> judged -> broadcast -> settled -> delivered
//!    +- freed -+           +-> failed
//! ```
//!
//! On each replica one task answers its request, and one recovers claims whose lease is over. Steps are transactions
//! under one lock, so each is one action here. The outcome of a COMMIT may be unknown, and is then resolved to what
//! happened; the model `sequencing` shows why that is true. One replica may crash. A task may pause between any two steps,
//! also for longer than its lease.
//!
//! On the chain the money of the proof moves at most once, and not after its time is over.
//!
//! The model finds a claim's row by its proof. The owner stands for both parts of `ledger::ClaimRef`: the number of the
//! claim and the owner of its lease.
//!
//! Not modelled: renewals of leases, bonds, a broadcast that replaces another, two payers, and a database clock that jumps
//! at a failover.

use stateright::{Model, Property};

use crate::{fails, holds};

/// The duration of a lease.
const LEASE: u8 = 1;
/// The last time of the database's clock.
const END: u8 = 3;
/// The most commits whose outcome is unknown. With two there are 1,215,024 states, and the properties hold too.
const MAX_UNKNOWN: u8 = 1;
/// How far the clock of replica 1 is ahead of the database's.
const AHEAD: u8 = 1;

/// The guards of the protocol.
#[derive(Clone, Copy)]
struct Guards {
    /// A proof has at most one claim.
    unique_names: bool,
    /// A step needs a claim that the task owns.
    owner_check: bool,
    /// The database's clock decides that a lease is over, and not that of the replica.
    database_time: bool,
    /// A transaction is sent to the chain after its record was committed.
    recorded_before_sent: bool,
    /// A claim fails after the chain can no longer move its money.
    fails_when_expired: bool,
    /// A task learns what became of a COMMIT of unknown outcome, and does not assume that it has landed.
    token: bool,
    /// The delivery is in the transaction that appends the receipt.
    delivered_with_receipt: bool,
}

const PROTOCOL: Guards = Guards {
    unique_names: true,
    owner_check: true,
    database_time: true,
    recorded_before_sent: true,
    fails_when_expired: true,
    token: true,
    delivered_with_receipt: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Claimed,
    Judged,
    Broadcast,
    Settled,
    Delivered,
    Failed,
}

/// A claim, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Claim {
    request: usize,
    owner: usize,
    lease_until: u8,
    step: Step,
}

/// The rows of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Rows {
    claims: Vec<Claim>,
    /// The requests whose receipts are in the log.
    receipts: Vec<usize>,
}

/// A task, as it sees itself. Tasks 0 and 1 answer the requests 0 and 1, tasks 2 and 3 recover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Task {
    Waiting,
    Working {
        /// The claim as the task knows it.
        claim: Claim,
        /// True if the task has sent the transaction to the chain.
        has_sent: bool,
        /// True if the task has appended the receipt, where that is a transaction of its own.
        has_appended: bool,
    },
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    rows: Rows,
    /// The database's clock.
    clock: u8,
    tasks: [Task; 4],
    /// For each task in doubt: true if its commit has landed, and the task if so.
    doubts: [Option<(bool, Task)>; 4],
    unknown: u8,
    is_crashed: bool,
    /// True if the chain has moved the money.
    is_moved: bool,
    /// True if the chain no longer moves the money.
    is_expired: bool,
    /// True if a task was refused a step because another had its claim, before its lease was over.
    is_robbed: bool,
    /// True if a task was refused a step because another had its claim, after its lease was over.
    is_late: bool,
}

/// A transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Claim,
    TakeOver,
    Judge,
    Free,
    Broadcast,
    Settle,
    Fail,
    Append,
    Deliver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Acknowledged,
    UnknownLanded,
    UnknownFailed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Commit(usize, Work, Outcome),
    /// A task in doubt learns what became of its commit.
    Resolve(usize),
    /// A task sends the transaction to the chain.
    Send(usize),
    Expire,
    Tick,
    Crash(usize),
}

impl Guards {
    /// The time on the clock that a task uses for leases.
    fn now(&self, state: &State, task: usize) -> u8 {
        if self.database_time || task.is_multiple_of(2) { state.clock } else { state.clock + AHEAD }
    }

    /// The position of a claim that a task may take over.
    fn abandoned(&self, state: &State, task: usize) -> Option<usize> {
        let is_over = |claim: &Claim| claim.lease_until <= self.now(state, task);
        state
            .rows
            .claims
            .iter()
            .position(|claim| !matches!(claim.step, Step::Delivered | Step::Failed) && is_over(claim))
    }

    /// The transactions that a task can do next.
    fn works(&self, state: &State, task: usize) -> Vec<Work> {
        let is_recovery = task >= 2;
        let (claim, has_appended) = match state.tasks[task] {
            Task::Ended => return Vec::new(),
            Task::Waiting if !is_recovery => return vec![Work::Claim],
            Task::Waiting => {
                return self.abandoned(state, task).map(|_| Work::TakeOver).into_iter().collect();
            }
            Task::Working { claim, has_appended, .. } => (claim, has_appended),
        };
        match claim.step {
            // A recovering task has no caller, so it frees what was not broadcast.
            Step::Claimed | Step::Judged if is_recovery => vec![Work::Free],
            Step::Claimed => vec![Work::Judge, Work::Free],
            Step::Judged => vec![Work::Broadcast, Work::Free],
            Step::Broadcast if state.is_moved => vec![Work::Settle],
            Step::Broadcast if state.is_expired || !self.fails_when_expired => vec![Work::Fail],
            Step::Broadcast => Vec::new(),
            Step::Settled if self.delivered_with_receipt || has_appended => vec![Work::Deliver],
            Step::Settled => vec![Work::Append],
            Step::Delivered | Step::Failed => Vec::new(),
        }
    }

    /// What a transaction makes of the rows and of its task.
    fn commit(&self, state: &State, task: usize, work: Work) -> (Rows, Task) {
        let mut rows = state.rows.clone();
        let lease_until = state.clock + LEASE;
        let working = |claim| Task::Working { claim, has_sent: false, has_appended: false };
        let Task::Working { claim: known, has_sent, .. } = state.tasks[task] else {
            if work == Work::Claim {
                if self.unique_names && !rows.claims.is_empty() {
                    return (rows, Task::Ended);
                }
                rows.claims.push(Claim { request: task, owner: task, lease_until, step: Step::Claimed });
            } else if let Some(at) = self.abandoned(state, task) {
                let claim = rows.claims.remove(at);
                rows.claims.push(Claim { owner: task, lease_until, ..claim });
            }
            let claim = rows.claims.last().copied();
            return (rows, claim.map_or(Task::Ended, working));
        };
        let is_mine = |claim: &Claim| !self.owner_check || claim.owner == task;
        let found = rows.claims.iter().position(|claim| is_mine(claim) && claim.step == known.step);
        let Some(at) = found else { return (rows, Task::Ended) };
        let step = match work {
            Work::Judge => Step::Judged,
            Work::Broadcast => Step::Broadcast,
            Work::Settle => Step::Settled,
            Work::Fail => Step::Failed,
            Work::Claim | Work::TakeOver | Work::Append | Work::Deliver | Work::Free => known.step,
        };
        rows.claims[at].step = step;
        let claim = Claim { step, ..known };
        match work {
            Work::Free => {
                rows.claims.remove(at);
                (rows, Task::Ended)
            }
            Work::Append => {
                rows.receipts.push(known.request);
                (rows, Task::Working { claim, has_sent, has_appended: true })
            }
            Work::Deliver => {
                if self.delivered_with_receipt {
                    rows.receipts.push(known.request);
                }
                rows.claims[at].step = Step::Delivered;
                (rows, Task::Ended)
            }
            Work::Fail => (rows, Task::Ended),
            Work::Claim | Work::TakeOver | Work::Judge | Work::Broadcast | Work::Settle => {
                (rows, Task::Working { claim, has_sent, has_appended: false })
            }
        }
    }
}

impl Model for Guards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            rows: Rows::default(),
            clock: 0,
            tasks: [Task::Waiting; 4],
            doubts: [None; 4],
            unknown: 0,
            is_crashed: false,
            is_moved: false,
            is_expired: false,
            is_robbed: false,
            is_late: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for task in 0..state.tasks.len() {
            if state.doubts[task].is_some() {
                actions.push(Action::Resolve(task));
                continue;
            }
            for work in self.works(state, task) {
                actions.push(Action::Commit(task, work, Outcome::Acknowledged));
                if state.unknown < MAX_UNKNOWN && self.commit(state, task, work).0 != state.rows {
                    actions.push(Action::Commit(task, work, Outcome::UnknownLanded));
                    actions.push(Action::Commit(task, work, Outcome::UnknownFailed));
                }
            }
            if let Task::Working { claim, has_sent: false, .. } = state.tasks[task] {
                let is_early = claim.step == Step::Judged && task < 2 && !self.recorded_before_sent;
                if claim.step == Step::Broadcast || is_early {
                    actions.push(Action::Send(task));
                }
            }
        }
        if !state.is_expired {
            actions.push(Action::Expire);
        }
        if state.clock < END {
            actions.push(Action::Tick);
        }
        if !state.is_crashed {
            actions.extend([Action::Crash(0), Action::Crash(1)]);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Commit(task, work, outcome) => {
                let (rows, then) = self.commit(state, task, work);
                if let Task::Working { claim, .. } = state.tasks[task]
                    && rows == state.rows
                {
                    let is_over = claim.lease_until <= state.clock;
                    next.is_robbed |= !is_over;
                    next.is_late |= is_over;
                }
                let has_landed = outcome != Outcome::UnknownFailed;
                if has_landed {
                    next.rows = rows;
                }
                if outcome == Outcome::Acknowledged || !self.token {
                    next.tasks[task] = then;
                } else {
                    next.doubts[task] = Some((has_landed, then));
                }
                next.unknown += u8::from(outcome != Outcome::Acknowledged);
            }
            Action::Resolve(task) => {
                if let Some((true, then)) = next.doubts[task].take() {
                    next.tasks[task] = then;
                }
            }
            Action::Send(task) => {
                next.is_moved |= !state.is_expired;
                if let Task::Working { has_sent, .. } = &mut next.tasks[task] {
                    *has_sent = true;
                }
            }
            Action::Expire => next.is_expired = true,
            Action::Tick => next.clock += 1,
            Action::Crash(replica) => {
                next.is_crashed = true;
                next.tasks[replica] = Task::Ended;
                next.tasks[replica + 2] = Task::Waiting;
                next.doubts[replica] = None;
                next.doubts[replica + 2] = None;
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::<Self>::always("a proof is granted once", |_, state| state.rows.claims.len() <= 1),
            Property::<Self>::always("a proof pays for one receipt", |_, state| {
                state.rows.receipts.len() <= 1
            }),
            Property::<Self>::always("a receipt is of the request that holds the claim", |_, state| {
                let is_held = |request| state.rows.claims.iter().any(|claim| claim.request == request);
                state.rows.receipts.iter().copied().all(is_held)
            }),
            Property::<Self>::always("a receipt is paid", |_, state| {
                state.rows.receipts.is_empty() || state.is_moved
            }),
            Property::<Self>::always("money that has moved has a claim", |_, state| {
                let counts =
                    |claim: &Claim| matches!(claim.step, Step::Broadcast | Step::Settled | Step::Delivered);
                !state.is_moved || state.rows.claims.iter().any(counts)
            }),
            Property::<Self>::always("no other task has a claim before its lease is over", |_, state| {
                !state.is_robbed
            }),
            Property::<Self>::sometimes("a slow task is refused its step", |_, state| state.is_late),
            Property::<Self>::sometimes(
                "a claim of a crashed replica is delivered by the other",
                |_, state| state.is_crashed && state.tasks[1] == Task::Waiting && state.rows.receipts == [0],
            ),
            Property::<Self>::sometimes("a proof that was freed pays for the other request", |_, state| {
                state.tasks[0] == Task::Ended && !state.is_crashed && state.rows.receipts == [1]
            }),
            Property::<Self>::sometimes("a claim fails after its broadcast", |_, state| {
                state.rows.claims.iter().any(|claim| claim.step == Step::Failed)
            }),
            Property::<Self>::sometimes("a delivery of unknown outcome has landed", |_, state| {
                state.rows.receipts == [0] && state.doubts[0] == Some((true, Task::Ended))
            }),
        ]
    }
}

#[test]
fn a_proof_is_granted_once_and_delivered_once() {
    holds("claims", PROTOCOL);
}

#[test]
fn two_claims_of_one_proof_are_one_payment_for_two_receipts() {
    let guards = Guards { unique_names: false, ..PROTOCOL };
    fails("unique names of proofs", guards, "a proof is granted once");
    fails("unique names of proofs", guards, "a proof pays for one receipt");
}

#[test]
fn a_slow_task_changes_the_claim_of_another() {
    let guards = Guards { owner_check: false, ..PROTOCOL };
    fails("the owner's check", guards, "a receipt is of the request that holds the claim");
}

#[test]
fn a_replica_whose_clock_is_ahead_takes_a_claim_from_its_owner() {
    let guards = Guards { database_time: false, ..PROTOCOL };
    fails("the database's time", guards, "no other task has a claim before its lease is over");
}

#[test]
fn money_that_moves_before_its_record_is_forgotten() {
    let guards = Guards { recorded_before_sent: false, ..PROTOCOL };
    fails("the record before the broadcast", guards, "money that has moved has a claim");
}

#[test]
fn a_claim_that_fails_too_early_is_paid_all_the_same() {
    let guards = Guards { fails_when_expired: false, ..PROTOCOL };
    fails("the wait for the authorization's end", guards, "money that has moved has a claim");
}

#[test]
fn a_broadcast_that_is_taken_for_recorded_is_forgotten() {
    let guards = Guards { token: false, ..PROTOCOL };
    fails("the token", guards, "money that has moved has a claim");
}

#[test]
fn a_delivery_apart_from_its_receipt_happens_twice() {
    let guards = Guards { delivered_with_receipt: false, ..PROTOCOL };
    fails("one transaction for receipt and delivery", guards, "a proof pays for one receipt");
}
