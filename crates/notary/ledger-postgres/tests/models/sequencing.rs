//! Sequencing: two replicas append batches of one record each to a log whose store is a primary with a synchronous
//! standby.
//!
//! The primary is node `Old`, the standby is node `New`. Each of these happens at most once: a replica crashes, the
//! primary crashes (and may come back), the standby is promoted. A connection can be lost, and a wait for the standby
//! can be cancelled, at any time. A replica may reach any node that is up. So a promotion while the old primary is up
//! is a partition: nothing tells the old primary, which goes on to answer those replicas that reach it.
//!
//! A log is the list of its records, and stands for its root too: two logs with one root are the same list.
//!
//! The transaction that resolves a doubt, and the one that confirms a read, change no row that others read. So what the
//! model keeps of them is when they are acknowledged: when the standby has all that the node had committed before.
//!
//! Not modelled: the primary key of the leaves, which would stop some forks too; a second failure of the new primary,
//! whose commits therefore count as durable; what a replica does before it sends COMMIT, which nobody else can see.

mod state;

use stateright::{Model, Property};

use crate::{fails, holds};
use state::{NodeName, State, Told, Transaction, Work, record};

/// The number of batches that each replica appends. With two batches each there are 2,298,922 states, and the properties
/// hold too.
const BATCHES: [u8; 2] = [2, 1];
/// The most commits by which the standby lags behind.
const MAX_UNSHIPPED: usize = 3;

/// The guards of the protocol.
#[derive(Clone, Copy)]
struct Guards {
    /// A batch reads and extends the head under the lock of its row.
    row_lock: bool,
    /// Callers are answered, and the checkpoint is handed out, after COMMIT alone.
    answer_after_commit: bool,
    /// The primary acknowledges a COMMIT that the standby has (`synchronous_mode_strict`).
    strict: bool,
    /// A COMMIT that came back with a warning has an unknown outcome.
    warning_is_unknown: bool,
    /// The way in which a replica ends its doubt about an unknown outcome.
    doubt: Doubt,
    /// The resolving transaction waits for the lock of the head's row.
    resolution_locks: bool,
    /// The resolving transaction writes, and counts if its own COMMIT is acknowledged.
    resolution_writes: bool,
    /// A head that was read is handed out after a write of the reader, begun later, was acknowledged by the same node.
    reads_confirmed: bool,
}

#[derive(Clone, Copy)]
enum Doubt {
    /// Reads the token that the batch has left.
    ReadToken,
    AssumeLanded,
    AssumeFailed,
}

const PROTOCOL: Guards = Guards {
    row_lock: true,
    answer_after_commit: true,
    strict: true,
    warning_is_unknown: true,
    doubt: Doubt::ReadToken,
    resolution_locks: true,
    resolution_writes: true,
    reads_confirmed: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// A replica locks the head, reads it, extends it, and sends COMMIT.
    Append(usize, NodeName),
    /// A replica tries to learn what became of its batch.
    Resolve(usize, NodeName),
    /// Some replica hands out the checkpoint that it reads on a node.
    Read(NodeName),
    /// The old primary writes a transaction's commit to its disk.
    Flush(usize),
    /// The standby receives the next commit.
    Ship,
    /// A commit becomes visible and is acknowledged.
    Finish(NodeName, usize),
    /// The old primary stops waiting for the standby: the commit becomes visible, and its answer has a warning.
    Cancel(usize),
    /// A node rolls a transaction back, and says so.
    Abort(NodeName, usize),
    LoseConnection(usize),
    /// A replica no longer lets the callers of a batch in doubt wait.
    TellUnknown(usize),
    CrashReplica(usize),
    CrashPrimary,
    RestartPrimary,
    Promote,
}

