//! Learns the models of the scanners, and measures them on rows that they were not learnt from.
//!
//! DIR is laid out as the project's data folder is; the rows are those of `DIR/safety`. Rows whose licence allows evaluation
//! only are scored, and learnt from by none.
//!
//! | task | action |
//! |---|---|
//! | `evaluate DIR` | measures `prompt-injection`: the rows are cut into five parts, and each part is scored by a model that was learnt from the other four |
//! | `learn DIR OUT` | learns the model of `prompt-injection`, and writes `weights.bin` and `weights.sha256` into the folder OUT |
//! | `check DIR` | learns it again, and fails if its bytes are not the shipped ones |
//! | `urls DIR` | learns the model of `url-signals` and writes it |
//! | `evaluate-urls DIR` | measures `url-signals` in the same way; the parts are cut by registrable domain |

mod evaluation;
mod injection;
mod rows;
mod urls;

use std::path::Path;
use std::process::ExitCode;

use prompt_injection::LearningOptions;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let safety = |folder: &str| Path::new(folder).join("safety");
    let result = match arguments[..] {
        ["evaluate", folder] => {
            rows::read(&safety(folder)).map(|rows| evaluation::print(&rows, LearningOptions::default()))
        }
        ["learn", folder, out] => {
            rows::read(&safety(folder)).and_then(|rows| injection::write(&rows, Path::new(out)))
        }
        ["check", folder] => rows::read(&safety(folder)).and_then(|rows| injection::check(&rows)),
        ["urls", folder] => urls::write_model(&safety(folder)),
        ["evaluate-urls", folder] => urls::evaluate(&safety(folder)),
        _ => {
            eprintln!("usage: train evaluate|check|urls|evaluate-urls DIR | train learn DIR OUT");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
