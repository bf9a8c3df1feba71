//! What is a name, and how it is asked about.

use super::*;
use crate::support::http::Request;

/// Words of each script, and what the DNS has for them.
const SCRIPTS: &[(&str, &str)] = &[
    ("bücher", "xn--bcher-kva"),
    ("żółć", "xn--kda4b0koi"),
    ("việtnam", "xn--vitnam-jk8b"),
    ("παράδειγμα", "xn--hxajbheg2az3al"),
    ("испытание", "xn--80akhbyknj4f"),
    ("օրինակ", "xn--y9atn0a2c3a"),
    ("მაგალითი", "xn--lodafveble"),
    ("דוגמה", "xn--6dbbec0c"),
    ("مثال", "xn--mgbh0fb"),
    ("ܣܘܪܝܝܐ", "xn--9mbppa1a7b"),
    ("މިސާލު", "xn--qqbii6gdp"),
    ("ߒߞߏ", "xn--qsbf0b"),
    ("उदाहरण", "xn--p1b6ci4b4b3a"),
    ("উদাহরণ", "xn--d5b6ci4b4b3a"),
    ("ਉਦਾਹਰਣ", "xn--08b6ci4b4b3a"),
    ("ઉદાહરણ", "xn--odc6ci4b4b3a"),
    ("ଉଦାହରଣ", "xn--chc6ci4b4b3a"),
    ("எடுத்துக்காட்டு", "xn--4kcoa2bca5aa0vzacf2mdd"),
    ("ఉదాహరణ", "xn--noc6ci4b4b3a"),
    ("ಉದಾಹರಣೆ", "xn--bsc6ci4b4b3a3d"),
    ("ഉദാഹരണം", "xn--rvcn2fl4cxc8a"),
    ("උදාහරණය", "xn--ozc8dl9bd7c5d"),
    ("ตัวอย่าง", "xn--72c1a1bt4awk9o"),
    ("ຕົວຢ່າງ", "xn--v6c1a1bt0d9b7e"),
    ("དཔེར", "xn--nddg6b9e"),
    ("ဥပမာ", "xn--8idi8a4a"),
    ("ឧទាហរណ៍", "xn--w2ef1ax7a5fyh"),
    ("ꦗꦮ", "xn--1l9atb"),
    ("ምሳሌ", "xn--mxd7a1d"),
    ("ⴰⵎⴷⵢⴰ", "xn--4ljau5gre"),
    ("ᠵᠢᠱᠢᠶ", "xn--46ea8boi"),
    ("例子", "xn--fsqu00a"),
    ("れい", "xn--n8jyh"),
    ("テスト", "xn--zckzah"),
    ("ㄅㄆㄇ", "xn--5ekcd"),
    ("테스트", "xn--9t4b11yi5a"),
    ("ꆈꌠ", "xn--3w7a73a"),
    ("ᏣᎳᎩ", "xn--f9dt7l"),
    ("ᐃᓄᒃᑎᑐᑦ", "xn--zce4mg2gqg3p"),
    ("𐌲𐌿𐍄", "xn--gc8c0ap"),
];

/// A query with this domain, every byte of it escaped.
fn query(domain: &str) -> String {
    let escaped: String = domain.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("/trust-score?domain={escaped}")
}

#[test]
fn what_is_no_name_is_a_400_that_names_the_domain() {
    let service = blind();
    service.get("/trust-score").names("domain", "missing");
    let label = "a".repeat(63);
    let of_254_bytes = format!("{label}.{label}.{label}.{}.com", "a".repeat(58));
    assert_eq!(of_254_bytes.len(), 254);
    let far_too_long = "a".repeat(1025);
    for (domain, reason) in [
        ("192.0.2.1", "not_applicable"),
        ("0x7f.1", "not_applicable"),
        ("2130706433", "not_applicable"),
        ("１.２.３.４", "not_applicable"),
        ("[::1]", "not_applicable"),
        ("fe80::1%eth0", "not_applicable"),
        ("localhost", "not_applicable"),
        ("signed.test", "not_applicable"),
        ("printer.local", "not_applicable"),
        ("1.0.0.127.in-addr.arpa", "not_applicable"),
        ("co.uk", "not_applicable"),
        ("公司.cn", "not_applicable"),
        ("com", "not_applicable"),
        ("*.example.com", "malformed"),
        ("a.*.com", "malformed"),
        ("*", "malformed"),
        ("a b.com", "malformed"),
        ("a_b.com", "malformed"),
        ("-a.com", "malformed"),
        ("a..com", "malformed"),
        (".example.com", "malformed"),
        ("example.com..", "malformed"),
        ("https://example.com/", "malformed"),
        ("example.com:443", "malformed"),
        ("user@example.com", "malformed"),
        ("a\u{2028}b.com", "malformed"),
        // Punycode of nothing, of ASCII alone, of what is not in its form, of what no name may have.
        ("xn--.com", "malformed"),
        ("xn--a.com", "malformed"),
        ("xn--example-.com", "malformed"),
        ("xn--0.com", "malformed"),
        ("xn--zn7c.com", "malformed"),
        ("a.xn--bcher-kva-.com", "malformed"),
        ("", "empty"),
        (".", "empty"),
        (&of_254_bytes, "too_long"),
        (&far_too_long, "too_long"),
    ] {
        service.get(&query(domain)).names("domain", reason);
        ask(&service, domain).names("domain", reason);
    }
    for body in [r#"{"domain":7}"#, r#"{"domain":null}"#, r#"{"domain":["example.com"]}"#] {
        let problem = service.post("/trust-score", body).problem(400);
        assert_eq!(text(&problem, "field"), "domain", "{body}: {problem}");
    }
}

