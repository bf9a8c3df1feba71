//! The bounds of this crate, as `/catalog` publishes them.

use serde_json::{Value, json};
use watchlist::refresh;

use crate::screen::{ENTITY_CHARS, MOST_IDENTIFIERS, MOST_NAMES};
use crate::{agent_clearance, registers, screen_batch};

/// Returns the bounds of this crate for `/catalog`, by route or part.
#[must_use]
pub fn bounds() -> Value {
    let (download, changes) = (refresh::limits(), refresh::changes_limits());
    json!({
        "name_characters": ENTITY_CHARS,
        "further_names": MOST_NAMES,
        "further_identifiers": MOST_IDENTIFIERS,
        "batch_entities": screen_batch::MOST_ENTITIES,
        "registers": registers::bounds(),
        "nodes": agent_clearance::bounds(),
        "downloads": {
            "wire_bytes": download.wire_bytes,
            "total_ms": download.total.as_millis(),
            "redirects": download.redirects,
            "changes_wire_bytes": changes.wire_bytes,
            "changes_total_ms": changes.total.as_millis(),
        },
    })
}
