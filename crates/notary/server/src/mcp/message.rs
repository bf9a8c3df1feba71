//! One JSON-RPC 2.0 message, read as I-JSON.

use receipt::json::{Json, Object, parse};

use super::reply::RpcError;

/// A message from a client.
pub(crate) enum Message {
    /// A request, which is answered.
    Request(RpcRequest),
    /// A notification, which is not: this server keeps no state that one could change.
    Notification,
}

/// A request.
pub(crate) struct RpcRequest {
    /// The request's id, as JSON.
    pub(crate) id: String,
    pub(crate) method: String,
    /// The parameters, without the arguments of a tool.
    pub(crate) params: Option<Object>,
    /// The arguments of a tool or a prompt.
    pub(crate) arguments: Option<Json>,
    /// The arguments in canonical form: large ones are written where the message is read, off the serving threads.
    pub(crate) canonical: Vec<u8>,
}

/// Maximum length of an id, in bytes of its JSON: it is repeated in the answer.
const MAX_ID_BYTES: usize = 1024;
/// Maximum size of `_meta`, in bytes of its canonical form: payments are in it, and are read on the serving threads.
const MAX_META_BYTES: usize = 64 << 10;

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// It is no JSON, a batch, an answer, or otherwise no message.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RpcError> {
        let message = parse(bytes).map_err(|error| RpcError::parse(&error.to_string()))?;
        let Json::Object(mut message) = message else {
            return Err(RpcError::request("must be one object; a batch is not taken"));
        };
        if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Err(RpcError::request("must have `\"jsonrpc\": \"2.0\"`"));
        }
        let Some(Json::String(method)) = message.remove("method") else {
            return Err(RpcError::request("must have a `method`; no answer is waited for here"));
        };
        let Some(id) = message.remove("id") else { return Ok(Self::Notification) };
        let is_id = match &id {
            Json::String(_) => true,
            Json::Number(number) => number.as_i64().is_some(),
            _ => false,
        };
        let id = String::from_utf8(id.canonical()).unwrap_or_default();
        if !is_id || id.len() > MAX_ID_BYTES {
            return Err(RpcError::request("must have an `id` that is a short string or a whole number"));
        }
        let mut params = match message.remove("params") {
            None => None,
            Some(Json::Object(params)) => Some(params),
            Some(_) => return Err(RpcError::request("must have `params` that are an object, or none")),
        };
        let meta = params.as_ref().and_then(|params| params.get("_meta"));
        if meta.is_some_and(|meta| meta.canonical().len() > MAX_META_BYTES) {
            return Err(RpcError::request("must have at most 65536 bytes of `_meta`"));
        }
        let arguments = params.as_mut().and_then(|params| params.remove("arguments"));
        let canonical = arguments.as_ref().map(Json::canonical).unwrap_or_default();
        Ok(Self::Request(RpcRequest { id, method, params, arguments, canonical }))
    }
}

impl RpcRequest {
    /// A parameter.
    pub(crate) fn param(&self, name: &str) -> Option<&Json> {
        self.params.as_ref()?.get(name)
    }

    /// A parameter that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.param(name)?.as_str()
    }

    /// The protocol's own members beside the parameters.
    pub(crate) fn meta(&self) -> Option<&Object> {
        self.param("_meta")?.as_object()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> i64 {
        Message::read(text.as_bytes()).map(|_| ()).unwrap_err().code
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert_eq!(code("{"), -32700);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#), -32700);
        for text in [
            "[]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        ] {
            assert_eq!(code(text), -32600, "{text}");
        }
    }

    #[test]
    fn a_request_keeps_its_id_and_a_notification_has_none() {
        for (id, kept) in [("7", "7"), (r#""a\"b""#, r#""a\"b""#), ("-1", "-1")] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let Ok(Message::Request(request)) = Message::read(text.as_bytes()) else { panic!("{text}") };
            assert_eq!((request.id.as_str(), request.method.as_str()), (kept, "ping"));
        }
        let notification = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert!(matches!(Message::read(notification), Ok(Message::Notification)));
    }
}
