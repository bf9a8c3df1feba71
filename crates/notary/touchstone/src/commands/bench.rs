//! `touchstone bench`: studies of how often a judge is wrong, and how long it takes.

mod copying;
mod populations;
mod records;
mod study;
mod table;
mod time;

use std::process::ExitCode;

use populations::PopulationsOptions;
use study::{Study, cells};

use crate::cli::{BenchAction, BenchArgs, StudyOf};
use crate::progress::Progress;
use crate::settings::Settings;

/// Makes a study and prints its table.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let mut progress = None;
    let line = |line: String| {
        println!("{line}");
        progress
            .get_or_insert_with(|| Progress::beside_results("lines of the table", None, args.quiet))
            .inc();
    };
    match &args.action {
        BenchAction::GradingCalibration { records, seed, of, cell } => {
            let study = Study { records: *records, seed: *seed };
            match of {
                StudyOf::Returns => table::table(&study, &cells(), line),
                StudyOf::Records => records::table(&study, cell, line)?,
            }
        }
        BenchAction::GradingTime { records, days } => {
            time::table(*records, usize::from(*days), line)?;
        }
        BenchAction::CopyCalibration { records, seed } => {
            copying::table(&Study { records: *records, seed: *seed }, line)?;
        }
        BenchAction::TrustPopulations { files, at_once, limit, purpose, json, settings } => {
            let options = PopulationsOptions {
                files: files.clone(),
                at_once: *at_once,
                limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
                purpose: (*purpose).into(),
                as_json: *json,
                is_quiet: args.quiet,
            };
            populations::run(&Settings::load(settings)?, &options)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
