//! What was read from a source's documents, kept for a while.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moka::future::Cache;
use receipt::hash::sha256;
use verdict::Timestamp;

use super::client::{RawAnswer, Source, SourceFault, SourceRequest, age_s};
use super::record::SourceRecord;

/// What was read from a document.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// The content.
    pub content: T,
    /// The bytes that are kept as evidence: the body, or an extract from which the same content can be read.
    pub kept: Bytes,
}

/// The content of a document, and the request that brought it.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was asked and what came back, at the time of the judgement.
    pub record: SourceRecord,
    /// The document; `None` where the source has no such document.
    pub document: Option<Arc<Document<T>>>,
}

/// Reads a body, or names what is wrong with it.
pub type Reader<T> = fn(Bytes) -> Result<Document<T>, String>;

/// The documents of one kind of a source.
///
/// # Invariants
///
/// - An answer that is older than it may be is never given without the label `stale`, and only where the source cannot be
///   asked again.
///
/// - The same request is sent once for all who wait for it.
///
/// - What cannot be read is a fault of the source, and replaces no older answer.
pub struct Answers<T> {
    source: Arc<Source>,
    kind: &'static str,
    fresh: Cache<String, Arc<Kept<T>>>,
    older: Cache<String, Arc<Kept<T>>>,
    read: Reader<T>,
}

struct Kept<T> {
    record: SourceRecord,
    document: Option<Arc<Document<T>>>,
}

/// For so long an older answer serves where the source is down.
const OLDEST: Duration = Duration::from_secs(7 * 24 * 3600);

impl<T: Send + Sync + 'static> Answers<T> {
    /// Answers of a kind that serve for a time, at most so many.
    #[must_use]
    pub fn new(
        source: Arc<Source>,
        kind: &'static str,
        serve_for: Duration,
        most: u64,
        read: Reader<T>,
    ) -> Self {
        let cache = |time| Cache::builder().max_capacity(most).time_to_live(time).build();
        Self { source, kind, fresh: cache(serve_for), older: cache(OLDEST), read }
    }

    /// The answer to a request: one that serves still, a new one, or an older one that is labelled.
    ///
    /// # Errors
    /// There is none.
    pub async fn of(&self, request: &SourceRequest, at: Timestamp) -> Result<Answer<T>, SourceFault> {
        let key = request.key();
        let asked = self.fresh.try_get_with_by_ref(&key, self.ask(request, &key)).await;
        match asked {
            Ok(kept) => Ok(kept.at(at, false)),
            Err(fault) => match self.older.get(&key).await {
                Some(kept) => Ok(kept.at(at, true)),
                None => Err((*fault).clone()),
            },
        }
    }

    /// The fault of this source, for a document that was read and does not serve.
    pub fn fault(&self, code: impl Into<String>) -> SourceFault {
        self.source.fault(code, 60)
    }

    async fn ask(&self, request: &SourceRequest, key: &str) -> Result<Arc<Kept<T>>, SourceFault> {
        let RawAnswer { mut record, status, body } = self.source.ask(request).await?;
        self.kind.clone_into(&mut record.document);
        let document = if status == 404 {
            None
        } else {
            let read = self.read;
            // Documents of megabytes take tens of milliseconds: not on a thread where calls are answered.
            let read = tokio::task::spawn_blocking(move || {
                let document = read(body)?;
                let hash = hex::encode(sha256(&document.kept));
                Ok::<_, String>((Arc::new(document), hash))
            });
            let read = read.await.map_err(|_| self.fault("unreadable"))?;
            let (document, hash) = read.map_err(|why| self.fault(format!("unreadable: {why}")))?;
            record.evidence_sha256 = Some(hash);
            Some(document)
        };
        let kept = Arc::new(Kept { record, document });
        self.older.insert(key.to_owned(), Arc::clone(&kept)).await;
        Ok(kept)
    }
}

impl<T> Kept<T> {
    fn at(&self, at: Timestamp, stale: bool) -> Answer<T> {
        let age_s = age_s(self.record.retrieved_at, at);
        let document = self.document.clone();
        Answer { record: SourceRecord { age_s, stale, ..self.record.clone() }, document }
    }
}
