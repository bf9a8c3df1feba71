//! Every way in which a question is refused, by field and by code; and the schema says the same.

use crate::common::read;
use claim::{ClaimQuestion, ClaimResolver, PublicKeyInput, limits};
use proptest::prelude::*;
use serde_json::{Value, json};
use verdict::Question as _;

const PEM: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
    -----END PUBLIC KEY-----\n";
const KEY_HEX: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const KEY_BASE64: &str = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const X25519_PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----";

fn url_json() -> Value {
    json!({"claim": "the service is up", "resolver": {
        "type": "url_json", "url": "https://example.org/status", "path": "status", "expect": "ok",
    }})
}

fn ed25519() -> Value {
    json!({"claim": "Ada said it", "resolver": {
        "type": "ed25519_signature", "message": "it", "signature": "A".repeat(86), "public_key": PEM,
    }})
}

/// The request with members of its resolver set, or taken out where the value is `None`.
fn with(mut request: Value, members: &[(&str, Option<Value>)]) -> Value {
    let resolver = request["resolver"].as_object_mut().unwrap();
    for (name, value) in members {
        match value {
            Some(value) => resolver.insert((*name).to_owned(), value.clone()),
            None => resolver.remove(*name),
        };
    }
    request
}

fn set(request: Value, name: &str, value: impl Into<Value>) -> Value {
    with(request, &[(name, Some(value.into()))])
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&ClaimQuestion::TABLE.schema()).unwrap()
}

#[track_caller]
fn refused(request: &Value, field: &str, code: &str) {
    assert_eq!(
        read(&request.to_string()).map_err(|(f, c)| (f, c.to_owned())),
        Err((field.into(), code.into()))
    );
    assert!(!schema().is_valid(request), "the schema accepts {request}");
}

#[track_caller]
fn accepted(request: &Value) -> ClaimResolver {
    assert!(schema().is_valid(request), "the schema refuses {request}: {:?}", schema().validate(request));
    read(&request.to_string()).unwrap().resolver
}

#[test]
fn a_claim_has_1_to_4096_characters() {
    let claim = |claim: Value| {
        let mut request = url_json();
        request["claim"] = claim;
        request
    };
    accepted(&claim("ß".repeat(limits::CLAIM_CHARS).into()));
    refused(&claim("ß".repeat(limits::CLAIM_CHARS + 1).into()), "claim", "too_long");
    refused(&claim("".into()), "claim", "empty");
    refused(&claim(Value::Null), "claim", "wrong_type");
    refused(&claim(1.into()), "claim", "wrong_type");
    refused(&json!({"resolver": {}}), "claim", "missing");
}

#[test]
fn a_resolver_is_an_object_of_a_known_type() {
    refused(&json!({"claim": "c"}), "resolver", "missing");
    refused(&json!({"claim": "c", "resolver": null}), "resolver", "wrong_type");
    refused(&json!({"claim": "c", "resolver": "url_json"}), "resolver", "wrong_type");
    refused(&json!({"claim": "c", "resolver": {}}), "resolver.type", "missing");
    refused(&set(url_json(), "type", "URL_JSON"), "resolver.type", "unknown_value");
    refused(&set(url_json(), "type", Value::Null), "resolver.type", "wrong_type");
}

#[test]
fn an_unknown_member_is_no_fault() {
    let mut request = set(url_json(), "comment", json!({"of": ["any", "kind"]}));
    request["agent"] = "scout-7".into();
    accepted(&request);
}

#[test]
fn every_field_of_url_json_is_a_required_string_within_its_bound() {
    for (field, most) in
        [("url", limits::URL_CHARS), ("path", limits::PATH_CHARS), ("expect", limits::EXPECT_CHARS)]
    {
        let name = format!("resolver.{field}");
        refused(&with(url_json(), &[(field, None)]), &name, "missing");
        for value in [Value::Null, json!(1), json!(true), json!(["a"]), json!({})] {
            refused(&set(url_json(), field, value), &name, "wrong_type");
        }
        let text = format!("http://a{:a<most$}", "")[..most].to_owned();
        let text = if field == "path" { text.replace('.', "-") } else { text };
        accepted(&set(url_json(), field, text.clone()));
        refused(&set(url_json(), field, text + "a"), &name, "too_long");
    }
    refused(&set(url_json(), "url", ""), "resolver.url", "empty");
    refused(&set(url_json(), "path", ""), "resolver.path", "empty");
    accepted(&set(url_json(), "expect", ""));
}

