//! Checks that a receipt's times are possible.

use super::CheckResult;
use super::fields::ReceiptFields;
use crate::envelope::LogHead;
use crate::hash::parse_hex;
use crate::time::Timestamp;
use tlog::{EMPTY_ROOT, Hash};

/// The most milliseconds by which the notary's clock may be ahead of ours.
const MAX_AHEAD_MILLIS: i64 = 5_000;

fn failed(why: impl Into<String>) -> CheckResult {
    CheckResult::failed(why)
}

/// `signed_at` is a time, and not more than 5 s after `now`; `log_head` is a tree that the receipt's own leaf, at
/// `index`, does not belong to yet: it was signed after that tree was there.
///
/// Gives that head too, or why the times are impossible or cannot be checked.
pub(super) fn check(
    fields: &ReceiptFields<'_>,
    index: Option<u64>,
    now: Option<Timestamp>,
) -> Result<(CheckResult, LogHead), CheckResult> {
    let signed_at: Timestamp =
        fields.signed_at.parse().map_err(|error| failed(format!("signed_at is malformed: {error}")))?;
    if let Some(now) = now
        && signed_at.millis_since(now) > MAX_AHEAD_MILLIS
    {
        return Err(failed(format!("signed_at lies in the future: it is {now} now")));
    }
    let root = parse_hex(fields.log_root).map(Hash);
    let root = root.ok_or_else(|| failed("log_head.root is not 64 lowercase hexadecimal digits"))?;
    let size = fields.log_size;
    if (size == 0) != (root == EMPTY_ROOT) {
        return Err(failed("log_head has the root of an empty tree with another size, or the reverse"));
    }
    let no_index = "there is no leaf index to hold log_head against";
    let Some(index) = index else {
        // Without a proof there is none; a proof that is malformed hides one.
        let is_unmade = fields.proof.is_none();
        return Err(if is_unmade { CheckResult::unmade(no_index) } else { failed(no_index) });
    };
    if index < size {
        return Err(failed(format!(
            "leaf {index} lies before log_head, a tree of {size}: it was signed later than logged"
        )));
    }
    let detail = format!(
        "signed at {signed_at}, after the tree of {size}; leaf {index}; the tree's root was not compared with the log"
    );
    Ok((CheckResult::passed(detail), LogHead { size, root }))
}
