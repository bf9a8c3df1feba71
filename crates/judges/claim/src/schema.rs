//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does, as far as JSON
//! Schema can. The rest is in the descriptions: that an address must parse.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::path::DotPath;
use crate::question::{ClaimQuestion, limits};

impl JsonSchema for ClaimQuestion {
    fn schema_name() -> Cow<'static, str> {
        "ClaimQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "ClaimQuestion",
            "description": "A claim, and how to resolve it.",
            "type": "object",
            "required": ["claim", "resolver"],
            "properties": {
                "claim": text(1, limits::CLAIM_CHARS, "The claim in the caller's words; repeated in the receipt."),
                "resolver": {
                    "description": "How the claim is resolved; `type` selects one of two kinds.",
                    "oneOf": [url_json(), ed25519_signature()],
                },
            },
        })
    }
}

fn text(min: usize, max: usize, description: &str) -> Value {
    json!({ "type": "string", "minLength": min, "maxLength": max, "description": description })
}

fn with(mut schema: Value, key: &str, value: impl Into<Value>) -> Value {
    schema[key] = value.into();
    schema
}

fn words(words: &[&str], default: &str, description: &str) -> Value {
    json!({ "type": "string", "enum": words, "default": default, "description": description })
}

fn url_json() -> Value {
    let path = with(
        text(
            1,
            limits::PATH_CHARS,
            "Names and indices joined with `.`, as in `data.items.0.status`; `\\.` and `\\\\` stand for a \
             dot and a backslash in a name. At most 64 segments, none of them empty. Point it at a stable \
             field, not at a counter: an exact match against a growing number holds only once.",
        ),
        "pattern",
        path_pattern(),
    );
    let url = text(1, limits::URL_CHARS, "An http or https address that answers with a JSON document.");
    json!({
        "title": "UrlJson",
        "description": "CONFIRMED where the value at `path` of the JSON document at `url` is `expect`, \
            REFUTED where it is another string, number, boolean or null, UNRESOLVED with a `reason` where it \
            cannot be said.",
        "type": "object",
        "required": ["type", "url", "path", "expect"],
        "properties": {
            "type": { "type": "string", "const": "url_json" },
            "url": with(url, "pattern", "^[Hh][Tt][Tt][Pp][Ss]?://"),
            "path": path,
            "expect": text(
                0,
                limits::EXPECT_CHARS,
                "The value expected: a string's own characters, a number as the document writes it or as its \
                 exact plain decimal, or `true`, `false`, `null`.",
            ),
        },
    })
}

fn ed25519_signature() -> Value {
    json!({
        "title": "Ed25519Signature",
        "description": "CONFIRMED where the signature is valid for the key, under strict verification; \
            REFUTED with a `reason` where it is not. Whose key it is, is not asked.",
        "type": "object",
        "required": ["type", "message", "signature", "public_key"],
        "properties": {
            "type": { "type": "string", "const": "ed25519_signature" },
            "message": text(0, limits::MESSAGE_CHARS, "The signed message, in `message_encoding`."),
            "signature": text(1, limits::SIGNATURE_CHARS, "The signature's 64 bytes, in `signature_encoding`."),
            "public_key": text(
                1,
                limits::PUBLIC_KEY_CHARS,
                "A full PEM block `PUBLIC KEY`, or the key's 32 raw bytes in base64 or hex. For raw bytes \
                 `public_key_encoding` must say which: otherwise the verdict is UNRESOLVED, with the reason \
                 `public_key_encoding_required`.",
            ),
            "message_encoding": words(&["utf8", "base64", "hex"], "utf8", "How `message` stands for bytes."),
            "signature_encoding": words(&["base64", "hex"], "base64", "How `signature` stands for bytes."),
            "public_key_encoding": words(&["pem", "base64", "hex"], "pem", "How `public_key` stands for a key."),
        },
        "allOf": [
            in_encoding("message", "base64", &base64_pattern("(?:C{4})*(?:CT|C{2}S)?")),
            in_encoding("message", "hex", "^(?:[0-9A-Fa-f]{2})*$"),
            in_encoding("signature", "base64", &base64_pattern("C{85}T")),
            in_encoding("signature", "hex", "^[0-9A-Fa-f]{128}$"),
            in_encoding("public_key", "base64", &base64_pattern("C{42}S")),
            in_encoding("public_key", "hex", "^[0-9A-Fa-f]{64}$"),
            in_encoding("public_key", "pem", &key_pattern()),
        ],
    })
}

/// Returns the schema of a field in an encoding; the default encoding also applies if none is named.
fn in_encoding(field: &str, encoding: &str, pattern: &str) -> Value {
    let default = matches!((field, encoding), ("signature", "base64") | ("public_key", "pem"));
    let name = format!("{field}_encoding");
    let required = if default { vec![] } else { vec![name.clone()] };
    json!({
        "if": { "properties": { name: { "const": encoding } }, "required": required },
        "then": { "properties": { field: { "pattern": pattern } } },
    })
}

/// Any path within the bound.
fn path_pattern() -> String {
    let segment = r"(?:[^.\\]|\\[.\\])+";
    format!(r"^{segment}(?:\.{segment}){{0,{}}}$", DotPath::MAX_SEGMENTS - 1)
}

/// Base64 in either alphabet, but one of them. In `shape`, C is any character, T the last before (or without)
/// two padding characters and S the last before one: those whose unused bits are zero.
fn base64_pattern(shape: &str) -> String {
    let of = |alphabet: &str| {
        shape
            .replace('T', "[AQgw](?:==)?")
            .replace('S', "[AEIMQUYcgkosw048]=?")
            .replace('C', &format!("[A-Za-z0-9{alphabet}]"))
    };
    format!("^(?:{}|{})$", of("+/"), of("_-"))
}

/// A PEM block: RFC 8410 has the same 12 bytes before every key, which are 16 characters. Or a raw key, which
/// is answered, if not as its caller hoped.
fn key_pattern() -> String {
    let block = "[ \\t\\r\\n\\f]*-----BEGIN PUBLIC KEY-----\\r?\\n\
                 MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=\\r?\\n\
                 -----END PUBLIC KEY-----[ \\t\\r\\n\\f]*";
    let raw = base64_pattern("C{42}S");
    format!("^{block}$|{raw}|^[0-9A-Fa-f]{{64}}$")
}