#[test]
fn a_url_that_is_not_http_or_https_is_refused() {
    for url in
        ["ftp://example.org/", "file:///etc/passwd", "example.org", "/status", "data:,1", "javascript:1"]
    {
        refused(&set(url_json(), "url", url), "resolver.url", "malformed");
    }
    for url in ["HTTPS://EXAMPLE.ORG", "http://例え.jp/", "http://[::1]:8080/?a=b#c"] {
        accepted(&set(url_json(), "url", url));
    }
}

#[test]
fn a_url_that_does_not_parse_is_refused() {
    // That a URL parses is more than a pattern can say, so the schema is not asked.
    for url in
        ["http://", "http://[::1", "https://a b/", "http://a:99999/", "http://1.2.3.4.5/", "http://%zz/"]
    {
        let request = set(url_json(), "url", url).to_string();
        assert_eq!(read(&request), Err(("resolver.url".to_owned(), "malformed")), "{url}");
    }
}

#[test]
fn a_url_that_policy_refuses_is_a_question_all_the_same() {
    for url in
        ["http://127.0.0.1/", "http://169.254.169.254/latest", "https://u:p@example.org/", "https://db/"]
    {
        accepted(&set(url_json(), "url", url));
    }
}

#[test]
fn a_path_follows_its_grammar_and_has_at_most_64_segments() {
    for path in [".", "a.", ".a", "a..b", r"a\b", r"a\", r"\\\"] {
        refused(&set(url_json(), "path", path), "resolver.path", "malformed");
    }
    for path in ["a", "0", "a.b.0", r"a\.b\\.c", "naïve.\u{1F600}", "a b.\n", "[0]", "$"] {
        accepted(&set(url_json(), "path", path));
    }
    accepted(&set(url_json(), "path", vec!["a"; 64].join(".")));
    refused(&set(url_json(), "path", vec!["a"; 65].join(".")), "resolver.path", "too_long");
}

#[test]
fn every_field_of_ed25519_signature_is_a_string_and_null_is_not_absent() {
    for field in ["message", "signature", "public_key"] {
        let name = format!("resolver.{field}");
        refused(&with(ed25519(), &[(field, None)]), &name, "missing");
        refused(&set(ed25519(), field, Value::Null), &name, "wrong_type");
        refused(&set(ed25519(), field, 7), &name, "wrong_type");
    }
    for field in ["message_encoding", "signature_encoding", "public_key_encoding"] {
        let name = format!("resolver.{field}");
        refused(&set(ed25519(), field, Value::Null), &name, "wrong_type");
        for word in ["", "HEX", "base64url", "raw", "der"] {
            refused(&set(ed25519(), field, word), &name, "unknown_value");
        }
    }
    refused(&set(ed25519(), "signature_encoding", "utf8"), "resolver.signature_encoding", "unknown_value");
    refused(&set(ed25519(), "message_encoding", "pem"), "resolver.message_encoding", "unknown_value");
    refused(&set(ed25519(), "signature", ""), "resolver.signature", "empty");
    refused(&set(ed25519(), "public_key", ""), "resolver.public_key", "empty");
    refused(&set(ed25519(), "signature", "A".repeat(129)), "resolver.signature", "too_long");
    refused(&set(ed25519(), "public_key", "A".repeat(2049)), "resolver.public_key", "too_long");
    refused(&set(ed25519(), "message", "A".repeat(262_145)), "resolver.message", "too_long");
    accepted(&set(ed25519(), "message", "A".repeat(262_144)));
}

