//! Questions for `claim-verdict`.

use serde_json::{Value, json};

/// Test 1 of RFC 8032, section 7.1: a key, and its signature over the empty message.
pub const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
pub const SIGNATURE: &str = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

/// A claim that holds.
pub fn signed(agent: &str) -> Value {
    json!({
        "agent": agent,
        "claim": "This key signed the empty message.",
        "resolver": {
            "type": "ed25519_signature",
            "message": "",
            "signature": SIGNATURE,
            "signature_encoding": "hex",
            "public_key": KEY,
            "public_key_encoding": "hex",
        },
    })
}

/// A claim about a document.
pub fn at(url: &str, path: &str, expect: &str) -> Value {
    json!({
        "agent": "reader",
        "claim": "The document says so.",
        "resolver": {"type": "url_json", "url": url, "path": path, "expect": expect},
    })
}

/// The body with one member set, by JSON pointer; it is added where its parent is an object.
pub fn with(mut body: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(name.to_owned(), value);
    body
}

/// The body without one member.
pub fn without(mut body: Value, pointer: &str) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.remove(name).unwrap();
    body
}
