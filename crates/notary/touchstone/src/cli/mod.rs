//! The command line.

mod asking;
mod bench;
mod environment;
mod following;
mod help;
mod importing;
mod operating;
mod serving;
mod transferring;
mod witnessing;

use std::path::PathBuf;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use asking::{CallArgs, JudgeArgs, McpArgs, VerifyArgs};
pub use bench::{BenchAction, BenchArgs, StudyOf};
pub use environment::unknown_variables;
pub use following::{MirrorArgs, MonitorArgs};
pub use importing::ImportTradesArgs;
pub use operating::{
    ConfigAction, ConfigArgs, EraseArgs, FinishedRole, GrantAction, GrantArgs, KeysAction, KeysArgs,
    ListsAction, ListsArgs, NewGrantArgs, Per, RefundsAction, RefundsArgs, RotatedRole, StatusArgs,
    TrialsAction, TrialsArgs,
};
pub use serving::ServeArgs;
pub use transferring::{BackupArgs, ExportArgs, MigrateStoreArgs, RestoreArgs};
pub use witnessing::WitnessArgs;

use crate::settings::SettingsArgs;

/// A notary for verdicts: signed, logged receipts that anyone can check.
#[derive(Parser, Debug)]
#[command(name = "touchstone", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Serve for trying out: loopback only, local settlement, everything marked as such.
    Dev(ServeArgs),
    /// Serve in production.
    Serve(ServeArgs),
    /// Ask a judge offline: a question a line in, a finding a line out, unsigned.
    Judge(JudgeArgs),
    /// Read a trading platform's export, and print it as a question of /grade-strategy; standard error says what is lost.
    ImportTrades(ImportTradesArgs),
    /// Verify receipts, or an archive of `export`, offline; exit 0 only where all hold.
    Verify(VerifyArgs),
    /// Call a route of a notary, pay where it asks for that, and print the receipt.
    Call(CallArgs),
    /// Serve the tools of a notary over standard input and output, for assistants (Model Context Protocol).
    Mcp(McpArgs),
    /// Give an agent calls, for a plan or a trial; list what was given, or end it. Takes effect at once.
    Grant(GrantArgs),
    /// List the wishes for trials.
    Trials(TrialsArgs),
    /// List what is owed after disputes, and note what was paid; works while the service runs.
    Refunds(RefundsArgs),
    /// Erase receipts: payload, signature, request and evidence; the log entry stays. Works while the service runs.
    Erase(EraseArgs),
    /// Fetch or import sanctions lists, say which are live and how old they are, compare them; works while the service runs.
    Lists(ListsArgs),
    /// Print the notary's public keys.
    Keys(KeysArgs),
    /// Print or check the configuration, or make it that of a store that replicas share.
    Config(ConfigArgs),
    /// Say how the store and all replicas stand: version, head, clock, lists, health; exit 1 where one does not agree.
    Status(StatusArgs),
    /// Move the store between back ends, every receipt verified on the way; the service is stopped. Goes on where it was
    /// interrupted.
    MigrateStore(MigrateStoreArgs),
    /// Back the store up into one file; works while the service runs.
    Backup(BackupArgs),
    /// Write an archive for audits: receipts with their proofs, requests and evidence as far as kept, the log and the keys; works
    /// while the service runs. `verify` checks it.
    Export(ExportArgs),
    /// Make a store of a backup: a read-only archive, unless checkpoints show that it may go on.
    Restore(RestoreArgs),
    /// Look after a log that others keep: each entry, and that it never contradicts itself; exit 1 for an alarm.
    Monitor(MonitorArgs),
    /// Keep a complete copy of a log that others keep; serve it, and make proofs from it when the log is gone.
    Mirror(MirrorArgs),
    /// Be a witness for the logs of others: cosign each checkpoint that extends the one before (C2SP tlog-witness).
    Witness(WitnessArgs),
    /// Judge a receipt's question again on what was preserved: a case on standard input, the signed answer on standard
    /// output. `serve` runs it for disputes.
    Rerun(SettingsArgs),
    /// Examine what the service needs: keys, store, clock, log, lists, feeds, sources, endpoints, disk, name servers; exit 1
    /// where it could not work.
    Doctor(SettingsArgs),
    /// Ask a running service whether it is healthy: exit 0 where receipts can be issued, 1 where they cannot, 2 where
    /// nobody can say, such as without a connection.
    Healthcheck(SettingsArgs),
    /// Print the OpenAPI document.
    Openapi(SettingsArgs),
    /// Study how often a judge is wrong, and how long it takes.
    Bench(BenchArgs),
    /// Print shell completions.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command into a folder.
    Man {
        /// The folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// The command line. The help of each command names the settings that it reads, and no others.
pub fn command() -> clap::Command {
    help::with_own_settings(Cli::command())
}

/// Reads the command line of this process; ends it with the usage where that cannot be read.
pub fn parse() -> Cli {
    Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(command: &mut clap::Command, path: &str, shown: &mut Vec<(String, String)>) {
        command.set_bin_name(path);
        shown.push((path.replace(' ', "_"), command.render_long_help().to_string()));
        for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
            let path = format!("{path} {}", inner.get_name());
            help(inner, &path, shown);
        }
    }

    #[test]
    fn the_help_of_each_command_is_as_it_was() {
        let mut command = command().term_width(100);
        command.build();
        let mut shown = Vec::new();
        help(&mut command, "touchstone", &mut shown);
        assert!(shown.len() > 20, "{}", shown.len());
        for (name, text) in shown {
            insta::assert_snapshot!(format!("help_{name}"), text.trim_end());
        }
    }
}
