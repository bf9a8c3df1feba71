//! `touchstone bench`: studies of how often a judge is wrong, and how long it takes.

mod copying;
mod records;
mod study;
mod table;
mod time;

use std::process::ExitCode;

use study::{Study, cells};

use crate::cli::{BenchAction, BenchArgs, StudyOf};

/// Makes a study and prints its table.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match args.action {
        BenchAction::GradingCalibration { records, seed, of } => {
            let study = Study { records, seed };
            match of {
                StudyOf::Returns => table::table(&study, &cells(), |line| println!("{line}")),
                StudyOf::Records => records::table(&study, |line| println!("{line}"))?,
            }
        }
        BenchAction::GradingTime { records, days } => {
            time::table(records, usize::from(days), |line| println!("{line}"))?;
        }
        BenchAction::CopyCalibration { records, seed } => {
            copying::table(&Study { records, seed }, |line| println!("{line}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
