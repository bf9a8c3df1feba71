//! The patterns of the texts of a signature in their encodings, as JSON Schema.

use serde_json::{Value, json};

/// The patterns of the texts in their encodings.
pub(crate) fn encodings() -> Value {
    json!({"allOf": [
        in_encoding("message", "base64", &base64_pattern("(?:C{4})*(?:CT|C{2}S)?")),
        in_encoding("message", "hex", "^(?:[0-9A-Fa-f]{2})*$"),
        in_encoding("signature", "base64", &base64_pattern("C{85}T")),
        in_encoding("signature", "hex", "^[0-9A-Fa-f]{128}$"),
        in_encoding("public_key", "base64", &base64_pattern("C{42}S")),
        in_encoding("public_key", "hex", "^[0-9A-Fa-f]{64}$"),
        in_encoding("public_key", "pem", &key_pattern()),
    ]})
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
