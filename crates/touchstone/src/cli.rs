//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use verdict::Usd;

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
    Dev(SettingsArgs),
    /// Serve in production.
    Serve(SettingsArgs),
    /// Ask a judge offline: a question a line in, a finding a line out, unsigned.
    Judge(JudgeArgs),
    /// Verify receipts offline; exit 0 only where all hold.
    Verify(VerifyArgs),
    /// Call a route of a notary, pay where it asks for that, and print the receipt.
    Call(CallArgs),
    /// Print the notary's public keys.
    Keys(KeysArgs),
    /// Print or check the configuration.
    Config(ConfigArgs),
    /// Judge a receipt's question again on what was preserved: a case on standard input, the signed answer on standard
    /// output. `serve` runs it for disputes.
    Rerun(SettingsArgs),
    /// Ask a running service whether it is healthy; exit 0 where receipts can be issued.
    Healthcheck(SettingsArgs),
    /// Print the OpenAPI document.
    Openapi(SettingsArgs),
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

/// `touchstone judge`.
#[derive(Args, Debug)]
pub struct JudgeArgs {
    /// The class: `claim-verdict`, ...
    pub class: String,
    /// JSON Lines to read; standard input where absent or `-`.
    #[arg(long = "in", value_name = "F")]
    pub input: Option<PathBuf>,
    /// JSON Lines to write; standard output where absent or `-`.
    #[arg(long = "out", value_name = "F")]
    pub output: Option<PathBuf>,
    /// How many questions are judged at once; as many as there are cores where absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Receipts as JSON or JSON Lines; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The notary's keys as a JWKS file; the data folder's keys where absent.
    #[arg(long, value_name = "F")]
    pub keys: Option<PathBuf>,
    /// The log's verifier key, as `service.json` publishes it.
    #[arg(long, value_name = "VKEY")]
    pub log_key: Option<String>,
    /// Say nothing about receipts that hold.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone call`.
#[derive(Args, Debug)]
pub struct CallArgs {
    /// The route: `commit`, `/claim-verdict`, ...
    pub route: String,
    /// The question, a JSON object; `-` is standard input.
    pub json: String,
    /// The notary's address.
    #[arg(long, env = "TOUCHSTONE_SERVER", value_name = "U", default_value = "http://127.0.0.1:8402")]
    pub server: String,
    /// The file of the key to pay with, 64 hexadecimal digits, mode 0600; or `dev`, which the development profile gave
    /// its money to. Without one nothing is paid.
    #[arg(long, env = "TOUCHSTONE_WALLET", value_name = "F")]
    pub wallet: Option<PathBuf>,
    /// The most that is paid for the call, in USDC.
    #[arg(long, env = "TOUCHSTONE_MAX_AMOUNT", value_name = "A", default_value = "1.00")]
    pub max_amount: Usd,
}

/// `touchstone keys`.
#[derive(Args, Debug)]
pub struct KeysArgs {
    #[command(subcommand)]
    pub action: KeysAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with the keys.
#[derive(Subcommand, Debug)]
pub enum KeysAction {
    /// Print all of them, to read.
    Show,
    /// Print the receipt keys as a JWKS, for `verify --keys`.
    Jwks,
    /// Print the log's verifier key, for `verify --log-key`.
    Log,
}

/// `touchstone config`.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: ConfigAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with the configuration.
#[derive(Subcommand, Debug)]
pub enum ConfigAction {
    /// Print the configuration in force.
    Print,
    /// Check the configuration and the keys; exit 0 where `serve` would start.
    Check,
}
