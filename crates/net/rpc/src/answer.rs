//! The answer of a call, with the JSON-RPC result or error in it.

use alloy_primitives::Bytes;
use alloy_sol_types::{Panic, Revert, SolError};
use fetch::FetchError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::value;

/// The most characters of a node's own words that are kept.
const MAX_WORDS: usize = 200;

/// The unread answer of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawResponse {
    /// The JSON-RPC id of the call.
    pub id: u64,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The body after content decoding.
    pub body: bytes::Bytes,
}

impl RawResponse {
    /// Reads the result of the call. `method` is the name of the method, for error messages.
    ///
    /// # Errors
    ///
    /// [`RpcError`], except [`RpcError::Transport`].
    pub fn result<T: DeserializeOwned>(&self, method: &str) -> Result<T, RpcError> {
        let result = result(self.status, &self.body, self.id)?;
        serde_json::from_value(result)
            .map_err(|error| RpcError::Malformed(words(&format!("{method}: {error}"))))
    }
}

/// The reason why a call gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RpcError {
    /// The node could not be reached.
    #[error("the node: {0}")]
    Transport(#[from] FetchError),
    /// The node answered with this HTTP status and without a JSON-RPC error.
    #[error("the node answered with status {0}")]
    Status(u16),
    /// The answer is not JSON-RPC, or has the id of another call. The text is the reason.
    #[error("the node's answer is malformed: {0}")]
    Malformed(String),
    /// The node refused the call with an error of its own.
    #[error("the node refused the call: {code} {message}")]
    Refused {
        /// The error code, which JSON-RPC or the node defines.
        code: i64,
        /// The node's message, shortened and without control characters.
        message: String,
    },
    /// The called contract reverted.
    #[error("reverted: {}", reason.as_deref().unwrap_or("without a reason"))]
    Reverted {
        /// The contract's message (`Error(string)`), shortened and without control characters; `None` where it gave
        /// none.
        reason: Option<String>,
    },
}

