//! A missing or malformed field is a 400 that names it, and why.

use serde_json::{Value, json};

use crate::support::claims::{SIGNATURE, at, signed, with, without};
use crate::support::receipt::text;
use crate::support::service::dev;

/// That this body is refused for this field.
#[track_caller]
fn refused(body: &Value, field: &str, reason: &str) {
    let problem = dev().ask("/claim-verdict", body).problem(400);
    let pointer = format!("/{}", field.replace('.', "/"));
    let said = ["field", "pointer", "reason"].map(|member| text(&problem, member));
    assert_eq!(said, [field, &pointer, reason], "{body}");
    assert!(text(&problem, "detail").contains(&format!("`{field}`")), "{problem}");
}

fn document() -> Value {
    at("http://127.0.0.1:1/", "status", "ok")
}

#[test]
fn every_required_field_is_named_where_it_is_missing() {
    let _service = dev();
    for pointer in ["/agent", "/claim", "/resolver", "/resolver/type"] {
        refused(&without(signed("a"), pointer), &pointer[1..].replace('/', "."), "missing");
    }
    for name in ["message", "signature", "public_key"] {
        refused(&without(signed("a"), &format!("/resolver/{name}")), &format!("resolver.{name}"), "missing");
    }
    for name in ["url", "path", "expect"] {
        refused(&without(document(), &format!("/resolver/{name}")), &format!("resolver.{name}"), "missing");
    }
}

#[test]
fn the_first_wrong_field_is_the_one_that_is_named() {
    let _service = dev();
    refused(&json!({}), "agent", "missing");
    refused(&json!({"agent": "a"}), "claim", "missing");
    refused(&json!({"agent": "a", "claim": "c"}), "resolver", "missing");
    refused(&json!({"agent": "a", "claim": "c", "resolver": {}}), "resolver.type", "missing");
}

#[test]
fn every_field_of_another_type_is_named() {
    let _service = dev();
    for value in [json!(null), json!(7), json!(true), json!(["a"]), json!({"a": "b"})] {
        for pointer in ["/agent", "/claim", "/resolver/type", "/resolver/message", "/resolver/signature"] {
            let body = with(signed("a"), pointer, value.clone());
            refused(&body, &pointer[1..].replace('/', "."), "wrong_type");
        }
        for name in ["public_key", "message_encoding", "signature_encoding", "public_key_encoding"] {
            let body = with(signed("a"), &format!("/resolver/{name}"), value.clone());
            refused(&body, &format!("resolver.{name}"), "wrong_type");
        }
        for name in ["url", "path", "expect"] {
            let body = with(document(), &format!("/resolver/{name}"), value.clone());
            refused(&body, &format!("resolver.{name}"), "wrong_type");
        }
    }
    for value in [json!(null), json!("url_json"), json!(7), json!([{}])] {
        refused(&with(signed("a"), "/resolver", value), "resolver", "wrong_type");
    }
}

#[test]
fn an_agent_is_1_to_128_characters_without_control_characters() {
    let service = dev();
    let agent = |name: &str| with(signed("a"), "/agent", json!(name));
    for name in ["", " ", "\t\n", "\u{3000}\u{a0}"] {
        refused(&agent(name), "agent", "empty");
    }
    refused(&agent(&"ß".repeat(129)), "agent", "too_long");
    for name in ["a\u{0}b", "a\nb", "a\u{7f}b", "a\u{85}b", "a\u{1b}[2Jb"] {
        refused(&agent(name), "agent", "malformed");
    }
    for (given, kept) in [
        ("ß".repeat(128), "ß".repeat(128)),
        (" \u{3000}scout-7\n ".to_owned(), "scout-7".to_owned()),
        (format!("{}x", " ".repeat(300)), "x".to_owned()),
        ("日本 🦊".to_owned(), "日本 🦊".to_owned()),
    ] {
        assert_eq!(text(&service.claim(&agent(&given)), "agent"), kept);
    }
}

#[test]
fn a_claim_is_1_to_4096_characters_and_is_repeated_in_the_receipt() {
    let service = dev();
    let claim = |text: String| with(signed("a"), "/claim", json!(text));
    refused(&claim(String::new()), "claim", "empty");
    refused(&claim("é".repeat(4097)), "claim", "too_long");
    for given in ["é".repeat(4096), "  kept \u{0}as it is\n".to_owned()] {
        assert_eq!(text(&service.claim(&claim(given.clone())), "claim"), given);
    }
}

