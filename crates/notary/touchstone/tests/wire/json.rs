//! A request is I-JSON: what two readers could read differently is refused before anything else.

use crate::support::claims::{KEY, SIGNATURE, signed};
use crate::support::receipt::text;
use crate::support::service::dev;

/// A good body with this text among its members.
fn with_member(member: &str) -> String {
    signed("a").to_string().replacen('{', &format!("{{{member},"), 1)
}

#[track_caller]
fn refused(body: impl AsRef<[u8]>, field: &str, reason: &str) {
    dev().post("/claim-verdict", body).names(field, reason);
}

#[test]
fn what_is_no_json_is_the_bodys_fault() {
    let _service = dev();
    for body in [
        "",
        " ",
        "{",
        "}",
        "nul",
        "{\"agent\"}",
        "{'agent':1}",
        "{\"agent\":\"a\",}",
        "{} {}",
        "[1,]",
        "01",
        "+1",
        ".5",
        "1.",
        "NaN",
        "{\"a\":Infinity}",
        "\"\n\"",
        "\"\\x41\"",
        "// hello\n{}",
        "agent=a&claim=b",
        "<claim/>",
        "\u{feff}{}",
    ] {
        refused(body, "body", "malformed");
    }
}

#[test]
fn what_is_no_object_is_the_bodys_fault() {
    let _service = dev();
    for body in ["null", "true", "7", "\"agent\"", "[]", "[{\"agent\":\"a\"}]"] {
        refused(body, "body", "wrong_type");
    }
}

#[test]
fn a_body_that_is_not_utf_8_is_refused() {
    let _service = dev();
    for bytes in [&b"\xff"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"] {
        refused([b"{\"agent\":\"", bytes, b"\"}"].concat(), "body", "invalid_utf8");
    }
    let utf16: Vec<u8> = signed("a").to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(dev().post("/claim-verdict", utf16).problem(400)["field"], "body");
}

#[test]
fn a_name_given_twice_is_named_with_its_path() {
    let _service = dev();
    refused(with_member(r#""agent":"b""#), "agent", "duplicate_key");
    refused(with_member(r#""\u0061gent":"b""#), "agent", "duplicate_key");
    refused(with_member(r#""x":{"y":[0,{"z":1,"z":1}]}"#), "x.y.1.z", "duplicate_key");
    let body = format!(
        r#"{{"agent":"a","claim":"c","resolver":{{"type":"ed25519_signature","message":"","message":"m","signature":"{SIGNATURE}","public_key":"{KEY}"}}}}"#
    );
    refused(&body, "resolver.message", "duplicate_key");
    let problem = dev().post("/claim-verdict", with_member(r#""x":{"a/b":1,"a/b":2}"#)).problem(400);
    assert_eq!(text(&problem, "pointer"), "/x/a~1b");
}

#[test]
fn half_a_surrogate_is_refused_and_named() {
    let _service = dev();
    for escape in [r"\ud800", r"\udc00", r"\ud800x", r"\udc00\ud800", r"\ud83d\u0041"] {
        refused(with_member(&format!(r#""x":["ok","{escape}"]"#)), "x.1", "lone_surrogate");
    }
    let fox = with_member(r#""x":"\ud83e\udd8a""#);
    dev().post("/claim-verdict", fox).expect(200);
}

#[test]
fn a_number_that_its_canonical_form_would_change_is_refused_and_named() {
    let service = dev();
    for number in [
        "9007199254740993",
        "0.1000000000000000055",
        "1e400",
        "-1e400",
        "1e-400",
        "123456789012345678901234567890",
    ] {
        refused(with_member(&format!(r#""x":{{"amount":{number}}}"#)), "x.amount", "number_not_exact");
    }
    for number in ["9007199254740992", "0.1", "-0.5e3", "1e300", "1E2", "0", "1.50"] {
        service.post("/claim-verdict", with_member(&format!(r#""x":{number}"#))).expect(200);
    }
}

#[test]
fn nesting_over_64_levels_is_refused_however_deep_it_goes() {
    let service = dev();
    let nested = |depth: usize, open: &str, close: &str| {
        with_member(&format!(r#""x":{}0{}"#, open.repeat(depth), close.repeat(depth)))
    };
    // The body is a level of its own.
    service.post("/claim-verdict", nested(63, "[", "]")).expect(200);
    service.post("/claim-verdict", nested(63, r#"{"y":"#, "}")).expect(200);
    refused(nested(64, "[", "]"), "body", "too_deep");
    refused(nested(64, r#"{"y":"#, "}"), "body", "too_deep");
    refused(nested(100_000, "[", "]"), "body", "too_deep");
    refused("[".repeat(100_000), "body", "too_deep");
    refused(r#"{"a":"#.repeat(40_000), "body", "too_deep");
}
