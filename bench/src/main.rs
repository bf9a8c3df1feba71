//! The load benchmarks: one figure a subcommand, and `all` for the whole table.
//!
//! The notary under test is the real binary, in a process of its own, with a store on the disk; load goes to
//! loopback only and comes from this process, on the same cores, so its own cost counts against the figures.
//!
//! | module | holds |
//! |---|---|
//! | `cli` | the command line |
//! | `measure` | one file a figure |
//! | `attack` | attackers against one honest client, and what became of it |
//! | `load`, `http` | the load generator: one thread, pre-built requests, keep-alive connections |
//! | `questions` | distinct signed questions, made before the clock starts |
//! | `process`, `usage` | the notary as a child process; processor time and memory from `/proc` |
//! | `bare` | a server that does the cryptography of an answer and nothing else, to compare with |
//! | `identity`, `store`, `archive` | keys, a store of any size, a file of receipts |
//! | `report` | figures, targets, and their table |

mod archive;
mod attack;
mod bare;
mod cli;
mod http;
mod identity;
mod load;
mod measure;
mod process;
mod questions;
mod report;
mod store;
mod usage;

use std::process::ExitCode;

/// The notary's own, so that the bare server has it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::Parser as _;

use cli::{Cli, Command};
use measure::Bench;
use report::Report;

fn main() -> ExitCode {
    run(Cli::parse()).unwrap_or_else(|error| {
        eprintln!("bench: {error:#}");
        ExitCode::FAILURE
    })
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    if let Command::Bare(args) = &cli.command {
        bare::run(args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let bench = Bench::prepare(&cli.options)?;
    if let Command::Attack(args) = &cli.command {
        return attack::run(&bench, &args.attacks);
    }
    let mut report = Report::start(cli.options.commit.as_deref());
    match cli.command {
        Command::Bare(_) | Command::Attack(_) => {}
        Command::Receipts => measure::receipts::run(&bench, &mut report)?,
        Command::Replicas => measure::replicas::run(&bench, &mut report)?,
        Command::Race(args) => measure::race::run(&bench, args.calls, &mut report)?,
        Command::Paid => measure::paid::run(&bench, &mut report)?,
        Command::Chain => measure::chain::run(&bench, &mut report)?,
        Command::Idle => measure::idle::run(&bench, &mut report)?,
        Command::Pages => measure::pages::run(&bench, &mut report)?,
        Command::Verify => measure::verify::run(&bench, &mut report)?,
        Command::Log => measure::log::run(&bench, &mut report)?,
        Command::Start => measure::start::run(&bench, &mut report)?,
        Command::Offline => measure::offline::run(&bench, &mut report)?,
        Command::Archive => measure::archive::run(&bench, &mut report)?,
        Command::Retention => measure::retention::run(&bench, &mut report)?,
        Command::Fsync => measure::fsync::run(&bench, &mut report)?,
        Command::Trust => measure::trust::run(&bench, &mut report)?,
        Command::Grading => measure::grading::run(&bench, &mut report)?,
        Command::Screening(args) => measure::screening::run(&bench, &args, &mut report)?,
        Command::All => measure::all(&bench, &mut report)?,
    }
    print!("{report}");
    Ok(ExitCode::SUCCESS)
}
