//! The arguments of `touchstone witness`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// `touchstone witness`.
#[derive(Args, Debug)]
pub struct WitnessArgs {
    /// The logs that are cosigned: a line `log <vkey>` for each key; the policy of a log will do.
    #[arg(long, env = "TOUCHSTONE_WITNESS_LOGS", value_name = "FILE")]
    pub logs: PathBuf,
    /// The file (0600) of the witness's own key, which is made where it is missing.
    #[arg(long, env = "TOUCHSTONE_WITNESS_KEY_FILE", value_name = "FILE", default_value = "witness.key")]
    pub key_file: PathBuf,
    /// The name of a key that is made, such as witness.example.com: a name that is yours.
    #[arg(long, env = "TOUCHSTONE_WITNESS_NAME", value_name = "NAME")]
    pub name: Option<String>,
    /// Make a second key, of type ML-DSA-44, beside that of Ed25519.
    #[arg(long)]
    pub ml_dsa: bool,
    /// The record of what was cosigned, an SQLite file, which is made with the key. Never bring an older one back.
    #[arg(long, env = "TOUCHSTONE_WITNESS_STORE", value_name = "FILE", default_value = "witness.sqlite")]
    pub store: PathBuf,
    /// The address to listen on.
    #[arg(long, env = "TOUCHSTONE_WITNESS_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8403")]
    pub listen: SocketAddr,
    /// What to log, as a tracing filter.
    #[arg(long, env = "TOUCHSTONE_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,
}
