//! What was read from a source's documents, kept for a while.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use verdict::Timestamp;

use super::client::{RawAnswer, Source, SourceFault, SourceRequest, age_s};
use super::record::SourceRecord;

/// The content of a document, and the request that brought it.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was asked and what came back, at the time of the judgement.
    pub record: SourceRecord,
    /// The content; `None` where the source has no such document.
    pub content: Option<Arc<T>>,
}

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
    fresh: Cache<String, Arc<Kept<T>>>,
    older: Cache<String, Arc<Kept<T>>>,
    read: fn(&[u8]) -> Result<T, String>,
}

struct Kept<T> {
    record: SourceRecord,
    content: Option<Arc<T>>,
}

/// For so long an older answer serves where the source is down.
const OLDEST: Duration = Duration::from_secs(7 * 24 * 3600);

impl<T: Send + Sync + 'static> Answers<T> {
    /// Answers that serve for a time, at most so many; `read` reads a body, or names what is wrong with it.
    #[must_use]
    pub fn new(
        source: Arc<Source>,
        serve_for: Duration,
        most: u64,
        read: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        let cache = |time| Cache::builder().max_capacity(most).time_to_live(time).build();
        Self { source, fresh: cache(serve_for), older: cache(OLDEST), read }
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

    async fn ask(&self, request: &SourceRequest, key: &str) -> Result<Arc<Kept<T>>, SourceFault> {
        let RawAnswer { record, status, body } = self.source.ask(request).await?;
        let content = if status == 404 {
            None
        } else {
            let read = self.read;
            // Documents of megabytes take tens of milliseconds: not on a thread where calls are answered.
            let read = tokio::task::spawn_blocking(move || read(&body)).await;
            let read = read.map_err(|_| self.source.fault("unreadable", 60))?;
            Some(Arc::new(read.map_err(|why| self.source.fault(format!("unreadable: {why}"), 60))?))
        };
        let kept = Arc::new(Kept { record, content });
        self.older.insert(key.to_owned(), Arc::clone(&kept)).await;
        Ok(kept)
    }
}

impl<T> Kept<T> {
    fn at(&self, at: Timestamp, stale: bool) -> Answer<T> {
        let age_s = age_s(self.record.retrieved_at, at);
        Answer { record: SourceRecord { age_s, stale, ..self.record.clone() }, content: self.content.clone() }
    }
}
