//! Whether a receipt's times are possible.

use super::Check;
use super::fields::Fields;
use crate::hash::parse_hex;
use crate::time::Timestamp;
use tlog::{EMPTY_ROOT, Hash};

/// How far the notary's clock may be ahead of ours, in milliseconds.
const MAX_AHEAD_MILLIS: i64 = 5_000;

/// `signed_at` is a time, and not more than 5 s after `now`; `log_head` is a tree that the receipt's own leaf, at
/// `index`, does not belong to yet: it was signed after that tree was there.
pub(super) fn check(fields: &Fields<'_>, index: Option<u64>, now: Option<Timestamp>) -> Check {
    let signed_at: Timestamp = match fields.signed_at.parse() {
        Ok(signed_at) => signed_at,
        Err(error) => return Check::failed(format!("signed_at is malformed: {error}")),
    };
    if let Some(now) = now
        && signed_at.millis_since(now) > MAX_AHEAD_MILLIS
    {
        return Check::failed(format!("signed_at lies in the future: it is {now} now"));
    }
    let Some(root) = parse_hex(fields.log_root).map(Hash) else {
        return Check::failed("log_head.root is not 64 lowercase hexadecimal digits");
    };
    let size = fields.log_size;
    if (size == 0) != (root == EMPTY_ROOT) {
        return Check::failed("log_head has the root of an empty tree with another size, or the reverse");
    }
    match index {
        None => Check::failed("there is no leaf index to hold log_head against"),
        Some(index) if index < size => Check::failed(format!(
            "leaf {index} lies before log_head, a tree of {size}: it was signed later than logged"
        )),
        Some(index) => {
            Check::passed(format!("signed at {signed_at}, after the tree of {size}; leaf {index}"))
        }
    }
}
