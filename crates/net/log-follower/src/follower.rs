//! From the known checkpoint of a log to its newest one.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use tlog::{Checkpoint, EMPTY_ROOT, FullTile, Note, RightEdge};

use crate::bundle::{Sizes, WIDTH, bundle};
use crate::contradiction::{ConsistencyPath, Contradiction};
use crate::diagnosis::Tiles;
use crate::follow_error::FollowError;
use crate::log_keys::{LogKeys, is_by_unknown_key};
use crate::observer::Observer;
use crate::source::{LogSource, SourceError};
use crate::state::{Known, Position, Signed, StateError, StateFolder};

/// The most leaves of a log: 7 years of 5,000 a second.
pub const MAX_LEAVES: u64 = 1 << 40;

/// The number of leaves after which a long way is held against the signed root, and saved.
const HELD_LEAVES: u64 = 256 * WIDTH;

/// The most leaves that one step reads, but for those up to where the way is held against the signed root: a first walk of ten
/// million is one step.
const STEP_LEAVES: u64 = 1 << 24;

/// A larger entry counts as several leaves of so many bytes each.
const LEAF_BYTES: u64 = 1024;

/// The pauses before the log is asked again where a replica may be behind the others.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

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
    step_leaves: u64,
    known: Known,
    /// The leaves of the log as its newest checkpoint says, which need not be verified: bundles are fetched as that tree has them.
    served: u64,
    /// True while the log is asked again if a replica may be behind the others.
    is_patient: bool,
    /// True if something was told in memory that the state on the disk still has.
    is_unsaved: bool,
    observer: O,
}

/// A checkpoint that the way has passed with another root, and the tiles that a proof of that needs.
struct Fork {
    smaller: Signed,
    filled: Vec<FullTile>,
}

impl Fork {
    /// Keeps those of the tiles that have a node above the last leaf of the smaller tree.
    fn keep(&mut self, filled: &[FullTile]) {
        let last = self.smaller.size() - 1;
        let is_above = |tile: &&FullTile| {
            tile.index == last.checked_shr(8 * (u32::from(tile.level) + 1)).unwrap_or_default()
        };
        self.filled.extend(filled.iter().filter(is_above).cloned());
    }

    /// The error that shows the path from the smaller tree to the goal. All tiles that it needs follow from the entries up to
    /// `edge`, or were fetched to hold that against the goal.
    fn error(
        self,
        known: &mut Known,
        keys: &LogKeys,
        goal: &Signed,
        edge: &RightEdge,
        mut tiles: Tiles,
    ) -> FollowError {
        self.filled.iter().chain(&edge.partial_tiles()).for_each(|tile| tiles.put(tile));
        match tiles.path(self.smaller.size(), goal.size()) {
            Ok(found) => {
                known.forget(&self.smaller);
                contradiction(keys, &self.smaller, goal, Some(found.path))
            }
            Err(_) => FollowError::NoPath { old: self.smaller.size(), new: goal.size() },
        }
    }
}

