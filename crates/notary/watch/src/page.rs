//! A watch and its changes in words, for the pages of receipts.

use askama::Template;
use receipt::json::Json;

/// The most values of a fact that the page shows; the receipt has all of them.
const MAX_VALUES: usize = 20;

#[derive(Template)]
#[template(path = "watch.html")]
struct WatchSection<'a> {
    what: &'static str,
    watched: &'a str,
    until: &'a str,
    again: &'static str,
    /// The first screening or look, as its judge describes it: HTML.
    first: Option<String>,
}

#[derive(Template)]
#[template(path = "change.html")]
struct ChangeSection<'a> {
    before: &'a str,
    after: &'a str,
    changed: Vec<ChangedFact>,
}

struct ChangedFact {
    name: String,
    before: String,
    after: String,
}

/// The section of the receipt that opens a watch. `first` is the section of its first screening.
pub(super) fn section(receipt: &Json, field: &'static str, first: Option<String>) -> Option<String> {
    let watched = receipt.get("screen")?.get(field)?.as_str()?;
    let until = receipt.get("watch")?.get("until")?.as_str()?;
    let again = match field {
        "domain" => "It is looked at once a day, and each change is a receipt of its own.",
        _ => {
            "It is screened again at each new publication of the lists, and a changed verdict is a receipt of its own."
        }
    };
    let what = match field {
        "domain" => "domain",
        "wallet" => "wallet",
        _ => "name",
    };
    WatchSection { what, watched, until, again, first }.render().ok()
}

/// Returns the section of a receipt that reports what has changed since an earlier look at a watched domain; `None` for
/// any other receipt.
#[must_use]
pub fn changes(receipt: &Json) -> Option<String> {
    let watch = receipt.get("watch")?;
    let changed = watch.get("changed")?.as_array()?.iter().filter_map(|change| {
        let what = change.get("what")?.as_str()?;
        let values = |name| Some(joined(change.get(name)?.as_array()?));
        Some(ChangedFact { name: what.replace('_', " "), before: values("before")?, after: values("after")? })
    });
    let at = |look| watch.get("looks")?.get(look)?.get("observed_at")?.as_str();
    let changed: Vec<ChangedFact> = changed.collect();
    ChangeSection { before: at("before")?, after: at("after")?, changed }.render().ok()
}

fn joined(values: &[Json]) -> String {
    let mut shown: Vec<&str> = values.iter().filter_map(Json::as_str).take(MAX_VALUES).collect();
    if values.is_empty() {
        shown.push("none");
    }
    if values.len() > MAX_VALUES {
        shown.push("and more");
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;

    use super::*;

    #[test]
    fn a_change_is_shown_with_what_was_and_what_is_and_nothing_of_it_is_html() {
        let receipt = r#"{"watch":{"sha256":"00","before":"TRUSTED","changed":[
            {"what":"name_servers","before":["ns1.example.com","ns2.example.com"],"after":["<b>ns</b>"]},
            {"what":"mail_exchangers","before":["mx.example.com"],"after":[]}],
            "looks":{"before":{"observed_at":"2026-11-25T06:00:00.000Z"},"after":{"observed_at":"2026-11-26T06:00:00.000Z"}}}}"#;
        let shown = changes(&parse(receipt.as_bytes()).unwrap()).unwrap();
        for part in ["name servers", "ns1.example.com, ns2.example.com", "none", "2026-11-25T06:00:00.000Z"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("<b>"), "{shown}");
        for other in ["{}", r#"{"watch":{"sha256":"00","before":"NO_MATCH"}}"#, r#"{"watch":7}"#] {
            assert_eq!(changes(&parse(other.as_bytes()).unwrap()), None, "{other}");
        }
    }

    #[test]
    fn a_watch_is_shown_with_what_is_watched_and_until_when() {
        let receipt = r#"{"watch":{"until":"2026-12-26T06:00:00.000Z"},"screen":{"domain":"<i>.example"}}"#;
        let receipt = parse(receipt.as_bytes()).unwrap();
        let shown = section(&receipt, "domain", Some("<h2>The domain</h2>".to_owned())).unwrap();
        for part in ["until", "2026-12-26T06:00:00.000Z", "once a day", "<h2>The domain</h2>"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("<i>"), "{shown}");
        assert_eq!(section(&receipt, "entity", None), None);
    }
}