#[test]
fn a_word_that_is_not_published_is_refused_by_its_field() {
    let _service = dev();
    for name in ["type", "message_encoding", "signature_encoding", "public_key_encoding"] {
        for word in ["", "HEX", "hex ", "rot13"] {
            let body = with(signed("a"), &format!("/resolver/{name}"), json!(word));
            refused(&body, &format!("resolver.{name}"), "unknown_value");
        }
    }
    refused(
        &with(signed("a"), "/resolver/signature_encoding", json!("pem")),
        "resolver.signature_encoding",
        "unknown_value",
    );
    refused(
        &with(signed("a"), "/resolver/public_key_encoding", json!("utf8")),
        "resolver.public_key_encoding",
        "unknown_value",
    );
}

#[test]
fn a_signature_that_is_no_64_bytes_in_its_encoding_is_refused() {
    let _service = dev();
    let signature = |text: String| with(signed("a"), "/resolver/signature", json!(text));
    let field = "resolver.signature";
    refused(&signature(String::new()), field, "empty");
    for text in [
        SIGNATURE[..126].to_owned(),
        SIGNATURE[..127].to_owned(),
        SIGNATURE[..64].to_owned(),
        SIGNATURE.replace('e', "g"),
        format!(" {}", &SIGNATURE[..127]),
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVU=".to_owned(),
    ] {
        refused(&signature(text), field, "malformed");
    }
    refused(&signature(format!("{SIGNATURE}00")), field, "too_long");
    // Hex digits are base64 too, and stand for 96 bytes there.
    refused(&without(signature(SIGNATURE.to_owned()), "/resolver/signature_encoding"), field, "malformed");
}

#[test]
fn a_message_that_is_not_text_of_its_encoding_is_refused() {
    let _service = dev();
    for (encoding, message) in [
        ("hex", "0"),
        ("hex", "zz"),
        ("base64", "A"),
        ("base64", "AQ="),
        ("base64", "+_=="),
        ("base64", "AR=="),
    ] {
        let body = with(signed("a"), "/resolver/message_encoding", json!(encoding));
        refused(&with(body, "/resolver/message", json!(message)), "resolver.message", "malformed");
    }
}

#[test]
fn a_key_of_a_wrong_length_or_of_another_algorithm_is_refused() {
    let _service = dev();
    let key = |text: &str| with(signed("a"), "/resolver/public_key", json!(text));
    let field = "resolver.public_key";
    refused(&key(""), field, "empty");
    refused(&key("00"), field, "malformed");
    refused(&key(&"00".repeat(33)), field, "malformed");
    refused(&key(&"0".repeat(2049)), field, "too_long");
    let pem = |text: &str| without(key(text), "/resolver/public_key_encoding");
    let p256 = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt\n6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==\n-----END PUBLIC KEY-----\n";
    let private = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
    for text in [p256, private, "no key", "-----BEGIN PUBLIC KEY-----", &"0".repeat(63)] {
        refused(&pem(text), field, "malformed");
    }
}

#[test]
fn an_address_that_does_not_parse_or_is_not_http_is_refused() {
    let _service = dev();
    let url = |text: &str| with(document(), "/resolver/url", json!(text));
    refused(&url(""), "resolver.url", "empty");
    refused(&url(&format!("http://127.0.0.1/{}", "a".repeat(2048))), "resolver.url", "too_long");
    for text in [
        "status",
        "/status",
        "//127.0.0.1/",
        "http://",
        "http:///",
        "http://[::1",
        "http://a b/",
        "http://1.2.3.4:65536/",
        "http://256.1.1.1/",
        "http://0x1ffffffff/",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:1",
        "data:application/json,{}",
        "http://\u{0}/",
        "http://exa%00mple.com/",
        "http://xn--/",
    ] {
        refused(&url(text), "resolver.url", "malformed");
    }
}

#[test]
fn a_path_without_a_reading_is_refused() {
    let _service = dev();
    let path = |text: &str| with(document(), "/resolver/path", json!(text));
    refused(&path(""), "resolver.path", "empty");
    refused(&path(&"a".repeat(1025)), "resolver.path", "too_long");
    for text in [".", "a.", ".a", "a..b", "a\\", "a\\b"] {
        refused(&path(text), "resolver.path", "malformed");
    }
    refused(&with(document(), "/resolver/expect", json!("x".repeat(4097))), "resolver.expect", "too_long");
}

#[test]
fn unknown_members_are_allowed_and_are_part_of_the_hashed_request() {
    let service = dev();
    let body = with(with(signed("a"), "/note", json!({"x": [1, null]})), "/resolver/note", json!("y"));
    let receipt = service.claim(&body);
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    assert_ne!(receipt["request_hash"], service.claim(&signed("a"))["request_hash"]);
}
