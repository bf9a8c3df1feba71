//! What the public log serves of its time-stamp tokens: see the crate `time-stamping`.
//!
//! | path below `/log` | content |
//! |---|---|
//! | `timestamps` | JSON: the newest token, and where the others are |
//! | `timestamps/SIZE.tsr` | the authority's answer over the checkpoint of that size (RFC 3161) |
//! | `timestamps/SIZE.checkpoint` | the checkpoint: the bytes that are stamped |
//! | `timestamps/roots.pem` | the roots of the authority's certificates, as this notary is configured |

use axum::body::Bytes;
use receipt::time::Timestamp;
use serde_json::{Value, json};
use time_stamp::REPLY_TYPE;
use time_stamping::{StampStanding, Stamping};

use crate::app::App;
use crate::refusal::Refusal;

/// The name of the part in `/health`, in refusals, and below `/log/`.
pub(crate) const PART: &str = "timestamps";
/// The path of the roots, below the part.
pub(crate) const ROOTS: &str = "/roots.pem";

/// A file below `/log/timestamps`, with its media type.
///
/// # Errors
/// 404 where no authority is configured, or there is no such file.
pub(crate) async fn file(app: &App, path: &str) -> Result<(&'static str, Bytes), Refusal> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let stamping =
        app.stamping.as_ref().ok_or(Refusal::not_found("no authority stamps the checkpoints of this log"))?;
    match path {
        "" => return Ok(("application/json", index(app, stamping).to_string().into())),
        ROOTS => return Ok(("application/x-pem-file", stamping.roots_pem().to_owned().into())),
        _ => {}
    }
    let missing = Refusal::not_found("no token is stored over a checkpoint of this size");
    let Some((size, form)) = path.strip_prefix('/').and_then(|path| path.split_once('.')) else {
        return Err(missing);
    };
    // A number has one text, as in the paths of tiles.
    let Some(size) = size.parse::<u64>().ok().filter(|number| number.to_string() == size) else {
        return Err(missing);
    };
    let found = match form {
        "tsr" | "checkpoint" => stamping.of_size(size).await?.ok_or(missing)?,
        _ => return Err(missing),
    };
    Ok(match form {
        "tsr" => (REPLY_TYPE, found.answer.into()),
        _ => (PLAIN, found.note.to_string().into()),
    })
}

fn index(app: &App, stamping: &Stamping) -> Value {
    let base = format!("{}/log/{PART}", app.base_url());
    let newest = stamping.newest();
    let newest = newest.as_ref().and_then(|newest| {
        let stamp = stamping.read(newest)?;
        Some(json!({
            "size": newest.size,
            "root": newest.root.to_string(),
            "at": stamp.at.to_string(),
            "accuracy_ms": stamp.accuracy_ms,
            "authority": stamp.authority,
            "policy": stamp.policy,
            "serial": stamp.serial,
            "tsr": format!("{base}/{}.tsr", newest.size),
            "checkpoint": format!("{base}/{}.checkpoint", newest.size),
        }))
    });
    json!({"newest": newest, "roots": format!("{base}{ROOTS}")})
}

/// The state of the tokens, as `/health` has it.
pub(crate) fn standing(standing: &StampStanding, now: Timestamp) -> Value {
    let newest = standing.newest.map(
        |(size, at)| json!({"size": size, "at": at.to_string(), "age_s": now.millis_since(at).max(0) / 1000}),
    );
    json!({
        "authority": standing.authority,
        "stamped": newest,
        // Another replica's requests answer to that one.
        "asks": standing.asks,
        "error": standing.error,
    })
}
