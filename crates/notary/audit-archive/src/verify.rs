//! The checks of an archive, in one pass.
//!
//! What is wrong is told apart from what is not in the archive: receipts that were not asked for, and requests and evidence that the
//! notary keeps no more.

mod log;
mod receipts;
mod timestamps;

use std::collections::HashSet;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use receipt::key::{parse_jwks, parse_log_keys};
use receipt::verify::{Keys, Verifier};
use receipt::{LogHead, Timestamp};
use sha2::{Digest as _, Sha256};
use time_stamp::Authority;
use tlog::{Checkpoint, VerifierKey};

use crate::layout::{
    ABOUT, About, CHUNK_LEAVES, FORMAT, FORMAT_1, Filter, Name, Price, TIMESTAMPS, sums_line,
};
use crate::tar::{TarError, TarReader};
use log::LogTree;
use receipts::PendingChunk;
pub use timestamps::StampedTrees;

/// The most problems that are told in words; further ones are counted.
const MAX_PROBLEMS: usize = 50;

/// The most bytes of a document, a tile, or a chunk of lines. Larger members are only hashed.
const MAX_CONTENT: u64 = 256 << 20;

/// Something in an archive that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The name of the member, or what else it is about.
    pub place: String,
    /// The reason, in one sentence.
    pub why: String,
}

/// The result of the verification of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveReport {
    /// True if the archive was read to its end, its sums are those of its members, and every part is there.
    pub is_whole: bool,
    /// The log of the archive, as its checkpoint names it.
    pub origin: String,
    /// The leaves of the log.
    pub size: u64,
    /// The receipts that were asked for.
    pub filter: Filter,
    /// True if no keys were given: then all was checked with those in the archive, which says nothing about whose they are.
    pub has_own_keys: bool,
    /// The receipts that hold.
    pub valid: u64,
    /// The receipts that do not hold.
    pub invalid: u64,
    /// The receipts of which it cannot be said, such as for want of a key.
    pub unsaid: u64,
    /// The receipts that were erased, as an entry of the log says.
    pub erased: u64,
    /// The receipts that are said to be erased without an entry that says so: after the archive's checkpoint, or not at all.
    pub erased_unlogged: u64,
    /// The receipts of the log that were not asked for.
    pub filtered: u64,
    /// The receipts whose request is not in the archive.
    pub without_request: u64,
    /// The requests and pieces of evidence that are there, each counted where it is named.
    pub kept: u64,
    /// The pieces of evidence that are named, and are not in the archive.
    pub missing_evidence: u64,
    /// The pieces of evidence that are there, and whose hash their receipt does not name.
    pub unnamed_evidence: u64,
    /// The time-stamp tokens over trees of the log.
    pub tokens: u64,
    /// The tokens of an authority that is not the given one.
    pub tokens_of_others: u64,
    /// The trees that the given authority has stamped; `None` where it has stamped none.
    pub stamped: Option<StampedTrees>,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// The number of all problems.
    pub problem_count: u64,
}

impl ArchiveReport {
    /// Returns true if the archive is whole and nothing in it is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.is_whole && self.problem_count == 0 && self.invalid == 0
    }

    fn wrong(&mut self, place: impl Into<String>, why: impl Into<String>) {
        self.problem_count += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { place: place.into(), why: why.into() });
        }
    }
}

/// Returns true if a file that begins with these bytes, at least 512, is an archive, whole or not.
#[must_use]
pub fn is_archive(beginning: &[u8]) -> bool {
    beginning.get(257..262) == Some(b"ustar") && beginning.starts_with(ABOUT.as_bytes())
}

