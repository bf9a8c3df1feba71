//! Bodies: their size, their framing, and the content type that decides nothing.

use crate::support::claims::{signed, with};
use crate::support::http::Request;
use crate::support::receipt::text;
use crate::support::service::dev;
use serde_json::json;

/// A body of this many bytes that would be a good one.
fn padded(bytes: usize) -> String {
    let body = with(signed("a"), "/pad", json!(""));
    let pad = bytes - body.to_string().len();
    with(body, "/pad", json!("x".repeat(pad))).to_string()
}

const LIMIT: usize = 256 << 10;

#[test]
fn a_body_over_the_limit_is_413_with_the_limit() {
    let service = dev();
    service.post("/claim-verdict", padded(LIMIT)).expect(200);
    for bytes in [LIMIT + 1, 300 << 10] {
        assert_eq!(service.post("/claim-verdict", padded(bytes)).problem(413)["limit_bytes"], LIMIT);
    }
    assert_eq!(service.post("/verify", padded(LIMIT + 1)).problem(413)["limit_bytes"], LIMIT);
    assert_eq!(service.post("/request-trial", padded(LIMIT + 1)).problem(413)["limit_bytes"], 32 << 10);
    assert_eq!(service.post("/commit", padded(LIMIT + 1)).problem(413)["limit_bytes"], LIMIT);
}

#[test]
fn a_body_whose_length_is_not_announced_is_bounded_all_the_same() {
    let service = dev();
    let mut connection = service.connect();
    connection.send(&Request::post("/claim-verdict", padded(LIMIT)).chunked(1 << 14)).unwrap();
    connection.answer("POST").unwrap().expect(200);
    // The server may answer and close before it has read all that is sent.
    drop(connection.send(&Request::post("/claim-verdict", padded(300 << 10)).chunked(1 << 14)));
    assert_eq!(connection.answer("POST").unwrap().problem(413)["limit_bytes"], LIMIT);
}

#[test]
fn an_announced_length_over_the_limit_is_refused_before_the_body_is_sent() {
    let service = dev();
    let mut connection = service.connect();
    let head = b"POST /claim-verdict HTTP/1.1\r\nHost: notary.test\r\nContent-Length: 99999999999\r\n\r\n";
    connection.send(head).unwrap();
    assert_eq!(connection.answer("POST").unwrap().problem(413)["limit_bytes"], LIMIT);
}

#[test]
fn grading_routes_take_4_mib() {
    let service = dev();
    // A body within its limit gets past the 413, and is read.
    let record = |bytes: usize| padded(bytes).replacen(r#""agent":"a""#, r#""agent":"b""#, 1);
    service.post("/grade-strategy", record(4 << 20)).names("trades", "missing");
    let problem = service.post("/grade-strategy", record((4 << 20) + 1)).problem(413);
    assert_eq!(problem["limit_bytes"], 4 << 20);
}

#[test]
fn the_content_type_decides_nothing() {
    let service = dev();
    let body = signed("a").to_string();
    let bare = Request::new("POST", "/claim-verdict").body(&body);
    for request in [
        bare.clone(),
        bare.clone().header("Content-Type", "text/plain"),
        bare.clone().header("Content-Type", "application/x-www-form-urlencoded"),
        bare.clone().header("Content-Type", "multipart/form-data; boundary=x"),
        bare.clone().header("Content-Type", ""),
        bare.clone().header("Content-Type", "application/json; charset=utf-16"),
    ] {
        assert_eq!(text(&service.send(&request).expect(200).json(), "verdict"), "CONFIRMED");
    }
    // The same holds where the body is no JSON: the body is named, whatever its type claims.
    service.send(&Request::post("/claim-verdict", "agent=a")).names("body", "malformed");
}

#[test]
fn a_compressed_body_is_told_that_and_a_plain_one_is_read_whatever_it_claims() {
    let service = dev();
    // What gzip begins with: magic number, deflate, no flags.
    let compressed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    for path in ["/claim-verdict", "/verify", "/request-trial"] {
        let request = Request::post(path, compressed);
        service
            .send(&request.clone().header("Content-Encoding", "gzip"))
            .names("Content-Encoding", "not_applicable");
        service.send(&request.clone().header("Content-Encoding", "identity")).names("body", "invalid_utf8");
        service.send(&request).names("body", "invalid_utf8");
    }
    let plain = Request::json("/claim-verdict", &signed("a")).header("Content-Encoding", "gzip");
    service.send(&plain).expect(200);
    // A paid route tells its terms whatever the body holds.
    service.send(&Request::post("/commit", compressed).header("Content-Encoding", "gzip")).problem(402);
}

#[test]
fn a_body_that_does_not_arrive_whole_gets_no_receipt() {
    let service = dev();
    let body = signed("a").to_string();
    for announced in [body.len() + 1, body.len() + 1000] {
        let mut connection = service.connect();
        let head =
            format!("POST /claim-verdict HTTP/1.1\r\nHost: n\r\nContent-Length: {announced}\r\n\r\n{body}");
        connection.send(head.as_bytes()).unwrap();
        connection.finish();
        if let Ok(answer) = connection.answer("POST") {
            answer.names("body", "incomplete");
        }
    }
    let mut connection = service.connect();
    let head = "POST /claim-verdict HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    connection.send(head.as_bytes()).unwrap();
    if let Ok(answer) = connection.answer("POST") {
        assert_eq!(answer.status, 400);
    }
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let service = dev();
    let mut connection = service.connect();
    let body = signed("a").to_string();
    let head = format!(
        "POST /claim-verdict HTTP/1.1\r\nHost: n\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    connection.send(head.as_bytes()).unwrap();
    connection.wait_for_continue();
    connection.send(body.as_bytes()).unwrap();
    connection.answer("POST").unwrap().expect(200);
}