impl Model for Guards {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (index, replica) in state.replicas.iter().enumerate() {
            if replica.waits_on.is_some() {
                actions.push(Action::LoseConnection(index));
            }
            for name in [NodeName::Old, NodeName::New].into_iter().filter(|_| replica.waits_on.is_none()) {
                let is_writable = state.is_writable(name);
                let is_locked = !state.node(name).open.is_empty();
                if replica.is_in_doubt {
                    if is_writable && !(self.resolution_locks && is_locked) {
                        actions.push(Action::Resolve(index, name));
                    }
                    continue;
                }
                if is_writable && !(self.row_lock && is_locked) && replica.batches < BATCHES[index] {
                    actions.push(Action::Append(index, name));
                }
            }
            if replica.is_in_doubt && state.told[index][usize::from(replica.batches) - 1] == Told::Nothing {
                actions.push(Action::TellUnknown(index));
            }
            if !state.crashed[0] && (replica.is_in_doubt || replica.waits_on.is_some()) {
                actions.push(Action::CrashReplica(index));
            }
        }
        for name in [NodeName::Old, NodeName::New] {
            let is_readable =
                if self.reads_confirmed { state.acknowledges(name) } else { state.node(name).is_up };
            if is_readable {
                actions.push(Action::Read(name));
            }
        }
        for (at, open) in state.old.open.iter().enumerate() {
            match open.flushed {
                None if matches!(open.work, Work::Resolve { .. }) => {
                    if state.acknowledges(NodeName::Old) {
                        actions.push(Action::Finish(NodeName::Old, at));
                    }
                }
                None => actions.extend([Action::Flush(at), Action::Abort(NodeName::Old, at)]),
                Some(0) => actions.push(Action::Finish(NodeName::Old, at)),
                Some(_) if self.strict => actions.push(Action::Cancel(at)),
                Some(_) => actions.push(Action::Finish(NodeName::Old, at)),
            }
        }
        for at in 0..state.new.open.len() {
            actions.extend([Action::Finish(NodeName::New, at), Action::Abort(NodeName::New, at)]);
        }
        if !state.unshipped.is_empty() {
            actions.push(Action::Ship);
        }
        match (state.old.is_up, state.crashed[1]) {
            (true, false) => actions.push(Action::CrashPrimary),
            (true, true) => {}
            (false, _) => actions.push(Action::RestartPrimary),
        }
        if !state.is_promoted {
            actions.push(Action::Promote);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Append(index, name) => {
                let replica = &mut next.replicas[index];
                replica.batches += 1;
                let token = replica.batches;
                replica.signed.clone_from(&state.node(name).rows.head);
                replica.signed.push(record(index, token));
                let head = replica.signed.clone();
                next.send(index, name, Work::Append { token, head });
                if !self.answer_after_commit {
                    next.conclude(index, true);
                }
            }
            Action::Resolve(index, name) => {
                let landed = state.node(name).rows.tokens[index] == state.replicas[index].batches;
                if self.resolution_writes {
                    next.send(index, name, Work::Resolve { landed });
                } else {
                    next.conclude(index, landed);
                }
            }
            Action::Read(name) => next.hand_out(&state.node(name).rows.head),
            Action::Flush(at) => {
                let Transaction { replica, work, .. } = next.old.open[at].clone();
                if !next.is_promoted {
                    next.unshipped.push_back((replica, work));
                }
                // After the promotion the old primary waits for ever.
                next.old.open[at].flushed = Some(next.unshipped.len().max(1) as u8);
            }
            Action::Ship => {
                let (replica, work) = next.unshipped.pop_front()?;
                work.apply(replica, &mut next.new.rows);
                for lag in next.old.open.iter_mut().filter_map(|open| open.flushed.as_mut()) {
                    *lag = lag.saturating_sub(1);
                }
            }
            Action::Finish(name, at) => {
                let (Transaction { replica, work, .. }, is_attached) = next.end(name, at);
                work.apply(replica, &mut next.node_mut(name).rows);
                if is_attached {
                    next.acknowledged(replica, work);
                }
            }
            Action::Cancel(at) => {
                let (Transaction { replica, work, .. }, is_attached) = next.end(NodeName::Old, at);
                work.apply(replica, &mut next.old.rows);
                match is_attached {
                    true if self.warning_is_unknown => next.unknown(replica, &work, *self),
                    true => next.acknowledged(replica, work),
                    false => {}
                }
            }
            Action::Abort(name, at) => {
                let (Transaction { replica, work, .. }, is_attached) = next.end(name, at);
                if is_attached && matches!(work, Work::Append { .. }) {
                    next.conclude(replica, false);
                }
            }
            Action::LoseConnection(index) => next.lose_connection(index, *self),
            Action::TellUnknown(index) => next.tell(index, Told::Unknown),
            Action::CrashReplica(index) => {
                next.crashed[0] = true;
                next.tell(index, Told::Unknown);
                next.lose_connection(index, *self);
                next.replicas[index].is_in_doubt = false;
            }
            Action::CrashPrimary => {
                next.crashed[1] = true;
                next.old.is_up = false;
                for index in 0..2 {
                    if next.replicas[index].waits_on == Some(NodeName::Old) {
                        next.lose_connection(index, *self);
                    }
                }
                for open in std::mem::take(&mut next.old.open).iter().filter(|open| open.flushed.is_some()) {
                    open.work.apply(open.replica, &mut next.old.rows);
                }
            }
            Action::RestartPrimary => next.old.is_up = true,
            Action::Promote => {
                next.is_promoted = true;
                next.unshipped.clear();
                for lag in next.old.open.iter_mut().filter_map(|open| open.flushed.as_mut()) {
                    *lag = (*lag).min(1);
                }
            }
        }
        Some(next)
    }

    fn within_boundary(&self, state: &State) -> bool {
        state.unshipped.len() <= MAX_UNSHIPPED && state.old.open.len() <= 3 && state.new.open.len() <= 3
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::<Self>::always("all checkpoints are of one log", |_, state| !state.is_forked),
            Property::<Self>::always("a checkpoint is of durable records", |_, state| {
                state.durable().starts_with(&state.longest)
            }),
            Property::<Self>::always("an acknowledged record is durable", |_, state| {
                state.records(Told::Appended).all(|record| state.durable().contains(&record))
            }),
            Property::<Self>::always("a refused record is not in the log", |_, state| {
                !state.records(Told::Refused).any(|record| state.durable().contains(&record))
            }),
            Property::<Self>::sometimes("all records are acknowledged, by both primaries", |_, state| {
                state.is_promoted
                    && state.records(Told::Appended).count() == 3
                    && state.old.rows.head.len() == 1
            }),
            Property::<Self>::sometimes(
                "the new primary lacks a commit that the old one shows",
                |_, state| state.is_promoted && !state.new.rows.head.starts_with(&state.old.rows.head),
            ),
            Property::<Self>::sometimes("a batch in doubt is found to have landed", |_, state| {
                state.new.open.iter().any(|open| open.work == Work::Resolve { landed: true })
            }),
            Property::<Self>::sometimes("a batch in doubt is found to have failed", |_, state| {
                state.new.open.iter().any(|open| open.work == Work::Resolve { landed: false })
            }),
            Property::<Self>::sometimes(
                "a record is in the log whose caller was told that this is unknown",
                |_, state| state.records(Told::Unknown).any(|record| state.durable().contains(&record)),
            ),
        ]
    }
}