/// Verifies an archive with the keys of the notary; with none, with those that it has itself. Its time-stamp tokens are checked where
/// there is an authority that is believed. `each` hears of each receipt.
///
/// # Errors
/// It cannot be read. All that is wrong with what was read is in the report.
pub fn verify(
    archive: impl Read,
    keys: Option<Keys>,
    authority: Option<&Authority>,
    now: Timestamp,
    each: &mut dyn FnMut(),
) -> std::io::Result<ArchiveReport> {
    let has_own_keys = keys.is_none();
    let mut pass = Pass {
        report: ArchiveReport { has_own_keys, ..ArchiveReport::default() },
        stage: Stage::About,
        keys,
        authority: authority.cloned(),
        now,
        lacks_timestamps: false,
        log_key: None,
        verifier: None,
        head: None,
        tree: LogTree::default(),
        blobs: HashSet::new(),
        receipts: None,
        done: 0,
        sums: Sha256::new(),
    };
    match pass.read(archive, each) {
        Ok(()) => pass.end(),
        Err(TarError::Io(error)) => return Err(error),
        Err(error) => pass.report.wrong("the archive", error.to_string()),
    }
    Ok(pass.report)
}

/// The part of the archive that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    About,
    Keys,
    Prices,
    Policy,
    Checkpoint,
    Timestamps,
    Log,
    Chunks,
    Sums,
}

struct Pass {
    report: ArchiveReport,
    /// The stage of the last member.
    stage: Stage,
    keys: Option<Keys>,
    /// The time-stamping authority that is believed, if any.
    authority: Option<Authority>,
    now: Timestamp,
    /// True if the archive is of a format that has the member of tokens, which was not seen yet.
    lacks_timestamps: bool,
    log_key: Option<VerifierKey>,
    verifier: Option<Arc<Verifier>>,
    /// The checkpoint of the archive, once it is known to be signed.
    head: Option<LogHead>,
    tree: LogTree,
    /// The requests and pieces of evidence that were seen.
    blobs: HashSet<[u8; 32]>,
    /// The receipts of the chunk that is under way.
    receipts: Option<PendingChunk>,
    /// The end of the last chunk.
    done: u64,
    /// The hash of what the sums must be.
    sums: Sha256,
}

/// A member's content, as far as it is not only hashed.
struct Content {
    bytes: Vec<u8>,
    sha256: [u8; 32],
    is_too_large: bool,
}

impl Pass {
    fn read(&mut self, archive: impl Read, each: &mut dyn FnMut()) -> Result<(), TarError> {
        let mut reader = TarReader::new(archive);
        let mut is_first = true;
        while let Some(member) = reader.next_member()? {
            let name = Name::read(&member.name);
            let is_blob = matches!(name, Some(Name::Blob(_) | Name::Sums));
            let content = content(&mut reader, !is_blob)?;
            let sha256 = content.sha256;
            if std::mem::take(&mut is_first) && name != Some(Name::About) {
                self.report.wrong(member.name, "the archive does not begin with archive.json");
                return Ok(());
            }
            match name {
                None => self.report.wrong(member.name.clone(), "an archive has no such member"),
                Some(_) if content.is_too_large => self.report.wrong(member.name.clone(), "it is too large"),
                Some(Name::Sums) if self.stage == Stage::Sums => {
                    self.report.wrong(member.name.clone(), "it is there twice");
                }
                Some(name) => self.member(&member.name, name, content, each),
            }
            if self.stage != Stage::Sums {
                self.sums.update(sums_line(&sha256, &member.name));
            }
        }
        Ok(())
    }

