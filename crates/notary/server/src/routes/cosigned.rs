//! What the public log serves under a policy of witnesses: see the crate `cosigning`.

use cosigning::{CosignedStanding, Cosigning, WitnessStanding};
use receipt::time::Timestamp;
use serde_json::{Value, json};

use crate::app::App;
use crate::refusal::Refusal;

/// The name of the part in `/health` and in refusals.
pub(crate) const PART: &str = "witnesses";
/// The pause after which a caller may ask again, in seconds: about as long as a quorum takes.
const RETRY_AFTER_S: u32 = 2;

/// The checkpoint that the log serves: the newest durable one or, with a policy, the newest that this process knows to be cosigned by
/// a quorum.
///
/// # Errors
/// 503 before the first quorum under the policy. The notary's own checkpoint is not served in its place: who relies on the
/// policy must not be told more than the witnesses have seen. 503 where a store that other processes write to cannot be read.
pub(crate) async fn checkpoint(app: &App) -> Result<String, Refusal> {
    let Some(cosigning) = &app.cosigning else {
        // A caller who has a newer one from another process would take this log for one that has gone back.
        return Ok(app.notary.ledger.newest_head().await?.checkpoint.to_string());
    };
    let newest = cosigning.newest();
    newest.map(|newest| newest.note.to_string()).ok_or_else(|| {
        Refusal::unavailable(PART, RETRY_AFTER_S, "no quorum of witnesses has cosigned a checkpoint yet")
    })
}

/// The proof of a leaf under the cosigned checkpoint.
///
/// # Errors
/// 503 while no cosigned tree contains the leaf, or the store cannot be read.
pub(crate) async fn proof(cosigning: &Cosigning, leaf: u64) -> Result<String, Refusal> {
    let proof = cosigning.proof(leaf).await?;
    proof.map(|proof| proof.to_text()).ok_or_else(|| {
        Refusal::unavailable(
            PART,
            RETRY_AFTER_S,
            "the witnesses have not cosigned a tree with this receipt yet; the proof in the receipt itself is under the \
             notary's own checkpoint",
        )
    })
}

/// The policy of the log.
///
/// # Errors
/// 404 without one.
pub(crate) fn policy(app: &App) -> Result<String, Refusal> {
    let cosigning =
        app.cosigning.as_ref().ok_or(Refusal::not_found("this log has no policy of witnesses"))?;
    Ok(cosigning.policy().text().to_owned())
}

/// The state of the witnesses, as `/health` has it.
pub(crate) fn standing(standing: &CosignedStanding, now: Timestamp) -> Value {
    let cosigned = |cosigned: Option<(u64, Timestamp)>| {
        cosigned.map(|(size, at)| {
            json!({"size": size, "at": at.to_string(), "age_s": now.millis_since(at).max(0) / 1000})
        })
    };
    let witness = |witness: &WitnessStanding| json!({"name": witness.name, "cosigned": cosigned(witness.cosigned), "error": witness.error});
    json!({
        "cosigned": cosigned(standing.newest),
        // The witnesses that another replica asks answer to that one.
        "collects": standing.collects,
        "each": standing.witnesses.iter().map(witness).collect::<Vec<_>>(),
    })
}
