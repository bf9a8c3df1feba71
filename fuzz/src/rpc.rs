//! Answers of a chain's nodes.

use rpc::value::{Data, Fixed, Quantity, Quantity64, data as read_data, quantity};
use rpc::{RawResponse, RpcError};
use serde_json::{Value, json};

use crate::split::{cut, parts};

/// The most characters of a node's own words that are kept.
const MOST_CHARS: usize = 200;
const CALL: u64 = 7;

/// Answers, as a status and a body: a result comes with the status 200, stands in an answer to the very call, and is read
/// again from a plain answer; a part of an answer is none, unless it lacks white space alone; somebody else's words are
/// bounded and without control characters.
pub fn answer(data: &[u8]) -> bool {
    let [status, body] = parts(data);
    let status = str::from_utf8(status).ok().and_then(|status| status.parse().ok()).unwrap_or(200);
    match result(status, CALL, body) {
        Ok(value) => {
            assert_eq!(status, 200);
            assert!(result(status, CALL + 1, body).is_err());
            let plain = json!({"jsonrpc": "2.0", "id": CALL, "result": value}).to_string();
            assert_eq!(result(200, CALL, plain.as_bytes()).ok(), Some(value.clone()));
            if let Ok(shorter) = result(status, CALL, cut(body)) {
                assert_eq!(shorter, value);
            }
            true
        }
        Err(error) => {
            let words = match &error {
                RpcError::Malformed(words) | RpcError::Refused { message: words, .. } => words.as_str(),
                RpcError::Reverted { reason } => reason.as_deref().unwrap_or_default(),
                RpcError::Status(shown) => {
                    assert!(*shown == status && status != 200);
                    ""
                }
                RpcError::Transport(error) => panic!("nothing was sent: {error}"),
            };
            assert!(words.chars().count() <= MOST_CHARS && !words.chars().any(char::is_control), "{words:?}");
            matches!(error, RpcError::Refused { .. } | RpcError::Reverted { .. })
        }
    }
}

fn result(status: u16, id: u64, body: &[u8]) -> Result<Value, RpcError> {
    RawResponse { id, status, body: body.to_vec().into() }.result("eth_call")
}

/// Values: each has one spelling but for the case of its digits, and whoever reads few digits reads as many do.
pub fn value(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let number = Quantity64::try_from(text.to_owned());
    let wide = Quantity::try_from(text.to_owned());
    if let Ok(Quantity64(number)) = number {
        assert_eq!(quantity(number), text.to_ascii_lowercase());
        assert_eq!(wide.map(|Quantity(wide)| wide.to_string()), Ok(number.to_string()));
    }
    if let Ok(Quantity(wide)) = wide {
        assert_eq!(format!("{wide:#x}"), text.to_ascii_lowercase());
    }
    let bytes = read_data(text);
    if let Some(bytes) = &bytes {
        assert_eq!(format!("0x{}", hex::encode(bytes)), text.to_ascii_lowercase());
    }
    assert_eq!(Data::try_from(text.to_owned()).ok().map(|Data(bytes)| bytes), bytes);
    let word = Fixed::<32>::try_from(text.to_owned());
    assert_eq!(word.is_ok(), bytes.as_ref().is_some_and(|bytes| bytes.len() == 32));
    wide.is_ok() || bytes.is_some()
}
