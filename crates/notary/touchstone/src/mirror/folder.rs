//! A shared folder: a round takes over what others have changed, and then gives what has changed here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ledger::{Ledger, MAX_SHARED_FILES_READ, SharedContent, SharedFile};
use module::{FileMark, FileMarks};
use receipt::hash::sha256;
use verdict::Clock;

use super::MirrorError;
use super::kind::{self, FileKind, MAX_CHANGING};
use super::transfer;

/// The name of a file while it is written.
const BESIDE: &str = ".shared-download";

/// A file as the store has it.
struct Known {
    version: u64,
    /// The SHA-256; `None` where the file was removed.
    sha256: Option<[u8; 32]>,
}

/// A folder that all processes of the store have in common.
pub(super) struct SharedFolder {
    /// The name in the store.
    name: &'static str,
    path: PathBuf,
    kind_of: fn(&str) -> Option<FileKind>,
    /// The name of the file that is locked while files that change are written, where there is one.
    lock: Option<&'static str>,
    /// The version up to which changes of others were taken over.
    seen: u64,
    known: BTreeMap<String, Known>,
    /// The files that were not here any more in the last round, with their versions.
    gone: BTreeMap<String, u64>,
    /// The files that change, as they were last in common.
    marks: FileMarks,
}

impl SharedFolder {
    /// The sanctions lists in a data folder.
    pub(super) fn lists(data_dir: &Path) -> Self {
        Self::at(sanctions::live::FOLDER, sanctions::module::folder(data_dir), kind::of_lists, Some("lock"))
    }

    /// The fetched feeds in a data folder.
    pub(super) fn feeds(data_dir: &Path) -> Self {
        Self::at(threat_feeds::FOLDER, data_dir.join(threat_feeds::FOLDER), kind::of_feeds, None)
    }

    fn at(
        name: &'static str,
        path: PathBuf,
        kind_of: fn(&str) -> Option<FileKind>,
        lock: Option<&'static str>,
    ) -> Self {
        let marks = FileMarks::read(&path);
        Self { name, path, kind_of, lock, seen: 0, known: BTreeMap::new(), gone: BTreeMap::new(), marks }
    }

    /// Takes over what others have changed, and gives what has changed here.
    pub(super) async fn round(&mut self, ledger: &dyn Ledger, clock: &dyn Clock) -> Result<(), MirrorError> {
        fs::create_dir_all(&self.path).map_err(|source| self.io("", source))?;
        loop {
            let files = ledger.files_since(self.name, self.seen, MAX_SHARED_FILES_READ).await?;
            if files.is_empty() {
                break;
            }
            for file in files {
                let version = file.version;
                self.take_over(ledger, file).await?;
                self.seen = version;
            }
        }
        self.give(ledger, clock).await
    }

    fn io(&self, path: &str, source: io::Error) -> MirrorError {
        MirrorError::Io { path: self.path.join(path).display().to_string(), source }
    }

