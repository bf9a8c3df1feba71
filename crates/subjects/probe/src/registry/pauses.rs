//! Services that have asked to be left alone for a while (RFC 6585 section 4, RFC 9110 section 10.2.3, RFC 7480 section
//! 5.5).

use std::future::ready;
use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use moka::future::Cache;
use receipt::Timestamp;
use url::{Origin, Url};

use crate::elapsed::millis;

/// Maximum pause. A service that asks for a longer one is queried again after this time.
pub const MAX_PAUSE: Duration = Duration::from_secs(300);
/// The pause where a service that is asked too much does not say how long.
const PAUSE: Duration = Duration::from_secs(30);
/// The most services that are left alone at the same time. Some are those that others redirect to.
const MAX_SERVICES: u64 = 1024;

/// Ends of the pauses that services asked for. Cheap to clone; clones share it.
#[derive(Clone, Debug)]
pub(super) struct ServicePauses(Cache<Origin, Timestamp>);

impl Default for ServicePauses {
    fn default() -> Self {
        // The longest pause is over by then, even if the wall clock was set.
        Self(Cache::builder().max_capacity(MAX_SERVICES).time_to_live(MAX_PAUSE).build())
    }
}

impl ServicePauses {
    /// End of the pause at this origin; `None` where it may be asked.
    pub(super) async fn until(&self, url: &Url, now: Timestamp) -> Option<Timestamp> {
        self.0.get(&url.origin()).await.filter(|until| now < *until)
    }

    /// Leaves this origin alone until then, or for longer where it has asked for longer.
    pub(super) async fn note(&self, url: &Url, until: Timestamp) {
        let later = |noted: Option<moka::Entry<Origin, Timestamp>>| {
            ready(noted.map_or(until, |noted| noted.into_value().max(until)))
        };
        self.0.entry(url.origin()).and_upsert_with(later).await;
    }
}

/// End of the pause that an answer at this time asks for. That it is not available (503) says so only where it says how
/// long.
pub(super) fn asked_for(status: u16, fields: &HeaderMap, at: Timestamp) -> Option<Timestamp> {
    let field = fields.get(RETRY_AFTER);
    if status != 429 && (status != 503 || field.is_none()) {
        return None;
    }
    let pause = field.and_then(|field| pause(field.to_str().ok()?.trim(), at)).unwrap_or(PAUSE);
    Some(at.saturating_add_millis(millis(pause.min(MAX_PAUSE)).into()))
}

/// The pause from this time on that a `Retry-After` means: seconds, or the date at its end.
fn pause(value: &str, at: Timestamp) -> Option<Duration> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let end = Timestamp::try_from(httpdate::parse_http_date(value).ok()?).ok()?;
    Some(Duration::from_millis(u64::try_from(end.millis_since(at)).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn now() -> Timestamp {
        "2026-11-22T00:00:00.000Z".parse().unwrap()
    }

    /// The seconds for which a service wants to be left alone after such an answer.
    fn seconds(status: u16, retry_after: Option<&str>) -> Option<i64> {
        let mut fields = HeaderMap::new();
        if let Some(value) = retry_after {
            fields.insert(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
        }
        asked_for(status, &fields, now()).map(|until| until.millis_since(now()) / 1000)
    }

    #[test]
    fn a_pause_is_given_in_seconds_or_by_its_end_and_has_its_bound() {
        for (value, pause) in [
            ("60", 60),
            ("0", 0),
            (" 7 ", 7),
            ("300", 300),
            ("301", 300),
            ("99999999999999999999999999", 300),
            ("Sun, 22 Nov 2026 00:01:30 GMT", 90),
            ("Sunday, 22-Nov-26 00:01:30 GMT", 90),
            ("Sun Nov 22 00:01:30 2026", 90),
            ("Sun, 22 Nov 2026 09:00:00 GMT", 300),
            ("Sat, 21 Nov 2026 00:00:00 GMT", 0),
            // What cannot be read is none that was given.
            ("", 30),
            ("-1", 30),
            ("1.5", 30),
            ("soon", 30),
        ] {
            assert_eq!(seconds(429, Some(value)), Some(pause), "{value:?}");
            assert_eq!(seconds(503, Some(value)), Some(pause), "{value:?}");
        }
    }

    #[test]
    fn who_is_asked_too_much_gets_a_pause_and_who_is_not_there_where_it_says_so() {
        assert_eq!(seconds(429, None), Some(30));
        assert_eq!(seconds(503, None), None);
        for status in [200, 404, 500, 502] {
            assert_eq!(seconds(status, Some("60")), None, "{status}");
        }
    }

    #[tokio::test]
    async fn a_pause_is_the_origins_and_is_never_shortened() {
        let url = |text: &str| Url::parse(text).unwrap();
        let (asked, other) = (url("https://rdap.example/com/domain/a.com"), url("https://rdap.example/net/"));
        let after = |millis: i64| now().saturating_add_millis(millis);
        let pauses = ServicePauses::default();
        assert_eq!(pauses.until(&asked, now()).await, None);
        pauses.note(&asked, after(60_000)).await;
        pauses.note(&asked, after(30_000)).await;
        assert_eq!(pauses.until(&other, after(59_999)).await, Some(after(60_000)));
        assert_eq!(pauses.until(&other, after(60_000)).await, None);
        for elsewhere in ["https://rdap.example:8443/", "http://rdap.example/", "https://a.rdap.example/"] {
            assert_eq!(pauses.until(&url(elsewhere), now()).await, None, "{elsewhere}");
        }
        pauses.note(&asked, after(90_000)).await;
        assert_eq!(pauses.until(&asked, after(60_000)).await, Some(after(90_000)));
    }
}
