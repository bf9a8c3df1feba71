//! Reservations of free calls: two processes answer calls of one agent, which has a number of free calls a day.
//!
//! A process reserves a free call under its epoch, judges, and then appends the receipt, in whose transaction the amount
//! moves from what is reserved to what is used. Reservations are committed without waiting for the disk or the standby,
//! so a failover may lose the last of them; a receipt's commit, and all before it, it does not lose. One process may
//! crash, and the primary may fail over once. A process may pause between any two steps.
//!
//! A sweep ends epochs that were not renewed in time, in two transactions: first the epoch, then its reservations. A
//! reservation counts for as long as its epoch is there.
//!
//! Not modelled: unknown outcomes of a receipt's COMMIT (see `sequencing`), and calls of several quotas.

use stateright::{Model, Property};

use crate::{fails, holds};

/// The number of calls that each process gets.
const CALLS: [u8; 2] = [2, 1];
/// The number of epochs that each process can begin.
const EPOCHS: usize = 2;
/// The time for which an epoch is renewed.
const LEASE: u8 = 1;
/// The last time of the database's clock.
const END: u8 = 2;

/// The guards of the protocol.
#[derive(Clone, Copy)]
struct Guards {
    /// The number of free calls a day, which is no guard. With two there are 2,144,628 states, and the rule holds too.
    allowance: u8,
    /// One process at a time reserves: the lock of the row `gate`.
    gate_lock: bool,
    /// One statement reads what is used and what is reserved.
    one_snapshot: bool,
    /// A receipt's transaction locks its epoch's row FOR KEY SHARE, and does not only look for it.
    key_share: bool,
    /// A receipt's transaction refuses to move an amount that is no longer reserved.
    amount_check: bool,
    /// A reservation counts until its epoch is deleted, and not only until its time is over.
    counts_until_deleted: bool,
}

const PROTOCOL: Guards = Guards {
    allowance: 1,
    gate_lock: true,
    one_snapshot: true,
    key_share: true,
    amount_check: true,
    counts_until_deleted: true,
};

/// The number of an epoch: those of process 0 come first.
type Epoch = usize;

/// The rows of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Rows {
    uses: u8,
    reserved: [u8; 2 * EPOCHS],
    /// The time at which each epoch ends; `None` where there is no row.
    alive_until: [Option<u8>; 2 * EPOCHS],
}

/// A transaction that reserves a free call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gate {
    Idle,
    /// The first of two statements has read what is used.
    ReadUses(u8),
    /// The sum of what is used and reserved was read.
    ReadSum(u8),
}

/// A process. Its calls need no names: each waits, then is reserved, then is in the receipt's transaction, then over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Process {
    epoch: Epoch,
    gate: Gate,
    waiting: u8,
    /// For each epoch of the process, its calls in judgement, each with its reservation.
    judging: [u8; EPOCHS],
    /// The epoch of the call in the receipt's transaction, which has found that epoch.
    appending: Option<Epoch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    rows: Rows,
    /// The rows that a failover leaves.
    durable: Rows,
    /// The database's clock.
    clock: u8,
    processes: [Process; 2],
    is_crashed: bool,
    is_failed_over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// A process begins to reserve for a call: it locks `gate` and reads.
    Read(usize),
    /// The second of two statements reads what is reserved.
    ReadReserved(usize),
    /// A process reserves, or refuses the call.
    Reserve(usize),
    GiveBack(usize, Epoch),
    /// A process renews its epoch, or begins another where it is gone.
    Renew(usize),
    /// A receipt's transaction looks for its epoch.
    Append(usize, Epoch),
    /// A receipt's transaction moves the amount and commits.
    Commit(usize),
    DeleteEpoch(Epoch),
    DeleteReservations(Epoch),
    Tick,
    /// The standby receives all that was committed.
    Ship,
    Failover,
    Crash(usize),
}

