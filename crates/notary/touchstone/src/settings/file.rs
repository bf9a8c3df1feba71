//! The configuration file: how it is read, and the commented one that the first run writes.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;
use clap::Args as _;

use super::Settings;
use super::flags::SettingsArgs;
use super::shown::SettingDisplay;

/// The commented configuration file, made from the flags and from these defaults.
pub(super) fn template(defaults: &Settings) -> String {
    let defaults: BTreeMap<_, _> = defaults.shown().into_iter().collect();
    let command = SettingsArgs::augment_args(clap::Command::new("settings"));
    let mut text = String::from(
        "# Touchstone's configuration. A flag stands above the environment, that above this file.\n\
         # Take the # away from a line to change it.\n",
    );
    for argument in command
        .get_arguments()
        .filter(|argument| !matches!(argument.get_id().as_str(), "config" | "data_dir"))
    {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let env = argument.get_env().map(|env| env.to_string_lossy().into_owned()).unwrap_or_default();
        let long = argument.get_long().unwrap_or_default();
        let id = argument.get_id().as_str();
        // A setting without a default is a text.
        let value = match defaults.get(id) {
            Some(SettingDisplay::Value(value)) => value,
            Some(SettingDisplay::NotSet | SettingDisplay::Hidden(_)) | None => "\"\"",
        };
        text.push_str(&format!("\n# {help}\n# --{long}, {env}\n#{id} = {value}\n"));
    }
    text.push_str(
        "\n# Prices in US dollars, free calls a UTC day and calls a minute of any route, as /catalog names it.\n\
         #[routes.claim-verdict]\n#price = \"0.05\"\n#free = 3\n#rate = 10\n",
    );
    text.push_str(
        "\n# Lists that are fetched besides OFAC's, a table for each: un, eu, uk, seco, csl. `source` is the folder of a copy of\n\
         # yours (default: the publisher's). Every list that is live is asked, and one that is old answers no NO_MATCH.\n\
         #[lists.un]\n#[lists.eu]\n#[lists.uk]\n#[lists.seco]\n#[lists.csl]\n#source = \"https://copy.example.com/csl/\"\n",
    );
    text.push_str(
        "\n# Nodes that /agent-clearance looks at wallets by, a table for each chain: JSON-RPC addresses with commas between,\n\
         # best of three or more operators. `quorum` of them must agree (default: more than half; never fewer). A chain\n\
         # whose name is not known needs its `chain_id`; `networks` are private ones that the names may lead into.\n\
         #[clearance.ethereum]\n#endpoints = \"https://one.example.com/key,https://two.example.com,http://127.0.0.1:8545\"\n\
         #quorum = 2\n#chain_id = 1\n#networks = \"\"\n",
    );
    text.push_str(
        "\n# What /trust-score looks with. `name_servers` resolve recursively (default: the system's), with commas between;\n\
         # `validating_resolver` is one of yours whose word on DNSSEC counts; the files stand in place of the lists that are\n\
         # compiled in (public suffixes) and fetched every day (IANA's dns.json of RDAP services).\n\
         #[trust]\n#name_servers = \"192.0.2.53, [2001:db8::53]:53\"\n#validating_resolver = \"127.0.0.1:53\"\n\
         #public_suffix_list = \"public_suffix_list.dat\"\n#rdap_bootstrap = \"dns.json\"\n\
         # Signs of continuity, of which TRUSTED needs two: a popularity list (CSV of ranks and names), a search service of\n\
         # certificate transparency, and WHOIS for the age where a top-level domain has no RDAP.\n\
         #popularity_list = \"tranco.csv\"\n#certificates = \"https://crt.sh/?q={domain}&output=json\"\n#whois = true\n\
         # Chromium's list of hosts that browsers know to use HTTPS; without it `hsts_preload` is unknown at best.\n\
         #hsts_preload_list = \"transport_security_state_static.json\"\n",
    );
    text.push_str(
        "\n# Feeds of known bad names and addresses, which /trust-score, /scan-url and /scan-text look at: names, hosts files,\n\
         # addresses, URLhaus CSV, rules of ad blockers, JSON, JSON Lines. Without a fresh feed no domain is TRUSTED.\n\
         # `fetch` names feeds that are downloaded; those here may be used in a paid service. docs/operations.md has more, with\n\
         # their terms. `files` are copies that you update. `shared_hosts` names hosts that are never blocked whole, one a line.\n\
         #[feeds]\n#fetch = [\"phishing-database\", \"phishunt\", \"polkadot\"]\n\
         #files = [\"phishing.txt\", { path = \"urlhaus.csv\", stale_after_hours = 6 }]\n\
         #shared_hosts = \"shared_hosts.txt\"\n",
    );
    text.push_str(
        "\n# Where the log's key is, if it is not log.pem in keys_dir: behind a command, which gets the message on its standard\n\
         # input and answers with the signature; or in a PKCS#11 token. `public_key` is a PEM file. docs/keys.md has more.\n\
         #[log_signer]\n#public_key = \"log.pub.pem\"\n#command = [\"/usr/local/bin/sign-log\"]\n\
         #module = \"/usr/lib/softhsm/libsofthsm2.so\"\n#token = \"notary\"\n#key = \"log\"\n#pin_file = \"pin\"\n#limit_s = 5\n",
    );
    text.push_str(
        "\n# How long data is kept beside the receipts and the log, which stay: requests and evidence in hours past the last\n\
         # possible dispute, or past the signing where there is none, by class where it differs; wishes for trials, what became\n\
         # of webhooks, and memories of domains in days. docs/retention.md has more.\n\
         #[retention]\n#default_hours = 72\n#trials_days = 90\n#webhooks_days = 30\n#memories_days = 730\n\
         #[retention.class]\n#commit = 720\n",
    );
    text
}

/// Reads it, where there is one.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<SettingsArgs>> {
    match std::fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map(Some).map_err(|error| {
            // The error's own text quotes the line, which may have a key.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            anyhow::anyhow!("{}, line {line}: {}", path.display(), error.message())
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

/// Writes a file that only its owner may read, where there is none.
pub(super) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
