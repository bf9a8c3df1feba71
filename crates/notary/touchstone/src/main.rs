//! The `touchstone` binary: the command line, configuration and wiring. It decides nothing itself.

mod cli;
mod commands;
mod connections;
mod keys;
mod logging;
mod modules;
mod sandbox;
mod settings;
mod settlement;
mod wiring;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command};

/// Allocation is a good part of a short request; this one is measurably quicker at it than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        Command::Dev(args) => commands::serve::run(server::Profile::Dev, &args),
        Command::Serve(args) => commands::serve::run(server::Profile::Serve, &args),
        Command::Judge(args) => commands::judge::run(&args),
        Command::ImportTrades(args) => commands::import_trades::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Grant(args) => commands::grant::run(&args),
        Command::Trials(args) => commands::trials::run(&args),
        Command::Refunds(args) => commands::refunds::run(&args),
        Command::Lists(args) => commands::lists::run(&args),
        Command::Keys(args) => commands::keys::run(&args),
        Command::Config(args) => commands::config::run(&args),
        Command::Rerun(args) => commands::rerun::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Healthcheck(args) => commands::healthcheck::run(&args),
        Command::Openapi(args) => commands::openapi::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man { out } => commands::shell::man(out.as_deref()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("touchstone: {error:#}");
        ExitCode::FAILURE
    })
}
