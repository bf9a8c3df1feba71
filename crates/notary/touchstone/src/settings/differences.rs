//! The settings that differ from others, by name: for a reload, which says what it cannot change.

use super::Settings;
use super::shown::SettingDisplay;

impl Settings {
    /// The names of the settings that differ, but for `log` and the tables of routes: these can change while the service
    /// runs.
    pub fn fixed_differences(&self, other: &Self) -> Vec<&'static str> {
        let shown = self.shown().into_iter().zip(other.shown());
        let mut names: Vec<_> = shown
            .filter(|((name, ours), (_, theirs))| *name != "log" && value(ours) != value(theirs))
            .map(|((name, _), _)| name)
            .collect();
        // Their values are not shown.
        let (ours, theirs) = (&self.settlement, &other.settlement);
        names.extend((ours.rpc != theirs.rpc).then_some("rpc"));
        names.extend((ours.facilitator != theirs.facilitator).then_some("facilitator"));
        let (ours, theirs) = (&self.sanctions, &other.sanctions);
        names.extend((ours.source != theirs.source).then_some("lists_source"));
        names.extend((ours.published != theirs.published).then_some("lists"));
        names.extend((ours.chains != theirs.chains).then_some("clearance"));
        names.extend((self.trust != other.trust).then_some("trust"));
        names.extend((self.market != other.market).then_some("market"));
        names.extend((self.feeds != other.feeds).then_some("feeds"));
        names.extend((self.log_signer != other.log_signer).then_some("log_signer"));
        names.extend((self.retention != other.retention).then_some("retention"));
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn value(shown: &SettingDisplay) -> Option<&str> {
    match shown {
        SettingDisplay::Value(value) => Some(value),
        SettingDisplay::NotSet | SettingDisplay::Hidden(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::settings::{Settings, SettingsArgs};

    #[test]
    fn every_changed_setting_is_named_but_those_that_can_be_reloaded() {
        let folder = tempfile::tempdir().unwrap();
        let load = |file: &str| {
            fs::write(folder.path().join("touchstone.toml"), file).unwrap();
            let args = SettingsArgs { data_dir: Some(folder.path().to_owned()), ..SettingsArgs::default() };
            Settings::load(&args).unwrap()
        };
        let before = load("");
        for (file, changed) in [
            ("", &[][..]),
            ("log = \"debug\"\n[routes.claim-verdict]\nrate = 3", &[]),
            ("listen = \"127.0.0.1:1\"\nmetrics = \"127.0.0.1:2\"", &["listen", "metrics"]),
            ("rpc = \"http://127.0.0.1:1\"", &["rpc"]),
            ("facilitator = \"http://127.0.0.1:1\"", &["facilitator"]),
            ("lists_source = \"https://copy.example/\"\n[lists.un]", &["lists", "lists_source"]),
            ("[clearance.base]\nendpoints = \"http://127.0.0.1:1\"", &["clearance"]),
            ("[trust]\nwhois = true", &["trust"]),
            ("[log_signer]\npublic_key = \"a\"\ncommand = [\"b\"]", &["log_signer"]),
            ("[retention]\ndefault_hours = 24", &["retention"]),
            ("[feeds]\nfetch = [\"polkadot\"]", &["feeds"]),
        ] {
            assert_eq!(before.fixed_differences(&load(file)), changed, "{file}");
        }
        let keyed = |key| load(&format!("rpc = \"http://127.0.0.1:1/{key}\""));
        assert_eq!(keyed("a").fixed_differences(&keyed("b")), ["rpc"]);
    }
}
