//! Days of questions.

use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use verdict::{FieldError, Fields, Objection, Reason, Timestamp};

/// The day of a time in UTC.
pub fn day(at: Timestamp) -> Date {
    in_zone(at, TimeZone::UTC)
}

/// The day of a time in Washington by Eastern Standard Time, which never is ahead of the clocks there.
pub fn washington(at: Timestamp) -> Date {
    in_zone(at, TimeZone::fixed(Offset::constant(-5)))
}

fn in_zone(at: Timestamp, zone: TimeZone) -> Date {
    let at =
        jiff::Timestamp::from_millisecond(at.as_millis()).expect("a receipt's time lies in jiff's range");
    at.to_zoned(zone).date()
}

/// Refuses a day after that of a time in UTC.
pub fn refuse_future(field: &str, asked: Option<Date>, at: Timestamp) -> Result<(), Objection> {
    if asked.is_some_and(|asked| asked > day(at)) {
        return Err(Objection::Field(error(field, Reason::InFuture, "must not be in the future")));
    }
    Ok(())
}

/// An error of a field of the question.
pub fn error(field: &str, reason: Reason, detail: impl Into<String>) -> FieldError {
    Fields::root(&receipt::json::Object::new()).error(field, reason, detail)
}
