//! The state that the attackers of one attack share: the notary under attack, the answers that they got, and the
//! notes for the report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use tempfile::TempDir;

use super::wallets::{self, Prices};
use crate::measure::Bench;
use crate::process::{Server, touchstone};

/// `TOUCHSTONE_FREE_PER_NETWORK` of the notaries: the default of `serve`, which `dev` does not have.
pub const FREE_PER_NETWORK: u64 = 10;

/// The file name of the notary's log.
const LOG: &str = "notary.log";

/// The most kinds of calls that are told apart in a table.
const MOST_CALLS_APART: usize = 8;

/// A notary under attack, in a folder of its own.
pub struct Notary {
    /// The process.
    pub server: Server,
    folder: TempDir,
    /// Name servers that never answer: looks at domains go to them alone.
    _deaf: UdpSocket,
}

impl Notary {
    /// Starts it with limits on, and with the caps of production where development has none.
    pub fn start(bench: &Bench) -> anyhow::Result<Self> {
        let folder = bench.scratch()?;
        wallets::fund(folder.path())?;
        let deaf = UdpSocket::bind("127.0.0.1:0")?;
        let bootstrap = folder.path().join("bootstrap.json");
        let registry = peers::lab::rdap::bootstrap(&["test"], "https://127.0.0.2:1/");
        std::fs::write(&bootstrap, registry.to_string())?;
        let config = folder.path().join("touchstone.toml");
        let deaf_address = deaf.local_addr()?;
        std::fs::write(
            &config,
            format!("[trust]\nname_servers = \"{deaf_address}\"\nrdap_bootstrap = {bootstrap:?}\n"),
        )?;
        let mut command = touchstone(&bench.touchstone, folder.path());
        command
            .args(["dev", "--listen", "127.0.0.1:0"])
            .env("TOUCHSTONE_CONFIG", config)
            .env("TOUCHSTONE_LIMITS", "on")
            .env("TOUCHSTONE_FREE_PER_NETWORK", FREE_PER_NETWORK.to_string())
            .stderr(File::create(folder.path().join(LOG))?);
        let server = Server::start(&mut command).context("start a notary with limits")?;
        Ok(Self { server, folder, _deaf: deaf })
    }

    /// The notary's data folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The lines of its log that tell of a panic, and why.
    pub fn panics(&self) -> anyhow::Result<Vec<String>> {
        let log = std::fs::read(self.folder().join(LOG)).context("read the notary's log")?;
        let log = String::from_utf8_lossy(&log);
        Ok(log.lines().filter(|line| line.contains("panicked")).map(str::to_owned).collect())
    }
}

/// One attack.
pub struct Scene {
    /// Whom it is on.
    pub address: SocketAddr,
    /// The notary's process.
    pub process: u32,
    /// The notary's data folder.
    pub folder: PathBuf,
    /// The prices of paid routes.
    pub prices: Prices,
    /// The part of its full strength that each attack has: less where all come at once.
    pub strength: f64,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    answers: BTreeMap<(&'static str, String), u64>,
    notes: Vec<String>,
    missed: Vec<String>,
}

impl Scene {
    /// Nothing has happened yet.
    pub fn new(notary: &Notary, prices: Prices, strength: f64) -> Self {
        Self {
            address: notary.server.address,
            process: notary.server.id(),
            folder: notary.folder().to_owned(),
            prices,
            strength,
            told: Mutex::default(),
        }
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what an attacker got for one of its calls.
    pub fn count(&self, call: &'static str, got: impl ToString) {
        *self.told().answers.entry((call, got.to_string())).or_default() += 1;
    }

    /// Returns the number of calls of that kind that got this answer.
    pub fn counted(&self, call: &'static str, got: &str) -> u64 {
        self.told().answers.get(&(call, got.to_owned())).copied().unwrap_or_default()
    }

    /// Something else to tell.
    pub fn note(&self, note: impl Into<String>) {
        self.told().notes.push(note.into());
    }

    /// A goal that was missed, whatever the honest client saw.
    pub fn miss(&self, goal: impl Into<String>) {
        self.told().missed.push(goal.into());
    }

    /// The goals that were missed.
    pub fn missed(&self) -> Vec<String> {
        self.told().missed.clone()
    }

    /// Summarizes the answers that the attackers got for a cell of a table; with many kinds of calls, not each kind
    /// apart.
    pub fn short_summary(&self) -> String {
        let mut in_all = BTreeMap::<String, u64>::new();
        let mut calls = BTreeSet::new();
        for ((call, got), count) in &self.told().answers {
            calls.insert(*call);
            *in_all.entry(got.clone()).or_default() += count;
        }
        if calls.len() <= MOST_CALLS_APART {
            return self.summary();
        }
        let words: Vec<String> = in_all.iter().map(|(got, count)| format!("{got} ×{count}")).collect();
        format!("{} kinds of calls: {}", calls.len(), words.join(", "))
    }

    /// Describes the answers that the attackers got, in words.
    pub fn summary(&self) -> String {
        let told = self.told();
        let mut summary = String::new();
        let mut last = "";
        for ((call, got), count) in &told.answers {
            if *call == last {
                let _ = write!(summary, ", {got} ×{count}");
            } else {
                let separator = if last.is_empty() { "" } else { "; " };
                let _ = write!(summary, "{separator}{call}: {got} ×{count}");
                last = call;
            }
        }
        for note in &told.notes {
            let separator = if summary.is_empty() { "" } else { "; " };
            let _ = write!(summary, "{separator}{note}");
        }
        summary
    }

    /// A number of attackers or connections at this attack's strength, at least one.
    pub fn scaled(&self, number: u16) -> u16 {
        ((f64::from(number) * self.strength).round() as u16).max(1)
    }
}

/// An attacker's address: each in a /24 of its own, and no group shares one with another or with the honest client,
/// whose addresses begin with 127.99 and above.
pub fn attacker(group: u8, number: u16) -> Ipv4Addr {
    let beside = u8::try_from(number / 250).expect("a group has a few hundred attackers");
    Ipv4Addr::new(127, 10 + group + beside, 1 + (number % 250) as u8, 1)
}

/// The bytes that a folder takes on the disk, without the write-ahead log: that is written over and over.
pub fn disk_bytes(folder: &Path) -> anyhow::Result<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with("-wal") {
            continue;
        }
        // A file may go while the folder is read.
        let Ok(metadata) = entry.metadata() else { continue };
        bytes += if metadata.is_dir() { disk_bytes(&entry.path())? } else { metadata.blocks() * 512 };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attackers_have_networks_of_their_own() {
        let addresses = [attacker(0, 0), attacker(0, 249), attacker(0, 250), attacker(9, 3)];
        assert_eq!(
            addresses.map(|address| address.to_string()),
            ["127.10.1.1", "127.10.250.1", "127.11.1.1", "127.19.4.1"]
        );
    }

    #[test]
    fn a_folder_takes_what_its_files_take() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), vec![1; 100_000]).unwrap();
        assert!((100_000..200_000).contains(&disk_bytes(folder.path()).unwrap()));
    }
}
