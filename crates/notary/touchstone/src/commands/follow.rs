//! The loop of the commands that follow a log.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use log_follower::{
    Advance, Contradiction, FollowError, Follower, HttpLog, HttpRecords, KeyRecords, LogKeys, LogWithKeys,
    Observer, ObserverError, StateFolder,
};
use receipt::key::LogKey;
use serde_json::Value;
use tlog::{FullTile, RightEdge};

use super::verify::plain;
use crate::error_text;
use crate::progress::Progress;

/// The most requests that are under way at once.
const AT_ONCE: usize = 16;
/// The exit code where nothing can be said of the log, such as without a connection.
pub const CANNOT_SAY: u8 = 2;

/// The log that a command follows, and how.
pub struct Following<'a> {
    pub url: &'a str,
    pub log_keys: &'a LogKeys,
    pub state: &'a Path,
    /// The pause between two looks; `None` for one look alone.
    pub every: Option<Duration>,
    pub is_quiet: bool,
    /// The records of the notary's keys, and where they are had; `None` where no key is checked by them.
    pub keys: Option<(HttpRecords, KeyRecords)>,
}

/// What a look at the log has given.
pub enum Seen<'e> {
    /// The log was verified.
    Log(Advance),
    /// The log is wrong: the error, and the proof where there is one.
    Alarm(&'e FollowError, Option<Proof>),
    /// Nothing can be said.
    Nothing(&'e FollowError),
}

/// The proof of a contradiction.
pub enum Proof {
    /// It is in this file.
    File(PathBuf),
    /// The document, which could not be written into a file.
    Document(String),
}

/// What a command says of a look.
pub struct Said {
    /// The lines for the standard output.
    pub text: String,
    /// True if an entry is wrong.
    pub is_wrong: bool,
}

/// Follows a log. `said` gives what is to be said of each look; it counts as told once it is printed.
pub fn follow<O: Observer>(
    following: &Following<'_>,
    observer: O,
    mut said: impl FnMut(Seen<'_>, &mut O) -> Said,
) -> anyhow::Result<ExitCode> {
    let Following { url, log_keys, state, every, is_quiet, ref keys } = *following;
    let source = HttpLog::new(url, AT_ONCE).with_context(|| format!("the log {url}"))?;
    let folder = StateFolder::open(state)?;
    let observer = Counted { observer, progress: None, is_quiet };
    let mut follower = match keys.clone() {
        Some((records, known)) => {
            let source = LogWithKeys { log: source, source: records, records: known };
            Follower::open(source, log_keys.clone(), folder, AT_ONCE, observer)?
        }
        None => Follower::open(source, log_keys.clone(), folder, AT_ONCE, observer)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        loop {
            let looked = follower.advance().await;
            let counted = follower.observer();
            counted.progress = None;
            let seen = match &looked {
                Ok(advance) => Seen::Log(*advance),
                Err(error) if error.is_alarm() => Seen::Alarm(error, kept(error, state)),
                Err(error) => Seen::Nothing(error),
            };
            let is_alarm = matches!(seen, Seen::Alarm(..));
            let Said { text, is_wrong } = said(seen, &mut counted.observer);
            let printed = print(&text).context("write to the standard output");
            let is_printed = printed.is_ok();
            let told = printed.and_then(|()| Ok(follower.told()?));
            let is_told = told.is_ok();
            if let Err(error) = told {
                eprintln!("touchstone: {}", error_text::once(&error));
            }
            match every {
                _ if is_wrong || is_alarm => return Ok(ExitCode::FAILURE),
                // Nobody hears of what comes.
                _ if !is_printed => return Ok(ExitCode::from(CANNOT_SAY)),
                Some(every) => tokio::time::sleep(every).await,
                None if looked.is_err() || !is_told => return Ok(ExitCode::from(CANNOT_SAY)),
                None => return Ok(ExitCode::SUCCESS),
            }
        }
    })
}

/// Prints lines that begin and end here: an error is no panic.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes the proof of a contradiction into the folder. Where that fails, the document itself is to be printed.
fn kept(error: &FollowError, folder: &Path) -> Option<Proof> {
    let FollowError::Contradiction(shown) = error else { return None };
    let document = Contradiction::to_json(shown);
    let name = hex::encode(&receipt::sha256(document.as_bytes())[..8]);
    let path = folder.join(format!("contradiction-{name}.json"));
    match std::fs::write(&path, &document) {
        Ok(()) => Some(Proof::File(path)),
        Err(error) => {
            eprintln!("touchstone: write {}: {error}", path.display());
            // A part of it would look like a proof that shows nothing.
            let _as_far_as_possible = std::fs::remove_file(&path);
            Some(Proof::Document(document))
        }
    }
}

/// The lines that say an alarm.
pub fn alarm_lines(error: &FollowError, proof: Option<&Proof>) -> String {
    let alarm = format!("ALARM: {}\n", plain(&error.to_string()));
    match proof {
        None => alarm,
        Some(Proof::File(path)) => {
            let path = path.display();
            format!("{alarm}the proof is in {path}: `touchstone monitor --check` checks it\n")
        }
        Some(Proof::Document(document)) => {
            format!(
                "{alarm}the proof, which could not be written; `touchstone monitor --check` checks it:\n{document}"
            )
        }
    }
}

/// An observer whose bundles are counted.
struct Counted<O> {
    observer: O,
    progress: Option<Progress>,
    is_quiet: bool,
}

impl<O: Observer> Observer for Counted<O> {
    fn bundle(
        &mut self,
        index: u64,
        bytes: &[u8],
        entries: &[&[u8]],
        new: usize,
    ) -> Result<(), ObserverError> {
        let is_quiet = self.is_quiet;
        self.progress.get_or_insert_with(|| Progress::new("bundles of entries read", None, is_quiet)).inc();
        self.observer.bundle(index, bytes, entries, new)
    }

    fn full_tile(&mut self, tile: &FullTile) -> Result<(), ObserverError> {
        self.observer.full_tile(tile)
    }

    fn sync(&mut self) -> Result<(), ObserverError> {
        self.observer.sync()
    }

    fn in_signed_tree(&mut self) {
        self.observer.in_signed_tree();
    }

    fn verified(&mut self, note: &str, edge: &RightEdge) -> Result<(), ObserverError> {
        self.observer.verified(note, edge)
    }

    fn log_keys(&self, size: u64) -> Vec<LogKey> {
        self.observer.log_keys(size)
    }

    fn handovers(&self) -> Vec<String> {
        self.observer.handovers()
    }

    fn lacks_records(&self, size: u64) -> bool {
        self.observer.lacks_records(size)
    }

    fn findings(&self) -> Value {
        self.observer.findings()
    }

    fn restore_findings(&mut self, findings: &Value) -> Result<(), ObserverError> {
        self.observer.restore_findings(findings)
    }

    fn state(&self) -> Value {
        self.observer.state()
    }

    fn restore(&mut self, state: &Value) -> Result<(), ObserverError> {
        self.observer.restore(state)
    }
}