impl Guards {
    fn reserved(&self, state: &State) -> u8 {
        let counts = |alive_until: Option<u8>| {
            alive_until.is_some_and(|end| self.counts_until_deleted || end > state.clock)
        };
        let all = state.rows.reserved.iter().zip(state.rows.alive_until);
        all.filter(|(_, alive_until)| counts(*alive_until)).map(|(amount, _)| amount).sum()
    }

    fn is_locked(&self, state: &State, epoch: Epoch) -> bool {
        self.key_share && state.processes.iter().any(|process| process.appending == Some(epoch))
    }
}

/// Begins the next epoch of a process, where the model has one left.
fn begin_epoch(state: &mut State, process: usize) {
    let next = state.processes[process].epoch + 1;
    if next < (process + 1) * EPOCHS {
        state.processes[process].epoch = next;
        state.rows.alive_until[next] = Some(state.clock + LEASE);
    }
}

impl Model for Guards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut alive_until = [None; 2 * EPOCHS];
        let processes = [0, EPOCHS].map(|epoch| {
            alive_until[epoch] = Some(LEASE);
            Process {
                epoch,
                gate: Gate::Idle,
                waiting: CALLS[epoch / EPOCHS],
                judging: [0; EPOCHS],
                appending: None,
            }
        });
        let rows = Rows { uses: 0, reserved: [0; 2 * EPOCHS], alive_until };
        let durable = rows.clone();
        vec![State { rows, durable, clock: 0, processes, is_crashed: false, is_failed_over: false }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_gate_locked = state.processes.iter().any(|process| process.gate != Gate::Idle);
        for (index, process) in state.processes.iter().enumerate() {
            match process.gate {
                Gate::Idle => actions.push(Action::Renew(index)),
                Gate::ReadUses(_) => actions.push(Action::ReadReserved(index)),
                Gate::ReadSum(_) => actions.push(Action::Reserve(index)),
            }
            let may_read = process.gate == Gate::Idle && !(self.gate_lock && is_gate_locked);
            if may_read && process.waiting > 0 {
                actions.push(Action::Read(index));
            }
            for at in (0..EPOCHS).filter(|at| process.judging[*at] > 0) {
                let epoch = index * EPOCHS + at;
                actions.push(Action::GiveBack(index, epoch));
                if process.appending.is_none() {
                    actions.push(Action::Append(index, epoch));
                }
            }
            if process.appending.is_some() {
                actions.push(Action::Commit(index));
            }
            if !state.is_crashed {
                actions.push(Action::Crash(index));
            }
        }
        for (epoch, alive_until) in state.rows.alive_until.iter().enumerate() {
            match alive_until {
                Some(end) if *end <= state.clock && !self.is_locked(state, epoch) => {
                    actions.push(Action::DeleteEpoch(epoch));
                }
                None if state.rows.reserved[epoch] > 0 => actions.push(Action::DeleteReservations(epoch)),
                _ => {}
            }
        }
        if state.clock < END {
            actions.push(Action::Tick);
        }
        if !state.is_failed_over && state.rows != state.durable {
            actions.extend([Action::Ship, Action::Failover]);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Read(process) => {
                let uses = state.rows.uses;
                next.processes[process].gate = match self.one_snapshot {
                    true => Gate::ReadSum(uses + self.reserved(state)),
                    false => Gate::ReadUses(uses),
                };
            }
            Action::ReadReserved(process) => {
                let Gate::ReadUses(uses) = state.processes[process].gate else { return None };
                next.processes[process].gate = Gate::ReadSum(uses + self.reserved(state));
            }
            Action::Reserve(index) => {
                let process = &mut next.processes[index];
                let Gate::ReadSum(sum) = process.gate else { return None };
                process.gate = Gate::Idle;
                if state.rows.alive_until[process.epoch].is_some() {
                    process.waiting -= 1;
                    if sum < self.allowance {
                        process.judging[process.epoch % EPOCHS] += 1;
                        next.rows.reserved[process.epoch] += 1;
                    }
                }
            }
            Action::GiveBack(process, epoch) => {
                next.processes[process].judging[epoch % EPOCHS] -= 1;
                next.rows.reserved[epoch] = next.rows.reserved[epoch].saturating_sub(1);
            }
            Action::Renew(process) => match &mut next.rows.alive_until[state.processes[process].epoch] {
                Some(end) => *end = state.clock + LEASE,
                None => begin_epoch(&mut next, process),
            },
            Action::Append(process, epoch) => {
                next.processes[process].judging[epoch % EPOCHS] -= 1;
                next.processes[process].appending = state.rows.alive_until[epoch].map(|_| epoch);
            }
            Action::Commit(process) => {
                let epoch = next.processes[process].appending.take()?;
                if state.rows.reserved[epoch] > 0 || !self.amount_check {
                    next.rows.reserved[epoch] = next.rows.reserved[epoch].saturating_sub(1);
                    next.rows.uses += 1;
                    if !state.is_failed_over {
                        next.durable = next.rows.clone();
                    }
                }
            }
            Action::DeleteEpoch(epoch) => next.rows.alive_until[epoch] = None,
            Action::DeleteReservations(epoch) => next.rows.reserved[epoch] = 0,
            Action::Tick => next.clock += 1,
            Action::Ship => next.durable = next.rows.clone(),
            Action::Failover => {
                next.is_failed_over = true;
                next.rows = next.durable;
                // Nothing depends on it any more.
                next.durable = Rows::default();
                for process in &mut next.processes {
                    process.gate = Gate::Idle;
                    if let Some(epoch) = process.appending.take() {
                        process.judging[epoch % EPOCHS] += 1;
                    }
                }
            }
            Action::Crash(index) => {
                next.is_crashed = true;
                let process = &mut next.processes[index];
                *process = Process { gate: Gate::Idle, judging: [0; EPOCHS], appending: None, ..*process };
                begin_epoch(&mut next, index);
            }
        }
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::<Self>::always(RULE, |model, state| state.rows.uses <= model.allowance),
            Property::<Self>::sometimes("the allowance is used up, and a call is over it", |model, state| {
                let is_refused = |process: &Process| process.gate == Gate::ReadSum(model.allowance);
                state.rows.uses == model.allowance && state.processes.iter().any(is_refused)
            }),
            Property::<Self>::sometimes(
                "a process wakes up when its free calls were given to the other",
                |model, state| {
                    state.rows.uses == model.allowance
                        && state.rows.alive_until[0].is_none()
                        && state.processes[0].judging[0] > 0
                },
            ),
            Property::<Self>::sometimes("a failover loses a reservation and leaves its epoch", |_, state| {
                state.is_failed_over && state.processes[0].appending == Some(0) && state.rows.reserved[0] == 0
            }),
            Property::<Self>::sometimes("a failover loses one of two reservations", |_, state| {
                state.is_failed_over && state.processes[0].judging[0] == 2 && state.rows.reserved[0] == 1
            }),
        ]
    }
}

const RULE: &str = "no more calls are free than the allowance";

#[test]
fn a_free_call_is_used_up_once() {
    holds("reservations", PROTOCOL);
}

#[test]
fn two_processes_that_reserve_at_once_give_a_call_twice() {
    fails("the lock of the gate", Guards { gate_lock: false, ..PROTOCOL }, RULE);
}

#[test]
fn an_amount_that_moves_between_two_reads_is_not_seen() {
    fails("one snapshot of uses and reservations", Guards { one_snapshot: false, ..PROTOCOL }, RULE);
}

#[test]
fn an_epoch_that_ends_during_a_receipts_transaction_gives_a_call_twice() {
    fails("the epoch's KEY SHARE lock", Guards { key_share: false, ..PROTOCOL }, RULE);
}

#[test]
fn a_reservation_that_a_failover_lost_gives_a_call_twice() {
    fails("the check of the amount", Guards { amount_check: false, ..PROTOCOL }, RULE);
}

#[test]
fn a_reservation_counts_until_its_epoch_is_deleted() {
    fails("the count of epochs that are over", Guards { counts_until_deleted: false, ..PROTOCOL }, RULE);
}
