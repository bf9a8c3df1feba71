//! A score in words, for the receipt's page.

use askama::Template;
use receipt::json::Json;

/// The most bytes of a check's evidence that the page shows; the receipt has it all.
const MAX_EVIDENCE: usize = 4096;

#[derive(Template)]
#[template(path = "trust_score.html")]
struct TrustSection<'a> {
    domain: &'a str,
    purpose: Option<&'static str>,
    sentence: &'a str,
    risk: Option<RiskPart<'a>>,
    payee: Option<&'static str>,
    score: String,
    possible: String,
    grade: Option<&'a str>,
    notes: Vec<String>,
    checks: Vec<CheckRow<'a>>,
}

/// The risk in words; receipts of `trust-score/1` have none.
struct RiskPart<'a> {
    reasons: Vec<ReasonRow<'a>>,
    proofs: Vec<String>,
}

/// A reason against the domain.
struct ReasonRow<'a> {
    verdict: &'a str,
    sentence: String,
    remedy: Option<&'a str>,
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
    let Some(hygiene) = receipt.get("hygiene") else { return section_v1(receipt) };
    let sentence = match text(receipt, "verdict")? {
        "TRUSTED" => "No warning was found, and the domain has been what it is for a while.",
        "CAUTION" => "There is a reason to check further before you rely on it.",
        "RISKY" => "There is a grave reason not to rely on it.",
        "INCOMPLETE" => "Too little could be seen to say anything.",
        _ => return None,
    };
    let purpose = match text(receipt, "purpose")? {
        "pay" => "as one to pay or to call",
        "web" => "as one to read",
        "mail" => "as one to exchange mail with",
        _ => return None,
    };
    let risk = receipt.get("risk")?;
    let reasons = risk.get("reasons")?.as_array()?.iter().filter_map(|reason| {
        let sentence = sentence_of(text(reason, "id")?, reason.get("evidence"));
        Some(ReasonRow { verdict: text(reason, "verdict")?, sentence, remedy: text(reason, "remedy") })
    });
    let proofs = risk.get("continuity")?.as_array()?.iter().filter_map(proof);
    let payee = receipt.get("payee").and_then(|payee| text(payee, "bound")).map(|bound| match bound {
        "yes" => "The domain itself names the payee of the question.",
        "no" => "The payee or the name of the question contradicts what the domain says of itself.",
        _ => "The domain says nothing about the payee of the question.",
    });
    TrustSection {
        domain: text(receipt, "domain")?,
        purpose: Some(purpose),
        sentence,
        risk: Some(RiskPart { reasons: reasons.collect(), proofs: proofs.collect() }),
        payee,
        score: number(hygiene, "score")?,
        possible: number(hygiene, "score_max_possible")?,
        grade: text(hygiene, "grade"),
        notes: caps(hygiene)?,
        checks: hygiene.get("checks")?.as_array()?.iter().filter_map(row).collect(),
    }
    .render()
    .ok()
}

/// The caps in words.
fn caps(scored: &Json) -> Option<Vec<String>> {
    let caps = scored.get("caps")?.as_array()?.iter().filter_map(Json::as_str);
    Some(caps.map(|cap| format!("The score is held down: {}.", words(cap))).collect())
}

/// Returns a reason against a domain in a sentence, from its stable code alone. An unknown code stands for itself.
#[must_use]
pub fn reason_sentence(id: &str) -> String {
    match id {
        "feed_hit" => "It is on a feed of bad domains.".to_owned(),
        "look_alike" => "Its name resembles a well-known one.".to_owned(),
        "ends_on_other_site" => "Its pages end on another site.".to_owned(),
        other => sentence_of(other, None),
    }
}

/// A reason in a sentence.
fn sentence_of(id: &str, evidence: Option<&Json>) -> String {
    let fact = |name: &str| evidence.and_then(|found| number(found, name));
    let sentence = match id {
        "feed_hit" => {
            return format!("It is on a feed of bad domains: {}.", feed_names(evidence));
        }
        "look_alike" => {
            let resembled = evidence.and_then(|found| found.get("resembles"));
            return resembles(resembled);
        }
        "ends_on_other_site" => {
            let host = evidence.and_then(|found| text(found, "host")).unwrap_or("elsewhere");
            return format!("Its pages end on another site: {host}.");
        }
        "young_domain" => {
            return match fact("age_days") {
                Some(days) => format!("It was registered {days} days ago."),
                None => "It was registered a short time ago.".to_owned(),
            };
        }
        "registration_ended" => "Its registration has ended.",
        "on_hold" => "Its registry or registrar has put it on hold.",
        "certificate_invalid" => "Its certificate is not valid.",
        "certificate_revoked" => "Its certificate has been revoked.",
        "dnssec_bogus" => "Its DNSSEC signatures are invalid.",
        "age_unknown" => "Nobody tells how old its registration is.",
        "reregistered" => "It was registered again a short time ago, after an earlier registration.",
        "transferred" => "It was moved to another registrar a short time ago.",
        "platform_tenant" => "It is a name below a platform's, which anybody gets in a moment.",
        "no_fresh_feed" => "No fresh feed of bad domains could be asked.",
        "dangling_alias" => "It is an alias of a name that others could claim.",
        "payee_not_named" => {
            "It names other payees than that of the question, or the name of the question is another's."
        }
        "no_https" => "No server answers over HTTPS.",
        "page_unseen" => "A server is there, and no page of it could be seen.",
        "spf_open" => "Its SPF record lets everybody send mail in its name.",
        "dmarc_unenforced" => "Its DMARC record asks nobody to refuse forged mail.",
        "poor_hygiene" => "It is maintained poorly.",
        "too_few_proofs" => "Too few signs say that it has been what it is for a while.",
        other => return format!("{}.", words(other)),
    };
    sentence.to_owned()
}

