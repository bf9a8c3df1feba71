//! The words of a receipt's page: the caller's own, times, payments, disputes, and the meaning of each check.

use dispute::DisputeStatus;
use jiff::tz::TimeZone;
use ledger::{Alert, Watch};
use receipt::json::Json;
use receipt::time::Timestamp;
use receipt::verify::Report;

/// The members that repeat what a caller wrote and nobody looked at, with their names on the page.
const CALLERS_WORDS: [(&str, &str); 3] =
    [("claim", "The claim"), ("label", "The label"), ("disputer_reason", "The reason for the dispute")];

/// Returns what the caller wrote in a receipt and nobody checked, each with its name.
pub(super) fn callers_words(receipt: &Json) -> Vec<(&'static str, &str)> {
    let said = |(member, name): (&str, &'static str)| Some((name, receipt.get(member)?.as_str()?));
    CALLERS_WORDS.into_iter().filter_map(said).collect()
}

/// Returns a time as people write it: `26 November 2026, 09:45 UTC`; the text itself where it is no time.
pub(super) fn day(time: &str) -> String {
    let read: Option<jiff::Timestamp> = time.parse().ok();
    read.map_or_else(
        || time.to_owned(),
        |at| at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y, %H:%M UTC").to_string(),
    )
}

/// Returns what was paid for a receipt; `None` for a free one.
pub(super) fn paid(receipt: &Json) -> Option<String> {
    let payment = receipt.get("payment")?;
    let text = |name| payment.get(name).and_then(Json::as_str);
    let worth = if text("settlement") == Some("local") { " (development money, worth nothing)" } else { "" };
    Some(format!("{} {} on {}{worth}", text("amount")?, text("asset")?, text("network")?))
}

/// A dispute in a sentence, with the hash of its receipt.
pub(super) struct DisputeLine<'a> {
    pub(super) sentence: String,
    pub(super) hash: Option<&'a str>,
}

/// Returns the disputes of a receipt in sentences.
pub(super) fn disputes(disputes: &[DisputeStatus]) -> Vec<DisputeLine<'_>> {
    let lines = disputes.iter().map(|dispute| match dispute {
        DisputeStatus::Open => DisputeLine {
            sentence: "This verdict is being disputed; nothing is decided yet.".to_owned(),
            hash: None,
        },
        DisputeStatus::Ended { receipt_hash, verdict, signed_at } => {
            let end = match verdict.as_str() {
                "UPHELD" => "The first verdict stands: it was found again",
                "OVERTURNED" => {
                    "This verdict was wrong: a re-run of the preserved evidence found another one"
                }
                _ => "Nothing was decided",
            };
            let sentence = format!("This verdict was disputed. {end} ({verdict}, {}).", day(signed_at));
            DisputeLine { sentence, hash: Some(receipt_hash) }
        }
        DisputeStatus::Erased { receipt_hash, erased_at } => {
            let sentence =
                format!("This verdict was disputed. The dispute's receipt was erased ({}).", day(erased_at));
            DisputeLine { sentence, hash: Some(receipt_hash) }
        }
    });
    lines.collect()
}

/// A watch as it stands now, for the page of the receipt that opened it. Its id is told to nobody.
pub(super) struct WatchNow {
    pub(super) sentence: String,
    pub(super) alerts: Vec<AlertLine>,
}

/// A receipt that reports a change.
pub(super) struct AlertLine {
    pub(super) at: String,
    pub(super) day: String,
    pub(super) verdict: String,
    pub(super) hash: String,
}

impl WatchNow {
    /// Puts a watch in words.
    pub(super) fn of(watch: &Watch, now: Timestamp) -> Self {
        let last = format!(
            "the last look, on {}, found {}",
            day(&watch.screened.at.to_string()),
            watch.screened.verdict
        );
        let sentence = match watch.ended_at.unwrap_or(watch.until) {
            end if end <= now => format!("It has ended on {}; {last}.", day(&end.to_string())),
            _ => format!("The watch is live; {last}."),
        };
        let alert = |alert: &Alert| AlertLine {
            at: alert.at.to_string(),
            day: day(&alert.at.to_string()),
            verdict: alert.verdict.clone(),
            hash: alert.receipt.to_string(),
        };
        Self { sentence, alerts: watch.alerts.iter().map(alert).collect() }
    }
}

/// A check of a receipt, explained.
pub(super) struct CheckLine<'a> {
    pub(super) title: &'static str,
    pub(super) meaning: &'static str,
    pub(super) ok: bool,
    pub(super) detail: &'a str,
}

/// Returns the checks of a report, with what each of them means.
pub(super) fn checks(report: &Report) -> Vec<CheckLine<'_>> {
    let checks = report.checks().map(|(name, check)| {
        let (title, meaning) = explained(name);
        CheckLine { title, meaning, ok: check.ok, detail: &check.detail }
    });
    checks.collect()
}

/// The title and the meaning of a check.
fn explained(name: &'static str) -> (&'static str, &'static str) {
    match name {
        "hash" => (
            "Nothing was changed",
            "The SHA-256 of the receipt's content is the hash that the receipt names. One changed letter gives another hash.",
        ),
        "signature" => (
            "Signed",
            "The Ed25519 signature over the content is valid under the key that the receipt names. Nobody without the private \
             key can make one.",
        ),
        "key" => {
            ("The notary's key", "The key is one that this notary publishes, today or as a retired one.")
        }
        "inclusion" => (
            "In the public log",
            "A Merkle path leads from the receipt to a signed root of the notary's log, which anybody can copy. A receipt cannot \
             be put in or taken out later.",
        ),
        "timestamp" => (
            "Its time fits",
            "The time and the head of the log that the receipt names fit the log: it was not signed earlier, and not in the \
             future.",
        ),
        "rerun" => (
            "The re-run is signed",
            "The process that judged the disputed question again has signed what it found with a key of its own, and the \
             verdict of the dispute follows from that.",
        ),
        other => (other, "A check of the receipt."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_write_them() {
        assert_eq!(day("2026-11-06T09:05:07.250Z"), "6 November 2026, 09:05 UTC");
        assert_eq!(day("soon"), "soon");
    }
}
