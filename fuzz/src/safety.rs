//! Texts and addresses that are scanned.

use safety::{MAX_HITS, ScanResult, ScanVerdict, Severity, TextScan, scan_url};
use threat_feeds::Feeds;
use verdict::Timestamp;

/// Texts: every place lies in the text, in bytes and in characters; the worst finding comes first and makes the verdict; only a
/// text with a secret is kept otherwise than it came; and a second scan finds the same.
pub fn text(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let scan = TextScan::of(&text);
    let (redacted, has_secret) = (scan.redacted(), scan.has_secret());
    assert!(has_secret || redacted == text);
    let result = scan.result();
    hold(&text, &result);
    assert_eq!(TextScan::of(&text).result(), result);
    result.verdict > ScanVerdict::Unknown
}

/// Addresses: refused, or scanned with the same result each time, and every place lies in the address.
pub fn url(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let none = Feeds::open(&[]).expect("there is nothing to read");
    let Ok(result) = scan_url(&text, &none, Timestamp::EPOCH) else { return false };
    hold(&text, &result);
    assert_eq!(scan_url(&text, &none, Timestamp::EPOCH).ok(), Some(result));
    true
}

fn hold(text: &str, result: &ScanResult) {
    assert!((0.0..=1.0).contains(&result.score) && result.findings.len() <= MAX_HITS);
    assert!(result.findings.is_sorted_by(|a, b| a.severity >= b.severity));
    let worst = result.findings.first().map(|hit| hit.severity);
    assert_eq!(worst == Some(Severity::Block), result.verdict == ScanVerdict::Block);
    assert_eq!(worst == Some(Severity::Warn), result.verdict == ScanVerdict::Warn);
    for span in result.findings.iter().filter_map(|hit| hit.span) {
        let ([start, end], [first, last]) = (span.bytes, span.characters);
        let found = text.get(start..end).expect("a place lies between characters of the text");
        assert_eq!((text[..start].chars().count(), found.chars().count()), (first, last - first));
    }
}
