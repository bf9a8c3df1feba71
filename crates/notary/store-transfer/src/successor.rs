//! Begins the log that comes after one which cannot go on.
//!
//! Its first leaf is a receipt as all others are, of the class [`CLASS`]. It names the origin, the key and the last known
//! checkpoint of the earlier log, and has a note about the new log that the key of the earlier one signed. So both say which log
//! comes after which, and anybody can verify it.

use ledger::{Ledger, LedgerError, LedgerRecord};
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::sign::{Signer, log_entry};
use receipt::time::Timestamp;
use serde_json::json;
use tlog::{Checkpoint, LogSigners, Note, NoteSignature, VerifierKey};

use crate::error::{Result, TransferError};

/// The class of the receipt that begins a successor log.
pub const CLASS: &str = "succession";
/// The verdict of that receipt.
const VERDICT: &str = "SUCCEEDS";
/// The first line of the note. No checkpoint of the earlier log begins so, since that line is its origin.
const NOTE: &str = "touchstone successor log";

/// The log that cannot go on.
pub struct Predecessor<'k> {
    /// The key of its log, which may be elsewhere: it signs the note about the new log.
    pub key: &'k LogSigners,
    /// Its last known checkpoint.
    pub checkpoint: &'k str,
    /// The number of its leaves whose receipts are in the archive.
    pub archived: u64,
}

/// Begins the log of an empty store, in which the receipts are signed by `signer` as those of the notary at `iss`.
///
/// # Errors
/// The log is not empty, or has the origin of the earlier one.
pub async fn begin_successor(
    ledger: &dyn Ledger,
    (iss, signer, log): (&str, &Signer, &VerifierKey),
    predecessor: &Predecessor<'_>,
    at: Timestamp,
) -> Result<ReceiptHash> {
    let unfit = |why: &str| Err(TransferError::Successor(why.to_owned()));
    let Predecessor { key, checkpoint, archived } = predecessor;
    if key.name() == log.name() {
        return unfit(
            "it would have the origin of the earlier log, and so fork it: name another base address",
        );
    }
    if ledger.head().size > 0 {
        return unfit(
            "its store has receipts. If the first one, at leaf 0, is of class `succession`, the log has begun: serve it",
        );
    }
    let unsound = |error: String| TransferError::unsound(format!("the last checkpoint: {error}"));
    let earlier =
        Checkpoint::open(checkpoint, &[key.verifier()]).map_err(|error| unsound(error.to_string()))?;
    let (size, root) = (earlier.size(), earlier.root());
    let text = format!("{NOTE}\n{}\n{size} {root}\n{}\n{log}\n", key.name(), log.name());
    let signature = key.sign(text.as_bytes()).map_err(LedgerError::NotSigned)?;
    let signature = NoteSignature::of_key(&key.verifier(), signature.to_vec());
    let note = Note::new(&text, vec![signature]).map_err(|error| unsound(error.to_string()))?;
    let request = json!({ "predecessor": key.name() }).to_string().into_bytes();
    let finding = json!({
        "predecessor": {
            "origin": key.name(),
            "log_key": key.verifier().to_string(),
            "checkpoint": checkpoint,
            "archived": archived,
        },
        "successor": { "origin": log.name(), "log_key": log.to_string() },
        "signed_by_predecessor": note.to_string(),
        "scope": "Which log comes after which. It says nothing of the receipts in either.",
        "explanation": format!(
            "This log comes after {}, which ends at {size} leaves; the receipts of {archived} of them are archived.",
            key.name()
        ),
    });
    let head = ledger.head();
    let signed_at = at.max(head.latest);
    let kid = signer.kid().as_str();
    let envelope = Envelope {
        class: CLASS,
        iss,
        kid,
        agent: "operator",
        request_hash: sha256(&request),
        is_request_redacted: false,
        verdict: VERDICT,
        payment: None::<&()>,
        reference: None,
        // Nothing in it is secret.
        salt: [0; 16],
        log_head: LogHead { size: head.size, root: head.root },
        signed_at,
    };
    let payload = envelope.payload(&finding).map_err(|error| TransferError::unsound(error.to_string()))?;
    let signed = signer.sign(payload);
    let hash = signed.hash;
    let entry = log_entry(CLASS, &hash, kid, signed_at, None);
    ledger.append(LedgerRecord::new(signed, kid, CLASS, entry, signed_at, request)).await?;
    Ok(hash)
}
