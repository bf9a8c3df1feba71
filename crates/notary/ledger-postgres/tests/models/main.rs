//! Models of what several replicas do with one store, checked over all interleavings of their steps.
//!
//! | module | models | decides |
//! |---|---|---|
//! | `sequencing` | the log's transactions on a primary with a synchronous standby | no fork, no lost acknowledgement |
//! | `claims` | the steps of one payment claim | one proof pays for one receipt |
//! | `reservations` | reservations of free calls by epoch | a free call is used up once |
//!
//! Each model has a flag for each guard of the protocol. One test checks the protocol as it is, exhaustively within
//! the bounds of the model; another test for each guard shows that the checker finds a counterexample without it.
//! The search is breadth-first in one thread, so it is deterministic, and finds short counterexamples.
//!
//! `cargo test -p ledger-postgres --test models -- --nocapture` prints the numbers of states and the counterexamples.

mod claims;
mod reservations;
mod sequencing;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, HasDiscoveries, Model};

/// Visits all states of a model: each `always` property must hold in all of them, and each `sometimes` property in one.
fn holds<M>(name: &str, model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq,
{
    let checker = model.checker().spawn_bfs().join();
    println!("{name}: {} states, at most {} steps", checker.unique_state_count(), checker.max_depth() - 1);
    checker.assert_properties();
}

/// The most states of a search that is repeated to find fewer steps.
const MAX_REPEATED: usize = 10_000;

/// Finds a state of a model in which an `always` property does not hold, and prints the steps to it.
fn fails<M>(without: &str, model: M, property: &'static str)
where
    M: Model + Copy + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq,
{
    let found = HasDiscoveries::AnyOf(BTreeSet::from([property]));
    let search = || model.checker().finish_when(found.clone());
    let checker = search().spawn_bfs().join();
    let states = checker.unique_state_count();
    let mut steps = checker.assert_any_discovery(property).into_actions();
    // A search looks at a block of states before it stops, and then has the last counterexample of the block.
    while states < MAX_REPEATED
        && let Some(path) = search().target_max_depth(steps.len() + 1).spawn_bfs().join().discovery(property)
    {
        steps = path.into_actions();
    }
    println!("without {without}: not \"{property}\" (step {} of {states} states): {steps:?}", steps.len());
}