    /// Checks that a member is in its place, and then the member.
    fn member(&mut self, place: &str, name: Name, content: Content, each: &mut dyn FnMut()) {
        let stage = match &name {
            Name::About => Stage::About,
            Name::Keys => Stage::Keys,
            Name::Prices => Stage::Prices,
            Name::Policy => Stage::Policy,
            Name::Checkpoint => Stage::Checkpoint,
            Name::Timestamps => Stage::Timestamps,
            Name::Tile(_) => Stage::Log,
            Name::Receipts(_) | Name::Blob(_) | Name::Kept(_) => Stage::Chunks,
            Name::Sums => Stage::Sums,
        };
        let is_repeated = stage == self.stage && !matches!(stage, Stage::Log | Stage::Chunks);
        let is_first = name == Name::About && self.log_key.is_none();
        if stage < self.stage || (is_repeated && !is_first) {
            return self.report.wrong(place, "the member is not in its place");
        }
        if stage > Stage::Log && self.stage <= Stage::Log {
            self.end_of_log();
        }
        self.stage = stage;
        match name {
            Name::About => self.about(&content.bytes),
            Name::Keys => self.keys(&content.bytes),
            Name::Prices => {
                if let Err(error) = serde_json::from_slice::<Vec<Price>>(&content.bytes) {
                    self.report.wrong(place, error.to_string());
                }
            }
            Name::Policy => {
                if let Err(error) = tlog::Policy::from_bytes(&content.bytes) {
                    self.report.wrong(place, format!("it is no policy of witnesses: {error}"));
                }
            }
            Name::Checkpoint => self.checkpoint(&content.bytes),
            Name::Timestamps => self.timestamps(&content.bytes),
            Name::Tile(path) => self.tree.tile(path, &content.bytes, &mut self.report),
            Name::Receipts(leaves) => self.receipts(place, leaves, content.bytes),
            Name::Blob(address) => {
                if content.sha256 != address {
                    self.report.wrong(place, "its bytes have another hash than its name");
                } else if !self.blobs.insert(address) {
                    self.report.wrong(place, "it is there twice");
                }
            }
            Name::Kept(leaves) => self.kept(place, &leaves, &content.bytes, each),
            Name::Sums => {
                let expected: [u8; 32] = self.sums.clone().finalize().into();
                if content.sha256 != expected {
                    self.report
                        .wrong(place, "it does not have the hashes of the members before it, in their order");
                }
            }
        }
    }

    fn about(&mut self, bytes: &[u8]) {
        let about = serde_json::from_slice::<About>(bytes);
        let about = match about {
            Ok(about) if about.format == FORMAT || about.format == FORMAT_1 => about,
            Ok(about) => {
                return self
                    .report
                    .wrong(ABOUT, format!("the format {} is not known to this program", about.format));
            }
            Err(error) => return self.report.wrong(ABOUT, error.to_string()),
        };
        self.lacks_timestamps = about.format != FORMAT_1;
        (self.report.size, self.report.filter) = (about.size, about.filter);
        match about.log_key.parse::<VerifierKey>() {
            Ok(key) => {
                self.tree.want(self.report.size, self.report.filter.clone());
                self.log_key = Some(key);
            }
            Err(error) => self.report.wrong(ABOUT, error.to_string()),
        }
    }

    /// The keys of the archive, by which all is verified where no others were given.
    fn keys(&mut self, bytes: &[u8]) {
        let Some(log_key) = self.log_key.clone() else { return };
        let of_archive = parse_jwks(bytes).map_err(|error| error.to_string());
        let log = parse_log_keys(bytes).map_err(|error| error.to_string());
        let of_archive = of_archive.and_then(|published| {
            let mut log = log?;
            if log.iter().all(|known| known.key != log_key) {
                log.push(log_key.into());
            }
            let keys = Keys::new(published, Vec::new()).map_err(|error| error.to_string())?;
            Ok(keys.with_log_keys(log))
        });
        match of_archive {
            Ok(of_archive) => {
                let keys = self.keys.take().unwrap_or(of_archive);
                self.verifier = Some(Arc::new(Verifier::new(keys).at(self.now)));
            }
            Err(error) => self.report.wrong(crate::layout::KEYS, error),
        }
    }

    fn checkpoint(&mut self, bytes: &[u8]) {
        let place = crate::layout::CHECKPOINT;
        let Some(key) = &self.log_key else { return };
        let keys = self.verifier.as_deref().map(Verifier::keys).filter(|keys| !keys.log_keys().is_empty());
        let Ok(note) = std::str::from_utf8(bytes) else {
            return self.report.wrong(place, "it is no text");
        };
        match Checkpoint::open(note, std::slice::from_ref(key)) {
            Ok(checkpoint) if checkpoint.size() != self.report.size => {
                self.report.wrong(place, "it is of another size than archive.json says");
            }
            Ok(checkpoint) => {
                // The given keys may be others of the same log: while one takes the place of another, both sign.
                if let Some(Err(error)) = keys.map(|keys| keys.open_checkpoint(note)) {
                    let why = format!("the log key {key} is not one of the given keys: {error}");
                    self.report.wrong(ABOUT, why);
                }
                checkpoint.origin().clone_into(&mut self.report.origin);
                self.head = Some(LogHead { size: checkpoint.size(), root: checkpoint.root() });
            }
            Err(_) if keys.is_some_and(|keys| !keys.log_keys().contains(key)) => {
                self.report.wrong(ABOUT, format!("the log key {key} is not one of the given keys"));
            }
            Err(error) => self.report.wrong(place, error.to_string()),
        }
    }