fn feed_names(evidence: Option<&Json>) -> String {
    let feeds = evidence.and_then(|found| found.get("feeds")?.as_array());
    let names: Vec<&str> = feeds.into_iter().flatten().filter_map(|feed| text(feed, "name")).collect();
    names.join(", ")
}

fn resembles(found: Option<&Json>) -> String {
    let brand = found.and_then(|found| text(found, "brand")).unwrap_or("another");
    match found.and_then(|found| text(found, "resemblance")) {
        Some("same_label") => {
            format!("It has a well-known name, {brand}, where its owner is not known to be.")
        }
        Some("combination") => format!("It joins a well-known name, {brand}, with other words."),
        Some("brand_left") => format!("It begins with a well-known name, {brand}, and belongs to another."),
        _ => format!("It resembles a well-known name: {brand}."),
    }
}

/// A sign of continuity in words.
fn proof(proof: &Json) -> Option<String> {
    let what = match text(proof, "id")? {
        "registered_for_a_year" => "registered to the present holder for a year",
        "certificates_for_a_year" => "certificates in public logs for a year",
        "looks_unchanged" => "unchanged in this notary's own looks for 30 days",
        "popular" => "on a list of popular names",
        "identity" => "an organisation that a certificate authority verified",
        other => return Some(words(other)),
    };
    let holds = proof.get("holds").and_then(Json::as_bool) == Some(true);
    Some(format!("{}: {what}", if holds { "yes" } else { "not known" }))
}

/// The section of a receipt of `trust-score/1`.
fn section_v1(receipt: &Json) -> Option<String> {
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
            "look_alike" => resembles(flag.get("evidence")),
            "feed_hit" => format!("On a feed of bad domains: {}.", feed_names(flag.get("evidence"))),
            other => other.to_owned(),
        })
    });
    TrustSection {
        domain: text(receipt, "domain")?,
        purpose: None,
        sentence,
        risk: None,
        payee: None,
        score: number(receipt, "score")?,
        possible: number(receipt, "score_max_possible")?,
        grade: text(receipt, "grade"),
        notes: flags.chain(caps(receipt)?).collect(),
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
        "https" => "HTTPS only",
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
    fn risk_comes_first_and_each_reason_has_its_remedy() {
        let html = section_of(
            r#"{"verdict":"RISKY","domain":"paypa1.com","purpose":"pay","risk":{"reasons":[
                {"id":"feed_hit","verdict":"RISKY","evidence":{"feeds":[{"name":"<i>bad</i>"}]},"remedy":"Do not pay."},
                {"id":"young_domain","verdict":"CAUTION","evidence":{"age_days":2},"remedy":"Wait."}],
                "continuity":[{"id":"popular","holds":false,"evidence":null}],"unchecked":[]},
                "payee":{"bound":"no"},"hygiene":{"score":98,"score_max_possible":98,"grade":null,"caps":[],"checks":[
                {"id":"tls","status":"pass","points":40,"max":40,"unseen":0,"reason":"valid","evidence":null}]}}"#,
        )
        .unwrap();
        let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}: {html}"));
        assert!(at("<strong>RISKY</strong>: It is on a feed") < at("registered 2 days ago"));
        assert!(
            at("Do not pay.") < at("not known: on a list")
                && at("contradicts what the domain") < at("<h3>Hygiene</h3>")
        );
        assert!(
            at("<h3>Hygiene</h3>") < at("<strong>98</strong>")
                && !html.contains("grade")
                && !html.contains("<i>")
        );
    }

    #[test]
    fn a_receipt_of_another_class_has_no_section() {
        assert_eq!(section_of(r#"{"verdict":"CAUTION"}"#), None);
        assert_eq!(section_of(r#"{"verdict":"MATCH"}"#), None);
    }
}
