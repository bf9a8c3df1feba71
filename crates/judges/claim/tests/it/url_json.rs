//! Fetching for real, from servers on this machine: every verdict, every reason, and every replay.

use std::time::Duration;

use crate::common::{at, judge, judged, read};
use claim::{ClaimJudge, SMALL_DOCUMENT_BYTES};
use fetch::{Limits, Policy};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use verdict::{EvidenceBlob, Judge as _};

/// A server that answers every request with these bytes, then closes; with none, it never answers.
async fn server(answer: impl Into<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = answer.into();
    tokio::spawn(async move {
        let mut silent = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            if answer.is_empty() {
                silent.push(stream);
                continue;
            }
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    format!("http://{address}")
}

fn answer(status: u16, fields: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{fields}\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

fn request(url: &str, path: &str, expect: &str) -> Value {
    json!({"claim": "the source says so", "resolver": {
        "type": "url_json", "url": url, "path": path, "expect": expect,
    }})
}

fn dev() -> ClaimJudge {
    judge(Policy::dev(), Limits::default())
}

/// Limits under which an answer that never comes is soon late. That of a connection is longer, and never the one to be passed.
fn quick() -> Limits {
    Limits { total: Duration::from_millis(600), wait: Duration::from_millis(50), ..Limits::default() }
}

/// The finding on a document.
async fn on(document: impl AsRef<[u8]>, path: &str, expect: &str) -> Value {
    let url = server(answer(200, "Content-Type: application/json\r\n", document.as_ref())).await;
    judged(&dev(), &request(&url, path, expect)).await.unwrap().0
}

async fn unresolved(judge: &ClaimJudge, url: &str, reason: &str) -> Value {
    let (finding, evidence) = judged(judge, &request(url, "status", "ok")).await.unwrap();
    assert_eq!((&finding["verdict"], &finding["reason"]), (&json!("UNRESOLVED"), &json!(reason)), "{url}");
    assert_eq!(finding["evidence"]["record_sha256"], hex::encode(evidence[0].sha256()));
    assert_eq!(finding["evidence"].get("found"), None);
    finding
}

#[tokio::test]
async fn a_match_is_confirmed_and_the_receipt_tells_what_was_looked_at() {
    let body = br#"{"data":{"items":[{"status":"ok"}]}}"#;
    let url = server(answer(200, "Content-Type: application/json\r\n", body)).await;
    let (finding, evidence) = judged(&dev(), &request(&url, "data.items.0.status", "ok")).await.unwrap();
    assert_eq!(evidence[1].bytes(), Some(&body[..]));
    let sha256 = hex::encode(receipt::hash::sha256(body));
    assert_eq!(
        finding,
        json!({
            "verdict": "CONFIRMED",
            "claim": "the source says so",
            "explanation": format!(
                "It was expected that the value at \"data.items.0.status\" of \"{url}\" is \"ok\", and it was. The words of the \
                 claim itself were not checked."
            ),
            "resolver_confidence": 1,
            "resolver": "url_json",
            "evidence": {
                "kind": "http_fetch",
                "url": url,
                "path": "data.items.0.status",
                "expect": "ok",
                "fetched_at": "2026-11-21T02:00:00.250Z",
                "record_sha256": hex::encode(evidence[0].sha256()),
                "final_url": format!("{url}/"),
                "hops": [],
                "peer_address": url.trim_start_matches("http://"),
                "tls": false,
                "status": 200,
                "content_type": "application/json",
                "body_sha256": sha256,
                "body_bytes": body.len(),
                "body_kept": true,
                "found": {"type": "string", "value": "ok", "truncated": false},
            },
            "scope": "This verdict says whether the value at the path in the JSON document that the address \
                gave at the time stated equalled the expected text; it does not say that the document is \
                true, who stands behind it, or that the address gives the same at another time or to another \
                caller.",
            "method": "claim-verdict/1",
        })
    );
}

#[tokio::test]
async fn a_number_is_compared_by_its_digits() {
    for (document, expect, verdict) in [
        (r#"{"n":1.0}"#, "1.0", "CONFIRMED"),
        (r#"{"n":1.0}"#, "1", "CONFIRMED"),
        (r#"{"n":1}"#, "1.0", "REFUTED"),
        (r#"{"n":12345678901234567890}"#, "12345678901234567890", "CONFIRMED"),
        (r#"{"n":12345678901234567890}"#, "12345678901234567000", "REFUTED"),
        (r#"{"n":"1"}"#, "1", "CONFIRMED"),
        (r#"{"n":null}"#, "null", "CONFIRMED"),
        (r#"{"n":false}"#, "true", "REFUTED"),
        (r#"{"n":""}"#, "null", "REFUTED"),
    ] {
        let finding = on(document, "n", expect).await;
        assert_eq!(
            (&finding["verdict"], finding.get("reason")),
            (&json!(verdict), None),
            "{document} {expect}"
        );
        assert_eq!(finding["evidence"]["found"]["truncated"], false);
    }
}

#[tokio::test]
async fn a_long_value_is_told_by_its_beginning() {
    let finding = on(json!({"s": "x".repeat(5000)}).to_string(), "s", "x").await;
    let found = &finding["evidence"]["found"];
    assert_eq!((found["value"].as_str().map(str::len), &found["truncated"]), (Some(4096), &json!(true)));
}

#[tokio::test]
async fn redirects_are_followed_and_told() {
    let last = server(answer(200, "", br#"{"status":"ok"}"#)).await;
    let first = server(answer(302, &format!("Location: {last}/there\r\n"), b"")).await;
    let (finding, _) =
        judged(&dev(), &request(&format!("{first}/here?q=1#f"), "status", "ok")).await.unwrap();
    assert_eq!(finding["verdict"], "CONFIRMED");
    let evidence = &finding["evidence"];
    assert_eq!(evidence["final_url"], format!("{last}/there"));
    let peer = first.trim_start_matches("http://");
    assert_eq!(
        evidence["hops"],
        json!([{"url": format!("{first}/here?q=1"), "status": 302, "peer_address": peer}])
    );
}

#[tokio::test]
async fn what_leads_to_no_scalar_is_unresolved() {
    for (document, path, reason) in [
        (r#"{"a":{"b":1}}"#, "a.c", "path_missing"),
        (r#"{"a":{"b":1}}"#, "a.b.c", "path_missing"),
        (r#"[1]"#, "1", "path_missing"),
        (r#"7"#, "a", "path_missing"),
        (r#"{"a":{"b":1}}"#, "a", "not_scalar"),
        (r#"{"a":[]}"#, "a", "not_scalar"),
        (r#"{"a":1,"a":1}"#, "a", "duplicate_key"),
        (r#"{"a":{"b":1},"a":{"b":1}}"#, "a.b", "duplicate_key"),
    ] {
        let finding = on(document, path, "1").await;
        assert_eq!(
            (&finding["verdict"], &finding["reason"]),
            (&json!("UNRESOLVED"), &json!(reason)),
            "{document}"
        );
        let found = &finding["evidence"]["found"];
        assert_eq!(found.is_object(), reason == "not_scalar");
        assert_eq!(found.get("value"), None);
    }
    let elsewhere = on(r#"{"a":1,"b":{"x":1,"x":2}}"#, "a", "1").await;
    assert_eq!(elsewhere["verdict"], "CONFIRMED", "a duplicate that is not on the path decides nothing");
}

#[tokio::test]
async fn what_is_not_one_json_text_in_utf_8_is_unresolved() {
    let deep = |levels| format!(r#"{{"status":"ok","x":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    for document in [
        &b""[..],
        b" ",
        b"<html>ok</html>",
        br#"{"status":"ok""#,
        br#"{"status":"ok"}{}"#,
        br#"{"status":"ok",}"#,
        br#"{'status':'ok'}"#,
        br#"{"status":NaN}"#,
        b"\xef\xbb\xbf{\"status\":\"ok\"}",
        b"{\"status\":\"ok\",\"x\":\"\xff\"}",
        b"\xfe\xff\0{\0}",
        br#"{"status":"ok","x":"\ud800"}"#,
    ] {
        let finding = on(document, "status", "ok").await;
        assert_eq!((&finding["verdict"], &finding["reason"]), (&json!("UNRESOLVED"), &json!("not_json")));
    }
    assert_eq!(on(deep(63), "status", "ok").await["verdict"], "CONFIRMED");
    assert_eq!(on(deep(64), "status", "ok").await["reason"], "too_deep");
}

#[tokio::test]
async fn a_large_document_is_judged_as_a_small_one() {
    let large = |members| format!(r#"{{"pad":[{}0],{members}}}"#, "0,".repeat(SMALL_DOCUMENT_BYTES / 2));
    for (document, verdict, reason) in [
        (large(r#""a":1"#), "CONFIRMED", None),
        (large(r#""a":2"#), "REFUTED", None),
        (large(r#""a":1,"a":1"#), "UNRESOLVED", Some("duplicate_key")),
        (large(r#""b":1"#), "UNRESOLVED", Some("path_missing")),
        (large(r#""a":1,"b":"\ud800""#), "UNRESOLVED", Some("not_json")),
        (large(r#""a":1"#) + "]", "UNRESOLVED", Some("not_json")),
    ] {
        let finding = on(&document, "a", "1").await;
        assert_eq!((finding["verdict"].as_str(), finding["reason"].as_str()), (Some(verdict), reason));
    }
}

#[tokio::test]
async fn an_answer_that_is_not_2xx_is_unresolved_and_told() {
    for status in [206, 300, 304, 404, 500, 503] {
        let url = server(answer(status, "", if status == 304 { b"" } else { br#"{"status":"ok"}"# })).await;
        let finding = unresolved(&dev(), &url, "http_status").await;
        assert_eq!(finding["evidence"]["status"], status);
    }
    let url = server(answer(201, "", br#"{"status":"ok"}"#)).await;
    assert_eq!(judged(&dev(), &request(&url, "status", "ok")).await.unwrap().0["verdict"], "CONFIRMED");
}

#[tokio::test]
async fn what_policy_refuses_is_unresolved() {
    let here = server(answer(200, "", br#"{"status":"ok"}"#)).await;
    let production = judge(Policy::production(), quick());
    for url in [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest/",
        "http://private.example.org/",
    ] {
        unresolved(&production, url, "address_denied").await;
    }
    for url in [here.as_str(), "http://localhost/", "https://user:secret@example.org/", "http://printer/"] {
        unresolved(&production, url, "policy_refused").await;
    }
    for location in ["http://10.0.0.1/", "ftp://example.org/", "http://user@example.org/"] {
        let url = server(answer(302, &format!("Location: {location}\r\n"), b"")).await;
        unresolved(&dev(), &url, "redirect_refused").await;
    }
}

#[tokio::test]
async fn a_fetch_that_fails_is_unresolved() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    unresolved(&dev(), &format!("http://{closed}/"), "connect_failed").await;
    unresolved(&dev(), "http://nowhere.example.org/", "dns_failed").await;
    let (silent, impatient) = (server("").await, judge(Policy::dev(), quick()));
    unresolved(&impatient, &silent, "timeout").await;
    let hasty = judge(Policy::dev(), Limits { connect: Duration::from_millis(300), ..Limits::default() });
    unresolved(&hasty, &silent.replace("http:", "https:"), "connect_timeout").await;
    let plain = server(answer(200, "", b"{}")).await;
    unresolved(&dev(), &plain.replace("http:", "https:"), "tls_failed").await;
    for (bytes, reason) in [
        (answer(200, "Content-Encoding: br\r\n", b"{}"), "bad_encoding"),
        (answer(200, "", &vec![b' '; (1 << 20) + 1]), "too_large"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n".to_vec(), "http_malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"status\":\"ok\"}".to_vec(), "interrupted"),
        (b"HTTP/1.1 301 X\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n".to_vec(), "too_many_redirects"),
    ] {
        unresolved(&dev(), &server(bytes).await, reason).await;
    }
}

#[tokio::test]
async fn a_fetch_that_found_no_place_is_unavailable_and_no_verdict() {
    let url = server("").await;
    let judge = judge(Policy::dev(), Limits { in_all: 1, reserved: 0, ..quick() });
    let asked = request(&url, "status", "ok");
    let (first, second) = tokio::join!(judged(&judge, &asked), judged(&judge, &asked));
    assert_eq!(first.unwrap().0["reason"], "timeout");
    let unavailable = second.unwrap_err();
    assert_eq!((unavailable.module, unavailable.retry_after_s), ("claim", 1));
}

/// Small on the wire, since most of it is spaces.
fn gzip(plain: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_body_over_1_mib_decides_nothing_and_is_replayed_as_it_was() {
    for (padding, kept) in [((1 << 20) - 15, true), ((1 << 20) - 14, false)] {
        let mut body = br#"{"status":"ok"}"#.to_vec();
        body.resize(15 + padding, b' ');
        let url = server(answer(200, "Content-Encoding: gzip\r\n", &gzip(&body))).await;
        let judge = dev();
        let question = read(&request(&url, "status", "ok").to_string()).unwrap();
        let judged = judge.judge(&question, at().into()).await.unwrap();
        let finding = serde_json::to_value(&judged.finding).unwrap();
        let (verdict, reason, body_kept) = if kept {
            (json!("CONFIRMED"), Value::Null, json!(true))
        } else {
            (json!("UNRESOLVED"), json!("too_large_to_keep"), Value::Null)
        };
        assert_eq!((&finding["verdict"], &finding["reason"]), (&verdict, &reason));
        assert_eq!(finding["evidence"]["body_sha256"], hex::encode(receipt::hash::sha256(&body)));
        assert_eq!(finding["evidence"]["body_bytes"], body.len());
        assert_eq!(finding["evidence"]["body_kept"], body_kept);
        assert_eq!(judged.evidence.len(), if kept { 2 } else { 1 });
        assert_eq!(judge.replay(&question, &judged.evidence, at()).unwrap(), judged.finding);
        assert!(judge.is_replayable(&receipt::json::parse(finding.to_string().as_bytes()).unwrap()));
    }
}

/// Before a large body decided nothing it was judged by, and only its hash kept: such a receipt is found by no replay to
/// be anything else than it was.
#[tokio::test]
async fn an_older_record_of_a_body_that_was_not_kept_lacks_evidence_and_overturns_nothing() {
    let url = server(answer(200, "", br#"{"status":"ok"}"#)).await;
    let judge = dev();
    let question = read(&request(&url, "status", "ok").to_string()).unwrap();
    let judged = judge.judge(&question, at().into()).await.unwrap();
    let mut record: Value = serde_json::from_slice(judged.evidence[0].bytes().unwrap()).unwrap();
    record["body_bytes"] = json!((1 << 20) + 1);
    let older = [EvidenceBlob::new("fetch", serde_json::to_vec(&record).unwrap())];
    assert!(judge.replay(&question, &older, at()).is_err());
    let of = |body_kept: bool, reason: Value| {
        let receipt = json!({"evidence": {"body_kept": body_kept}, "reason": reason});
        judge.is_replayable(&receipt::json::parse(receipt.to_string().as_bytes()).unwrap())
    };
    assert!(!of(false, Value::Null) && !of(false, json!("not_json")));
    assert!(of(true, Value::Null) && of(false, json!("http_status")), "its status alone has decided");
}

#[tokio::test]
async fn a_replay_lacks_evidence_where_a_piece_is_gone_or_another_is_in_its_place() {
    let url = server(answer(200, "", br#"{"status":"ok"}"#)).await;
    let judge = dev();
    let question = read(&request(&url, "status", "ok").to_string()).unwrap();
    let evidence = judge.judge(&question, at().into()).await.unwrap().evidence;
    assert!(judge.replay(&question, &evidence, at()).is_ok());
    assert!(judge.replay(&question, &[], at()).is_err());
    assert!(judge.replay(&question, &evidence[..1], at()).is_err());
    assert!(judge.replay(&question, &evidence[1..], at()).is_err());
    let mut other = evidence.clone();
    other[1] = EvidenceBlob::new("body", br#"{"status":"no"}"#.to_vec());
    assert!(judge.replay(&question, &other, at()).is_err());
    other = evidence.clone();
    other[0] = EvidenceBlob::new("fetch", b"{}".to_vec());
    assert!(judge.replay(&question, &other, at()).is_err());
}

#[tokio::test]
async fn a_replay_without_the_body_is_enough_where_the_body_decided_nothing() {
    let url = server(answer(404, "", b"gone")).await;
    let judge = dev();
    let question = read(&request(&url, "status", "ok").to_string()).unwrap();
    let judged = judge.judge(&question, at().into()).await.unwrap();
    assert_eq!(judge.replay(&question, &judged.evidence[..1], at()), Ok(judged.finding));
}
