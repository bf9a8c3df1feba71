//! The evaluators of a domain's records, on zones in memory: `trust/spf_rfc7208_tests.json`, `trust/caa_boulder.json`
//! and `trust/dmarc_records_oracle.jsonl`.

mod caa;
mod dmarc;
mod spf;

use std::path::Path;

use futures_util::FutureExt;

use crate::outcome::Outcome;

/// Runs the suites whose data lies in `dir/trust`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("trust");
    [spf::run(&folder), caa::run(&folder), dmarc::run(&folder)].into_iter().flatten().collect()
}

/// Returns the output of a future that waits for nothing but zones in memory.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("zones in memory answer at once")
}

/// An outcome that says why the suite's file cannot be read.
fn unreadable(mut outcome: Outcome, why: impl ToString) -> Outcome {
    outcome.total = 1;
    outcome.failures.push(why.to_string());
    outcome
}