#[test]
fn a_name_of_any_script_is_looked_at_in_a_labels() {
    let service = blind();
    let asked: Vec<_> = SCRIPTS.iter().map(|(word, _)| format!("{word}.com")).collect();
    // A few at a time: nobody answers, and each waits for it.
    for (part, expected) in asked.chunks(10).zip(SCRIPTS.chunks(10)) {
        let receipts = scores(&service, part.iter().map(String::as_str));
        for ((domain, receipt), (_, label)) in receipts.iter().zip(expected) {
            assert_eq!(text(receipt, "domain"), format!("{label}.com"), "{domain}");
            assert_eq!(text(receipt, "verdict"), "INCOMPLETE", "{domain}");
        }
    }
}

#[test]
fn one_name_is_written_in_many_ways() {
    let service = blind();
    let written = [
        "www.bücher.com",
        "www.bücher.com.",
        "WWW.BÜCHER.COM.",
        "www.xn--bcher-kva.com",
        "WWW.XN--BCHER-KVA.COM.",
        "www。bücher。com",
        "ｗｗｗ.bu\u{308}cher.com",
        " www.bücher.com ",
    ];
    for (domain, receipt) in scores(&service, written) {
        assert_eq!(text(&receipt, "domain"), "www.xn--bcher-kva.com", "{domain:?}");
        assert_eq!(text(&receipt, "registrable"), "xn--bcher-kva.com", "{domain:?}");
    }
}

#[test]
fn the_longest_names_are_looked_at() {
    let Some(service) = looking() else { return };
    let label = "a".repeat(63);
    let of_253_bytes = format!("{label}.{label}.{label}.{}.test", "a".repeat(56));
    assert_eq!(of_253_bytes.len(), 253);
    let of_125_labels = format!("{}test", "a.".repeat(124));
    for (domain, receipt) in scores(&service, [&*of_253_bytes, &of_125_labels]) {
        assert_eq!(text(&receipt, "domain"), domain);
        assert_eq!(outcome(&receipt, "tls"), ("not_applicable", "no_address"), "{receipt:#}");
        assert_eq!(outcome(&receipt, "spf"), ("not_applicable", "host_without_mail"), "{receipt:#}");
        assert_eq!(outcome(&receipt, "caa"), ("fail", "no_record"), "{receipt:#}");
        assert_eq!(text(&receipt, "verdict"), "CAUTION", "{receipt:#}");
        assert!(reasons(&receipt).contains(&"no_https"), "{receipt:#}");
    }
}

/// What two looks at the same share: without what makes each receipt another, and what the first left in memory.
fn same(receipt: &Value) -> Value {
    let mut same = receipt.clone();
    let members = same.as_object_mut().unwrap();
    for name in ["salt", "log_head", "signed_at", "receipt_hash", "signature", "proof"] {
        members.remove(name).unwrap();
    }
    let evidence = members.get_mut("evidence").and_then(Value::as_object_mut).unwrap();
    evidence.remove("earlier_looks_sha256");
    let continuity = members.get_mut("risk").unwrap();
    for proof in continuity["continuity"].as_array_mut().unwrap() {
        if proof["id"] == "looks_unchanged" {
            proof["evidence"].take();
        }
    }
    same
}

#[test]
fn a_body_and_a_query_ask_the_same() {
    let Some(service) = looking() else { return };
    let by_query = service.get("/trust-score?domain=perfect.test").expect(200).json();
    let by_body = score(&service, "perfect.test");
    assert_sound(&service, &by_query);
    // The second look is the first, which was kept.
    assert_eq!(same(&by_query), same(&by_body));
    assert_eq!(text(&by_query, "agent"), "anonymous");

    let named = service.get("/trust-score?domain=perfect.test&agent=a&note=x").expect(200).json();
    let body = json!({"domain": "perfect.test", "agent": "a", "note": "x"});
    let again = service.ask("/trust-score", &body).expect(200).json();
    assert_eq!(same(&named), same(&again));
    assert_eq!(text(&named, "agent"), "a");
    assert_ne!(named["request_hash"], by_body["request_hash"], "all that was sent is in it");
}

#[test]
fn a_domain_that_is_given_twice_or_not_at_all_is_refused() {
    let service = blind();
    service.get("/trust-score?domain=example.com&domain=example.com").names("domain", "duplicate_key");
    service.get("/trust-score?domain=example.com&d%6Fmain=example.org").names("domain", "duplicate_key");
    let twice = r#"{"domain":"example.com","domain":"example.org"}"#;
    service.post("/trust-score", twice).names("domain", "duplicate_key");
    service.get("/trust-score?Domain=example.com").names("domain", "missing");
    service.ask("/trust-score", &json!({"agent": "a"})).names("domain", "missing");
    service.ask("/trust-score", &json!({"domain": "example.com", "agent": ""})).names("agent", "empty");
    service.send(&Request::post("/trust-score", "[]")).problem(400);
    service.send(&Request::post("/trust-score", "")).problem(400);
}
