//! Moves a store to another place.

use ledger::MarkKind;

use crate::check::Check;
use crate::copy;
use crate::error::{Result, TransferError};
use crate::keys::NotaryKeys;
use crate::place::Place;
use crate::store::{Head, Mark, Store, StoreState};
use crate::tables::{IDENTITY, TABLES};
use crate::{Checked, Progress};

/// What a move has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Migrated {
    /// The store is in the new place, with so many leaves.
    Moved(u64),
    /// It was there before.
    Before,
    /// The source was a half-made copy of the target. The target, which has all, is live again.
    GivenUp,
}

/// Moves a store from one place to another, which is empty, or has a half-made copy of it, or is where it was moved from.
/// Everything is checked on the way. A move that was interrupted goes on when it is begun again.
///
/// From the first moment the source is marked, and cannot be served. The copy cannot be served before it is whole, and the source
/// is marked as moved. The way back is the same with the places exchanged: whole copies are moved back, half-made ones are given
/// up. A source that is marked as moved is never live again but by a move back.
///
/// # Errors
/// [`TransferError`]. The source is as it was, or marked as being moved.
pub fn migrate(from: &Place, to: &Place, keys: &NotaryKeys, progress: &mut dyn Progress) -> Result<Migrated> {
    let (source_place, target_place) = (from.name(), to.name());
    if source_place == target_place {
        return Err(TransferError::SamePlace(source_place));
    }
    let mut source = match from.to_move() {
        Err(TransferError::NoStore(_)) => return give_up(None, &source_place, to),
        opened => opened?,
    };
    let source_state = source.state()?;
    let fenced = match &source_state {
        StoreState::Empty => return give_up(None, &source_place, to),
        StoreState::Live(_) => None,
        StoreState::Marked(mark @ Mark { kind, place, .. }) => match kind {
            MarkKind::Archive => return Err(TransferError::Archive(source_place)),
            MarkKind::Copying if *place == target_place => {
                return give_up(Some((&mut *source, mark)), &source_place, to);
            }
            MarkKind::Copying => {
                return Err(TransferError::OtherCopy { place: source_place, of: place.clone() });
            }
            MarkKind::Moving if *place == target_place => Some(mark),
            // It is whole, and only that was not noted there.
            MarkKind::Moved if *place == target_place && is_copy(to, &source_place)? => Some(mark),
            MarkKind::Moved if *place == target_place => {
                // It was to be moved back, and nothing was copied yet.
                return match give_up(None, &source_place, to) {
                    Err(TransferError::NoStore(_)) => Ok(Migrated::Before),
                    given_up => given_up,
                };
            }
            MarkKind::Moving | MarkKind::Moved => {
                return Err(TransferError::MovedElsewhere { place: source_place, to: place.clone() });
            }
        },
    };
    let mut target = to.make()?;
    let target_state = target.state()?;
    let replaced = match &target_state {
        StoreState::Empty => None,
        StoreState::Live(head) => {
            // An earlier version of this program made the copy live before it noted that in the source.
            if let Some(mark) = fenced {
                return source.set_moved(mark).map(|()| Migrated::Before);
            }
            return Err(TransferError::NotEmpty { place: target_place, size: head.size });
        }
        StoreState::Marked(Mark { kind, place, head }) => match kind {
            MarkKind::Copying if *place == source_place => None,
            MarkKind::Copying => {
                return Err(TransferError::OtherCopy { place: target_place, of: place.clone() });
            }
            MarkKind::Moved if *place == source_place => Some(head),
            MarkKind::Moving | MarkKind::Moved | MarkKind::Archive => {
                return Err(TransferError::NotEmpty { place: target_place, size: head.size });
            }
        },
    };
    check_identity(&mut *source, keys)?;
    if fenced.is_none() {
        source.fence(&target_place)?;
    }
    if let Some(earlier) = replaced {
        check_extends(&mut *source, keys, earlier, &target_place, progress)?;
    }
    let head = source.begin()?;
    let mark = Mark { kind: MarkKind::Copying, place: source_place.clone(), head: head.clone() };
    if target_state != StoreState::Marked(mark.clone()) {
        target.begin_copy(&mark)?;
    }
    progress.begin("receipts copied", head.size);
    let copied = copy::copy(&mut *source, &mut *target, Check::new(Some(keys), head.clone(), []), progress)?;
    compare(&mut *target, &copied, progress)?;
    // The source first: who gives the move up makes it live again only if it is not marked as moved, so never both are live.
    let moving = Mark { kind: MarkKind::Moving, place: target_place, head: head.clone() };
    if fenced.is_none_or(|mark| mark.kind == MarkKind::Moving) {
        source.set_moved(&moving)?;
    }
    target.finish(&mark, &copied.edge, false)?;
    Ok(Migrated::Moved(head.size))
}