#[test]
fn defaults_are_utf8_base64_and_pem() {
    let named = with(
        ed25519(),
        &[
            ("message_encoding", Some("utf8".into())),
            ("signature_encoding", Some("base64".into())),
            ("public_key_encoding", Some("pem".into())),
        ],
    );
    assert_eq!(accepted(&ed25519()), accepted(&named));
    let ClaimResolver::Ed25519(question) = accepted(&ed25519()) else { panic!("a signature") };
    assert_eq!((question.message.as_slice(), question.signature), (&b"it"[..], [0; 64]));
    assert_eq!(question.public_key, PublicKeyInput::Given(hex::decode(KEY_HEX).unwrap().try_into().unwrap()));
}

#[test]
fn a_message_not_in_its_encoding_names_the_message() {
    let message = |encoding: &str, text: &str| {
        with(ed25519(), &[("message_encoding", Some(encoding.into())), ("message", Some(text.into()))])
    };
    for (encoding, text) in [
        ("hex", "0"),
        ("hex", "0x00"),
        ("hex", "00 "),
        ("base64", "A"),
        ("base64", "AR=="),
        ("base64", "AA="),
        ("base64", "AA==\n"),
        ("base64", "+_AA"),
        ("base64", "AA==AA=="),
    ] {
        refused(&message(encoding, text), "resolver.message", "malformed");
    }
    for (encoding, text) in [
        ("hex", ""),
        ("hex", "aB"),
        ("base64", ""),
        ("base64", "AA"),
        ("base64", "AA=="),
        ("base64", "-_-_"),
        ("utf8", ""),
    ] {
        accepted(&message(encoding, text));
    }
}

#[test]
fn a_signature_of_another_length_or_encoding_names_the_signature() {
    for (encoding, text) in [
        ("base64", "A".repeat(85)),
        ("base64", "A".repeat(84)),
        ("base64", "A".repeat(87)),
        ("base64", "A".repeat(88)),
        ("base64", "A".repeat(86) + "="),
        ("base64", "A".repeat(85) + "B"),
        ("base64", "0".repeat(128)),
        ("base64", "-".to_owned() + &"+".repeat(85)),
        ("hex", "0".repeat(126)),
        ("hex", "0".repeat(127)),
        ("hex", "g".repeat(128)),
        ("hex", "A".repeat(86)),
    ] {
        let request = with(
            ed25519(),
            &[("signature_encoding", Some(encoding.into())), ("signature", Some(text.clone().into()))],
        );
        refused(&request, "resolver.signature", "malformed");
    }
    accepted(&set(ed25519(), "signature", "A".repeat(86) + "=="));
    accepted(&set(ed25519(), "signature", "_".repeat(85) + "w"));
    accepted(&with(
        ed25519(),
        &[("signature_encoding", Some("hex".into())), ("signature", Some("aB".repeat(64).into()))],
    ));
}

fn key(encoding: Option<&str>, text: &str) -> Value {
    with(ed25519(), &[("public_key_encoding", encoding.map(Into::into)), ("public_key", Some(text.into()))])
}

#[test]
fn a_key_not_in_its_encoding_or_of_another_algorithm_names_the_key() {
    for (encoding, text) in [
        (Some("hex"), KEY_BASE64),
        (Some("hex"), PEM),
        (Some("hex"), &KEY_HEX[2..]),
        (Some("base64"), KEY_HEX),
        (Some("base64"), PEM),
        (Some("base64"), &KEY_BASE64[4..]),
        (Some("base64"), &format!("{KEY_BASE64}=")),
        (Some("pem"), X25519_PEM),
        (Some("pem"), "a key"),
        (None, X25519_PEM),
        (None, "a key"),
        (None, &KEY_HEX[2..]),
        (None, &KEY_BASE64[4..]),
        (None, &PEM.replace('\n', "\\n")),
        (None, &PEM.replace("PUBLIC", "PRIVATE")),
        (None, &format!("{KEY_BASE64}\n")),
    ] {
        refused(&key(encoding, text), "resolver.public_key", "malformed");
    }
}

