//! Environment variables that look like settings, and are none.

use std::collections::BTreeSet;

use clap::Command;

/// The beginning of the name of every setting in the environment.
const PREFIX: &str = "TOUCHSTONE_";
/// The most letters by which a mistyped name differs from the one that was meant.
const MOST_EDITS: usize = 2;

/// A warning for each of the variables that begins like a setting and is none. It is no error: a container's host may
/// set such names by itself, as Kubernetes does for a service that is called `touchstone`.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    variables(&super::command(), &mut known);
    if cfg!(debug_assertions) {
        known.insert("TOUCHSTONE_FAULT".to_owned());
    }
    let mut unknown: Vec<_> =
        names.filter(|name| name.starts_with(PREFIX) && !known.contains(name)).collect();
    unknown.sort_unstable();
    let told = |name: String| {
        let edits = known.iter().map(|known| (strsim::osa_distance(known, &name), known));
        match edits.min().filter(|(edits, _)| *edits <= MOST_EDITS) {
            Some((_, meant)) => format!("{name} is no setting: did you mean {meant}?"),
            None => format!("{name} is no setting, and does nothing"),
        }
    };
    unknown.into_iter().map(told).collect()
}

/// The variables that a command and its sub-commands read.
fn variables(command: &Command, known: &mut BTreeSet<String>) {
    let named = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
    known.extend(named.map(str::to_owned));
    command.get_subcommands().for_each(|command| variables(command, known));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_variable_is_told_the_one_that_was_meant() {
        let names = [
            "TOUCHSTONE_LISEN",
            "TOUCHSTONE_PORT_8402_TCP",
            "PATH",
            "TOUCHSTONE_LISTEN",
            "TOUCHSTONE_SERVER",
        ];
        let said = unknown_variables(names.into_iter().map(str::to_owned));
        assert_eq!(
            said,
            [
                "TOUCHSTONE_LISEN is no setting: did you mean TOUCHSTONE_LISTEN?",
                "TOUCHSTONE_PORT_8402_TCP is no setting, and does nothing",
            ]
        );
    }
}
