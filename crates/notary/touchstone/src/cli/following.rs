//! The arguments of the commands that follow a log.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tlog::VerifierKey;

/// `touchstone monitor`.
#[derive(Args, Debug)]
pub struct MonitorArgs {
    /// The address of the log, below which `checkpoint` and `tile/` are: `https://notary.example/log`.
    #[arg(value_name = "LOG_URL", required_unless_present = "check", requires_all = ["log_key", "state"])]
    pub log: Option<String>,
    /// The log's verifier key, as `service.json` publishes it; may be given more than once, where one takes the place of another.
    #[arg(long, value_name = "VKEY")]
    pub log_key: Vec<VerifierKey>,
    /// The folder of what is known of the log, from which the next run goes on; made where it is not there.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Go on looking, until there is an alarm.
    #[arg(long)]
    pub follow: bool,
    /// The seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub every: u32,
    /// The entries are not those of a notary: check only that the log is consistent.
    #[arg(long)]
    pub opaque: bool,
    /// The keys that may sign receipts, as a JWKS file; where absent, any may, and new ones are told.
    #[arg(long, value_name = "F", conflicts_with = "opaque")]
    pub keys: Option<PathBuf>,
    /// The notary's address, whose `GET /keys` says which key may sign which leaf [default: that above a log at `/log`]
    #[arg(long, value_name = "URL", conflicts_with = "opaque")]
    pub notary: Option<String>,
    /// Check a proof that a monitor has written: that a log signed two trees which contradict each other.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["log", "state", "follow", "opaque", "keys", "notary"])]
    pub check: Option<PathBuf>,
    /// Print a JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// Say nothing of how far it has come.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `touchstone mirror`.
#[derive(Args, Debug)]
pub struct MirrorArgs {
    /// The address of the log, below which `checkpoint` and `tile/` are: `https://notary.example/log`.
    #[arg(value_name = "LOG_URL", required_unless_present_any = ["serve", "proof"], requires = "log_key",
        conflicts_with_all = ["serve", "proof"])]
    pub log: Option<String>,
    /// The log's verifier key, as `service.json` publishes it; may be given more than once, where one takes the place of another.
    #[arg(long, value_name = "VKEY")]
    pub log_key: Vec<VerifierKey>,
    /// The folder of the copy, made where it is not there.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Go on copying as the log grows, until it contradicts itself.
    #[arg(long)]
    pub follow: bool,
    /// The seconds between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub every: u32,
    /// Serve the copy at this address, as the log itself does below `/log`.
    #[arg(long, value_name = "ADDR")]
    pub serve: Option<SocketAddr>,
    /// Print the proof (C2SP tlog-proof) of a leaf, by its index or by the hash of its receipt.
    #[arg(long, value_name = "INDEX|HASH", conflicts_with = "serve")]
    pub proof: Option<String>,
    /// Say nothing of how far it has come.
    #[arg(long, short)]
    pub quiet: bool,
}
