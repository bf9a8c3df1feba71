//! The records of a notary's keys, from its `GET /keys`, and the leaves at which each key may sign.
//!
//! The log has only the hash of each record, so the records are asked for, and held against the log: [`Monitor`](crate::Monitor)
//! compares the entry of each with the one that the log has at its leaf, and finds out if one of the log's was not given.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use fetch::{Endpoint, EndpointError, Limits};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use receipt::ReceiptHash;
use receipt::history::{KeyHistory, MAX_KEY_RECORDS};
use receipt::json::{self, Json};
use receipt::sign::log_entry;
use tlog::{TilePath, TlogProof};

use crate::monitor::{KeyRule, Recorded};
use crate::source::{LogSource, SourceError, patiently};

/// The most bytes of one answer.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// The longest time for one answer.
const LONGEST: Duration = Duration::from_secs(15);
/// The path of the records below the notary's address.
const PATH: &str = "keys";

/// Gives the records of a notary's keys.
pub trait RecordSource: Send + Sync {
    /// The answer that begins with the record at this leaf or the next one; `None` where the notary gives none.
    fn records(&self, from: u64) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>>;
}

/// The `GET /keys` of a notary at an address.
#[derive(Clone, Debug)]
pub struct HttpRecords(Endpoint);

impl HttpRecords {
    /// Makes a client of the notary at `url`, below which `keys` is.
    ///
    /// # Errors
    /// The address is not one that may be reached.
    pub fn new(url: &str) -> Result<Self, EndpointError> {
        let limits = Limits {
            total: LONGEST,
            wait: LONGEST,
            wire_bytes: MAX_ANSWER_BYTES,
            decoded_bytes: MAX_ANSWER_BYTES,
            ..Limits::default()
        };
        Endpoint::system(url, &[], limits).map(Self)
    }
}

impl RecordSource for HttpRecords {
    fn records(&self, from: u64) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        async move { patiently(&self.0, PATH, Some(&format!("from={from}"))).await }.boxed()
    }
}

/// The history of a notary's keys, as far as its records are known. A clone is the same one.
#[derive(Clone, Debug, Default)]
pub struct KeyRecords(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    history: KeyHistory,
    recorded: Recorded,
    /// The leaf from which the next answer goes on.
    next: u64,
}

impl KeyRecords {
    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks for the records that are not known yet.
    ///
    /// # Errors
    /// They cannot be had, or the answer is not of the form of `GET /keys`. A record that breaks the rules of a history is no
    /// error: the monitor tells of it.
    pub async fn ask(&self, source: &dyn RecordSource) -> Result<(), SourceError> {
        // Each answer has a record at least, or is the last one.
        for _ in 0..=MAX_KEY_RECORDS {
            let from = self.with(|known| known.next);
            let Some(answer) = source.records(from).await? else { return Ok(()) };
            let is_last = self.with(|known| known.add(&answer));
            let malformed = |why| SourceError::Keys { why };
            if is_last.map_err(malformed)? {
                return Ok(());
            }
        }
        Err(SourceError::Keys { why: "the answers have no end".to_owned() })
    }
}

impl Known {
    /// Adds the records of an answer. Returns true if it is the last one.
    fn add(&mut self, answer: &[u8]) -> Result<bool, String> {
        let answer = json::parse(answer).map_err(|error| error.to_string())?;
        let receipts = answer.get("receipts").and_then(Json::as_array).ok_or("it has no receipts")?;
        for receipt in receipts {
            self.record(receipt)?;
        }
        // A notary that stands still would be asked for ever.
        Ok(receipts.is_empty() || answer.get("next").and_then(Json::as_number).is_none())
    }

    fn record(&mut self, receipt: &Json) -> Result<(), String> {
        let text = |name: &str| {
            receipt.get(name).and_then(Json::as_str).ok_or_else(|| format!("a receipt has no {name}"))
        };
        let proof: TlogProof = text("proof")?.parse().map_err(|error| format!("a proof: {error}"))?;
        let leaf = proof.index;
        if leaf < self.next {
            return Err(format!("the record of leaf {leaf} comes after that of a later leaf"));
        }
        self.next = leaf + 1;
        let Json::Object(members) = receipt else { return Err("a receipt is no object".to_owned()) };
        let payload = members.canonical_without(&["receipt_hash", "signature", "proof"]);
        let signature = decoded(text("signature")?).ok_or("a signature is malformed")?;
        let signed_at = text("signed_at")?.parse().map_err(|_| "signed_at is no time")?;
        let hash = ReceiptHash::of_payload(&payload);
        let entry = log_entry(text("class")?, &hash, text("kid")?, signed_at, None);
        self.recorded.entries.insert(leaf, receipt::sha256(&entry));
        if self.recorded.broken.is_none()
            && let Err(error) = self.history.add(leaf, &payload, &signature)
        {
            self.recorded.broken = Some((leaf, error.to_string()));
        }
        Ok(())
    }
}

/// A signature in base64url without padding.
fn decoded(text: &str) -> Option<[u8; 64]> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

impl KeyRule for KeyRecords {
    fn refusal(&self, kid: &str, leaf: u64) -> Option<String> {
        self.with(|known| {
            // A log of before there were records. If it has one that was not given, that is told.
            if known.history.is_empty() {
                None
            } else {
                known.history.check(kid, leaf).err().map(|error| error.to_string())
            }
        })
    }

    fn recorded(&self) -> Option<Recorded> {
        Some(self.with(|known| Recorded {
            log_keys: known.history.log_keys_with(&[]),
            handovers: known.history.handovers().to_vec(),
            ..known.recorded.clone()
        }))
    }
}

/// A notary's log, whose records of keys are asked for with each checkpoint: after it, so that none of its leaves is missing.
#[derive(Debug)]
pub struct LogWithKeys<L, R> {
    /// The log.
    pub log: L,
    /// The records of keys.
    pub source: R,
    /// The records that are known.
    pub records: KeyRecords,
}

impl<L: LogSource, R: RecordSource> LogSource for LogWithKeys<L, R> {
    fn checkpoint(&self) -> BoxFuture<'_, Result<Bytes, SourceError>> {
        async {
            let checkpoint = self.log.checkpoint().await?;
            self.records.ask(&self.source).await?;
            Ok(checkpoint)
        }
        .boxed()
    }

    fn tile(&self, path: TilePath) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        self.log.tile(path)
    }
}
