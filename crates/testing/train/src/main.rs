//! Learns the models of the scanners, and measures them on rows that they were not learnt from.
//!
//! `train evaluate DIR`: DIR is laid out as the project's data folder is. The rows of `DIR/safety` are cut into five parts; each
//! part is scored by a model that was learnt from the other four. Rows whose licence allows evaluation only are scored, and
//! learnt from by none.

mod evaluation;
mod rows;

use std::path::PathBuf;
use std::process::ExitCode;

use prompt_injection::LearningOptions;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let task = arguments.next();
    let (Some("evaluate"), Some(folder), None) =
        (task.as_ref().and_then(|task| task.to_str()), arguments.next(), arguments.next())
    else {
        eprintln!("usage: train evaluate DIR");
        return ExitCode::from(2);
    };
    match rows::read(&PathBuf::from(folder).join("safety")) {
        Ok(rows) => {
            evaluation::print(&rows, LearningOptions::default());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
