//! The evaluators of records, on zones in memory.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod caa;
mod dmarc;
mod no_panic;
#[path = "../../../../testing/suites/src/outcome.rs"]
#[allow(unreachable_pub)]
mod outcome;
#[path = "../../../../testing/suites/src/records/mod.rs"]
#[allow(unreachable_pub)]
mod records;
mod spf_assess;
mod spf_check;
mod vectors;

use std::future::Future;

use dns::{Name, Record, Zone};
use futures_util::FutureExt;

/// Returns the output of a future that waits for nothing but zones in memory.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("zones in memory answer at once")
}

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A zone of TXT records.
fn texts(records: &[(&str, &str)]) -> Zone {
    records.iter().fold(Zone::default(), |zone, (owner, text)| {
        zone.with(&name(owner), Record::Txt(text.as_bytes().to_vec()))
    })
}