/// A smaller tree held against a larger one by the log's hash tiles.
enum Compared {
    IsPart,
    Contradiction(FollowError),
    /// The log gives tiles of another tree than the larger one.
    Unknown,
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
        let restored = observer.restore(&known.ahead.observer);
        let restored = restored.and_then(|()| observer.restore_findings(&known.findings));
        restored.map_err(|error| folder.damaged(error.to_string()))?;
        Ok(Self {
            source: Box::new(source),
            keys,
            folder,
            at_once: at_once.max(1),
            step_leaves: STEP_LEAVES,
            known,
            served: 0,
            is_patient: false,
            is_unsaved: false,
            observer,
        })
    }

    /// The same follower, of which a step reads so many leaves at most, but for those up to where the way is held against the
    /// signed root.
    #[must_use]
    pub fn with_step(self, leaves: u64) -> Self {
        Self { step_leaves: leaves, ..self }
    }

    /// The number of leaves that are verified.
    pub fn size(&self) -> u64 {
        self.known.size()
    }

    /// The observer.
    pub fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Fetches the newest checkpoint, and verifies all up to it. Where a replica of the log may be behind the others, the log is
    /// asked again for some seconds.
    ///
    /// # Errors
    /// [`FollowError`]. What was verified before stays so. A contradiction comes again, also in a later process, until
    /// [`told`](Self::told) is called.
    pub async fn advance(&mut self) -> Result<Advance, FollowError> {
        if let Some(untold) = &self.known.untold {
            return Err(FollowError::Contradiction(Box::new(untold.clone())));
        }
        let from = self.known.size();
        let mut pauses = PAUSES.into_iter();
        let looked = loop {
            let pause = pauses.next();
            self.is_patient = pause.is_some();
            match (self.look().await, pause) {
                (Err(error), Some(pause)) if error.may_pass() => {
                    tracing::debug!(%error, "a replica may be behind: the log is asked again");
                    tokio::time::sleep(pause).await;
                }
                (looked, _) => break looked,
            }
        };
        if let Err(FollowError::Contradiction(shown)) = &looked {
            self.known.untold = Some((**shown).clone());
            self.is_unsaved = true;
            if let Err(error) = self.save() {
                // It is told all the same.
                tracing::warn!(%error, "the contradiction is not in the state");
            }
        }
        Ok(match looked? {
            Advance::Unchanged { size } if size == from => Advance::Unchanged { size },
            Advance::Unchanged { size } | Advance::Verified { size, .. } => Advance::Verified { from, size },
        })
    }

    /// Drops what need not come again: the caller has said what the last step gave, and the findings that it took.
    ///
    /// # Errors
    /// The state cannot be written, so that it comes again in the next process.
    pub fn told(&mut self) -> Result<(), StateError> {
        let findings = self.observer.findings();
        if !self.is_unsaved && self.known.untold.is_none() && self.known.findings == findings {
            return Ok(());
        }
        self.is_unsaved = true;
        (self.known.untold, self.known.findings) = (None, findings);
        self.save()
    }

    fn save(&mut self) -> Result<(), StateError> {
        self.folder.save(&self.keys, &self.known)?;
        self.is_unsaved = false;
        Ok(())
    }

    /// Fetches the newest checkpoint once, and verifies all up to it.
    async fn look(&mut self) -> Result<Advance, FollowError> {
        let note = self.source.checkpoint().await?;
        let note = String::from_utf8(note.to_vec()).map_err(|_| FollowError::NotText)?;
        self.served = claimed_size(&note).unwrap_or(0);
        // The records of keys came with it.
        self.keys = self.keys.with_recorded(self.observer.log_keys(self.known.size()));
        let newest = match self.keys.open(note.clone()) {
            Err(error) if is_by_unknown_key(&error) => self.take_successors(&note, error).await?,
            opened => opened?,
        };
        let advance = self.go_to(newest).await?;
        self.compare_smaller().await?;
        Ok(advance)
    }

    /// Goes on to checkpoints that a known key of the log and its successor have signed, until the newest one is by a key that is
    /// known; or gives back the error that it is not.
    async fn take_successors(&mut self, note: &str, unknown: FollowError) -> Result<Signed, FollowError> {
        // A checkpoint that was seen comes first: nothing is passed by. One that the log does not have comes at the end.
        let seen = self.known.seen.iter().rfind(|seen| seen.size() <= self.served);
        let seen = seen.map(|seen| seen.note.clone());
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
        let size = newest.size();
        let known = self.known.checkpoint.clone();
        for earlier in known.iter().chain(&self.known.seen) {
            if earlier.size() == size && earlier.root() != newest.root() {
                return Err(contradiction(&self.keys, earlier, &newest, None));
            }
        }
        if size == 0 && newest.root() != EMPTY_ROOT {
            return Err(contradiction(&self.keys, &newest, &newest, None));
        }
        if size > MAX_LEAVES {
            return Err(FollowError::ImplausibleSize { size });
        }
        let from = self.known.size();
        if let Some(known) = known.as_ref().filter(|_| size < from) {
            return Err(self.rolled_back(&newest, known).await);
        }
        let is_known = size == from && known.is_some();
        if !is_known {
            self.verify(&newest).await?;
        }
        if let Some(refused) = self.refused() {
            return Err(refused);
        }
        match self.known.seen.last() {
            Some(later) if later.size() > size => Err(FollowError::RolledBack { size, known: later.size() }),
            _ if is_known => Ok(Advance::Unchanged { size }),
            _ => Ok(Advance::Verified { from, size }),
        }
    }

    /// Verifies all up to a checkpoint that is new. It is never forgotten before it is compared, whatever comes.
    async fn verify(&mut self, newest: &Signed) -> Result<(), FollowError> {
        let is_kept = self.known.see(newest);
        let (from, ahead) = (self.known.size(), self.known.ahead.edge.size());
        // What is not passed on the rest of the way is passed on a new one. A tree without leaves is never ahead of what is known.
        let mut sizes = self.known.seen.iter().map(Signed::size).chain([newest.size()]);
        if newest.size() < ahead || sizes.any(|size| size > from && size <= ahead) {
            self.forget_way()?;
        }
        let saved = self.save();
        match self.reach(newest).await {
            // An alarm is told also where the disk is full.
            Err(error) if !error.is_alarm() => {
                saved?;
                if is_kept {
                    return Err(error);
                }
                // What the hash tiles show to be a part of the newest tree makes room for it.
                self.compare_passed(newest).await?;
                if self.known.see(newest) {
                    self.save()?;
                } else if matches!(error, FollowError::Source(_) | FollowError::Missing { .. }) {
                    return Err(FollowError::TooManySeen { seen: self.known.seen.len() });
                }
                Err(error)
            }
            reached => reached,
        }
    }

    /// Verifies all up to a checkpoint, or finds out what is wrong.
    async fn reach(&mut self, goal: &Signed) -> Result<(), FollowError> {
        let from = self.known.size();
        let mut walk = self.walk(goal, false).await;
        if let Err(first @ (FollowError::Entries { .. } | FollowError::OtherRoot { .. })) = walk {
            self.forget_way()?;
            let known = self.known.checkpoint.clone().filter(|known| known.size() > 0);
            if let Some(known) = known
                && let Ok(Compared::Contradiction(error)) =
                    self.compare(&mut Tiles::default(), &known, goal).await
            {
                // The proof says all there is to say of that tree.
                self.known.forget(goal);
                return Err(error);
            }
            // Once more, each bundle against its hash tile, so that the wrong one is named.
            walk = match self.walk(goal, true).await {
                // A log that does not serve its hash tiles now is as wrong as before.
                Err(error) if !error.is_alarm() => Err(first),
                again => again,
            };
        }
        match walk {
            Ok(()) => {}
            Err(error) if error.is_alarm() => {
                self.forget_way()?;
                return Err(error);
            }
            Err(error) => {
                // The next step goes on from where the way was saved.
                self.observer.restore(&self.known.ahead.observer).map_err(FollowError::Observer)?;
                if matches!(error, FollowError::Unfinished { .. }) {
                    self.compare_passed(goal).await?;
                }
                return Err(error);
            }
        }
        // The records in the new tree say which key may have signed it.
        let keys = self.keys.with_recorded(self.observer.log_keys(goal.size()));
        if let Err(error) = keys.check_ranges(goal) {
            self.forget_way()?;
            self.known.forget(goal);
            self.is_unsaved = true;
            return Err(error);
        }
        self.keys = keys;
        self.observer.sync().map_err(FollowError::Observer)?;
        self.observer.verified(&goal.note, &self.known.ahead.edge).map_err(FollowError::Observer)?;
        self.known.findings = self.observer.findings();
        self.known.ahead.observer = self.observer.state();
        self.known.checkpoint = Some(goal.clone());
        self.known.verified = self.known.ahead.clone();
        self.known.seen.retain(|seen| seen.size() < from || seen.size() > goal.size());
        Ok(self.save()?)
    }

    /// Goes along the entries to a checkpoint, and compares its root, and those of the checkpoints that are passed on the way.
    async fn walk(&mut self, goal: &Signed, is_careful: bool) -> Result<(), FollowError> {
        let Self { source, keys, folder, at_once, step_leaves, known, served, is_patient, observer, .. } =
            self;
        let source = &**source;
        let mut edge = known.ahead.edge.clone();
        let (first, end) = (edge.size() / WIDTH, goal.size().div_ceil(WIDTH));
        let sizes = Sizes { goal: goal.size(), served: goal.size().max(*served) };
        let mut tiles = Tiles::default();
        if goal.size().saturating_sub(edge.size()) > HELD_LEAVES {
            // Its partial tiles may be gone later.
            hold(source, &mut tiles, &edge, goal, sizes).await?;
        }
        let fetches = (first..end).map(|index| bundle(source, index, sizes, is_careful));
        let mut bundles = stream::iter(fetches).buffered(*at_once);
        let is_passed = |seen: &&Signed| (edge.size() + 1..goal.size()).contains(&seen.size());
        let mut passed: VecDeque<Signed> = known.seen.iter().filter(is_passed).cloned().collect();
        let mut fork: Option<Fork> = None;
        let (mut read, mut unheld) = (0, 0);
        while let Some(bundle) = bundles.next().await {
            let bundle = bundle?;
            bundle.append(&mut edge, observer, |edge, filled| {
                while let Some(seen) = passed.pop_front_if(|seen| seen.size() == edge.size()) {
                    if fork.is_none() && seen.root() != edge.root() {
                        fork = Some(Fork { smaller: seen, filled: Vec::new() });
                    }
                }
                if let Some(fork) = &mut fork {
                    fork.keep(filled);
                }
            })?;
            unheld += WIDTH.max(bundle.length() / LEAF_BYTES);
            if unheld < HELD_LEAVES || edge.size() == goal.size() {
                continue;
            }
            hold(source, &mut tiles, &edge, goal, sizes).await?;
            if let Some(fork) = fork {
                return Err(fork.error(known, keys, goal, &edge, tiles));
            }
            check_records(observer, *is_patient, edge.size())?;
            observer.sync().map_err(FollowError::Observer)?;
            observer.in_signed_tree();
            known.findings = observer.findings();
            let (from, reached) = (known.size(), edge.size());
            known.seen.retain(|seen| seen.size() < from || seen.size() > reached);
            known.ahead = Position { edge: edge.clone(), observer: observer.state() };
            folder.save(keys, known)?;
            read += std::mem::take(&mut unheld);
            if read >= *step_leaves {
                return Err(FollowError::Unfinished { reached, size: goal.size() });
            }
        }
        drop(bundles);
        let found = edge.root();
        if found != goal.root() {
            return Err(FollowError::OtherRoot { size: goal.size(), signed: goal.root(), found });
        }
        if let Some(fork) = fork {
            return Err(fork.error(known, keys, goal, &edge, tiles));
        }
        check_records(observer, *is_patient, edge.size())?;
        known.ahead = Position { edge, observer: observer.state() };
        Ok(())
    }

    /// Goes back to the verified tree.
    fn forget_way(&mut self) -> Result<(), FollowError> {
        self.known.ahead = self.known.verified.clone();
        self.observer.restore(&self.known.verified.observer).map_err(FollowError::Observer)
    }

    /// Takes away the checkpoints that were seen before their key was known to have ended, and gives the first one's error.
    fn refused(&mut self) -> Option<FollowError> {
        let refused = self.known.seen.iter().find_map(|seen| self.keys.check_ranges(seen).err())?;
        self.known.seen.retain(|seen| self.keys.check_ranges(seen).is_ok());
        // The state has them until they were told.
        self.is_unsaved = true;
        Some(refused)
    }

    /// Holds a checkpoint against a larger one by the log's hash tiles. `tiles` has those of the larger tree that were fetched.
    ///
    /// # Errors
    /// The tiles cannot be had, so that nothing can be said. It is never an alarm.
    async fn compare(
        &self,
        tiles: &mut Tiles,
        smaller: &Signed,
        larger: &Signed,
    ) -> Result<Compared, FollowError> {
        if smaller.size() == 0 {
            return Ok(Compared::IsPart);
        }
        let sizes = self.sizes(larger);
        match tiles.path_of_log(&*self.source, smaller.size(), sizes).await {
            Ok(of_log) if of_log.new_root != larger.root() => Ok(Compared::Unknown),
            Ok(of_log) if of_log.old_root == smaller.root() => Ok(Compared::IsPart),
            Ok(of_log) => {
                let path = Some(of_log.path);
                Ok(Compared::Contradiction(contradiction(&self.keys, smaller, larger, path)))
            }
            Err(error) if error.is_alarm() => Ok(Compared::Unknown),
            Err(error) => Err(error),
        }
    }

    /// Holds a checkpoint against the verified tree. Where the log does not serve a hash tile, the tiles of a tree that is not
    /// large are made from its entries.
    async fn compare_verified(
        &self,
        tiles: &mut Tiles,
        smaller: &Signed,
        known: &Signed,
    ) -> Result<Compared, FollowError> {
        match self.compare(tiles, smaller, known).await {
            Err(FollowError::HashTileMissing { .. }) if known.size() <= HELD_LEAVES => {
                *tiles = Tiles::of_entries(&*self.source, self.sizes(known), self.at_once).await?;
                self.compare(tiles, smaller, known).await
            }
            compared => compared,
        }
    }

    fn sizes(&self, goal: &Signed) -> Sizes {
        Sizes { goal: goal.size(), served: goal.size().max(self.served) }
    }

    /// Holds the checkpoints that were seen against a goal that is not reached yet, so that a long way does not gather them.
    async fn compare_passed(&mut self, goal: &Signed) -> Result<(), FollowError> {
        let ahead = self.known.ahead.edge.size();
        let is_passed = |seen: &&Signed| (ahead + 1..goal.size()).contains(&seen.size());
        let passed: Vec<Signed> = self.known.seen.iter().filter(is_passed).cloned().collect();
        let mut tiles = Tiles::default();
        for seen in passed {
            match self.compare(&mut tiles, &seen, goal).await {
                Ok(Compared::IsPart) => self.known.forget(&seen),
                Ok(Compared::Contradiction(error)) => {
                    self.known.forget(&seen);
                    return Err(error);
                }
                // The others would wait for the log just as long.
                Err(FollowError::Source(_)) => break,
                Ok(Compared::Unknown) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Holds the checkpoints that came late against the verified tree. The state has them until [`told`](Self::told).
    async fn compare_smaller(&mut self) -> Result<(), FollowError> {
        let Some(known) = self.known.checkpoint.clone() else { return Ok(()) };
        let mut tiles = Tiles::default();
        while let Some(smaller) = self.known.seen.first().filter(|seen| seen.size() < known.size()).cloned() {
            let compared = self.compare_verified(&mut tiles, &smaller, &known).await?;
            if matches!(compared, Compared::Unknown) {
                return Err(FollowError::RolledBack { size: smaller.size(), known: known.size() });
            }
            self.known.forget(&smaller);
            self.is_unsaved = true;
            if let Compared::Contradiction(error) = compared {
                return Err(error);
            }
        }
        Ok(())
    }

    /// The error of a checkpoint that is smaller than the known one. It is remembered until the log's hash tiles show that it is a
    /// part of that, or contradicts it.
    async fn rolled_back(&mut self, smaller: &Signed, known: &Signed) -> FollowError {
        let before = self.known.seen.len();
        let is_kept = self.known.see(smaller);
        self.is_unsaved |= self.known.seen.len() > before;
        if self.is_unsaved
            && let Err(error) = self.save()
        {
            tracing::warn!(%error, "the smaller checkpoint is not in the state");
        }
        match self.compare_verified(&mut Tiles::default(), smaller, known).await {
            Ok(Compared::IsPart) => {
                self.known.forget(smaller);
                self.is_unsaved = true;
            }
            Ok(Compared::Contradiction(error)) => {
                self.known.forget(smaller);
                self.is_unsaved = true;
                return error;
            }
            Ok(Compared::Unknown) | Err(_) if !is_kept => {
                return FollowError::TooManySeen { seen: self.known.seen.len() };
            }
            // Less is served than before, which is an alarm by itself.
            Ok(Compared::Unknown) | Err(_) => {}
        }
        FollowError::RolledBack { size: smaller.size(), known: known.size() }
    }
}

/// Checks that the way so far is a part of the tree that was signed, as the log's hash tiles show it.
async fn hold(
    source: &dyn LogSource,
    tiles: &mut Tiles,
    edge: &RightEdge,
    goal: &Signed,
    sizes: Sizes,
) -> Result<(), FollowError> {
    let (size, found) = (edge.size(), edge.root());
    let of_log = tiles.path_of_log(source, size.max(1), sizes).await?;
    if of_log.new_root != goal.root() {
        return Err(FollowError::NoPath { old: size, new: goal.size() });
    }
    if size > 0 && of_log.old_root != found {
        return Err(FollowError::OtherRoot { size, signed: of_log.old_root, found });
    }
    Ok(())
}

/// The error of records of keys that were not given yet, as long as the log is asked again.
fn check_records(observer: &impl Observer, is_patient: bool, size: u64) -> Result<(), FollowError> {
    if is_patient && observer.lacks_records(size) {
        let why = "the notary does not give the record of a key that the log has".to_owned();
        return Err(SourceError::Keys { why }.into());
    }
    Ok(())
}

/// The error of two signed trees of which the smaller is not a part of the larger.
fn contradiction(
    keys: &LogKeys,
    smaller: &Signed,
    larger: &Signed,
    path: Option<ConsistencyPath>,
) -> FollowError {
    let of_both = smaller.keys.iter().find(|key| larger.keys.contains(key));
    let first = |signed: &Signed| signed.keys.first().or_else(|| keys.given().first()).cloned();
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

/// The size that a checkpoint claims, whoever has signed it; `None` where it cannot be read.
fn claimed_size(note: &str) -> Option<u64> {
    let note: Note = note.parse().ok()?;
    note.text().parse::<Checkpoint>().ok().map(|checkpoint| checkpoint.size())
}
