//! Measures the time in which one client alone gets a receipt: one connection, one question after the other.

use super::{Bench, latency};
use crate::questions;
use crate::report::{Report, Target};

/// Measures it and adds the figure.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let requests = questions::requests(bench.options.questions);
    let scratch = bench.scratch()?;
    let notary = bench.notary(scratch.path())?;
    let mut plan = bench.plan(&notary, &requests, r#""proof""#);
    plan.connections = 1;
    let outcomes = bench.repeat(&plan)?;
    report.add(latency("one idle client, p99", "idle", &outcomes, 99.0, Target::AtMost(15.0)));
    Ok(())
}
