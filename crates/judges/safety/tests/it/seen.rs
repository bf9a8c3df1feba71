//! What hides from a scan, and what a scan must not show.

use receipt::json::{Json, Object, parse};
use safety::{MAX_LINKS, ScanResult, ScanVerdict, TextJudge, TextScan, UrlJudge, scan_url};
use threat_feeds::Feeds;
use verdict::{Fields, Judge, JudgeContext, Question as _, Timestamp};

fn text(text: &str) -> ScanResult {
    TextScan::of(text).result()
}

fn url(url: &str) -> ScanResult {
    scan_url(url, &Feeds::open(&[]).unwrap(), Timestamp::EPOCH).unwrap()
}

fn rules(scan: &ScanResult) -> Vec<&str> {
    scan.findings.iter().map(|hit| &*hit.rule).collect()
}

fn object(text: &str) -> Object {
    let Ok(Json::Object(object)) = parse(text.as_bytes()) else { panic!("{text}") };
    object
}

#[test]
fn an_address_is_not_hidden_by_a_plain_one_that_leads_to_the_same_place() {
    for (plain, odd) in [
        ("https://evil.example.net/", "https://paypal.com@evil.example.net/"),
        ("http://203.0.113.7/", "http://0xcb007107/"),
    ] {
        let alone = rules(&text(odd)).len();
        let found = text(&format!("See {plain} and {odd}"));
        assert!(found.findings.len() >= alone && alone > 0, "{odd}: {found:?}");
    }
}

#[test]
fn names_of_code_use_up_no_address_and_too_many_addresses_are_not_clean() {
    let code: String = (0..300).map(|number| format!("self.field{number} = other.x{number}\n")).collect();
    let found = text(&format!("{code}https://paypal.com@203.0.113.7/login"));
    assert_eq!(found.verdict, ScanVerdict::Block, "{found:?}");
    assert_eq!(text(&code).verdict, ScanVerdict::NoFinding);
    let many: String = (0..=MAX_LINKS).map(|number| format!("https://a{number}.example.com/\n")).collect();
    let found = text(&many);
    assert_eq!((found.verdict, found.unseen), (ScanVerdict::Unknown, vec!["addresses_left_out".to_owned()]));
}

#[test]
fn programs_are_found_in_the_attributes_of_a_page() {
    for page in [
        "<a href=\"javascript:alert(1)\">x</a>",
        "<a href=\"&#106;avascript:alert(1)\">x</a>",
        "<a href=\"java\tscript:alert(1)\">x</a>",
        "[x](search-ms:query=a&crumb=location:x)",
        "<a href='file:///etc/passwd'>x</a>",
    ] {
        let found = text(page);
        assert!(found.verdict >= ScanVerdict::Warn, "{page}: {found:?}");
    }
    let ordinary =
        text("<a href=\"mailto:a@example.com\">Write to us</a> or <a href=\"tel:+1\">call us</a> any day.");
    assert!(rules(&ordinary).iter().all(|rule| !rule.ends_with("-scheme")), "{ordinary:?}");
}

#[test]
fn many_elements_that_a_style_hides_push_nothing_out() {
    let hidden = "<p hidden>a part of the menu</p>".repeat(100);
    assert_eq!(text(&hidden).verdict, ScanVerdict::NoFinding);
    let tags: String =
        "call me now".chars().filter_map(|c| char::from_u32(0xe_0000 + u32::from(c))).collect();
    let found = text(&format!("{hidden}{tags}"));
    assert_eq!((found.verdict, &*found.findings[0].rule), (ScanVerdict::Warn, "hidden-tag-characters"));
}

#[test]
fn a_part_of_an_address_that_cannot_be_decoded_is_unknown() {
    let mut part = "plain words that say nothing".to_owned();
    for _ in 0..6 {
        part = part.bytes().map(|byte| format!("%{byte:02X}")).collect();
    }
    let found = url(&format!("https://www.rust-lang.org/?q={part}"));
    assert!(found.unseen.contains(&"address_not_decoded_whole".to_owned()), "{found:?}");
    assert_ne!(found.verdict, ScanVerdict::NoFinding);
}

#[tokio::test]
async fn passwords_and_secrets_in_the_host_are_in_no_part_of_the_finding() {
    let key = ["AK", "IAQ3EGRPGK7XYZ2ABC"].concat();
    let secret_host = format!("https://{key}.example.com/");
    for (given, secret) in [
        ("https://admin:Pa$$w0rd9@intranet.example.com/", "pa$$w0rd9"),
        ("https://a:b:7fj3Kd92kSl@host.example.com/", "7fj3kd92ksl"),
        (r"https:\\user:7fj3Kd92kSl@host.example.com/x", "7fj3kd92ksl"),
        ("//user:7fj3Kd92kSl@host.example.com/", "7fj3kd92ksl"),
        ("https://user:ab\t7fj3Kd92kSl@host.example.com/", "7fj3kd92ksl"),
        ("https://7fj3Kd92kSlqpwo38dkj@host.example.com/", "7fj3kd92ksl"),
        (&*secret_host, "q3egrpgk7xyz2abc"),
    ] {
        let request =
            object(&format!("{{\"agent\":\"a\",\"url\":{}}}", serde_json::to_string(given).unwrap()));
        let judge = UrlJudge::new(Feeds::open(&[]).unwrap(), None);
        let question = safety::UrlQuestion::read(&Fields::root(&request)).unwrap();
        let judged = judge.judge(&question, JudgeContext::from(Timestamp::EPOCH)).await.unwrap();
        let kept = Json::Object(judge.kept_request(&question, &request)).to_string();
        let shown = serde_json::to_string(&judged.finding).unwrap() + &kept;
        assert!(!shown.to_ascii_lowercase().contains(secret), "{given}: {shown}");
    }
}

#[test]
fn a_request_without_a_secret_is_kept_as_it_was_sent() {
    let judge = TextJudge::default();
    let secret = ["gh", "p_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"].concat();
    for (note, is_kept) in [("hi".to_owned(), true), (secret, false)] {
        let request = object(&format!("{{\"agent\":\"a\",\"text\":\"good morning\",\"note\":\"{note}\"}}"));
        let question = safety::TextQuestion::read(&Fields::root(&request)).unwrap();
        assert_eq!(judge.kept_request(&question, &request) == request, is_kept, "{note}");
    }
}
