//! The `touchstone` binary: the command line, configuration and wiring. It decides nothing itself.

mod archives;
mod cli;
mod commands;
mod connections;
mod error_text;
mod gas_account;
mod key_changes;
mod keys;
mod log_signer_watch;
mod logging;
mod metrics;
mod mirror;
mod modules;
#[cfg(feature = "otel")]
mod otel;
mod progress;
mod reload;
mod sandbox;
mod service_manager;
mod settings;
mod settlement;
mod store;
mod timestamps;
mod wiring;
mod witnesses;
mod writable;

use std::process::ExitCode;

use cli::Command;

/// Allocation is a good part of a short request; this one is measurably quicker at it than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Returns true for commands that print and have no connection. A write to a closed connection must not end the process.
fn prints_alone(command: &Command) -> bool {
    matches!(
        command,
        Command::Openapi(_)
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::Keys(_)
            | Command::Config(_)
            | Command::Status(_)
            | Command::Verify(_)
            | Command::Grant(_)
            | Command::Trials(_)
            | Command::Refunds(_)
            | Command::ImportTrades(_)
    )
}

fn main() -> ExitCode {
    let cli = cli::parse();
    if prints_alone(&cli.command) {
        // Who reads the output may stop (`| head`): that is no error.
        sigpipe::reset();
    }
    let outcome = match cli.command {
        Command::Dev(args) => commands::serve::run(server::Profile::Dev, &args),
        Command::Serve(args) => commands::serve::run(server::Profile::Serve, &args),
        Command::Judge(args) => commands::judge::run(&args),
        Command::ImportTrades(args) => commands::import_trades::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Mcp(args) => commands::mcp::run(&args),
        Command::Grant(args) => commands::grant::run(&args),
        Command::Trials(args) => commands::trials::run(&args),
        Command::Refunds(args) => commands::refunds::run(&args),
        Command::Erase(args) => commands::erase::run(&args),
        Command::Lists(args) => commands::lists::run(&args),
        Command::Keys(args) => commands::keys::run(&args),
        Command::Config(args) => commands::config::run(&args),
        Command::Status(args) => commands::status::run(&args),
        Command::MigrateStore(args) => commands::transfer::migrate_store(&args),
        Command::Backup(args) => commands::transfer::backup(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Restore(args) => commands::transfer::restore(&args),
        Command::Monitor(args) => commands::monitor::run(&args),
        Command::Mirror(args) => commands::mirror::run(&args),
        Command::Witness(args) => commands::witness::run(&args),
        Command::Rerun(args) => commands::rerun::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Healthcheck(args) => commands::healthcheck::run(&args),
        Command::Openapi(args) => commands::openapi::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Man { out } => commands::shell::man(out.as_deref()),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("touchstone: {}", error_text::once(&error));
        ExitCode::FAILURE
    })
}
