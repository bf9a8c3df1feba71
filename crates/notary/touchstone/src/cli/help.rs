//! The settings that the help of a command shows.
//!
//! Every command takes every setting, so that one environment does for all of them. Its help shows those that it reads.

use clap::Command;

/// The heading of the settings in the help of a command.
const HEADING: &str = "Settings";
/// The settings that every command with settings reads.
const ALWAYS: [&str; 2] = ["config", "data_dir"];
/// The settings that a command reads besides, by their names in the configuration file. `dev` and `serve` show all.
const OWN: &[(&str, &[&str])] = &[
    ("judge", &["extra_roots"]),
    ("verify", &["keys_dir", "base_url"]),
    ("grant", &["store"]),
    ("trials", &["store"]),
    ("refunds", &["store"]),
    ("erase", &["store", "keys_dir", "base_url", "listen"]),
    ("lists", &["lists_source", "extra_roots"]),
    ("keys", &["keys_dir", "base_url"]),
    ("config", &["keys_dir", "store", "base_url", "listen", "log"]),
    ("rerun", &["keys_dir", "base_url"]),
    ("doctor", &["keys_dir", "store", "base_url", "listen"]),
    ("status", &["store", "listen"]),
    ("migrate-store", &["keys_dir", "base_url"]),
    ("backup", &["store", "keys_dir", "base_url"]),
    ("export", &["store", "keys_dir", "base_url"]),
    ("restore", &["keys_dir", "base_url"]),
    ("healthcheck", &["listen"]),
    ("openapi", &["base_url", "network", "pay_to"]),
    ("trust-populations", &["extra_roots"]),
];
/// The last line of the help of a command with settings of its own.
const REST: &str = "All settings of `serve` are taken too: see `touchstone serve --help`.";

/// Hides the settings that a command does not read from its help, and from that of its sub-commands.
pub fn with_own_settings(command: Command) -> Command {
    command.mut_subcommands(|command| match OWN.iter().find(|(name, _)| *name == command.get_name()) {
        Some((_, own)) => showing(command, own),
        None => with_own_settings(command),
    })
}

fn showing(command: Command, own: &[&str]) -> Command {
    let command = command.after_help(REST).mut_args(|argument| {
        let id = argument.get_id().as_str();
        let is_shown =
            argument.get_help_heading() != Some(HEADING) || ALWAYS.contains(&id) || own.contains(&id);
        argument.hide(!is_shown)
    });
    command.mut_subcommands(|command| showing(command, own))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Args as _, CommandFactory as _};

    use super::*;
    use crate::cli::Cli;
    use crate::settings::SettingsArgs;

    fn settings(command: &Command) -> usize {
        command.get_arguments().filter(|argument| argument.get_help_heading() == Some(HEADING)).count()
    }

    fn with_settings(command: &Command, found: &mut BTreeSet<String>) {
        for command in command.get_subcommands() {
            if settings(command) > 0 {
                found.insert(command.get_name().to_owned());
            }
            with_settings(command, found);
        }
    }

    #[test]
    fn every_command_with_settings_says_which_it_reads_and_every_one_of_these_is_a_setting() {
        let mut found = BTreeSet::new();
        with_settings(&Cli::command(), &mut found);
        let named =
            OWN.iter().map(|(name, _)| (*name).to_owned()).chain(["dev".to_owned(), "serve".to_owned()]);
        assert_eq!(found, named.collect());
        let all = SettingsArgs::augment_args(Command::new("settings"));
        for id in OWN.iter().flat_map(|(_, own)| *own).chain(&ALWAYS) {
            assert!(all.get_arguments().any(|argument| argument.get_id() == id), "{id}");
        }
    }
}
