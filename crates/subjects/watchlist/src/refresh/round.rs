//! One look at the publisher.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fetch::{Source, Validators};
use receipt::time::Timestamp;
use tempfile::TempDir;

use super::changes::{Changes, Latest};
use super::error::RefreshError;
use super::published::Published;
use super::seen::{Seen, SeenFile};
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
    /// Where the publisher says what it published last, if anywhere.
    changes: Option<Source>,
    published: Published,
}

/// What a round ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// The snapshot of what is published now.
    pub id: SnapshotId,
    /// How it stands: confirmed, live since this round, held, older than what is live, or of a list that was taken out.
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
    /// `changes` is the folder of the publisher's changes, where it is known.
    pub fn new(
        folder: impl Into<PathBuf>,
        source: Source,
        changes: Option<Source>,
        published: Published,
    ) -> Self {
        let folder = folder.into();
        Self { store: Store::at(&folder), folder, source, changes, published }
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
        let latest = self.latest(seen.as_ref()).await;
        if let (Some(seen), Some(latest)) = (&seen, &latest)
            && seen.changes.as_ref().is_some_and(|then| then.show(latest, seen.published.as_deref(), at))
        {
            let seen = seen.clone();
            return self.aside(move |round| round.still(&seen, at)).await;
        }
        let mut files = BTreeMap::new();
        let mut known = Vec::new();
        for (file, _) in self.published.files() {
            let conditions = seen.as_ref().map(|seen| seen.validators(file)).unwrap_or_default();
            match self.get(file, &conditions, folder.path()).await? {
                Got::Known => known.push(file),
                Got::File(of_it) => drop(files.insert(file.to_owned(), of_it.into())),
            }
        }
        if let (Some(seen), true) = (&seen, files.is_empty()) {
            let seen = seen.clone();
            return self.aside(move |round| round.heeded(seen).and_then(|seen| round.still(&seen, at))).await;
        }
        // The forms of one publication are read together: what was known of it is needed again.
        for file in known {
            match self.get(file, &Validators::default(), folder.path()).await? {
                Got::Known => return Err(RefreshError::Status { file, status: NOT_MODIFIED }),
                Got::File(of_it) => drop(files.insert(file.to_owned(), of_it.into())),
            }
        }
        let end = self.read(folder, at).await?;
        let changes = latest
            .map(|latest| Changes::noted(seen.as_ref().and_then(|seen| seen.changes.as_ref()), latest, at));
        let unheeded = seen.is_some_and(|seen| seen.snapshot == end.id) || !Seen::has_validators(&files);
        let told = end.clone();
        self.aside(move |round| round.remember(told, files, unheeded, changes)).await?;
        Ok(end)
    }

    /// Asking for what is newer was answered.
    fn heeded(&self, seen: Seen) -> Result<Seen, RefreshError> {
        if !seen.unheeded {
            return Ok(seen);
        }
        let seen = Seen { unheeded: false, changes: None, ..seen };
        seen.write(&self.note())?;
        Ok(seen)
    }

    /// What was published last, where the exports do not say whether anything was.
    async fn latest(&self, seen: Option<&Seen>) -> Option<Latest> {
        let changes = self.changes.as_ref().filter(|_| seen.is_some_and(|seen| seen.unheeded))?;
        Latest::ask(changes).await
    }

    fn remember(
        &self,
        RoundEnd { id, standing, .. }: RoundEnd,
        files: BTreeMap<String, SeenFile>,
        unheeded: bool,
        changes: Option<Changes>,
    ) -> Result<(), RefreshError> {
        let doubts = if let Standing::Held(doubts) = standing { doubts } else { Vec::new() };
        if !doubts.is_empty() && self.store.live()?.values().any(|live| live.snapshot == id) {
            // What is live was published again in a doubtful file: nothing may be confirmed for that file's not being newer.
            return Ok(());
        }
        let seen = Seen {
            source: self.source.origin(),
            snapshot: id,
            seal: self.store.seal(&id)?,
            published: self.store.record(&id)?.published,
            unheeded,
            changes,
            doubts,
            files,
        };
        Ok(seen.write(&self.note())?)
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
            Err(StoreError::NotLive(_)) => self.store.standing(&id, &seen.doubts)?,
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
        (seen.source == self.source.origin() && self.is_kept(&seen)).then_some(seen)
    }

    fn note(&self) -> PathBuf {
        self.folder.join(self.note_name())
    }

    fn note_name(&self) -> String {
        format!("fetched-{}.json", self.published.key())
    }

    fn is_kept(&self, Seen { snapshot, seal, .. }: &Seen) -> bool {
        self.store.record(snapshot).is_ok() && self.store.seal(snapshot).is_ok_and(|now| now == *seal)
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
