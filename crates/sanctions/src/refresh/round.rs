//! One look at the publisher.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fetch::{Source, Validators};
use receipt::time::Timestamp;
use tempfile::TempDir;

use super::error::RefreshError;
use super::published::Published;
use super::seen::Seen;
use crate::lists::{Form, Parsed, Publication};
use crate::model::Bounds;
use crate::snapshot::durable::sweep;
use crate::snapshot::{Admitted, SnapshotId, Standing, Store, StoreError};

/// The status of a file that is the version which is known.
const NOT_MODIFIED: u16 = 304;
const OK: u16 = 200;

/// A look at one list of a publisher, from a store's folder.
#[derive(Clone, Debug)]
pub struct Round {
    store: Store,
    folder: PathBuf,
    source: Source,
    published: Published,
}

/// What a round ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// The snapshot of what is published now.
    pub id: SnapshotId,
    /// How it stands: confirmed, live since this round, held, or older than what is live.
    pub standing: Standing,
    /// The list, where it was fetched and read.
    pub entries: Option<u64>,
}

/// What a round begins with.
struct Start {
    /// Held until the round ends.
    _alone: File,
    seen: Option<Seen>,
    /// Where its files go.
    folder: TempDir,
}

/// A file that was asked for.
enum Got {
    /// It is the version that was read last.
    Known,
    /// It lies in the round's folder.
    File(Validators),
}

impl Round {
    /// A look for `published` at the source, on behalf of the store in a folder, which is made where it is not there.
    pub fn new(folder: impl Into<PathBuf>, source: Source, published: Published) -> Self {
        let folder = folder.into();
        Self { store: Store::at(&folder), folder, source, published }
    }

    /// What is looked for.
    pub fn published(&self) -> Published {
        self.published
    }

    /// Looks, at this time: what is found to be current is confirmed as of then.
    ///
    /// # Errors
    /// [`RefreshError`]. Then everything is as it was.
    pub async fn look(&self, at: Timestamp) -> Result<RoundEnd, RefreshError> {
        let Start { _alone, seen, folder } = self.aside(Self::start).await?;
        let mut validators = BTreeMap::new();
        let mut known = Vec::new();
        for (file, _) in self.published.files() {
            let conditions = seen.as_ref().map(|seen| seen.validators(file)).unwrap_or_default();
            match self.get(file, &conditions, folder.path()).await? {
                Got::Known => known.push(file),
                Got::File(of_it) => drop(validators.insert(file.to_owned(), of_it.into())),
            }
        }
        if let Some(seen) = seen.filter(|_| validators.is_empty()) {
            return self.aside(move |round| round.still(&seen, at)).await;
        }
        // The forms of one publication are read together: what was known of it is needed again.
        for file in known {
            match self.get(file, &Validators::default(), folder.path()).await? {
                Got::Known => return Err(RefreshError::Status { file, status: NOT_MODIFIED }),
                Got::File(of_it) => drop(validators.insert(file.to_owned(), of_it.into())),
            }
        }
        let end = self.read(folder, at).await?;
        let seen = Seen { source: self.source.origin(), snapshot: end.id, files: validators };
        self.aside(move |round| Ok(seen.write(&round.note())?)).await?;
        Ok(end)
    }

    /// Does what waits for a lock or the disk, on a thread where nobody waits for anything else.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, RefreshError> + Send + 'static,
    ) -> Result<T, RefreshError> {
        let round = self.clone();
        tokio::task::spawn_blocking(move || work(&round)).await.unwrap_or(Err(RefreshError::BrokenOff))
    }

    fn start(&self) -> Result<Start, RefreshError> {
        Store::open(&self.folder)?;
        let alone = self.alone()?;
        sweep(&self.folder, &self.note_name());
        Ok(Start { _alone: alone, seen: self.seen(), folder: self.room()? })
    }

    /// Nothing was published since: the live snapshot is confirmed, unless another is live than what is published.
    fn still(&self, seen: &Seen, at: Timestamp) -> Result<RoundEnd, RefreshError> {
        let (list, id) = (self.published.list(), seen.snapshot);
        let standing = match self.store.confirm(&list, &id, at) {
            Ok(()) => Standing::Confirmed,
            Err(StoreError::NotLive(_)) => {
                let doubts = self.store.record(&id)?.doubts;
                if doubts.is_empty() { Standing::Older } else { Standing::Held(doubts) }
            }
            Err(error) => return Err(error.into()),
        };
        Ok(RoundEnd { id, standing, entries: None })
    }

    async fn get(&self, file: &'static str, known: &Validators, folder: &Path) -> Result<Got, RefreshError> {
        let mut sink = tokio::fs::File::create_new(folder.join(file)).await?;
        let fetched = self.source.download(file, known, &mut sink).await;
        let fetched = fetched.map_err(|source| RefreshError::Fetch { file, source })?;
        match fetched.status {
            OK => Ok(Got::File(fetched.validators)),
            NOT_MODIFIED if *known != Validators::default() => {
                tokio::fs::remove_file(folder.join(file)).await?;
                Ok(Got::Known)
            }
            status => Err(RefreshError::Status { file, status }),
        }
    }

    /// Reads what was fetched, and lets the store decide: seconds of one core, on a thread of its own.
    async fn read(&self, folder: TempDir, at: Timestamp) -> Result<RoundEnd, RefreshError> {
        self.aside(move |round| {
            let parsed = round.parsed(folder.path())?;
            let Admitted { id, standing } = round.store.admit(&parsed, &round.source.origin(), at)?;
            Ok(RoundEnd { id, standing, entries: Some(parsed.list.entries.len() as u64) })
        })
        .await
    }

    fn parsed(&self, folder: &Path) -> Result<Parsed, RefreshError> {
        let files = self.published.files();
        let paths: Vec<PathBuf> = files.iter().map(|(file, _)| folder.join(file)).collect();
        let import = Publication::open(&paths, Bounds::default())?.read(None)?;
        let forms = |parsed: &Parsed| parsed.files.iter().map(|file| file.form).collect::<Vec<_>>();
        match <[Parsed; 1]>::try_from(import.lists) {
            Ok([parsed])
                if parsed.list.name == self.published.list()
                    && forms(&parsed) == [Form::AdvancedXml, Form::SdnXml] =>
            {
                Ok(parsed)
            }
            _ => Err(RefreshError::AnotherList(self.published.key())),
        }
    }

    /// What was read last, where it is still here as it was and is of this source. What is damaged is fetched again, which
    /// heals it.
    fn seen(&self) -> Option<Seen> {
        let seen = Seen::read(&self.note())?;
        (seen.source == self.source.origin() && self.is_kept(&seen.snapshot)).then_some(seen)
    }

    fn note(&self) -> PathBuf {
        self.folder.join(self.note_name())
    }

    fn note_name(&self) -> String {
        format!("fetched-{}.json", self.published.key())
    }

    fn is_kept(&self, id: &SnapshotId) -> bool {
        self.store.record(id).is_ok() && self.store.load(id).is_ok()
    }

    /// Held for as long as the round, by one process at a time.
    fn alone(&self) -> Result<File, RefreshError> {
        let path = self.folder.join(format!("fetch-{}.lock", self.published.key()));
        let file = File::options().create(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(RefreshError::UnderWay),
            Err(fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// A folder for the files. What a round that was killed has left is taken away first.
    fn room(&self) -> io::Result<TempDir> {
        let prefix = format!(".fetch-{}-", self.published.key());
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.folder)
    }
}