#[derive(Deserialize)]
struct Response {
    jsonrpc: String,
    id: Option<u64>,
    /// Present where the call succeeded, then perhaps null.
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct ErrorObject {
    code: i64,
    message: String,
    data: Option<Value>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The result of call `id`. An error counts whatever the status, since nodes send it with many; a result only with 200.
fn result(status: u16, body: &[u8], id: u64) -> Result<Value, RpcError> {
    let unreadable = |what: String| match status {
        200 => RpcError::Malformed(what),
        _ => RpcError::Status(status),
    };
    let response: Response =
        serde_json::from_slice(body).map_err(|error| unreadable(words(&error.to_string())))?;
    if response.jsonrpc != "2.0" {
        return Err(unreadable("not JSON-RPC 2.0".to_owned()));
    }
    match (response.result, response.error) {
        // A node that could not read the request's id answers with null (section 5).
        (None, Some(error)) if response.id.is_none_or(|answered| answered == id) => Err(error.into()),
        (Some(Value::Null), Some(error)) if response.id == Some(id) => Err(error.into()),
        (Some(result), None) if response.id == Some(id) && status == 200 => Ok(result),
        _ => Err(unreadable("neither the call's result nor its error".to_owned())),
    }
}

impl From<ErrorObject> for RpcError {
    fn from(error: ErrorObject) -> Self {
        let data = error.data.as_ref().and_then(revert_data);
        // Geth's code is 3; others have -32000 or -32015, and data or at least the word. A call that runs out of gas
        // counts as a failure of the contract as well.
        let message = error.message.to_ascii_lowercase();
        let says = |words: &str| message.contains(words);
        let out_of_gas = says("out of gas") || says("outofgas") || says("gas required exceeds");
        if !(error.code == 3 || data.is_some() || says("revert") || out_of_gas) {
            return Self::Refused { code: error.code, message: words(&error.message) };
        }
        let said = data.and_then(|data| said(&data));
        let reason = said.or_else(|| error.message.split_once("reverted: ").map(|(_, said)| said.to_owned()));
        Self::Reverted { reason: reason.map(|reason| words(&reason)) }
    }
}

/// The revert's bytes, which some nodes wrap in an object or put a word before.
fn revert_data(data: &Value) -> Option<Bytes> {
    match data {
        Value::String(text) => value::data(text.strip_prefix("Reverted ").unwrap_or(text)),
        Value::Object(members) => value::data(members.get("data")?.as_str()?),
        _ => None,
    }
}

/// Reads a contract's message, in either of Solidity's two encodings.
fn said(data: &[u8]) -> Option<String> {
    let revert = Revert::abi_decode(data).map(|revert| revert.reason);
    revert.or_else(|_| Panic::abi_decode(data).map(|panic| panic.to_string())).ok()
}

/// Somebody else's words, fit for a log.
fn words(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(status: u16, body: &Value) -> Result<Value, RpcError> {
        result(status, body.to_string().as_bytes(), 7)
    }

    fn reason(error: &Value) -> Option<String> {
        match answered(200, &json!({"jsonrpc": "2.0", "id": 7, "error": error})) {
            Err(RpcError::Reverted { reason }) => reason,
            other => panic!("not a revert: {other:?}"),
        }
    }

    #[test]
    fn a_result_is_that_of_the_call() {
        let result = |extra: &Value| {
            let mut body = json!({"jsonrpc": "2.0", "id": 7, "result": "0x1"});
            body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            answered(200, &body)
        };
        assert_eq!(result(&json!({})).unwrap(), json!("0x1"));
        assert_eq!(result(&json!({"error": null})).unwrap(), json!("0x1"));
        assert_eq!(result(&json!({"result": null})).unwrap(), Value::Null);
        for wrong in [
            json!({"id": 8}),
            json!({"id": "7"}),
            json!({"id": null}),
            json!({"jsonrpc": "1.0"}),
            json!({"error": {"code": 1, "message": "both"}}),
        ] {
            assert!(matches!(result(&wrong), Err(RpcError::Malformed(_))), "{wrong}");
        }
        let bare = json!({"jsonrpc": "2.0", "id": 7});
        assert!(matches!(answered(200, &bare), Err(RpcError::Malformed(_))));
        assert!(matches!(super::result(200, b"<html>", 7), Err(RpcError::Malformed(_))));
        assert!(matches!(super::result(502, b"<html>", 7), Err(RpcError::Status(502))));
        let good = json!({"jsonrpc": "2.0", "id": 7, "result": "0x1"});
        assert!(matches!(answered(500, &good), Err(RpcError::Status(500))));
    }

    #[test]
    fn an_error_counts_whatever_the_status() {
        for (status, id) in [(200, json!(7)), (400, json!(7)), (500, json!(null))] {
            let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "no\nfunds"}});
            match answered(status, &body) {
                Err(RpcError::Refused { code: -32000, message }) => assert_eq!(message, "nofunds"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_revert_tells_its_reason_however_the_node_sends_it() {
        let data = format!("0x{}", hex::encode(Revert::from("Pausable: paused").abi_encode()));
        for error in [
            json!({"code": 3, "message": "execution reverted", "data": data}),
            json!({"code": -32015, "message": "VM execution error.", "data": format!("Reverted {data}")}),
            json!({"code": -32603, "message": "internal", "data": {"data": data}}),
            json!({"code": -32000, "message": "execution reverted: Pausable: paused"}),
        ] {
            assert_eq!(reason(&error).as_deref(), Some("Pausable: paused"), "{error}");
        }
        assert_eq!(reason(&json!({"code": 3, "message": "execution reverted", "data": "0x"})), None);
        assert_eq!(reason(&json!({"code": 3, "message": "execution reverted", "data": "0x12345678"})), None);
    }

    #[test]
    fn words_are_bounded() {
        assert_eq!(words(&"a".repeat(1000)).len(), MAX_WORDS);
        assert_eq!(words("a\u{1b}[31m\nb"), "a[31mb");
    }
}
