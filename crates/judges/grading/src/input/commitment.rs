//! The commitment of a trade: the receipt of a `/commit` before it opened, and the content that was committed.
//!
//! The row hands the content in again, so a commit of its hash alone serves as well, and the ledger is asked for no more than
//! the receipt. Here the content is held against the row; `committed` holds the receipt against both.

use receipt::hash::{ReceiptHash, sha256};
use receipt::json::Json;
use verdict::{Field, FieldError, Fields, Reason, Text};

use super::row::Row;

/// Maximum length of a content in canonical form (RFC 8785), in bytes.
pub const CONTENT_BYTES: usize = 4_096;

pub(super) const NAME: &str = "commitment";
const CONTENT: &str = "content";
const RECEIPT_HASH: Field<Text> = hash("receipt_hash");
const PREVIOUS: Field<Text> = hash("previous");
/// The numbers that a content may state.
const NUMBERS: [&str; 3] = ["size", "stake", "max_loss"];

const fn hash(name: &'static str) -> Field<Text> {
    Field::text(name, 0..=usize::MAX).form("^[0-9a-f]{64}$", "must be 64 lowercase hexadecimal digits")
}

/// A commitment, whose content says what its row says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commitment {
    /// The hash of the receipt of `/commit`.
    pub receipt: ReceiptHash,
    /// SHA-256 of the content in canonical form (RFC 8785).
    pub content_sha256: [u8; 32],
    /// The hash of the receipt of the commitment before it in the series, as the content states it; `None` for the first
    /// one, and for a commitment that belongs to no series.
    pub previous: Option<ReceiptHash>,
    /// Whether the content states the side. One that does not serves a long and a short trade alike.
    pub has_side: bool,
    /// Whether the content states a size, a stake or a greatest loss.
    pub has_size: bool,
}

impl Commitment {
    /// Reads the commitment of a row; `None` where it has none.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong, or that is not what the row says.
    pub(super) fn read(row: &Row<'_>) -> Result<Option<Self>, FieldError> {
        if row.0.value(NAME).is_none_or(Json::is_null) {
            return Ok(None);
        }
        let fields = row.0.object(NAME)?;
        let receipt = fields.parse(&RECEIPT_HASH, |text| text.parse().ok())?;
        let content = Row(fields.object(CONTENT)?);
        let canonical = fields.value(CONTENT).ok_or_else(|| fields.missing(CONTENT))?.canonical();
        if canonical.len() > CONTENT_BYTES {
            let detail = format!("must have at most {CONTENT_BYTES} bytes in canonical form");
            return Err(fields.error(CONTENT, Reason::TooLong, detail));
        }
        compare(&content, row)?;
        let previous = previous(&content.0)?;
        let has_side = content.text("side")?.is_some();
        let has_size = NUMBERS.iter().any(|name| !content.0.value(name).is_none_or(Json::is_null));
        Ok(Some(Self { receipt, content_sha256: sha256(&canonical), previous, has_side, has_size }))
    }
}

fn previous(content: &Fields<'_>) -> Result<Option<ReceiptHash>, FieldError> {
    if content.value(PREVIOUS.name).is_none_or(Json::is_null) {
        return Ok(None);
    }
    content.optional_parse(&PREVIOUS, |text| text.parse().ok())
}

/// Checks that a content says what its row says: instrument and opening in any case, the side where the row has one, and
/// each number that the content has.
fn compare(content: &Row<'_>, row: &Row<'_>) -> Result<(), FieldError> {
    let instrument = content.text("instrument")?.ok_or_else(|| content.missing("instrument"))?;
    same(content, "instrument", row.text("instrument")? == Some(instrument))?;
    let opened_at = content.instant("opened_at")?.ok_or_else(|| content.missing("opened_at"))?;
    same(content, "opened_at", row.instant("opened_at")? == Some(opened_at))?;
    match (content.text("side")?, row.text("side")?) {
        (None, Some(_)) => return Err(content.missing("side")),
        (committed, given) => same(content, "side", committed == given)?,
    }
    for name in NUMBERS {
        if let Some(committed) = content.number(name)? {
            same(content, name, row.number(name)? == Some(committed))?;
        }
    }
    Ok(())
}

fn same(content: &Row<'_>, name: &str, is_same: bool) -> Result<(), FieldError> {
    if is_same {
        return Ok(());
    }
    Err(content.error(name, Reason::Contradictory, format!("must be the `{name}` of its row")))
}
