//! From the known checkpoint of a log to its newest one.

use futures_util::StreamExt as _;
use futures_util::stream;
use receipt::key::LogKey;
use serde_json::Value;
use tlog::{Checkpoint, EMPTY_ROOT, FullTile, Hash, Note, RightEdge};

use crate::bundle::{Sizes, WIDTH, bundle};
use crate::contradiction::{ConsistencyPath, Contradiction};
use crate::diagnosis::path_of_log;
use crate::follow_error::FollowError;
use crate::log_keys::{LogKeys, is_by_unknown_key};
use crate::source::LogSource;
use crate::state::{Known, Position, Signed, StateError, StateFolder};

/// The number of bundles after which the way so far is saved.
const SAVED_BUNDLES: u64 = 256;

/// An error of an observer, such as a full disk.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Sees the log go by.
pub trait Observer {
    /// Sees the entries of bundle `index` up to the tree's end, in the order of the bundles. `bytes` is the bundle, `entries` what
    /// is in it; those from `new` on were not seen before. Nothing is verified yet: see [`verified`](Self::verified).
    ///
    /// # Errors
    /// The follower stops, and begins this step again later.
    fn bundle(
        &mut self,
        index: u64,
        bytes: &[u8],
        entries: &[&[u8]],
        new: usize,
    ) -> Result<(), ObserverError>;

    /// Sees a hash tile that the entries have filled.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn full_tile(&mut self, tile: &FullTile) -> Result<(), ObserverError> {
        let _not_kept = tile;
        Ok(())
    }

    /// Makes durable what was seen so far.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn sync(&mut self) -> Result<(), ObserverError> {
        Ok(())
    }

    /// Hears that the log's key signed all that was seen: the checkpoint's note, and the right edge of its tree.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn verified(&mut self, note: &str, edge: &RightEdge) -> Result<(), ObserverError>;

    /// The keys of the log that its records name in the tree of `size` leaves, which was seen, in their order; none where the
    /// observer knows no records, or other ones than the log has.
    fn log_keys(&self, size: u64) -> Vec<LogKey> {
        let _of_no_records = size;
        Vec::new()
    }

    /// Checkpoints that a key of the log and its successor have both signed, in their order, if there are any.
    fn handovers(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the observer knows, to be kept beside the tree.
    fn state(&self) -> Value;

    /// Goes back to what it knew; null stands for nothing.
    ///
    /// # Errors
    /// The state is not one that it gave.
    fn restore(&mut self, state: &Value) -> Result<(), ObserverError>;
}

/// The end of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The log has not grown.
    Unchanged {
        /// The leaves of the log.
        size: u64,
    },
    /// The log has grown, and all of it is verified.
    Verified {
        /// The leaves that were known before.
        from: u64,
        /// The leaves now.
        size: u64,
    },
}

/// Follows one log.
pub struct Follower<O> {
    source: Box<dyn LogSource>,
    keys: LogKeys,
    folder: StateFolder,
    at_once: usize,
    known: Known,
    /// The leaves of the log as its newest checkpoint says, which need not be verified: bundles are fetched as that tree has them.
    served: u64,
    observer: O,
}

impl<O: Observer> Follower<O> {
    /// Goes on with what is known in the folder. At most `at_once` bundles are fetched concurrently.
    ///
    /// # Errors
    /// The folder has the state of another log, or a damaged one.
    pub fn open(
        source: impl LogSource + 'static,
        keys: impl Into<LogKeys>,
        folder: StateFolder,
        at_once: usize,
        mut observer: O,
    ) -> Result<Self, StateError> {
        let (keys, known) = folder.load(&keys.into())?;
        observer.restore(&known.ahead.observer).map_err(|error| folder.damaged(error.to_string()))?;
        let at_once = at_once.max(1);
        Ok(Self { source: Box::new(source), keys, folder, at_once, known, served: 0, observer })
    }

    /// The number of leaves that are verified.
    pub fn size(&self) -> u64 {
        self.known.size()
    }

    /// The observer.
    pub fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Fetches the newest checkpoint, and verifies all up to it.
    ///
    /// # Errors
    /// [`FollowError`]. What was verified before stays so.
    pub async fn advance(&mut self) -> Result<Advance, FollowError> {
        let note = self.source.checkpoint().await?;
        let note = String::from_utf8(note.to_vec()).map_err(|_| FollowError::NotText)?;
        self.served = claimed_size(&note).unwrap_or(0);
        // The records of keys came with it.
        self.keys = self.keys.with_recorded(self.observer.log_keys(self.known.size()));
        let from = self.known.size();
        let newest = match self.keys.open(note.clone()) {
            Err(error) if is_by_unknown_key(&error) => self.take_successors(&note, error).await?,
            opened => opened?,
        };
        Ok(match self.go_to(newest).await? {
            Advance::Unchanged { size } if size == from => Advance::Unchanged { size },
            Advance::Unchanged { size } | Advance::Verified { size, .. } => Advance::Verified { from, size },
        })
    }

