//! Measures the time that the disk under the stores needs to make 64 KiB durable: about the size of one commit under
//! load. It bounds the latency of a receipt from below.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hdrhistogram::Histogram;

use super::Bench;
use crate::report::{Figure, Report, Target};

const BLOCK: usize = 64 << 10;
/// Written round and round, as a write-ahead log is.
const BLOCKS: usize = 256;

/// Measures it and adds two figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let scratch = bench.scratch()?;
    let measured = Duration::from_secs_f64(bench.options.seconds());
    let times = measure(&scratch.path().join("blocks"), measured)?;
    let note = format!("64 KiB and fdatasync, {} times", times.len());
    for (name, percentile) in [("disk: 64 KiB made durable, median", 50.0), ("disk: the same, p99", 99.0)] {
        let value = times.value_at_percentile(percentile) as f64 / 1000.0;
        report.add(Figure {
            name,
            command: "fsync",
            value,
            unit: "ms",
            target: Target::None,
            note: note.clone(),
        });
    }
    Ok(())
}

fn measure(path: &Path, measured: Duration) -> anyhow::Result<Histogram<u64>> {
    let mut file = File::create(path).with_context(|| format!("create {}", path.display()))?;
    let block = vec![0x5A; BLOCK];
    for _ in 0..BLOCKS {
        file.write_all(&block)?;
    }
    file.sync_all()?;
    let mut times = Histogram::<u64>::new(3).context("the histogram's bounds")?;
    let begins = Instant::now();
    for number in 0.. {
        if begins.elapsed() >= measured {
            break;
        }
        if number % BLOCKS == 0 {
            file.seek(SeekFrom::Start(0))?;
        }
        let started = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        times.record(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX))?;
    }
    Ok(times)
}
