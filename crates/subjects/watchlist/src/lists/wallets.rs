//! Wallet lines: `{"address", "currency", "uid", "entity", "program"}`, a wallet a line.
//!
//! Five real rows fail base58check (Solana's and Ripple's addresses have none, or another alphabet). Every
//! row is kept as it is: a list's address is compared, never judged. A row that comes twice, as one real one
//! does, is one.

use std::io::{BufRead, Read};

use serde::Deserialize;

use super::bounded::read_error;
use super::context::{InputFile, json_error};
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::text::{clean, some};
use crate::model::{EntityKind, Entry, EntryWallet};

#[derive(Deserialize)]
struct WalletRow {
    address: String,
    currency: String,
    uid: u64,
    entity: String,
    #[serde(default)]
    program: String,
}

/// Reads the file.
///
/// # Errors
/// [`ListError`] where a line is no such row.
pub(super) fn read(mut input: InputFile<'_>) -> Result<Fragment, ListError> {
    let mut fragment = Fragment::new(FileFormat::WalletLines, input.file, &input.list);
    let mut line = Vec::new();
    let (file, bounds, meter) = (input.file, input.bounds, input.meter());
    loop {
        line.clear();
        meter.next();
        let limit = bounds.record_bytes as u64;
        let read = input.bytes.by_ref().take(limit + 1).read_until(b'\n', &mut line);
        if read.map_err(|error| read_error(file, error))? == 0 {
            break;
        }
        if line.len() as u64 > limit {
            return Err(ListError::TooLarge { file: file.to_owned(), what: "bytes in one line", limit });
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row: WalletRow = serde_json::from_slice(&line).map_err(|error| json_error(file, error))?;
        let address = clean(&row.address);
        if address.is_empty() {
            return Err(input.malformed(format!("a wallet of {} has no address", row.uid)));
        }
        add(&mut fragment, &row, address, &input)?;
    }
    for entry in fragment.entries.values_mut() {
        draft::finish(entry, file, bounds)?;
    }
    fragment.end()
}

fn add(
    fragment: &mut Fragment,
    row: &WalletRow,
    address: String,
    input: &InputFile<'_>,
) -> Result<(), ListError> {
    let uid = row.uid.to_string();
    if fragment.entry(&uid).is_none() {
        let mut entry = Entry::new(&uid, &input.list, EntityKind::Unknown, &clean(&row.entity));
        entry.programs.extend(row.program.split(',').filter_map(some));
        fragment.add(entry, input.bounds)?;
    }
    if let Some(entry) = fragment.entry(&uid) {
        entry.wallets.push(EntryWallet { address: address.into(), currency: clean(&row.currency).into() });
    }
    Ok(())
}
