//! The arguments of the commands by which an operator works on a notary.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use module::plans::{PLANS, Plan};

use crate::settings::SettingsArgs;

/// `touchstone grant`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GrantArgs {
    #[command(subcommand)]
    pub action: Option<GrantAction>,
    #[command(flatten)]
    pub new: Option<NewGrantArgs>,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with grants that were made.
#[derive(Subcommand, Debug)]
pub enum GrantAction {
    /// List all grants and what is used of them, the newest first; JSON Lines where standard output is no terminal.
    List {
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
    /// End grants.
    Revoke {
        /// Their numbers, as `grant list` gives them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<u64>,
    },
}

/// A grant to be made.
#[derive(Args, Debug)]
pub struct NewGrantArgs {
    /// The agent's name, as it calls itself.
    #[arg(required = true, value_name = "AGENT")]
    pub agent: String,
    /// What a plan has, as /catalog lists it.
    #[arg(long, value_parser = plan_parser(), required_unless_present = "calls",
        conflicts_with_all = ["calls", "route", "per", "priority"])]
    pub plan: Option<&'static Plan>,
    /// Calls a period, instead of a plan's.
    #[arg(long, value_name = "N")]
    pub calls: Option<u32>,
    /// The period: UTC days or months [default: month]
    #[arg(long)]
    pub per: Option<Per>,
    /// The class of the calls, `all`, or `export` with `--wallet` [default: all]
    #[arg(long, value_name = "CLASS")]
    pub route: Option<String>,
    /// Let its calls take the resolver places that are reserved.
    #[arg(long)]
    pub priority: bool,
    /// For how many days from now it is good [default: 31]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3660))]
    pub days: Option<u16>,
    /// The last UTC day on which it is good, instead of a number of days: 2026-12-31.
    #[arg(long, value_name = "DATE", conflicts_with = "days")]
    pub until: Option<String>,
    /// It is good until it is revoked, and its calls begin anew each UTC month or day: for a plan that goes on.
    #[arg(long, conflicts_with_all = ["days", "until"])]
    pub renews: bool,
    /// Networks that it is good from, with commas between [default: any; names are public]
    #[arg(long, value_name = "NETS")]
    pub from: Option<String>,
    /// The wallet that may fetch the agent's audit export (GET /export): with a plan that has it, or with `--route export`.
    #[arg(long, value_name = "ADDRESS")]
    pub wallet: Option<String>,
    /// The wish for a trial that it answers, as `trials list` gives it.
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,
}

/// A grant's period.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Per {
    Day,
    Month,
}

fn plan_parser() -> impl TypedValueParser<Value = &'static Plan> {
    let names = PossibleValuesParser::new(PLANS.iter().map(|plan| plan.name));
    names.map(|name| PLANS.iter().find(|plan| plan.name == name).expect("only names of plans are possible"))
}

