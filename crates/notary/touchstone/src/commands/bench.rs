//! `touchstone bench`: studies of how often a judge is wrong.

mod study;
mod table;

use std::process::ExitCode;

use study::{Study, cells};

use crate::cli::{BenchAction, BenchArgs};

/// Makes a study and prints its table.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match args.action {
        BenchAction::GradingCalibration { records, seed } => {
            table::table(&Study { records, seed }, &cells(), |line| println!("{line}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
