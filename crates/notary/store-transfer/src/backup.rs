//! Backs a store up into a file, while it is served.

use std::path::Path;

use crate::check::Check;
use crate::dump::{DumpReader, DumpWriter};
use crate::error::Result;
use crate::keys::NotaryKeys;
use crate::place::Place;
use crate::tables::{RECEIPTS, TABLES};
use crate::{Checked, Progress, TransferError, copy};

/// Writes a backup of a store into a file, as it is at one moment, whether or not it is being served. The tree is checked on the
/// way. With keys, the file is then read back and [verified](verify_backup) before it gets its name.
///
/// # Errors
/// [`TransferError`]. There is no file of that name then, and there may be one that ends in `.part`.
pub fn backup(
    from: &Place,
    to: &Path,
    keys: Option<&NotaryKeys>,
    progress: &mut dyn Progress,
) -> Result<Checked> {
    let mut store = from.beside()?;
    let head = store.begin()?;
    progress.begin("receipts backed up", head.size);
    let mut writer = DumpWriter::begin(to, &head)?;
    let mut check = Check::new(None, head, []);
    for table in TABLES {
        writer.table(table)?;
        store.rows(table, &mut |row| {
            check.row(table, &row)?;
            if table.name == RECEIPTS {
                progress.receipt();
            }
            writer.row(&row)
        })?;
    }
    store.end()?;
    let checked = check.end()?;
    let written = writer.end()?;
    if let Some(keys) = keys
        && verify_backup(written, keys, progress)?.digest != checked.digest
    {
        return Err(TransferError::Changed);
    }
    writer.put_in_place()?;
    Ok(checked)
}

/// Reads a backup and checks all of it: its bytes, each signature, each receipt against its leaf, and the tree.
///
/// # Errors
/// [`TransferError`]: it is not whole, not sound, or of another notary.
pub fn verify_backup(path: &Path, keys: &NotaryKeys, progress: &mut dyn Progress) -> Result<Checked> {
    check(path, keys, [], progress)
}

/// Checks a backup, and finds the roots that its log has at these sizes.
pub(crate) fn check(
    path: &Path,
    keys: &NotaryKeys,
    sizes: impl IntoIterator<Item = u64>,
    progress: &mut dyn Progress,
) -> Result<Checked> {
    let mut dump = DumpReader::open(path)?;
    let head = dump.head().clone();
    progress.begin("receipts checked", head.size);
    let checked = copy::check(&mut dump, Check::new(Some(keys), head, sizes), progress);
    checked.map_err(|error| match error {
        // Where bytes were changed, that is what there is to say.
        TransferError::Unsound(_) | TransferError::OtherNotary(_) => {
            DumpReader::check_bytes(path).err().unwrap_or(error)
        }
        other => other,
    })
}