    /// Takes a change of the store over.
    async fn take_over(&mut self, ledger: &dyn Ledger, file: SharedFile) -> Result<(), MirrorError> {
        let SharedFile { path, version, content } = file;
        let Some(kind) = (self.kind_of)(&path) else { return Ok(()) };
        let sha256 = content.as_ref().map(|content| content.sha256);
        if self.known.get(&path).is_none_or(|known| known.version != version) {
            match (content, kind) {
                (Some(content), FileKind::Changing) => {
                    self.take_over_changing(ledger, &path, version, &content).await?;
                }
                (Some(content), FileKind::Kept | FileKind::Replaced) => {
                    self.take_over_new(ledger, &path, &content).await?;
                }
                (None, FileKind::Replaced) => match fs::remove_file(self.path.join(&path)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(self.io(&path, error));
                    }
                    _ => {}
                },
                // Nobody removes these.
                (None, FileKind::Kept | FileKind::Changing) => {}
            }
        }
        self.known.insert(path, Known { version, sha256 });
        Ok(())
    }

    /// Takes a file over that never changes, unless it is here with all its bytes.
    async fn take_over_new(
        &self,
        ledger: &dyn Ledger,
        path: &str,
        content: &SharedContent,
    ) -> Result<(), MirrorError> {
        let target = self.path.join(path);
        if fs::metadata(&target).is_ok_and(|here| here.is_file() && here.len() == content.length) {
            return Ok(());
        }
        let beside = self.path.join(BESIDE);
        let written = File::create(&beside).map_err(|source| self.io(path, source))?;
        transfer::download(ledger, path, content, &written).await?;
        blocking(move || transfer::place(&written, &beside, &target))
            .await?
            .map_err(|source| self.io(path, source))
    }

    /// Takes a file over that changes. One that was changed here since it was last in common is left, to be given to the
    /// others, if the store has it as it was then.
    async fn take_over_changing(
        &mut self,
        ledger: &dyn Ledger,
        path: &str,
        version: u64,
        content: &SharedContent,
    ) -> Result<(), MirrorError> {
        if content.length > MAX_CHANGING {
            return Err(MirrorError::TooLarge(path.to_owned()));
        }
        let mut bytes = Vec::new();
        transfer::download(ledger, path, content, &mut bytes).await?;
        let before = self.marks.get(path).cloned();
        let (target, beside) = (self.path.join(path), self.path.join(BESIDE));
        let (lock, hash, name) =
            (self.lock.map(|lock| self.path.join(lock)), content.sha256, path.to_owned());
        let replaced = blocking(move || {
            let _lock = lock.map(|lock| locked(&lock)).transpose()?;
            let here = read(&target)?.map(|bytes| sha256(&bytes));
            let is_changed = here.is_some_and(|here| {
                here != hash && before.as_ref().is_some_and(|before| before.sha256 != hex::encode(here))
            });
            if is_changed && before.is_some_and(|before| before.version == version) {
                return Ok(false);
            }
            if is_changed {
                tracing::warn!(
                    file = name,
                    "a file was changed here and by another replica, whose change was first and holds"
                );
            }
            if here != Some(hash) {
                fs::write(&beside, &bytes)?;
                transfer::place(&File::open(&beside)?, &beside, &target)?;
            }
            Ok(true)
        });
        if replaced.await?.map_err(|source| self.io(path, source))? {
            self.mark(path, version, &content.sha256)?;
        }
        Ok(())
    }

    fn mark(&mut self, path: &str, version: u64, sha256: &[u8; 32]) -> Result<(), MirrorError> {
        let mark = FileMark { version, sha256: hex::encode(sha256) };
        let marked = self.marks.set(&self.path, path, Some(mark));
        marked.map_err(|source| self.io(path, source))
    }

    /// Gives what has changed here: what is named before what names it, and what is not here any more last.
    async fn give(&mut self, ledger: &dyn Ledger, clock: &dyn Clock) -> Result<(), MirrorError> {
        let (folder, kind_of) = (self.path.clone(), self.kind_of);
        let scanned = blocking(move || Scan::of(&folder, kind_of)).await?;
        let Scan { changing, others } = scanned.map_err(|source| self.io("", source))?;
        for path in &others {
            if self.known.get(path).is_none_or(|known| known.sha256.is_none()) {
                self.give_new(ledger, clock, path).await?;
            }
        }
        for (path, bytes) in &changing {
            self.give_changing(ledger, clock, path, bytes).await?;
        }
        self.remove_gone(ledger, clock, &others).await
    }

    /// Removes files from the store that are not here any more. What names them was read before it was seen that they are
    /// gone, and may name them: so they are removed in the next round.
    async fn remove_gone(
        &mut self,
        ledger: &dyn Ledger,
        clock: &dyn Clock,
        here: &BTreeSet<String>,
    ) -> Result<(), MirrorError> {
        let is_gone = |path: &String, known: &Known| {
            let is_replaced = (self.kind_of)(path) == Some(FileKind::Replaced);
            is_replaced && known.sha256.is_some() && !here.contains(path)
        };
        let gone = self.known.iter().filter(|(path, known)| is_gone(path, known));
        let gone: BTreeMap<String, u64> = gone.map(|(path, known)| (path.clone(), known.version)).collect();
        for (path, version) in
            gone.iter().filter(|(path, _)| self.gone.contains_key(*path)).collect::<Vec<_>>()
        {
            self.put(ledger, clock, path, *version, None).await?;
        }
        self.gone = gone;
        Ok(())
    }

    async fn give_new(
        &mut self,
        ledger: &dyn Ledger,
        clock: &dyn Clock,
        path: &str,
    ) -> Result<(), MirrorError> {
        let file = match File::open(self.path.join(path)) {
            // It was removed since the folder was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file.map_err(|source| self.io(path, source))?,
        };
        let content = transfer::upload(ledger, clock, path, file).await?;
        let replaces = self.known.get(path).map_or(0, |known| known.version);
        self.put(ledger, clock, path, replaces, Some(content)).await.map(drop)
    }

    async fn give_changing(
        &mut self,
        ledger: &dyn Ledger,
        clock: &dyn Clock,
        path: &str,
        bytes: &[u8],
    ) -> Result<(), MirrorError> {
        let hash = sha256(bytes);
        let replaces = match self.known.get(path) {
            Some(Known { version, sha256: Some(known) }) if *known == hash => {
                let version = *version;
                return self.mark(path, version, &hash);
            }
            Some(known) => known.version,
            None => 0,
        };
        let content = transfer::upload(ledger, clock, path, bytes).await?;
        if let Some(version) = self.put(ledger, clock, path, replaces, Some(content)).await? {
            self.mark(path, version, &hash)?;
        }
        Ok(())
    }

    /// Changes a file in the store, unless another process has changed it first: the next round takes that over.
    async fn put(
        &mut self,
        ledger: &dyn Ledger,
        clock: &dyn Clock,
        path: &str,
        replaces: u64,
        content: Option<SharedContent>,
    ) -> Result<Option<u64>, MirrorError> {
        let sha256 = content.as_ref().map(|content| content.sha256);
        let version = ledger.put_file(self.name, path, replaces, content, clock.now()).await?;
        if let Some(version) = version {
            self.known.insert(path.to_owned(), Known { version, sha256 });
        }
        Ok(version)
    }
}