/// Returns true if there is a half-made copy of a store at a place.
fn is_copy(at: &Place, of: &str) -> Result<bool> {
    let mut store = match at.to_move() {
        Err(TransferError::NoStore(_)) => return Ok(false),
        opened => opened?,
    };
    let state = store.state()?;
    Ok(matches!(state, StoreState::Marked(Mark { kind: MarkKind::Copying, place, .. }) if place == of))
}

/// Gives up a move from `whole` to `copy_place`, where there is nothing yet, or a half-made copy, or what was there before. The
/// first is live again, and the copy is as if it had been moved there.
///
/// # Errors
/// [`TransferError::NoStore`] where no such move is under way; [`TransferError::NotGivenUp`] where the copy was about to be live,
/// or may have been.
fn give_up(
    copy: Option<(&mut (dyn Store + '_), &Mark)>,
    copy_place: &str,
    whole: &Place,
) -> Result<Migrated> {
    let none = || Err(TransferError::NoStore(copy_place.to_owned()));
    let mut whole = match whole.to_move() {
        Err(TransferError::NoStore(_)) => return none(),
        opened => opened?,
    };
    match whole.state()? {
        StoreState::Marked(mark) if mark.kind == MarkKind::Moving && mark.place == copy_place => {
            whole.unfence(&mark)?;
        }
        StoreState::Marked(Mark { kind: MarkKind::Moved, place, .. }) if place == copy_place => {
            return Err(TransferError::NotGivenUp { from: whole.place(), to: place });
        }
        // It is, and only the copy was not marked yet.
        StoreState::Live(_) if copy.is_some() => {}
        StoreState::Empty | StoreState::Live(_) | StoreState::Marked(_) => return none(),
    }
    copy.map_or(Ok(()), |(copy, mark)| copy.set_moved(mark))?;
    Ok(Migrated::GivenUp)
}

/// Checks that a store is bound to these keys, before anything is changed.
fn check_identity(store: &mut dyn Store, keys: &NotaryKeys) -> Result<()> {
    store.begin()?;
    let identity = TABLES.iter().filter(|table| table.name == IDENTITY);
    for table in identity {
        store.rows(table, &mut |row| {
            let [receipt_kid, log_vkey, ..] = &*row else { return Ok(()) };
            keys.check_identity(receipt_kid.text()?, log_vkey.text()?)
        })?;
    }
    store.end()
}

/// Checks that a store has all that the target had before it was moved away from there: only then may it be replaced.
fn check_extends(
    source: &mut dyn Store,
    keys: &NotaryKeys,
    earlier: &Head,
    target: &str,
    progress: &mut dyn Progress,
) -> Result<()> {
    let head = source.begin()?;
    progress.begin("receipts checked", head.size);
    let sizes = [earlier.size];
    let checked = copy::check(source, Check::new(Some(keys), head, sizes), progress)?;
    match checked.roots.get(&earlier.size) {
        Some(root) if *root == earlier.root => Ok(()),
        Some(root) => Err(TransferError::Fork {
            name: target.to_owned(),
            size: earlier.size,
            theirs: earlier.root,
            ours: *root,
        }),
        None => Err(TransferError::NotEmpty { place: target.to_owned(), size: earlier.size }),
    }
}

/// Compares what a half-made copy has with what was read from its source.
pub(crate) fn compare(copy: &mut dyn Store, source: &Checked, progress: &mut dyn Progress) -> Result<()> {
    let head = copy.begin_to_compare()?;
    progress.begin("receipts compared", head.size);
    let found = copy::check(copy, Check::new(None, head, []), progress)?;
    if found.digest == source.digest { Ok(()) } else { Err(TransferError::Differs(copy.place())) }
}
