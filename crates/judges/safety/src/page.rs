//! A scan's receipt in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

#[derive(Template)]
#[template(path = "section.html")]
struct ScanSection<'a> {
    subject: &'static str,
    address: Option<&'a str>,
    findings: Vec<FindingLine<'a>>,
    left_out: u64,
    unseen: Vec<&'a str>,
    hops: Vec<HopLine<'a>>,
    feeds: Vec<FeedLine<'a>>,
}

struct FindingLine<'a> {
    rule: &'a str,
    severity: &'a str,
    place: Option<String>,
    excerpt: Option<[&'a str; 3]>,
    why: &'a str,
    remedy: &'a str,
}

struct HopLine<'a> {
    url: &'a str,
    by: Option<&'a str>,
    status: Option<String>,
}

struct FeedLine<'a> {
    name: &'a str,
    as_of: &'a str,
    is_stale: bool,
}

/// The section, from a receipt of a scan; `None` where it is not one.
pub(crate) fn section(receipt: &Json) -> Option<String> {
    let list = |name: &str| receipt.get(name).and_then(Json::as_array).unwrap_or_default();
    let address = receipt.get("url").and_then(Json::as_str);
    let section = ScanSection {
        subject: if address.is_some() { "address" } else { "text" },
        address,
        findings: receipt.get("findings")?.as_array()?.iter().filter_map(finding).collect(),
        left_out: number(receipt.get("findings_left_out")?)?,
        unseen: list("unseen").iter().filter_map(Json::as_str).collect(),
        hops: list("hops").iter().filter_map(hop).collect(),
        feeds: list("feeds").iter().filter_map(feed).collect(),
    };
    receipt.get("ruleset")?;
    section.render().ok()
}

fn number(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn finding(hit: &Json) -> Option<FindingLine<'_>> {
    let text = |name: &str| hit.get(name).and_then(Json::as_str);
    let characters = hit.get("span").and_then(|span| span.get("characters")).and_then(Json::as_array);
    let characters = characters.and_then(|ends| Some((number(ends.first()?)?, number(ends.get(1)?)?)));
    let place = characters.map(|(start, end)| match text("view") {
        None => format!("characters {start} to {end}"),
        Some(view) => format!("characters {start} to {end}, read as {}", view.replace('_', " ")),
    });
    let hop = hit.get("hop").and_then(number).map(|hop| format!("address {hop} on the way"));
    Some(FindingLine {
        rule: text("rule")?,
        severity: text("severity")?,
        place: place.or(hop),
        excerpt: hit.get("excerpt").and_then(|excerpt| {
            let part = |name| excerpt.get(name).and_then(Json::as_str);
            Some([part("before")?, part("found")?, part("after")?])
        }),
        why: text("why")?,
        remedy: text("remedy")?,
    })
}

fn hop(hop: &Json) -> Option<HopLine<'_>> {
    Some(HopLine {
        url: hop.get("url")?.as_str()?,
        by: hop.get("by").and_then(Json::as_str),
        status: hop.get("status").and_then(number).map(|status| status.to_string()),
    })
}

fn feed(feed: &Json) -> Option<FeedLine<'_>> {
    Some(FeedLine {
        name: feed.get("name")?.as_str()?,
        as_of: feed.get("as_of")?.as_str()?,
        is_stale: feed.get("stale")?.as_bool()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section_of(receipt: &str) -> Option<String> {
        section(&receipt::json::parse(receipt.as_bytes()).unwrap())
    }

    #[test]
    fn findings_hops_and_feeds_are_shown_and_what_strangers_wrote_is_escaped() {
        let html = section_of(
            r#"{"url":"https://a.example/<b>","verdict":"BLOCK","findings_left_out":2,"unseen":["age_unknown:timeout"],
                "ruleset":{},"feeds":[{"name":"phish.txt","as_of":"2026-01-01T00:00:00.000Z","stale":true}],
                "hops":[{"url":"http://b.example/<i>","by":"redirect","status":200}],
                "findings":[{"rule":"feed-listed","severity":"block","span":{"bytes":[0,4],"characters":[0,4]},
                "view":"without_markup","excerpt":{"before":"a","found":"<script>alert(1)</script>","after":"[U+200B]"},"why":"W","remedy":"R"},
                {"rule":"x","severity":"warn","hop":1,"why":"W","remedy":"R"}]}"#,
        )
        .unwrap();
        for part in [
            "feed-listed",
            "<q>a<mark>&#60;script&#62;alert(1)&#60;/script&#62;</mark>[U+200B]</q>",
            "characters 0 to 4, read as without markup",
            "address 1 on the way",
            "phish.txt",
            "out of date",
            "age_unknown:timeout",
            "b.example",
            "2 more",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains("<i>"), "{html}");
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CONFIRMED","findings":[]}"#), None);
    }
}
