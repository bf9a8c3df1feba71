//! A score in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

/// The most bytes of a check's evidence that the page shows; the receipt has it all.
const MAX_EVIDENCE: usize = 4096;

#[derive(Template)]
#[template(path = "trust_score.html")]
struct TrustSection<'a> {
    domain: &'a str,
    sentence: &'a str,
    score: String,
    possible: String,
    grade: Option<&'a str>,
    caps: Vec<String>,
    flags: Vec<String>,
    checks: Vec<CheckRow<'a>>,
}

/// A check's bar, and what is folded below it.
struct CheckRow<'a> {
    name: &'static str,
    status: &'a str,
    points: String,
    max: String,
    /// The points that were not seen, of a check of which the rest was.
    unseen: Option<String>,
    reason: String,
    remedy: Option<&'a str>,
    evidence: Option<String>,
}

impl CheckRow<'_> {
    /// Returns true if the check has a bar: a check without weight and one that does not apply have none.
    fn has_bar(&self) -> bool {
        self.max != "0" && self.status != "not_applicable"
    }
}

/// The section; `None` where the receipt is of another class.
pub(super) fn section(receipt: &Json) -> Option<String> {
    let sentence = match text(receipt, "verdict")? {
        "TRUSTED" => "The domain is well kept, and neither its name nor its age is a warning.",
        "CAUTION" => {
            "The domain is kept neither well nor badly, or its name or age is a warning or could not be told."
        }
        "RISKY" => "The domain is kept badly, whatever could not be seen.",
        "INCOMPLETE" => "Too little could be seen to say how well the domain is kept.",
        _ => return None,
    };
    let flags = receipt.get("flags")?.get("raised")?.as_array()?.iter().filter_map(|flag| {
        Some(match text(flag, "id")? {
            "young_domain" => "Registered a few days ago.".to_owned(),
            "look_alike" => {
                let found = flag.get("evidence");
                let brand = found.and_then(|found| text(found, "brand")).unwrap_or("another");
                match found.and_then(|found| text(found, "resemblance")) {
                    Some("same_label") => {
                        format!("Has a well-known name, {brand}, where its owner is not known to be.")
                    }
                    Some("combination") => {
                        format!("Has a well-known name, {brand}, among the words of its own.")
                    }
                    Some("brand_left") => {
                        format!("Has a well-known name, {brand}, before the name that was registered.")
                    }
                    _ => format!("Resembles a well-known name: {brand}."),
                }
            }
            "feed_hit" => {
                let feeds = flag.get("evidence").and_then(|found| found.get("feeds")?.as_array());
                let names: Vec<&str> =
                    feeds.into_iter().flatten().filter_map(|feed| text(feed, "name")).collect();
                format!("Stands on a feed of bad domains: {}.", names.join(", "))
            }
            other => other.to_owned(),
        })
    });
    let caps = receipt.get("caps")?.as_array()?.iter().filter_map(Json::as_str).map(words);
    TrustSection {
        domain: text(receipt, "domain")?,
        sentence,
        score: number(receipt, "score")?,
        possible: number(receipt, "score_max_possible")?,
        grade: text(receipt, "grade"),
        caps: caps.collect(),
        flags: flags.collect(),
        checks: receipt.get("checks")?.as_array()?.iter().filter_map(row).collect(),
    }
    .render()
    .ok()
}

fn row(check: &Json) -> Option<CheckRow<'_>> {
    let evidence = check.get("evidence").filter(|evidence| !matches!(evidence, Json::Null)).map(|evidence| {
        let mut written = serde_json::to_string_pretty(evidence).unwrap_or_default();
        if written.len() > MAX_EVIDENCE {
            let end = written.floor_char_boundary(MAX_EVIDENCE);
            written.truncate(end);
            written.push_str("\n…");
        }
        written
    });
    let status = text(check, "status")?;
    Some(CheckRow {
        name: name(text(check, "id")?),
        status,
        unseen: number(check, "unseen").filter(|unseen| unseen != "0" && status != "unknown"),
        points: number(check, "points")?,
        max: number(check, "max")?,
        reason: words(text(check, "reason")?),
        remedy: text(check, "remedy"),
        evidence,
    })
}

/// Returns the name of a check on the page.
fn name(id: &str) -> &'static str {
    match id {
        "tls" => "TLS",
        "dmarc" => "DMARC",
        "headers" => "Security headers",
        "dnssec" => "DNSSEC",
        "spf" => "SPF",
        "expiration" => "Registration",
        "caa" => "CAA",
        "mta_sts" => "MTA-STS",
        "tls_rpt" => "TLS-RPT",
        "dane" => "DANE for mail",
        "ipv6" => "IPv6",
        "name_servers" => "Name servers",
        "security_txt" => "security.txt",
        "hsts_preload" => "HSTS preload",
        "bimi" => "BIMI",
        _ => "Other",
    }
}

/// A stable code in words.
fn words(code: &str) -> String {
    code.replace('_', " ")
}

fn text<'a>(object: &'a Json, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn number(object: &Json, name: &str) -> Option<String> {
    let number = object.get(name)?;
    matches!(number, Json::Number(_)).then(|| serde_json::to_string(number).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::section;

    fn section_of(receipt: &str) -> Option<String> {
        section(&receipt::json::parse(receipt.as_bytes()).unwrap())
    }

    #[test]
    fn a_check_has_its_bar_and_what_others_wrote_is_escaped() {
        let html = section_of(
            r#"{"verdict":"CAUTION","domain":"example.com","score":55,"score_max_possible":71,"grade":"C",
                "caps":["no_https"],"flags":{"raised":[{"id":"young_domain","evidence":{}}],"unchecked":[]},"checks":[
                {"id":"spf","status":"warn","points":7,"max":10,"reason":"softfail_all","evidence":{"a":"<b>"},
                 "remedy":"x IN TXT \"v=spf1 -all\"","unseen":0},
                {"id":"tls","status":"warn","points":17,"max":22,"unseen":5,"reason":"old_versions_unknown","evidence":null},
                {"id":"caa","status":"unknown","points":0,"max":8,"unseen":8,"reason":"dns_servfail","evidence":null},
                {"id":"bimi","status":"fail","points":0,"max":0,"reason":"no_record","evidence":null}]}"#,
        )
        .unwrap();
        assert!(
            html.contains("<meter") && html.contains("value=\"7\"") && html.contains("max=\"10\""),
            "{html}"
        );
        assert!(html.contains("softfail all") && html.contains("Registered a few days ago"), "{html}");
        assert!(html.contains("no https") && !html.contains("<b>"), "{html}");
        assert_eq!(html.matches("<meter").count(), 4, "{html}");
        assert!(html.contains("17 of 22, 5 unseen, warn (old versions unknown)"), "{html}");
        assert_eq!(html.matches(" unseen, ").count(), 1, "{html}");
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CAUTION"}"#), None);
        assert_eq!(section_of(r#"{"verdict":"MATCH"}"#), None);
    }
}
