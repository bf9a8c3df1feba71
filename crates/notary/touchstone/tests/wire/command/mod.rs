//! The command line.

mod bad_logs;
mod config_check;
mod doctor;
mod erase;
mod export;
mod follow;
mod grade;
mod grant;
mod grant_units;
mod import_trades;
mod judge;
mod keys;
mod lists;
mod operations;
mod refunds;
mod reload;
mod rerun;
mod transfer;
mod verify;

use std::process::{Command, Output};

use crate::support::service::run;

/// What a command said, and its exit code.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let said = Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!said.err.contains("panicked"), "{said:?}");
        said
    }
}

/// Runs a command on this input.
pub fn said(command: Command, input: impl AsRef<[u8]>) -> Said {
    run(command, input.as_ref()).into()
}
