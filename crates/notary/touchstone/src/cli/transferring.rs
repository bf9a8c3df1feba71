//! The arguments of the commands that copy a store.

use std::path::PathBuf;

use clap::Args;
use receipt::Timestamp;

use crate::settings::SettingsArgs;

/// `touchstone migrate-store`.
#[derive(Args, Debug)]
pub struct MigrateStoreArgs {
    /// The store to move: a data folder, a file of SQLite, or an address postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "STORE")]
    pub from: String,
    /// Where to: an empty one of these, or what an earlier try has left there.
    #[arg(long, value_name = "STORE")]
    pub to: String,
    /// Say nothing of how far it has come.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone backup`.
#[derive(Args, Debug)]
pub struct BackupArgs {
    /// The file to write, which is not there yet.
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Read the file back, and check each signature, each receipt against its leaf, and the tree against the checkpoint.
    #[arg(long)]
    pub verify: bool,
    /// Say nothing of how far it has come.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone restore`.
#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// The file that `backup` has written.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to: an empty data folder, a file of SQLite, or an address postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "STORE")]
    pub to: String,
    /// A checkpoint that the log has published, the newest there is, from a file or an address; again for each. The store goes
    /// on if the backup is behind none of them.
    #[arg(long = "checkpoint", value_name = "FILE|URL")]
    pub checkpoints: Vec<String>,
    /// Make an archive, and begin the log that comes after it, with keys of its own, in this new data folder.
    #[arg(long, value_name = "DIR", requires = "successor_url")]
    pub successor: Option<PathBuf>,
    /// The base address of the notary with that log; not the one of before.
    #[arg(long, value_name = "URL", requires = "successor")]
    pub successor_url: Option<String>,
    /// Say nothing of how far it has come.
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The archive to write, which is not there yet.
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Only receipts signed on this day (UTC) or later: `2026-11-01`, or `2026-11-01T12:00:00.000Z`.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub since: Option<Timestamp>,
    /// Only receipts signed before this day or time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub until: Option<Timestamp>,
    /// Only receipts of this agent.
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Only receipts of this class: `commit`, ...
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Go on with an export that was interrupted, which is beside FILE. It stays that of the log as it was.
    #[arg(long)]
    pub resume: bool,
    /// Say nothing of how far it has come.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Reads a day, which stands for its beginning, or a time as receipts have it.
fn time(text: &str) -> Result<Timestamp, String> {
    let whole =
        if text.len() == "2026-11-01".len() { format!("{text}T00:00:00.000Z") } else { text.to_owned() };
    whole
        .parse()
        .map_err(|_| "give a day, such as 2026-11-01, or a time, such as 2026-11-01T12:00:00.000Z".to_owned())
}
