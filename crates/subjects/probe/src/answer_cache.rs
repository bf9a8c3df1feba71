//! Cache of answers about domains, by the name that they are about: however many questions come about a domain, its
//! registry or log is asked once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain_name::DomainName;
use moka::Expiry;
use moka::future::Cache;
use serde::Serialize;

/// Maximum size of the evidence of all cached answers of one client, in bytes.
pub(crate) const KEPT_BYTES: u64 = 16 << 20;
/// Time for which a failure is cached.
pub(crate) const KEEP_FAILED: Duration = Duration::from_secs(30);
/// The least that one counts for, so that their number is bounded as well.
const LEAST_BYTES: usize = 1 << 10;

/// An observation that can be cached.
pub(crate) trait Answer: Clone + Serialize + Send + Sync + 'static {
    /// True if the service gave all that it knows; false for a failure.
    fn is_told(&self) -> bool;
}

/// The answers. Cheap to clone; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct AnswerCache<A: Answer>(Cache<DomainName, Arc<A>>);

impl<A: Answer> AnswerCache<A> {
    /// Builds a cache that keeps an answer for this time, and a failure for [`KEEP_FAILED`].
    pub(crate) fn keeping(told: Duration) -> Self {
        let cache = Cache::builder().max_capacity(KEPT_BYTES).weigher(|_, seen: &Arc<A>| bytes(&**seen));
        Self(cache.expire_after(ByWorth { told }).build())
    }

    /// The answer of a moment ago, or the one that the first of those who ask now receives. An error is everybody's who
    /// waits, and is not kept. Who goes away while asking leaves it to the next.
    pub(crate) async fn or_ask<E: Clone + Send + Sync + 'static>(
        &self,
        name: &DomainName,
        asking: impl Future<Output = Result<A, E>>,
    ) -> Result<A, E> {
        let asking = async { asking.await.map(Arc::new) };
        let told = self.0.try_get_with_by_ref(name, asking).await;
        told.map(|seen| (*seen).clone()).map_err(|error| (*error).clone())
    }
}

fn bytes(seen: &impl Serialize) -> u32 {
    let bytes = serde_json::to_vec(seen).map_or(usize::MAX, |json| json.len());
    u32::try_from(bytes.max(LEAST_BYTES)).unwrap_or(u32::MAX)
}

/// A failure passes sooner than an answer changes.
struct ByWorth {
    told: Duration,
}

impl<A: Answer> Expiry<DomainName, Arc<A>> for ByWorth {
    fn expire_after_create(&self, _: &DomainName, seen: &Arc<A>, _: Instant) -> Option<Duration> {
        Some(if seen.is_told() { self.told } else { KEEP_FAILED })
    }
}

#[cfg(test)]
mod tests {
    use receipt::Timestamp;
    use url::Url;

    use super::*;
    use crate::registry::{KEEP, RdapAnswer, RegistryObservation, RegistryResult};
    use crate::site::ProbeFailure;

    fn seen(end: RegistryResult) -> RegistryObservation {
        let name = DomainName::parse("example.com").unwrap();
        RegistryObservation { name, list: None, end, observed_at: Some(Timestamp::EPOCH), elapsed_ms: 7 }
    }

    fn url() -> Url {
        Url::parse("https://rdap.example/domain/example.com").unwrap()
    }

    fn answered(status: u16, body: &str) -> RegistryObservation {
        let answer = (status == 200).then(|| RdapAnswer::keep(body.as_bytes()));
        seen(RegistryResult::Answered { url: url(), status, answer })
    }

    fn kept_for(seen: RegistryObservation) -> Option<Duration> {
        let name = seen.name.clone();
        ByWorth { told: KEEP }.expire_after_create(&name, &Arc::new(seen), Instant::now())
    }

    #[test]
    fn what_was_told_is_kept_for_longer_than_what_failed() {
        let of = |name: &str| format!(r#"{{"objectClassName":"domain","ldhName":"{name}"}}"#);
        assert_eq!(kept_for(answered(200, &of("example.com"))), Some(KEEP));
        assert_eq!(kept_for(answered(404, "")), Some(KEEP), "that it knows nothing is an answer");
        for failed in [
            answered(200, &of("example.net")),
            answered(200, "<html>"),
            answered(400, ""),
            answered(429, ""),
            answered(503, ""),
            seen(RegistryResult::Failed { url: url(), unseen: ProbeFailure::ConnectionRefused }),
            seen(RegistryResult::Failed { url: url(), unseen: ProbeFailure::Timeout }),
        ] {
            assert_eq!(kept_for(failed.clone()), Some(KEEP_FAILED), "{failed:?}");
        }
    }

    #[test]
    fn an_answer_counts_for_its_bytes_and_the_smallest_for_some() {
        let long = format!(r#"{{"objectClassName":"domain","remarks":"{}"}}"#, "x".repeat(5000));
        let json = serde_json::to_vec(&answered(200, &long)).unwrap().len();
        assert!(json > 5000);
        assert_eq!(bytes(&answered(200, &long)) as usize, json);
        assert_eq!(bytes(&answered(404, "")) as usize, LEAST_BYTES);
    }
}