    fn timestamps(&mut self, lines: &[u8]) {
        self.lacks_timestamps = false;
        let Some(log_key) = &self.log_key else { return };
        timestamps::check(lines, log_key, self.authority.as_ref(), &mut self.tree, &mut self.report);
    }

    fn end_of_log(&mut self) {
        if self.lacks_timestamps {
            self.report.wrong(TIMESTAMPS, "it is missing");
        }
        let root = self.tree.end(&mut self.report);
        if self.head.is_some_and(|head| head.root != root) {
            self.report.wrong("log", "the entries have another root than the checkpoint");
        }
    }

    fn receipts(&mut self, place: &str, leaves: Range<u64>, lines: Vec<u8>) {
        if self.receipts.is_some() || leaves.start != self.done || !self.is_chunk(&leaves) {
            return self.report.wrong(place, "the receipts of other leaves come next");
        }
        let (Some(verifier), Some(head)) = (&self.verifier, self.head) else {
            return self.report.wrong(place, "without keys and a checkpoint, it cannot be checked");
        };
        let lines_allowed = leaves.end - leaves.start;
        if memchr::memchr_iter(b'\n', &lines).count() as u64 > lines_allowed {
            return self.report.wrong(place, "it has more lines than leaves");
        }
        let filter = self.report.filter.clone();
        self.receipts = Some(PendingChunk::begin(lines, leaves, Arc::clone(verifier), head, filter));
    }

    fn is_chunk(&self, leaves: &Range<u64>) -> bool {
        leaves.start < leaves.end
            && leaves.end - leaves.start <= CHUNK_LEAVES
            && leaves.end <= self.report.size
    }

    fn kept(&mut self, place: &str, leaves: &Range<u64>, lines: &[u8], each: &mut dyn FnMut()) {
        match self.receipts.take() {
            Some(pending) if pending.leaves() == leaves => {
                let checked = pending.wait(&mut self.report);
                (0..checked.len()).for_each(|_| each());
                self.done = leaves.end;
                checked.kept(place, lines, &self.blobs, &self.tree, &mut self.report);
            }
            _ => self.report.wrong(place, "it does not come after the receipts of the same leaves"),
        }
    }

    /// The archive was read to its end.
    fn end(&mut self) {
        if let Some(pending) = self.receipts.take() {
            // Nothing of it is kept, which is told below.
            pending.wait(&mut self.report);
        }
        if self.stage != Stage::Sums {
            return self.report.wrong("the archive", "it ends without SHA256SUMS: it is not whole");
        }
        if self.done != self.report.size {
            let (done, size) = (self.done, self.report.size);
            return self
                .report
                .wrong("the archive", format!("its chunks end at leaf {done}, and the log has {size}"));
        }
        if self.verifier.is_none() || self.head.is_none() {
            return self.report.wrong("the archive", "it has no usable keys or no checkpoint");
        }
        self.report.is_whole = self.report.problem_count == 0;
    }
}

/// Reads the content of a member and hashes it; what is not asked for is not kept.
fn content<R: Read>(reader: &mut TarReader<R>, is_kept: bool) -> Result<Content, TarError> {
    let (mut hash, mut bytes, mut read_bytes) = (Sha256::new(), Vec::new(), 0_u64);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = reader.read_content(&mut buffer)?;
        if read == 0 {
            break;
        }
        read_bytes += read as u64;
        hash.update(&buffer[..read]);
        if is_kept && read_bytes <= MAX_CONTENT {
            bytes.extend_from_slice(&buffer[..read]);
        }
    }
    let is_too_large = is_kept && read_bytes > MAX_CONTENT;
    Ok(Content { bytes, sha256: hash.finalize().into(), is_too_large })
}
