//! `touchstone bench`: studies of what the judges are worth.

use std::process::ExitCode;

use grading::calibration::{Study, cells, table};

use crate::cli::{BenchAction, BenchArgs};

/// Makes a study and prints its table.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    match args.action {
        BenchAction::GradingCalibration { records, seed, original } => {
            let study = Study { seed, ..Study::new(records) };
            let study = if original { study.of_original() } else { study };
            table(&study, &cells(), |line| println!("{line}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