#[test]
fn sequencing_has_no_fork_and_loses_no_acknowledgement() {
    holds("sequencing", PROTOCOL);
}

#[test]
fn two_batches_that_extend_one_head_fork_the_log() {
    let guards = Guards { row_lock: false, ..PROTOCOL };
    fails("the row lock on the head", guards, "all checkpoints are of one log");
}

#[test]
fn an_answer_before_commit_is_lost() {
    let guards = Guards { answer_after_commit: false, ..PROTOCOL };
    fails("the answer after COMMIT alone", guards, "an acknowledged record is durable");
    fails("the answer after COMMIT alone", guards, "all checkpoints are of one log");
}

#[test]
fn a_primary_that_does_not_wait_for_its_standby_loses_acknowledgements() {
    let guards = Guards { strict: false, ..PROTOCOL };
    fails("strict synchronous replication", guards, "an acknowledged record is durable");
}

#[test]
fn a_warning_at_commit_that_counts_as_success_is_a_lost_acknowledgement() {
    let guards = Guards { warning_is_unknown: false, ..PROTOCOL };
    fails("a warning as an unknown outcome", guards, "an acknowledged record is durable");
    fails("a warning as an unknown outcome", guards, "all checkpoints are of one log");
}

#[test]
fn an_unknown_outcome_can_be_either() {
    let guards = Guards { doubt: Doubt::AssumeLanded, ..PROTOCOL };
    fails("the token (landed is assumed)", guards, "an acknowledged record is durable");
    let guards = Guards { doubt: Doubt::AssumeFailed, ..PROTOCOL };
    fails("the token (failure is assumed)", guards, "a refused record is not in the log");
}

#[test]
fn a_resolution_that_only_reads_believes_an_old_primary() {
    let guards = Guards { resolution_writes: false, ..PROTOCOL };
    fails("a write in the resolution", guards, "an acknowledged record is durable");
}

#[test]
fn a_resolution_without_the_lock_overtakes_the_batch() {
    let guards = Guards { resolution_locks: false, ..PROTOCOL };
    fails("the lock in the resolution", guards, "a refused record is not in the log");
}

#[test]
fn a_plain_read_hands_out_a_checkpoint_that_a_failover_takes_back() {
    let guards = Guards { reads_confirmed: false, ..PROTOCOL };
    fails("the confirmation of reads", guards, "a checkpoint is of durable records");
    fails("the confirmation of reads", guards, "all checkpoints are of one log");
}
