//! The arguments of the commands that serve.

use clap::Args;

use crate::settings::SettingsArgs;

/// `touchstone dev` and `touchstone serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// For this start alone: begin an empty log under a log key that has signed another one, whose store is lost.
    // No setting, so that it does not stay: it would let the next loss of a store pass in silence.
    #[arg(long)]
    pub new_log: bool,
    #[command(flatten)]
    pub settings: SettingsArgs,
}