#[test]
fn one_key_is_the_same_in_every_encoding() {
    let pem = accepted(&key(None, PEM));
    let url_safe = KEY_BASE64.replace('/', "_");
    for (encoding, text) in [
        (Some("pem"), PEM),
        (None, &PEM.replace('\n', "\r\n")),
        (None, &format!(" \n{PEM}\t\n")),
        (Some("base64"), KEY_BASE64),
        (Some("base64"), KEY_BASE64.trim_end_matches('=')),
        (Some("base64"), &url_safe),
        (Some("hex"), KEY_HEX),
        (Some("hex"), &KEY_HEX.to_uppercase()),
    ] {
        assert_eq!(accepted(&key(encoding, text)), pem, "{encoding:?} {text}");
    }
}

#[test]
fn a_raw_key_whose_encoding_was_not_named_is_never_read() {
    // `pem` may be named as well as left out: what is not named is the encoding of the raw key.
    for encoding in [None, Some("pem")] {
        for text in [KEY_HEX, KEY_BASE64, KEY_BASE64.trim_end_matches('='), &KEY_BASE64.replace('/', "_")] {
            let ClaimResolver::Ed25519(question) = accepted(&key(encoding, text)) else {
                panic!("a signature")
            };
            assert_eq!(question.public_key, PublicKeyInput::EncodingNotNamed, "{text}");
        }
    }
}

#[test]
fn the_first_wrong_field_is_the_one_that_is_named() {
    let request = with(ed25519(), &[("signature", Some("*".into())), ("public_key", Some("*".into()))]);
    refused(&request, "resolver.signature", "malformed");
}

fn encoding() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        prop::sample::select(vec!["utf8", "base64", "hex", "pem", "raw"]).prop_map(|word| Some(word.into())),
    ]
}

fn bytes_in_text(count: usize) -> impl Strategy<Value = String> {
    (prop::collection::vec(any::<u8>(), count.saturating_sub(1)..=count + 1), any::<prop::sample::Index>())
        .prop_map(|(bytes, how)| {
            use base64::prelude::*;
            match how.index(7) {
                0 => BASE64_STANDARD.encode(bytes),
                1 => BASE64_URL_SAFE.encode(bytes),
                2 => BASE64_STANDARD_NO_PAD.encode(bytes),
                3 => BASE64_URL_SAFE_NO_PAD.encode(bytes),
                4 => hex::encode(bytes),
                5 => BASE64_STANDARD.encode(bytes) + "=",
                _ => format!(
                    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA{}\n-----END PUBLIC KEY-----",
                    BASE64_STANDARD.encode(bytes)
                ),
            }
        })
}

proptest! {
    #[test]
    fn the_schema_and_the_reader_agree_on_signatures(
        message in prop_oneof![".{0,8}", bytes_in_text(4)],
        signature in bytes_in_text(64),
        key in bytes_in_text(32),
        encodings in (encoding(), encoding(), encoding()),
    ) {
        let request = with(ed25519(), &[
            ("message", Some(message.into())),
            ("signature", Some(signature.into())),
            ("public_key", Some(key.into())),
            ("message_encoding", encodings.0),
            ("signature_encoding", encodings.1),
            ("public_key_encoding", encodings.2),
        ]);
        prop_assert_eq!(schema().is_valid(&request), read(&request.to_string()).is_ok(), "{}", request);
    }

    #[test]
    fn the_schema_and_the_reader_agree_on_paths(path in r"[ab.\\\n]{0,9}") {
        let request = set(url_json(), "path", path);
        prop_assert_eq!(schema().is_valid(&request), read(&request.to_string()).is_ok(), "{}", request);
    }

    #[test]
    fn no_question_panics(
        words in prop::collection::hash_map("[a-z_0-9]{1,9}|type|url|path|expect", any::<String>(), 0..6),
    ) {
        let resolver = json!({"type": "url_json", "url": "http://a", "path": "a", "expect": ""});
        let mut request = json!({"claim": "c", "resolver": resolver});
        for (name, value) in words {
            request["resolver"][name] = value.into();
        }
        let _ = read(&request.to_string());
    }
}