    /// Goes on to checkpoints that a known key of the log and its successor have signed, until the newest one is by a key that is
    /// known; or gives back the error that it is not.
    async fn take_successors(&mut self, note: &str, unknown: FollowError) -> Result<Signed, FollowError> {
        // A checkpoint that was seen comes first: nothing is passed by. One that the log does not have comes at the end.
        let seen = self.known.goal.as_ref().filter(|goal| goal.size() <= self.served);
        let seen = seen.map(|goal| goal.note.clone());
        for handover in seen.into_iter().chain(self.observer.handovers()) {
            let Ok(signed) = self.keys.open(handover) else { continue };
            if signed.size() <= self.known.size() {
                continue;
            }
            let size = signed.size();
            match self.go_to(signed).await {
                // It is verified, and what is larger and was seen is held against the newest one.
                Err(FollowError::RolledBack { .. }) if self.known.size() == size => {}
                gone => drop(gone?),
            }
            match self.keys.open(note.to_owned()) {
                Err(error) if is_by_unknown_key(&error) => {}
                opened => return opened,
            }
        }
        Err(unknown)
    }

    /// Verifies all up to a checkpoint.
    async fn go_to(&mut self, newest: Signed) -> Result<Advance, FollowError> {
        let known = self.known.checkpoint.clone();
        for earlier in [known.as_ref(), self.known.goal.as_ref()].into_iter().flatten() {
            if earlier.size() == newest.size() && earlier.root() != newest.root() {
                return Err(self.contradiction(earlier, &newest, None));
            }
        }
        if newest.size() == 0 && newest.root() != EMPTY_ROOT {
            return Err(self.contradiction(&newest, &newest, None));
        }
        if let Some(known) = known.as_ref().filter(|known| newest.size() < known.size()) {
            return Err(self.rolled_back(&newest, known).await);
        }
        let from = self.known.size();
        // The greatest checkpoint that was seen and never reached is passed on the way, or is more than is served now.
        let (passed, later) = match self.known.goal.take() {
            Some(seen) if seen.size() < newest.size() => (Some(seen), None),
            Some(seen) if seen.size() > newest.size() => (None, Some(seen)),
            Some(_) | None => (None, None),
        };
        let size = newest.size();
        let is_known = size == from && known.is_some();
        self.known.goal = later.clone().or_else(|| (!is_known).then(|| newest.clone()));
        if !is_known {
            if self.known.ahead.edge.size() > size {
                self.forget_way()?;
            }
            // A checkpoint that was seen is never forgotten, whatever comes.
            self.folder.save(&self.keys, &self.known)?;
            self.reach(&newest, passed.as_ref(), later.as_ref()).await?;
        }
        match later {
            Some(later) => Err(FollowError::RolledBack { size, known: later.size() }),
            None if is_known => Ok(Advance::Unchanged { size }),
            None => Ok(Advance::Verified { from, size }),
        }
    }

    /// Verifies all up to a checkpoint, or finds out what is wrong.
    async fn reach(
        &mut self,
        goal: &Signed,
        passed: Option<&Signed>,
        later: Option<&Signed>,
    ) -> Result<(), FollowError> {
        let mut walk = self.walk(goal, passed, false).await;
        if matches!(&walk, Err(FollowError::Entries { .. } | FollowError::OtherRoot { .. })) {
            self.forget_way()?;
            if let Some(error) = self.fork(goal).await {
                // The proof says all there is to say of that tree.
                self.known.goal = later.cloned();
                self.folder.save(&self.keys, &self.known)?;
                return Err(error);
            }
            // Once more, each bundle against its hash tile, so that the wrong one is named.
            walk = self.walk(goal, passed, true).await;
        }
        let other = match walk {
            Ok(other) => other,
            Err(error) => {
                if error.is_alarm() {
                    self.forget_way()?;
                } else {
                    // The next step goes on from where the way was saved.
                    self.observer.restore(&self.known.ahead.observer).map_err(FollowError::Observer)?;
                }
                return Err(error);
            }
        };
        // The records in the new tree say which key may have signed it.
        let keys = self.keys.with_recorded(self.observer.log_keys(goal.size()));
        if let Err(error) = keys.check_ranges(goal) {
            self.forget_way()?;
            self.known.goal = later.cloned();
            self.folder.save(&self.keys, &self.known)?;
            return Err(error);
        }
        self.keys = keys;
        self.observer.sync().map_err(FollowError::Observer)?;
        self.observer.verified(&goal.note, &self.known.ahead.edge).map_err(FollowError::Observer)?;
        self.known.ahead.observer = self.observer.state();
        self.known.checkpoint = Some(goal.clone());
        self.known.verified = self.known.ahead.clone();
        // What was seen before its key was known to have ended.
        let refused = later.and_then(|later| self.keys.check_ranges(later).err());
        self.known.goal = later.filter(|_| refused.is_none()).cloned();
        self.folder.save(&self.keys, &self.known)?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        match (other, passed) {
            (Some(_), Some(passed)) => Err(self.prove(passed, goal).await),
            _ => Ok(()),
        }
    }

