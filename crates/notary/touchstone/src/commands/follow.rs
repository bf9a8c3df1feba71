//! The loop of the commands that follow a log.

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
    /// The log is wrong: the error, and the file with the proof where there is one.
    Alarm(&'e FollowError, Option<&'e Path>),
    /// Nothing can be said.
    Nothing(&'e FollowError),
}

/// Follows a log. `told` hears of each look, and returns true if something was wrong.
pub fn follow<O: Observer>(
    following: &Following<'_>,
    observer: O,
    mut told: impl FnMut(Seen<'_>, &mut O) -> bool,
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
            let is_wrong = match &looked {
                Ok(advance) => told(Seen::Log(*advance), &mut counted.observer),
                Err(error) if error.is_alarm() => {
                    let proof = written(error, state)?;
                    told(Seen::Alarm(error, proof.as_deref()), &mut counted.observer);
                    true
                }
                Err(error) => told(Seen::Nothing(error), &mut counted.observer),
            };
            match (is_wrong, every) {
                (true, _) => return Ok(ExitCode::FAILURE),
                (false, None) if looked.is_err() => return Ok(ExitCode::from(CANNOT_SAY)),
                (false, None) => return Ok(ExitCode::SUCCESS),
                (false, Some(every)) => tokio::time::sleep(every).await,
            }
        }
    })
}

/// Writes the proof of a contradiction into the folder.
fn written(error: &FollowError, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let FollowError::Contradiction(shown) = error else { return Ok(None) };
    let text = Contradiction::to_json(shown);
    let name = hex::encode(&receipt::sha256(text.as_bytes())[..8]);
    let path = folder.join(format!("contradiction-{name}.json"));
    std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    Ok(Some(path))
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

    fn verified(&mut self, note: &str, edge: &RightEdge) -> Result<(), ObserverError> {
        self.observer.verified(note, edge)
    }

    fn log_keys(&self, size: u64) -> Vec<LogKey> {
        self.observer.log_keys(size)
    }

    fn handovers(&self) -> Vec<String> {
        self.observer.handovers()
    }

    fn state(&self) -> Value {
        self.observer.state()
    }

    fn restore(&mut self, state: &Value) -> Result<(), ObserverError> {
        self.observer.restore(state)
    }
}
