//! The date that a file states.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The words before a date in a comment.
const KEYS: [&str; 8] = [
    "last updated",
    "last modified",
    "last update",
    "date",
    "updated",
    "generated",
    "generated on",
    "generated at",
];

/// The date of a comment such as `Last updated: 2026-01-02 03:04:05 (UTC)`; the text has no comment sign.
pub(crate) fn of_comment(text: &str) -> Option<Timestamp> {
    let (key, value) = text.split_once(':')?;
    let key = key.trim().to_ascii_lowercase();
    if KEYS.contains(&key.as_str()) { date(value) } else { None }
}

/// Reads a date: RFC 3339, `2026-01-02 03:04:05`, `2026-01-02` or `2 January 2026 03:04:05`, in UTC where no offset stands.
/// A day without a time counts from its beginning.
pub(crate) fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '#');
    let text = text.strip_suffix("(UTC)").or_else(|| text.strip_suffix("UTC")).unwrap_or(text).trim_end();
    if text.len() > 64 {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let in_utc = |time: DateTime| time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    for format in ["%d %B %Y %H:%M:%S", "%d %b %Y %H:%M:%S", "%d %b %Y %H:%M", "%d %B %Y %H:%M"] {
        if let Ok(time) = DateTime::strptime(format, text) {
            return in_utc(time);
        }
    }
    for format in ["%d %B %Y", "%d %b %Y"] {
        if let Ok(day) = Date::strptime(format, text) {
            return in_utc(day.to_datetime(jiff::civil::Time::midnight()));
        }
    }
    in_utc(text.parse::<DateTime>().ok()?)
}

/// Reads seconds, or milliseconds, since 1970.
pub(crate) fn number(number: u64) -> Option<Timestamp> {
    let number = i64::try_from(number).ok()?;
    if number < 100_000_000_000 {
        Timestamp::from_second(number)
    } else {
        Timestamp::from_millisecond(number)
    }
    .ok()
}

/// As a time of the system; `None` before 1970.
pub(crate) fn system(at: Timestamp) -> Option<SystemTime> {
    let millis = u64::try_from(at.as_millisecond()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

/// RFC 3339 in whole seconds.
pub(crate) fn text(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let at = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_comments_are_read_in_utc() {
        for (text, at) in [
            ("Last updated: 2026-11-22 10:00:12 (UTC)     #", "2026-11-22T10:00:12Z"),
            (" Date: 2026-01-02", "2026-01-02T00:00:00Z"),
            ("Date: 02 January 2026 10:11:12 (UTC)", "2026-01-02T10:11:12Z"),
            ("Last modified: 2 Jan 2026 10:11 UTC", "2026-01-02T10:11:00Z"),
            ("updated: 2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"),
        ] {
            assert_eq!(of_comment(text).map(|at| at.to_string()).as_deref(), Some(at), "{text}");
        }
        for text in ["Title: 2026-01-02", "Date: soon", "Date", "2026-01-02"] {
            assert_eq!(of_comment(text), None, "{text}");
        }
        assert_eq!(number(1_700_000_000), number(1_700_000_000_000));
    }
}