/// Runs work on the disk on a thread for such work.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, MirrorError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| MirrorError::BrokenOff)
}

/// Takes the lock under which a folder's files that change are written.
fn locked(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).append(true).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Reads a file that changes; `None` where there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(metadata) if metadata.len() > MAX_CHANGING => Err(io::ErrorKind::FileTooLarge.into()),
        _ => fs::read(path).map(Some),
    }
}

/// The files of a folder that are in common.
struct Scan {
    /// Those that change, with their bytes. They are read first: all that they name is there before them.
    changing: Vec<(String, Vec<u8>)>,
    /// All others.
    others: BTreeSet<String>,
}

impl Scan {
    fn of(folder: &Path, kind_of: fn(&str) -> Option<FileKind>) -> io::Result<Self> {
        let mut changing = Vec::new();
        for (name, _) in entries(folder, "")? {
            if kind_of(&name) == Some(FileKind::Changing)
                && let Some(bytes) = read(&folder.join(&name))?
            {
                changing.push((name, bytes));
            }
        }
        let (mut others, mut folders) = (BTreeSet::new(), vec![String::new()]);
        while let Some(within) = folders.pop() {
            for (path, is_folder) in entries(folder, &within)? {
                // The deepest are `snapshots/ID/record.json`.
                if is_folder && path.split('/').count() < 3 {
                    folders.push(path);
                } else if matches!(kind_of(&path), Some(FileKind::Kept | FileKind::Replaced)) {
                    others.insert(path);
                }
            }
        }
        Ok(Self { changing, others })
    }
}

/// The paths of what is in a folder within a folder, and whether each is a folder. Hidden ones are left out: they are being
/// written.
fn entries(folder: &Path, within: &str) -> io::Result<Vec<(String, bool)>> {
    let read = match fs::read_dir(folder.join(within)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let mut found = Vec::new();
    for entry in read {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') {
            continue;
        }
        let path = if within.is_empty() { name } else { format!("{within}/{name}") };
        found.push((path, entry.file_type()?.is_dir()));
    }
    Ok(found)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