    /// Goes along the entries to a checkpoint, and compares its root. Returns the root at the passed checkpoint's size where that
    /// is another one than it names.
    async fn walk(
        &mut self,
        goal: &Signed,
        passed: Option<&Signed>,
        is_careful: bool,
    ) -> Result<Option<Hash>, FollowError> {
        let Self { source, keys, folder, at_once, known, served, observer } = self;
        let source = &**source;
        let mut edge = known.ahead.edge.clone();
        let (first, end) = (edge.size() / WIDTH, goal.size().div_ceil(WIDTH));
        let sizes = Sizes { goal: goal.size(), served: goal.size().max(*served) };
        let fetches = (first..end).map(|index| bundle(source, index, sizes, is_careful));
        let mut bundles = stream::iter(fetches).buffered(*at_once);
        let passed = passed.filter(|passed| passed.size() > edge.size());
        let mut other = None;
        let mut seen: u64 = 0;
        while let Some(bundle) = bundles.next().await {
            let bundle = bundle?;
            bundle.append(&mut edge, observer, |edge| {
                if let Some(passed) = passed.filter(|passed| passed.size() == edge.size()) {
                    other = Some(edge.root()).filter(|root| *root != passed.root());
                }
            })?;
            seen += 1;
            if seen.is_multiple_of(SAVED_BUNDLES) && passed.is_none() {
                observer.sync().map_err(FollowError::Observer)?;
                known.ahead = Position { edge: edge.clone(), observer: observer.state() };
                folder.save(keys, known)?;
            }
        }
        drop(bundles);
        let found = edge.root();
        if found != goal.root() {
            return Err(FollowError::OtherRoot { size: goal.size(), signed: goal.root(), found });
        }
        known.ahead = Position { edge, observer: observer.state() };
        Ok(other)
    }

    /// Goes back to the verified tree.
    fn forget_way(&mut self) -> Result<(), FollowError> {
        self.known.ahead = self.known.verified.clone();
        self.observer.restore(&self.known.verified.observer).map_err(FollowError::Observer)
    }

    /// The contradiction between the known tree and a larger one that the log signed, as its hash tiles show it.
    async fn fork(&self, goal: &Signed) -> Option<FollowError> {
        let known = self.known.checkpoint.as_ref().filter(|known| known.size() > 0)?;
        let of_log = path_of_log(&*self.source, known.size(), goal.size()).await.ok()?;
        let is_shown = of_log.new_root == goal.root() && of_log.old_root != known.root();
        is_shown.then(|| self.contradiction(known, goal, Some(of_log.path)))
    }

    /// The error of two signed trees of which the smaller is not a part of the larger.
    async fn prove(&self, smaller: &Signed, larger: &Signed) -> FollowError {
        match path_of_log(&*self.source, smaller.size(), larger.size()).await {
            Ok(of_log) if of_log.new_root != larger.root() => {
                FollowError::NoPath { old: smaller.size(), new: larger.size() }
            }
            Ok(of_log) => self.contradiction(smaller, larger, Some(of_log.path)),
            Err(error) => error,
        }
    }

    /// The error of a checkpoint that is smaller than the known one.
    async fn rolled_back(&self, newest: &Signed, known: &Signed) -> FollowError {
        let rolled_back = FollowError::RolledBack { size: newest.size(), known: known.size() };
        if newest.size() == 0 {
            return rolled_back;
        }
        match path_of_log(&*self.source, newest.size(), known.size()).await {
            Ok(of_log) if of_log.new_root == known.root() && of_log.old_root != newest.root() => {
                self.contradiction(newest, known, Some(of_log.path))
            }
            // Without a path it cannot be said whether the older tree is a part of the known one.
            _ => rolled_back,
        }
    }

    fn contradiction(&self, smaller: &Signed, larger: &Signed, path: Option<ConsistencyPath>) -> FollowError {
        let of_both = smaller.keys.iter().find(|key| larger.keys.contains(key));
        let first = |signed: &Signed| signed.keys.first().or_else(|| self.keys.given().first()).cloned();
        let (log_key, larger_log_key) = match of_both {
            Some(key) => (Some(key.clone()), None),
            None => (first(smaller), first(larger)),
        };
        FollowError::Contradiction(Box::new(Contradiction {
            log_key: log_key.expect("a checkpoint was opened with a key that has signed it"),
            larger_log_key,
            smaller: smaller.note.clone(),
            larger: larger.note.clone(),
            path,
        }))
    }
}

/// The size that a checkpoint claims, whoever has signed it; `None` where it cannot be read.
fn claimed_size(note: &str) -> Option<u64> {
    let note: Note = note.parse().ok()?;
    note.text().parse::<Checkpoint>().ok().map(|checkpoint| checkpoint.size())
}
