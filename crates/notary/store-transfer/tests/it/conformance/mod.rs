//! Parts of the conformance suite of all back ends, by which stores are filled here.

#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "../../../../ledger/tests/conformance/disputer.rs"]
pub mod disputer;
#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "../../../../ledger/tests/conformance/payer.rs"]
pub mod payer;
#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "../../../../ledger/tests/conformance/support.rs"]
pub mod support;

use std::sync::Arc;

use ledger::OperatorStore;

/// What those parts need of the suite's harness.
pub trait Harness {
    fn operator_store(&self) -> Box<dyn OperatorStore>;
    fn clock(&self) -> &Arc<support::ManualClock>;
}
