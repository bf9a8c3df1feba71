//! Makes a store of a backup.

use std::collections::BTreeMap;
use std::path::Path;

use ledger::MarkKind;
use receipt::key::LogKey;
use tlog::{Checkpoint, CheckpointError, Hash, Note, VerifierKey};

use crate::check::Check;
use crate::dump::DumpReader;
use crate::error::{Result, TransferError};
use crate::keys::NotaryKeys;
use crate::migrate::compare;
use crate::place::Place;
use crate::store::{Mark, StoreState};
use crate::{Progress, backup, copy, sqlite};

/// A signed checkpoint, and where it is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedCheckpoint {
    /// Its file or address.
    pub name: String,
    /// The signed note.
    pub note: String,
}

/// What is to be made of a backup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreAs {
    /// A store that goes on, where checkpoints show that it may; else an archive.
    Shown,
    /// An archive, since another log comes after it.
    Archive,
}

/// What was made of a backup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Restored {
    /// A store whose log may go on.
    Live,
    /// A store that is only read, and the last known checkpoint of its log: a given one where that is larger than the backup's.
    Archive(ArchiveReason, String),
}

/// The reason why a backup is not to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArchiveReason {
    /// No checkpoint was given, so nobody can say whether it has all that was served.
    NoCheckpoint,
    /// An archive was asked for.
    Wanted,
    /// The log has been larger than in the backup.
    Behind {
        /// The name of the checkpoint that shows it.
        name: String,
        /// The size of that checkpoint.
        served: u64,
        /// The size of the log in the backup.
        has: u64,
    },
}

/// Makes a store of a backup in an empty place, all of it checked. With [`RestoreAs::Shown`] its log may go on if at least one
/// checkpoint is given and it is behind none; else it is an archive. With [`RestoreAs::Archive`] the place may have the archive of
/// this backup already, so that what comes after it can be tried again.
///
/// # Errors
/// [`TransferError`]; [`TransferError::Fork`] where a checkpoint has another root than the backup at its size. No store that
/// could be served was made.
pub fn restore(
    path: &Path,
    to: &Place,
    keys: &NotaryKeys,
    (wanted, checkpoints): (RestoreAs, &[NamedCheckpoint]),
    progress: &mut dyn Progress,
) -> Result<Restored> {
    let opened = checkpoints.iter().map(claimed).collect::<Result<Vec<_>>>()?;
    let checked = backup::check(path, keys, opened.iter().map(|(_, size, _)| *size), progress)?;
    // The log's keys, former ones too, are known from the records in the backup.
    let log_keys = checked.history.log_keys_with(std::slice::from_ref(keys.log()));
    checkpoints.iter().try_for_each(|checkpoint| check_signer(checkpoint, &log_keys))?;
    let head = DumpReader::open(path)?.head().clone();
    let archive = match (judge(&opened, checked.leaves, &checked.roots)?, wanted) {
        (reason @ Some(_), _) => reason,
        (None, RestoreAs::Archive) => Some(ArchiveReason::Wanted),
        (None, RestoreAs::Shown) => None,
    };
    let largest = opened.iter().zip(checkpoints).max_by_key(|((_, size, _), _)| *size);
    let later = largest.filter(|((_, size, _), _)| *size > checked.leaves);
    let last_known = later.map_or(head.checkpoint.clone(), |(_, given)| given.note.clone());
    let mut target = to.make()?;
    let mark = Mark { kind: MarkKind::Copying, place: sqlite::place(path), head: head.clone() };
    match target.state()? {
        StoreState::Empty => target.begin_copy(&mark)?,
        StoreState::Marked(half_made) if half_made == mark => {}
        StoreState::Marked(Mark { kind: MarkKind::Archive, head: has, .. })
            if wanted == RestoreAs::Archive && has == head =>
        {
            return Ok(Restored::Archive(archive.unwrap_or(ArchiveReason::Wanted), last_known));
        }
        StoreState::Marked(Mark { kind: MarkKind::Copying, place: of, .. }) => {
            return Err(TransferError::OtherCopy { place: to.name(), of });
        }
        StoreState::Live(head) | StoreState::Marked(Mark { head, .. }) => {
            return Err(TransferError::NotEmpty { place: to.name(), size: head.size });
        }
    }
    progress.begin("receipts restored", head.size);
    let mut dump = DumpReader::open(path)?;
    let copied = copy::copy(&mut dump, &mut *target, Check::new(None, head.clone(), []), progress)?;
    if copied.digest != checked.digest {
        return Err(TransferError::Changed);
    }
    compare(&mut *target, &copied, progress)?;
    target.finish(&mark, &copied.edge, archive.is_some())?;
    Ok(archive.map_or(Restored::Live, |reason| Restored::Archive(reason, last_known)))
}

/// The size and root that a checkpoint claims, whoever has signed it.
fn claimed(checkpoint: &NamedCheckpoint) -> Result<(String, u64, Hash)> {
    let NamedCheckpoint { name, note } = checkpoint;
    let read = note.parse::<Note>().map_err(CheckpointError::from).and_then(|note| note.text().parse());
    let claimed: Checkpoint = read.map_err(|error| TransferError::Checkpoint {
        name: name.clone(),
        why: format!("it cannot be read as a checkpoint: {error}"),
    })?;
    Ok((name.clone(), claimed.size(), claimed.root()))
}

/// Checks that one of the log's keys has signed a checkpoint, of those that may sign a tree of its size.
fn check_signer(checkpoint: &NamedCheckpoint, log_keys: &[LogKey]) -> Result<()> {
    let NamedCheckpoint { name, note } = checkpoint;
    let failed = |why: String| TransferError::Checkpoint { name: name.clone(), why };
    let vkeys: Vec<VerifierKey> = log_keys.iter().map(|key| key.key.clone()).collect();
    let (opened, signatures) = Checkpoint::open_cosigned(note, &vkeys).map_err(|error| {
        let log = vkeys.first().map_or("", VerifierKey::name);
        failed(format!(
            "no key of the log {log} has signed it, neither the one in use nor one of before that the backup's records of \
             keys name: {error}"
        ))
    })?;
    let signers = log_keys.iter().filter(|key| signatures.iter().any(|signature| *signature.key == key.key));
    let mut refused = None;
    for key in signers {
        match key.check_tree(opened.size()) {
            Ok(()) => return Ok(()),
            Err(error) => refused = Some(error),
        }
    }
    Err(failed(refused.map_or_else(String::new, |error| error.to_string())))
}

/// Compares a log of so many leaves with checkpoints; `roots` has its roots at their sizes. Returns the reason why it must not go
/// on; `None` where it may.
fn judge(
    checkpoints: &[(String, u64, Hash)],
    has: u64,
    roots: &BTreeMap<u64, Hash>,
) -> Result<Option<ArchiveReason>> {
    let mut reason = checkpoints.is_empty().then_some(ArchiveReason::NoCheckpoint);
    for (name, size, theirs) in checkpoints {
        match roots.get(size) {
            Some(ours) if ours == theirs => {}
            Some(ours) => {
                let (theirs, ours) = (*theirs, *ours);
                return Err(TransferError::Fork { name: name.clone(), size: *size, theirs, ours });
            }
            None => reason = Some(ArchiveReason::Behind { name: name.clone(), served: *size, has }),
        }
    }
    Ok(reason)
}
