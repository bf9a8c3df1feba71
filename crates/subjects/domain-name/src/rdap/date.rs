//! Dates in the formats that registries use.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use receipt::Timestamp;

/// The longest text that can be a date.
const MAX_DATE_BYTES: usize = 64;

/// Reads a date of RFC 3339; without an offset, or without a time of day, it is taken for UTC, as registries mean it.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_DATE_BYTES {
        return None;
    }
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = text.parse::<DateTime>().ok()?;
        Offset::UTC.to_timestamp(civil).ok()
    })?;
    Timestamp::from_millis(instant.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_with_and_without_its_offset() {
        for (text, at) in [
            ("2024-06-18T22:01:39+03:00", "2024-06-18T19:01:39.000Z"),
            ("2014-11-12T19:15:55.283Z", "2014-11-12T19:15:55.283Z"),
            ("2024-10-19T19:28:12", "2024-10-19T19:28:12.000Z"),
            ("2024-10-19 19:28:12Z", "2024-10-19T19:28:12.000Z"),
            ("2024-10-19", "2024-10-19T00:00:00.000Z"),
        ] {
            assert_eq!(read(text).map(|at| at.to_string()).as_deref(), Some(at), "{text}");
        }
        for text in ["", "soon", "2024-13-01", "1969-12-31T23:59:59Z", "19.10.2024", &"2".repeat(100)] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