/// `touchstone trials`.
#[derive(Args, Debug)]
pub struct TrialsArgs {
    #[command(subcommand)]
    pub action: TrialsAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with wishes for trials.
#[derive(Subcommand, Debug)]
pub enum TrialsAction {
    /// List them, the newest first, with the grants that answer them; JSON Lines where standard output is no terminal.
    List {
        /// How many at most.
        #[arg(long, value_name = "N", default_value_t = 100)]
        most: u32,
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
}

/// `touchstone erase`.
#[derive(Args, Debug)]
pub struct EraseArgs {
    /// The hashes of the receipts.
    #[arg(required = true, value_name = "HASH")]
    pub hashes: Vec<String>,
    /// Why, for the receipt that logs it: no name, and nothing of what is erased. At most 500 characters.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Write JSON Lines on a terminal too.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// `touchstone refunds`.
#[derive(Args, Debug)]
pub struct RefundsArgs {
    #[command(subcommand)]
    pub action: RefundsAction,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with refunds. Where payout_key is set, the service pays them by itself.
#[derive(Subcommand, Debug)]
pub enum RefundsAction {
    /// List them, the oldest first; JSON Lines where standard output is no terminal.
    List {
        /// Leave out those that are paid.
        #[arg(long)]
        owed: bool,
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
    /// Note that one was paid by a transaction of your own: one that is owed, or on its way with an authorization whose
    /// window is over.
    Pay {
        /// Its number, as `refunds list` gives it.
        #[arg(value_name = "ID")]
        id: u64,
        /// The transaction's hash.
        #[arg(long, value_name = "HASH")]
        transaction: String,
    },
    /// Write those that are owed as CSV, for a wallet that sends many payments at once.
    Export,
    /// Print what the bounty reserve has, by token; JSON Lines where standard output is no terminal.
    Reserve {
        /// Write JSON Lines on a terminal too.
        #[arg(long)]
        json: bool,
    },
}

/// `touchstone lists`.
#[derive(Args, Debug)]
pub struct ListsArgs {
    #[command(subcommand)]
    pub action: ListsAction,
    /// Write JSON Lines on a terminal too.
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing of the progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What to do with sanctions lists. JSON Lines where standard output is no terminal.
#[derive(Subcommand, Debug)]
pub enum ListsAction {
    /// Read a publication, keep it, and make its lists live unless they are doubtful; exit 2 where one waits for `accept`.
    Import {
        /// Its files, or folders of them.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The day of the publication, where its form has none: 2026-08-20.
        #[arg(long, value_name = "D")]
        date: Option<jiff::civil::Date>,
        /// A JSON file that says what the columns of a list of your own hold: CSV with a header, or JSON Lines.
        #[arg(long, value_name = "FILE")]
        columns: Option<PathBuf>,
    },
    /// Fetch what is published now, unless it is the version that was fetched last; exit 2 where one waits for `accept`.
    Fetch {
        /// sdn, consolidated, un, eu, uk, seco or csl [default: OFAC's two, and those that the configuration names]
        #[arg(value_name = "NAME")]
        publications: Vec<watchlist::refresh::PublishedList>,
    },
    /// List all snapshots, by list, the newest publication first, with which is live and its age.
    Status,
    /// Say what changed from one snapshot to another.
    Diff {
        /// The earlier one: its id, the beginning of it, or its day.
        #[arg(value_name = "A")]
        from: String,
        /// The later one.
        #[arg(value_name = "B")]
        to: String,
    },
    /// Make a snapshot live, whatever speaks against it.
    Accept {
        /// Its id, the beginning of it, or its day.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Take a list out: it answers nothing more, and comes back only by `accept`; its snapshots stay for replays.
    Retire {
        /// What `lists status` calls it.
        #[arg(value_name = "NAME")]
        list: String,
    },
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
    /// Put a new key in the place of the present one, while the service runs, and wait until the log has it.
    Rotate {
        /// The role of the key.
        #[arg(value_name = "ROLE")]
        role: RotatedRole,
        /// Stop waiting after this time, in seconds; the service takes the key all the same, when it can.
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u32,
    },
    /// End the log key that a new one signs beside since `rotate log`, and wait until the log has it.
    Finish {
        /// The role of the key: `log` is the only one that has two for a while.
        #[arg(value_name = "ROLE")]
        role: FinishedRole,
        /// Stop waiting after this time, in seconds; the service ends the key all the same, when it can.
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u32,
    },
    /// Revoke a key that must not be trusted any more: one in use, which a new one replaces, or a former one.
    Revoke {
        /// The key's `kid`, as `keys show` prints it, or the part of it after the `#`.
        #[arg(value_name = "KID")]
        kid: String,
        /// The reason, for people: it is published.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Stop waiting after this time, in seconds; the service revokes the key all the same, when it can.
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u32,
    },
}

/// The keys that can be replaced while the service runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum RotatedRole {
    /// The key that signs receipts.
    Receipt,
    /// The key that signs what the reruns of disputes find.
    Rerun,
    /// The key that signs webhooks. Receivers must take the new one from `/.well-known/service.json`.
    Webhook,
    /// The key that signs the log's checkpoints. Both sign them until `finish log`.
    Log,
}

/// The keys that have a successor beside them for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum FinishedRole {
    /// The key that signs the log's checkpoints.
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
    /// Make the prices and keys of this configuration those of a store that several replicas share, and say what was
    /// changed. Running replicas take new prices at SIGHUP, and keys with a restart.
    Adopt,
}

/// `touchstone status`.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Print JSON on a terminal too.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}
